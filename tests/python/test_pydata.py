"""nnz reads the `.npz` files of PyData's package sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

import matrices
import triples

sparse = pytest.importorskip("sparse")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", ["coo", "rows", "cols"])
def test_matrix(nnz, tmp_path, form, compressed):
    matrix = matrices.counts(61, (50, 40), 0.2).astype(np.float64).tocoo()
    array = sparse.COO.from_scipy_sparse(matrix)
    if form != "coo":
        array = sparse.GCXS.from_coo(array, compressed_axes=[0 if form == "rows" else 1])
    sparse.save_npz(tmp_path / "a.npz", array, compressed=compressed)
    triples.assert_same(nnz.cat(tmp_path / "a.npz", np.float64), triples.of(matrix))


def test_fill_value_is_kept(nnz, tmp_path):
    array = sparse.COO(np.array([[0, 2], [1, 0]]), np.array([3, 4]), shape=(3, 2), fill_value=7)
    sparse.save_npz(tmp_path / "a.npz", array)
    nnz.convert(tmp_path / "a.npz", tmp_path / "a.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"), array.todense())


def test_other_dimensions(nnz, tmp_path):
    array = sparse.random((3, 4, 5), density=0.3, random_state=62, fill_value=2.5)
    sparse.save_npz(tmp_path / "a.npz", array)
    text = nnz.ok("cat", tmp_path / "a.npz")
    rows = [line.split("\t") for line in text.splitlines()]
    assert [[int(i) for i in row[:3]] for row in rows] == array.coords.T.tolist()
    assert [float(row[3]) for row in rows] == array.data.tolist()
