"""nnz reads files of BPCells, written through its Python package."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import matrices
import triples


def with_explicit_zeros():
    matrix = matrices.counts(21, (300, 80), 0.1)
    matrix.data[::3] = 0
    return matrix


MATRICES = {
    "counts": lambda: matrices.counts(11, (500, 300), 0.1),
    "tall": lambda: matrices.counts(12, (4_000_000, 3), 0.0005, top=5),
    "ones": lambda: matrices.counts(13, (200, 100), 0.2, top=1),
    "every width": lambda: matrices.every_width(14),
    "largest": lambda: matrices.counts(15, (50, 50), 0.3, top=2**32 - 1),
    "explicit zeros": with_explicit_zeros,
    "no entries": lambda: sp.csc_matrix((12, 5), dtype=np.uint32),
    "no rows": lambda: sp.csc_matrix((0, 5), dtype=np.uint32),
    "no columns": lambda: sp.csc_matrix((5, 0), dtype=np.uint32),
}


@pytest.fixture(params=["col", "row"])
def order(request):
    return request.param


@pytest.fixture
def written(dir_matrix, tmp_path, order):
    def write(matrix):
        store = tmp_path / "theirs.bpcells"
        dir_matrix.from_scipy_sparse(matrix.tocsr() if order == "row" else matrix, store)
        return store

    return write


@pytest.mark.parametrize("name", MATRICES)
def test_cat(nnz, written, order, name):
    matrix = MATRICES[name]()
    store = written(matrix)
    expected = triples.of(matrix)
    expected = expected.row_order() if order == "row" else expected.column_order()
    triples.assert_same(nnz.cat(store, np.uint32), expected, ordered=True)
    assert nnz.run("validate", store).returncode == 0


@pytest.mark.parametrize("name", MATRICES)
def test_to_matrix_market(nnz, written, tmp_path, name):
    matrix = MATRICES[name]()
    mtx = nnz.convert(written(matrix), tmp_path / "a.mtx")
    rows, cols, entries, *kind = scipy.io.mminfo(mtx)
    assert (rows, cols, entries) == (*matrix.shape, matrix.nnz)
    assert kind == ["coordinate", "integer", "general"]
    triples.assert_same(triples.from_mtx(mtx), triples.of(matrix).astype(np.int64))


@pytest.mark.parametrize("options", [[], ["--unpacked"], ["--order", "row"], ["--type", "double"]])
def test_round_trip(nnz, dir_matrix, written, tmp_path, options):
    """An intermediate store of another kind keeps everything."""
    matrix = MATRICES["every width"]()
    between = nnz.convert(written(matrix), tmp_path / "between.bpcells", *options)
    back = nnz.convert(between, tmp_path / "back.bpcells", "--type", "uint")
    triples.assert_same(triples.of(dir_matrix(back)[:, :]), triples.of(matrix))
