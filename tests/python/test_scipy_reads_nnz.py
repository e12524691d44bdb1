"""scipy reads Matrix Market files of nnz."""

import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import matrices
import triples

SYMMETRIES = [
    ("integer", "general"),
    ("integer", "symmetric"),
    ("integer", "skew-symmetric"),
    ("real", "general"),
    ("real", "symmetric"),
    ("real", "skew-symmetric"),
    ("complex", "general"),
    ("complex", "symmetric"),
    ("complex", "skew-symmetric"),
    ("complex", "hermitian"),
    ("pattern", "general"),
    ("pattern", "symmetric"),
]


def write(path, matrix, field, symmetry, precision=17):
    scipy.io.mmwrite(path, matrix, field=field, symmetry=symmetry, precision=precision)
    return path


@pytest.mark.parametrize("suffix", [".mtx", ".mtx.gz"])
@pytest.mark.parametrize("field, symmetry", SYMMETRIES)
def test_coordinate(nnz, tmp_path, field, symmetry, suffix):
    dense = matrices.structured(31, field, symmetry)
    source = write(tmp_path / "a.mtx", sp.coo_matrix(dense), field, symmetry)
    target = nnz.convert(source, tmp_path / f"b{suffix}")
    triples.assert_same(triples.from_mtx(target), triples.from_mtx(source))
    triples.assert_same(triples.from_mtx(target), triples.of(sp.coo_matrix(dense)))


@pytest.mark.parametrize("field, symmetry", [case for case in SYMMETRIES if case[0] != "pattern"])
def test_array(nnz, tmp_path, field, symmetry):
    dense = matrices.structured(32, field, symmetry, n=9)
    source = write(tmp_path / "a.mtx", dense, field, symmetry)
    target = nnz.convert(source, tmp_path / "b.mtx")
    triples.assert_same(
        triples.from_mtx(target).without_zeros(), triples.of(dense).without_zeros()
    )


def test_doubles_through_a_store(nnz, tmp_path):
    """Doubles round-trip through a BPCells store bit by bit, plain and gzipped."""
    matrix = matrices.reals(33)
    source = write(tmp_path / "a.mtx", matrix, "real", "general")
    store = nnz.convert(source, tmp_path / "a.bpcells")
    for name in ["b.mtx", "b.mtx.gz"]:
        target = nnz.convert(store, tmp_path / name)
        assert scipy.io.mminfo(target)[3:] == ("coordinate", "real", "general")
        triples.assert_same(triples.from_mtx(target), triples.of(matrix))


def test_floats_through_a_store(nnz, tmp_path):
    """Values that are exact as 32-bit floats round-trip."""
    matrix = matrices.counts(34, (80, 60), 0.2).astype(np.float64)
    rng = np.random.default_rng(35)
    matrix.data = rng.standard_normal(matrix.nnz).astype(np.float32).astype(np.float64)
    source = write(tmp_path / "a.mtx", matrix, "real", "general")
    store = nnz.convert(source, tmp_path / "a.bpcells", "--type", "float")
    read = triples.from_mtx(nnz.convert(store, tmp_path / "b.mtx"))
    read.values = read.values.astype(np.float32)
    triples.assert_same(read, triples.of(matrix).astype(np.float32))


def test_infinities_and_nan(nnz, tmp_path):
    values = np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, 1.5])
    places = np.arange(len(values))
    matrix = sp.coo_matrix((values, (places, places)), shape=(6, 6))
    source = write(tmp_path / "a.mtx", matrix, "real", "general")
    store = nnz.convert(source, tmp_path / "a.bpcells")
    target = nnz.convert(store, tmp_path / "b.mtx")
    triples.assert_same(triples.from_mtx(target), triples.of(matrix))


@pytest.mark.parametrize("value", [2**53, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_wide_integers(nnz, tmp_path, value):
    """64-bit integers are converted from text to text without doubles."""
    matrix = sp.coo_matrix(([value, -1], ([2, 0], [1, 1])), shape=(3, 2), dtype=np.int64)
    source = write(tmp_path / "a.mtx", matrix, "integer", "general")
    target = nnz.convert(source, tmp_path / "b.mtx")
    triples.assert_same(triples.from_mtx(target), triples.of(matrix))


def test_no_entries(nnz, tmp_path):
    source = write(tmp_path / "a.mtx", sp.coo_matrix((4, 7)), "real", "general")
    target = nnz.convert(source, tmp_path / "b.mtx")
    assert scipy.io.mminfo(target)[:3] == (4, 7, 0)
    assert len(triples.from_mtx(target)) == 0


def test_the_example_round_trips(nnz, tmp_path, pbmc):
    store = nnz.convert(pbmc, tmp_path / "pbmc.bpcells")
    expected = triples.from_mtx(pbmc / "matrix.mtx.gz")
    for name in ["pbmc.mtx", "pbmc.mtx.gz"]:
        target = nnz.convert(store, tmp_path / name)
        triples.assert_same(triples.from_mtx(target), expected)
    with gzip.open(tmp_path / "pbmc.mtx.gz", "rb") as packed:
        assert packed.read() == (tmp_path / "pbmc.mtx").read_bytes()
