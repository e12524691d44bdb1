"""nnz reads Matrix Market files of scipy."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import matrices
import triples
from test_scipy_reads_nnz import SYMMETRIES, write

DTYPES = {"integer": np.int64, "real": np.float64, "complex": np.complex128, "pattern": np.int64}


@pytest.mark.parametrize("precision", [None, 17])
@pytest.mark.parametrize("field, symmetry", SYMMETRIES)
def test_coordinate(nnz, tmp_path, field, symmetry, precision):
    dense = matrices.structured(41, field, symmetry)
    source = write(tmp_path / "a.mtx", sp.coo_matrix(dense), field, symmetry, precision)
    dtype = DTYPES[field]
    expected = triples.of(sp.coo_matrix(dense.astype(dtype)))
    triples.assert_same(nnz.cat(source, dtype, "--expand"), expected)
    if symmetry != "general":
        stored = nnz.cat(source, dtype)
        assert (stored.rows >= stored.cols).all()
        triples.assert_same(stored, lower(expected))


@pytest.mark.parametrize("field, symmetry", [case for case in SYMMETRIES if case[0] != "pattern"])
def test_array(nnz, tmp_path, field, symmetry):
    dense = matrices.structured(42, field, symmetry, n=9)
    source = write(tmp_path / "a.mtx", dense, field, symmetry)
    read = nnz.cat(source, DTYPES[field], "--expand")
    if symmetry == "general":
        triples.assert_same(read, triples.of(dense))
    else:
        triples.assert_same(read.without_zeros(), triples.of(dense).without_zeros())


def lower(entries):
    """Returns the entries on and below the diagonal."""
    return entries.take(np.flatnonzero(entries.rows >= entries.cols))


def test_the_order_of_entries_is_kept(nnz, tmp_path):
    matrix = matrices.counts(43, (60, 40), 0.3).astype(np.int64).tocoo()
    shuffled = np.random.default_rng(44).permutation(matrix.nnz)
    matrix = sp.coo_matrix(
        (matrix.data[shuffled], (matrix.row[shuffled], matrix.col[shuffled])), matrix.shape
    )
    source = write(tmp_path / "a.mtx", matrix, "integer", "general")
    triples.assert_same(nnz.cat(source, np.int64), triples.of(matrix), ordered=True)
    store = nnz.convert(source, tmp_path / "a.bpcells")
    expected = triples.of(matrix).column_order().astype(np.uint32)
    triples.assert_same(nnz.cat(store, np.uint32), expected, ordered=True)


@pytest.mark.parametrize("order", ["col", "row"])
def test_doubles_into_a_store(nnz, tmp_path, order):
    matrix = matrices.reals(45)
    source = write(tmp_path / "a.mtx", matrix, "real", "general")
    store = nnz.convert(source, tmp_path / "a.bpcells", "--order", order)
    expected = triples.of(matrix)
    expected = expected.row_order() if order == "row" else expected.column_order()
    triples.assert_same(nnz.cat(store, np.float64), expected, ordered=True)


def test_gzip(nnz, tmp_path):
    matrix = matrices.counts(46, (200, 100), 0.2).astype(np.int64)
    source = write(tmp_path / "a.mtx", matrix, "integer", "general")
    packed = tmp_path / "b.mtx.gz"
    packed.write_bytes(gzip.compress(source.read_bytes()))
    triples.assert_same(nnz.cat(packed, np.int64), triples.of(matrix))


@pytest.mark.parametrize("value", [2**53, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_wide_integers(nnz, tmp_path, value):
    matrix = sp.coo_matrix(([value], ([2], [1])), shape=(3, 2), dtype=np.int64)
    source = write(tmp_path / "a.mtx", matrix, "integer", "general")
    triples.assert_same(nnz.cat(source, np.int64), triples.of(matrix))


@pytest.mark.parametrize("value", [-1, 2**32])
def test_values_that_integers_cannot_hold(nnz, tmp_path, value):
    """BPCells wraps around; nnz refuses, unless the value fits."""
    matrix = sp.coo_matrix(([value], ([2], [1])), shape=(3, 2), dtype=np.int64)
    source = write(tmp_path / "a.mtx", matrix, "integer", "general")
    store = tmp_path / "a.bpcells"
    assert str(value) in nnz.refuses("convert", "--type", "uint", source, store)
    assert not store.exists()
    nnz.convert(source, store, "--type", "double")
    triples.assert_same(nnz.cat(store, np.float64), triples.of(matrix).astype(np.float64))


def test_complex_does_not_fit_a_store(nnz, tmp_path):
    dense = matrices.structured(47, "complex", "hermitian")
    source = write(tmp_path / "a.mtx", sp.coo_matrix(dense), "complex", "hermitian")
    assert nnz.refuses("convert", source, tmp_path / "a.bpcells")
    assert not (tmp_path / "a.bpcells").exists()
