"""SciPy, mat73, hdf5storage and h5py read the MAT-files that nnz writes, and nnz reads those of SciPy."""

import h5py
import numpy as np
import pytest
import scipy.io as sio
import scipy.sparse as sp

import matrices
import triples

mat73 = pytest.importorskip("mat73")
hdf5storage = pytest.importorskip("hdf5storage")

SPARSE = {"double": np.float64, "logical": np.bool_, "complex": np.complex128}
DENSE = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "c8", "c16", "?"]


def random(seed, dtype, shape=(40, 30)):
    matrix = matrices.counts(seed, shape, 0.2).astype(np.int64).tocsc()
    if np.dtype(dtype).kind == "c":
        return (matrix + 2j * matrix).astype(dtype)
    return (matrix > 0).tocsc() if np.dtype(dtype) == np.bool_ else matrix.astype(dtype)


@pytest.mark.parametrize("options", [[], ["--compress", "none"]])
@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_is_read(nnz, tmp_path, kind, options):
    matrix = random(51, SPARSE[kind])
    source = tmp_path / "a.npz"
    sp.save_npz(source, matrix)
    target = nnz.convert(source, f"{tmp_path / 'a.mat'}::M_1", *options)
    path = tmp_path / "a.mat"
    if kind != "complex":
        # mat73 does not combine the parts of complex numbers.
        read = mat73.loadmat(str(path))
        assert list(read) == ["M_1"]
        assert (read["M_1"] != matrix).nnz == 0 and read["M_1"].shape == matrix.shape
    with h5py.File(path) as file:
        group = file["M_1"]
        assert group.attrs["MATLAB_sparse"] == matrix.shape[0]
        assert group.attrs["MATLAB_class"] == (b"logical" if kind == "logical" else b"double")
        assert np.array_equal(group["jc"], matrix.indptr)
        assert np.array_equal(group["ir"], matrix.indices)
        data = group["data"][:]
        data = data["real"] + 1j * data["imag"] if kind == "complex" else data
        assert np.array_equal(data, matrix.data)
    triples.assert_same(nnz.cat(target, matrix.dtype), triples.of(matrix), ordered=True)


@pytest.mark.parametrize("options", [[], ["--compress", "none"]])
@pytest.mark.parametrize("dtype", DENSE)
def test_dense_is_read(nnz, tmp_path, dtype, options):
    array = random(52, np.dtype(dtype), (300, 11)).toarray()
    np.save(tmp_path / "a.npy", array)
    nnz.convert(tmp_path / "a.npy", tmp_path / "a.mat", *options)
    for read in [mat73.loadmat(str(tmp_path / "a.mat"))["A"], hdf5storage.loadmat(str(tmp_path / "a.mat"))["A"]]:
        assert read.dtype == array.dtype and np.array_equal(read, array)


def test_empty_is_read(nnz, tmp_path):
    sp.save_npz(tmp_path / "a.npz", sp.csc_matrix((3, 4)))
    nnz.convert(tmp_path / "a.npz", tmp_path / "a.mat")
    read = mat73.loadmat(str(tmp_path / "a.mat"))["A"]
    assert read.shape == (3, 4) and read.nnz == 0
    np.save(tmp_path / "b.npy", np.zeros((0, 3)))
    nnz.convert(tmp_path / "b.npy", tmp_path / "b.mat")
    assert hdf5storage.loadmat(str(tmp_path / "b.mat"))["A"].shape == (0, 3)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", SPARSE)
def test_scipy_writes(nnz, tmp_path, kind, compressed):
    matrix = random(53, SPARSE[kind], (700, 600))
    dense = random(54, np.int16).toarray()
    path = tmp_path / "a.mat"
    sio.savemat(path, {"S": matrix, "D": dense, "t": "text", "nested": {"S": matrix}}, do_compression=compressed)
    for name in ["S", "nested/S"]:
        triples.assert_same(nnz.cat(f"{path}::{name}", matrix.dtype), triples.of(matrix), ordered=True)
    read = nnz.cat(f"{path}::D", np.int16)
    triples.assert_same(read.without_zeros(), triples.of(dense).without_zeros())


def test_variables_are_added_to_files_of_other_programs(nnz, tmp_path):
    path, source = tmp_path / "a.mat", tmp_path / "a.npz"
    old = random(54, "f8").toarray()
    hdf5storage.savemat(str(path), {"old": old}, format="7.3")
    new = [random(seed, "f8") for seed in (55, 56)]
    for name, matrix in zip(["new", "other"], new):
        sp.save_npz(source, matrix)
        nnz.convert(source, f"{path}::{name}")
    nnz.convert(source, f"{path}::new", "--force")
    copy = tmp_path / "copy.mat"
    nnz.convert(path, copy)
    for file in (path, copy):
        read = mat73.loadmat(str(file))
        assert sorted(read) == ["new", "old", "other"]
        assert np.array_equal(read["old"], old)
        assert all((read[name] != new[1]).nnz == 0 for name in ("new", "other"))


def test_files_of_suitesparse_have_a_matrix(nnz, tmp_path):
    matrix = random(57, "f8")
    problem = {"A": matrix, "b": np.ones((40, 1)), "title": "a title", "aux": {"coord": np.ones((40, 2))}}
    sio.savemat(tmp_path / "p.mat", {"Problem": problem})
    triples.assert_same(nnz.cat(tmp_path / "p.mat", matrix.dtype), triples.of(matrix), ordered=True)
    assert (mat73_of(nnz, tmp_path) != matrix).nnz == 0


def mat73_of(nnz, tmp_path):
    nnz.convert(f"{tmp_path / 'p.mat'}::Problem.A", tmp_path / "a.mat")
    return mat73.loadmat(str(tmp_path / "a.mat"))["A"]
