"""zarr-python and h5py read what nnz compresses, and BPCells what it reorders."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import matrices

ZARR = ["blosc", "pcodec:8", "gzip:4+delta", "zstd:3+shuffle", "zstd:9+delta+shuffle"]
HDF5 = ["blosc", "zstd:3", "zstd:3+shuffle", "gzip:4+shuffle"]


def write_mtx(path, matrix):
    """Writes integers in the order of columns."""
    coo = sp.coo_matrix(matrix.tocsc())
    lines = ["%%MatrixMarket matrix coordinate integer general"]
    lines.append(f"{coo.shape[0]} {coo.shape[1]} {coo.nnz}")
    lines += [f"{row + 1} {col + 1} {value}" for row, col, value in zip(coo.row, coo.col, coo.data)]
    path.write_text("\n".join(lines) + "\n")
    return path


def same(found, expected):
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@pytest.fixture
def counts(tmp_path):
    matrix = matrices.counts(1, (500, 300), 0.1)
    return matrix, write_mtx(tmp_path / "a.mtx", matrix)


@pytest.mark.parametrize("compress", ZARR)
def test_zarr_python_reads_a_matrix(nnz, counts, tmp_path, compress):
    zarr = pytest.importorskip("zarr", minversion="3.1")
    if compress.startswith("pcodec"):
        pytest.importorskip("pcodec")
    matrix, source = counts
    store = nnz.convert(source, tmp_path / "a.zarr", "--to", "CSC", "--compress", compress)
    with warnings.catch_warnings():
        # zarr-python calls codecs of numcodecs experimental.
        warnings.simplefilter("ignore")
        group = zarr.open_group(store, mode="r")
        arrays = [group[name][:] for name in ("values", "indices_1", "pointers_to_1")]
    same(sp.csc_matrix(tuple(arrays), shape=matrix.shape), matrix)


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("compress", ZARR)
def test_anndata_reads_a_store(nnz, counts, tmp_path, compress, version):
    anndata = pytest.importorskip("anndata", minversion="0.12")
    if compress.startswith("pcodec"):
        pytest.importorskip("pcodec")
    matrix, source = counts
    nnz.convert(source, tmp_path / "a.h5ad")
    options = ["--compress", compress, "--format-version", version]
    store = nnz.convert(tmp_path / "a.h5ad", tmp_path / "a.zarr", *options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = anndata.read_zarr(store)
    same(read.X, matrix)


@pytest.mark.parametrize("compress", HDF5)
def test_h5py_reads_a_file(nnz, counts, tmp_path, compress):
    h5py = pytest.importorskip("h5py")
    if not compress.startswith("gzip"):
        pytest.importorskip("hdf5plugin")
    matrix, source = counts
    path = nnz.convert(source, tmp_path / "a.h5", "--to", "CSC", "--compress", compress)
    with h5py.File(path) as file:
        assert file["values"].id.get_create_plist().get_nfilters() >= 1
        arrays = [file[name][:] for name in ("values", "indices_1", "pointers_to_1")]
    same(sp.csc_matrix(tuple(arrays), shape=matrix.shape), matrix)
    # Into a file that h5py has written, through another writer.
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["other"] = np.arange(3)
    nnz.convert(source, f"{tmp_path / 'b.h5'}::m", "--to", "CSC", "--compress", compress)
    with h5py.File(tmp_path / "b.h5") as file:
        np.testing.assert_array_equal(file["m/values"][:], arrays[0])


@pytest.mark.parametrize("order", ["col", "row"])
def test_bpcells_opens_a_reordered_matrix(nnz, dir_matrix, counts, tmp_path, order):
    matrix, source = counts
    options = ["--order", order, "--reorder", "rows=frequency", "--reorder", "cols=frequency"]
    store = nnz.convert(source, tmp_path / "a.bpcells", *options)
    entries = (matrix != 0).astype(int)
    rows, cols = (np.argsort(-np.asarray(entries.sum(axis=axis)).ravel(), kind="stable") for axis in (1, 0))
    expected = matrix.tocsr()[rows].tocsc()[:, cols]
    same(dir_matrix(store)[:, :], expected)
