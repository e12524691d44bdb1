"""Sums and other statistics match NumPy."""

from importlib.util import find_spec

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


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_stats_are_those_of_each_measure(pair, axis):
    matrix, _ = pair
    for lazy in (matrix, matrix.scale(0.5).log1p()):
        found = lazy.stats(axis)
        assert list(found) == ["nnz", "sum", "mean", "variance", "min", "max"]
        np.testing.assert_array_equal(found["variance"], lazy.var(axis, ddof=1))
        for name in ("sum", "mean", "min", "max"):
            np.testing.assert_array_equal(found[name], getattr(lazy, name)(axis))
        for measures, names in (("variance", "nnz sum mean variance"), ("extremes", "nnz min max"), ("nnz", "nnz")):
            some = lazy.stats(axis, measures=measures)
            assert list(some) == names.split()
            for name in some:
                np.testing.assert_array_equal(some[name], found[name])
    with pytest.raises(nnz.ArgumentError, match="extremes"):
        matrix.stats(measures="mean")


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


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_of_complex_numbers_are_those_of_numpy(dtype, axis, tmp_path):
    matrix = random_matrix(dtype=dtype)
    matrix.data[:] += 1j * np.arange(matrix.nnz)
    # Entries that are zero in one part, or in both.
    matrix.data[:3] = [0, 3, -2j]
    nnz.write(matrix, tmp_path / "m.bsp.h5")
    m, dense = nnz.open(tmp_path / "m.bsp.h5"), matrix.toarray().astype(np.complex128)
    for name in ("sum", "mean", "var", "std"):
        found, expected = getattr(m, name)(axis=axis), getattr(dense, name)(axis=axis)
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=name)
        assert found.dtype == expected.dtype and np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(m.var(axis, ddof=1), dense.var(axis, ddof=1), rtol=1e-12)
    np.testing.assert_array_equal(m.count_nonzero(axis), np.count_nonzero(dense, axis=axis))
    with pytest.raises(nnz.UnsupportedError):
        m.max()


@pytest.mark.parametrize("sign", [1, -1])
def test_halves_of_complex_matrices_are_added_up_as_wholes(sign, tmp_path):
    elements = np.array([[0, 1 + 2j, 0], [0, 0, 4 + 3j], [0, 0, 0]])
    # Hermitian, and skew-symmetric.
    dense = elements + (elements.conj().T if sign == 1 else -elements.T)
    nnz.write(dense, tmp_path / "m.mtx", structure="auto")
    assert (tmp_path / "m.mtx").read_text().splitlines()[0].endswith("hermitian" if sign == 1 else "skew-symmetric")
    m = nnz.open(tmp_path / "m.mtx")
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(m.sum(axis), dense.sum(axis))
        np.testing.assert_array_equal(m.count_nonzero(axis), np.count_nonzero(dense, axis=axis))


def test_infinite_parts_stay_apart(tmp_path):
    nnz.write(np.array([[complex(1, np.inf)]]), tmp_path / "m.npy")
    found = nnz.open(tmp_path / "m.npy").sum()
    assert (found.real, found.imag) == (1, np.inf)


def test_duplicate_entries_are_summed_as_in_scipy(tmp_path):
    parts = np.r_[1.0, 2, 3, 5, -5], np.r_[1, 1, 0, 2, 2], np.r_[0, 2, 3, 5]
    expected = sparse.csr_array(parts, (3, 3)).toarray()
    for name in ["d.npz", "d.h5ad", "d.zarr"]:
        nnz.write(sparse.csr_array(parts, (3, 3)), tmp_path / name, to="scipy" if name == "d.npz" else "anndata")
        found = nnz.open(tmp_path / name)
        found = next(iter(found.values())) if isinstance(found, nnz.File) else found
        np.testing.assert_array_equal(found.to_numpy(), expected)
        if find_spec("pandas"):
            np.testing.assert_array_equal(found.to_pandas().to_numpy(), expected)
        for axis in [None, 0, 1]:
            for method in ["sum", "mean", "var", "std", "min", "max"]:
                np.testing.assert_allclose(getattr(found, method)(axis=axis), getattr(expected, method)(axis=axis))
            np.testing.assert_array_equal(found.count_nonzero(axis=axis), np.count_nonzero(expected, axis=axis))


def test_negative_zeros_are_not_nonzero(tmp_path):
    nnz.write(sparse.csr_array(([-0.0, 0.0, 1.0], ([0, 0, 1], [0, 1, 1])), (2, 2)), tmp_path / "z.npz")
    assert nnz.open(tmp_path / "z.npz").count_nonzero() == 1


def test_sums_beyond_64_bits_are_not_rounded(tmp_path):
    signed = np.array([[2**62 + 1, 2**62 + 2], [-3, 0], [2**53 + 1, 0]])
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(signed))
    found = nnz.stats(tmp_path / "a.npz", "rows")
    assert found["sum"].tolist() == [2**63 + 3, -3, 2**53 + 1]
    assert found["max"].dtype == np.int64 and found["max"].tolist() == [2**62 + 2, 0, 2**53 + 1]
    unsigned = np.array([[2**64 - 1, 2**64 - 1], [3, 0]], dtype="uint64")
    sparse.save_npz(tmp_path / "b.npz", sparse.csr_matrix(unsigned))
    found = nnz.stats(tmp_path / "b.npz", "rows")
    assert found["sum"].tolist() == [2**65 - 2, 3]
    assert found["max"].dtype == np.uint64 and found["max"].tolist() == [2**64 - 1, 3]
    assert nnz.stats(tmp_path / "b.npz")["sum"] == 2**65 + 1
