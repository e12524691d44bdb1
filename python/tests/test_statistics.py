"""Sums and other statistics match NumPy."""

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import PBMC, random_matrix

import nnz


@pytest.fixture(scope="module", params=["uint8", "int64", "float32", "float64", "bool"])
def pair(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("stats") / "m.bsp.h5"
    matrix = random_matrix(dtype=request.param, order="col")
    # A stored zero is an entry, but not counted.
    matrix.data[0] = 0
    nnz.write(matrix, path)
    return nnz.open(path), matrix.toarray()


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2])
def test_reductions_match_numpy(pair, axis):
    m, dense = pair
    wide = dense.astype(np.float64)
    for name in ("sum", "mean", "var", "std"):
        found = getattr(m, name)(axis=axis)
        np.testing.assert_allclose(found, getattr(wide, name)(axis=axis), rtol=1e-12, err_msg=name)
        assert np.shape(found) == np.shape(wide.sum(axis=axis))
    np.testing.assert_allclose(m.var(axis, ddof=1), wide.var(axis, ddof=1), rtol=1e-12)
    np.testing.assert_allclose(m.std(axis, ddof=3), wide.std(axis, ddof=3), rtol=1e-12)
    for name in ("min", "max"):
        found = getattr(m, name)(axis=axis)
        np.testing.assert_array_equal(found, getattr(dense, name)(axis=axis), err_msg=name)
        assert found.dtype == dense.dtype
    np.testing.assert_array_equal(m.count_nonzero(axis), np.count_nonzero(dense, axis=axis))
    if dense.dtype.kind != "f":
        assert m.sum(axis).dtype == dense.sum(axis).dtype


def test_transposes_have_their_own_axes(pair):
    m, dense = pair
    np.testing.assert_allclose(m.T.sum(0), dense.T.astype(np.float64).sum(0))


def test_one_cell_has_no_variance(tmp_path):
    nnz.write(np.array([[3.0]]), tmp_path / "m.npy")
    m = nnz.open(tmp_path / "m.npy")
    assert m.var() == 0.0
    assert np.isnan(m.var(ddof=1))


def test_no_cells_have_no_minimum_and_maximum(tmp_path):
    nnz.write(sparse.csr_array((0, 3)), tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    assert m.sum() == 0
    with pytest.raises(ValueError):
        m.min()


def test_sums_past_64_bits_are_errors(tmp_path):
    nnz.write(np.full((1, 2), 2**63, np.uint64), tmp_path / "m.npy")
    with pytest.raises(OverflowError):
        nnz.open(tmp_path / "m.npy").sum()


def test_stats_match_the_command():
    found = nnz.stats(PBMC, "rows")
    dense = nnz.open(PBMC).to_numpy()
    np.testing.assert_array_equal(found["sum"], dense.sum(1))
    np.testing.assert_allclose(found["variance"], dense.var(1, ddof=1))
    assert nnz.stats(PBMC, measures="nnz") == {"nnz": 23866}
    cells = nnz.stats(PBMC, "cells", measures="sums", rows=slice(0, 5))
    np.testing.assert_array_equal(cells["sum"], dense[:5].sum(0))
    with pytest.raises(nnz.ArgumentError, match='axis "sideways"'):
        nnz.stats(PBMC, "sideways")
    with pytest.raises(nnz.ArgumentError, match="axis 2"):
        nnz.open(PBMC).sum(axis=2)
