"""Tensors are read, written and exchanged with NumPy, SciPy and PyData sparse."""

import json
import multiprocessing
import os
import pickle

import numpy as np
import pytest
import scipy.sparse
from conftest import TESTDATA

import nnz

TYPES = ["uint8", "int16", "int64", "uint64", "float32", "float64", "bool", "complex64", "complex128"]


def random_tensor(shape, dtype="float64", seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    elements = rng.integers(-50, 50, shape)
    if np.dtype(dtype).kind == "u":
        elements = np.abs(elements)
    return np.where(rng.random(shape) < density, elements, 0).astype(dtype)


@pytest.mark.parametrize("name", ["t.bsp.h5", "t.npz", "t.zarr", "t.bsp", "t.nc", "t.bsp.npz"])
@pytest.mark.parametrize("dtype", TYPES)
def test_random_tensors_round_trip(tmp_path, name, dtype):
    if name == "t.nc" and dtype.startswith("complex"):
        pytest.skip("NetCDF has no complex numbers")
    for seed, shape in enumerate([(3, 4, 5), (2, 1, 3, 2), (1, 1, 1), (0, 2, 3), (2, 3, 1, 2, 2)]):
        elements = random_tensor(shape, dtype, seed)
        done = nnz.write(elements, tmp_path / name, force=True)
        assert (done.shape, done.entries) == (shape, np.count_nonzero(elements))
        t = nnz.open(tmp_path / name)
        assert isinstance(t, nnz.Tensor)
        assert (t.shape, t.ndim, t.nnz, t.dtype) == (shape, len(shape), np.count_nonzero(elements), elements.dtype)
        found = t.to_numpy()
        assert found.dtype == elements.dtype
        np.testing.assert_array_equal(found, elements)


@pytest.mark.parametrize("levels", ["sparse3(element)", "dense3(element)", "dense(sparse2(element)) transposed 2 0 1"])
def test_levels_are_as_requested(tmp_path, levels):
    elements = random_tensor((3, 4, 5), "int32")
    nnz.write(elements, tmp_path / "t.bsp.h5", levels=levels)
    t = nnz.open(tmp_path / "t.bsp.h5")
    assert t.levels == levels
    np.testing.assert_array_equal(t.to_numpy(), elements)
    np.testing.assert_array_equal(np.asarray(t), elements)


def test_arrays_without_dimensions_and_vectors(tmp_path):
    nnz.write(np.float32(2.5), tmp_path / "s.bsp.h5")
    s = nnz.open(tmp_path / "s.bsp.h5")
    assert (s.shape, s.nnz, s.size, s.to_numpy()[()]) == ((), 1, 1, np.float32(2.5))
    vector = random_tensor((30,), "int16")
    for name in ("v.bsp.h5", "v.npz", "v.npy"):
        nnz.write(vector, tmp_path / name)
        m = nnz.open(tmp_path / name)
        assert m.shape == (30, 1)
        np.testing.assert_array_equal(m.to_numpy()[:, 0], vector)
    nnz.write(scipy.sparse.coo_array(vector), tmp_path / "w.bsp.h5")
    assert nnz.diff(tmp_path / "v.bsp.h5", tmp_path / "w.bsp.h5") == []


def test_negative_zeros_and_nan_are_kept(tmp_path):
    elements = np.zeros((2, 2, 2))
    elements[0, 0, 1], elements[1, 1, 0] = -0.0, np.nan
    nnz.write(elements, tmp_path / "t.bsp.h5")
    t = nnz.open(tmp_path / "t.bsp.h5")
    assert t.nnz == 2
    np.testing.assert_array_equal(np.signbit(t.to_numpy()), np.signbit(elements))
    assert np.isnan(t.to_numpy()[1, 1, 0])


@pytest.mark.parametrize("dtype", ["int32", "float64", "complex128"])
def test_scipy_arrays_round_trip(tmp_path, dtype):
    elements = random_tensor((4, 3, 5), dtype)
    try:
        array = scipy.sparse.coo_array(elements)
    except ValueError:
        pytest.skip("this SciPy supports at most two dimensions")
    order = np.random.default_rng(1).permutation(array.nnz)
    array = scipy.sparse.coo_array((array.data[order], tuple(one[order] for one in array.coords)), shape=array.shape)
    for name in ("t.bsp.h5", "t.npz"):
        nnz.write(array, tmp_path / name)
        found = nnz.open(tmp_path / name).to_scipy()
        assert isinstance(found, scipy.sparse.coo_array) and found.dtype == dtype
        np.testing.assert_array_equal(found.toarray(), elements)
    with np.load(tmp_path / "t.npz") as written:
        assert written["shape"].tolist() == [4, 3, 5]
    assert array.nnz == len(order), "the source is unchanged"


def test_duplicates_are_summed(tmp_path):
    array = scipy.sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1], [2, 2])), shape=(1, 2, 3))
    nnz.write(array, tmp_path / "t.bsp.h5")
    t = nnz.open(tmp_path / "t.bsp.h5")
    assert t.nnz == 1 and t.to_numpy()[0, 1, 2] == 3 and array.nnz == 2


def test_pydata_sparse_arrays_round_trip(tmp_path):
    sparse = pytest.importorskip("sparse")
    for seed, shape in enumerate([(3, 4, 5), (4, 6), (7,), (2, 2, 2, 2)]):
        for fill in (0, 3, -2):
            elements = random_tensor(shape, "int32", seed)
            array = sparse.COO.from_numpy(elements, fill_value=fill)
            for kind in (array, sparse.GCXS(array), sparse.DOK(array)):
                path = tmp_path / "t.bsp.h5"
                nnz.write(kind, path, force=True)
                opened = nnz.open(path)
                if len(shape) < 3:
                    if fill:
                        assert nnz.diff(path, _dense(elements.reshape(shape[0], -1), tmp_path)) == []
                        continue
                    np.testing.assert_array_equal(opened.to_numpy().reshape(shape), elements)
                    continue
                assert opened.fill_value == fill and opened.nnz == array.nnz
                found = opened.to_sparse()
                assert isinstance(found, sparse.COO) and found.fill_value == fill and found.dtype == elements.dtype
                np.testing.assert_array_equal(found.todense(), elements)
                np.testing.assert_array_equal(opened.to_numpy(), elements)
    nnz.write(np.float64(7), tmp_path / "s.bsp.h5")
    assert nnz.open(tmp_path / "s.bsp.h5").to_sparse().todense() == 7


def _dense(elements, folder):
    np.save(folder / "dense.npy", elements)
    return folder / "dense.npy"


def test_fill_values_are_refused_by_scipy(tmp_path):
    sparse = pytest.importorskip("sparse")
    elements = random_tensor((2, 3, 4))
    elements[0] = 1
    nnz.write(sparse.COO.from_numpy(elements, fill_value=1), tmp_path / "t.bsp.h5")
    t = nnz.open(tmp_path / "t.bsp.h5")
    with pytest.raises(nnz.UnsupportedError, match="in arrays of SciPy they are zero"):
        t.to_scipy()
    with pytest.raises(nnz.UnsupportedError, match="in SciPy it is always zero"):
        nnz.write(t, tmp_path / "t.npz")
    nnz.write(sparse.COO.from_numpy(elements + 5, fill_value=1), tmp_path / "u.bsp.h5")
    np.testing.assert_array_equal(nnz.open(tmp_path / "u.bsp.h5").to_scipy().toarray(), elements + 5)


def test_lazy_tensors_are_written_and_converted(tmp_path):
    elements = random_tensor((3, 4, 5), "int16")
    nnz.write(elements, tmp_path / "a.bsp.h5")
    t = nnz.open(tmp_path / "a.bsp.h5")
    nnz.write(t, tmp_path / "b.npz", type="float32")
    np.testing.assert_array_equal(nnz.open(tmp_path / "b.npz").to_numpy(), elements.astype("float32"))
    nnz.convert(tmp_path / "b.npz", tmp_path / "c.zarr")
    assert nnz.diff(tmp_path / "a.bsp.h5", tmp_path / "c.zarr") == []
    for options, error in (
        ({"row_names": ["a"]}, "not to tensors"),
        ({"order": "row"}, "layout"),
        ({"axis_kinds": ("cells", "features")}, "not to tensors"),
    ):
        with pytest.raises(nnz.Error, match=error):
            nnz.write(t, tmp_path / "d.bsp.h5", **options)
    with pytest.raises(nnz.ArgumentError, match="3 dimensions cannot be stored as bpcells"):
        nnz.write(t, tmp_path / "d.bpcells")
    assert sorted(os.listdir(tmp_path)) == ["a.bsp.h5", "b.npz", "c.zarr"]


def test_files_have_matrices_and_tensors(tmp_path):
    elements = random_tensor((2, 3, 4))
    nnz.write(elements, f"{tmp_path / 'both.h5'}::t", to="binsparse")
    nnz.write(np.eye(3), f"{tmp_path / 'both.h5'}::m", to="binsparse")
    file = nnz.open(tmp_path / "both.h5")
    assert isinstance(file, nnz.File) and sorted(file) == ["m", "t"]
    assert isinstance(file["m"], nnz.Matrix) and isinstance(file["t"], nnz.Tensor)
    np.testing.assert_array_equal(file["t"].to_numpy(), elements)
    np.testing.assert_array_equal(nnz.open(f"{tmp_path / 'both.h5'}::t").to_numpy(), elements)


def test_tensors_of_other_programs_are_read():
    t = nnz.open(TESTDATA / "scipy" / "npy" / "shape_3d.npy")
    np.testing.assert_array_equal(t.to_numpy(), np.load(TESTDATA / "scipy" / "npy" / "shape_3d.npy"))
    found = 0
    for path in sorted((TESTDATA / "binsparse" / "valid" / "py").glob("custom_*.bsp.h5")):
        t = nnz.open(path)
        if isinstance(t, nnz.Tensor):
            entries, elements = t.to_sparse() if _has_sparse() else None, t.to_numpy()
            assert elements.shape == t.shape and np.count_nonzero(elements != t.fill_value) <= t.nnz
            if entries is not None:
                np.testing.assert_array_equal(entries.todense(), elements)
            found += 1
    assert found >= 3


def _has_sparse():
    try:
        import sparse  # noqa: F401
    except ImportError:
        return False
    return True


def test_broken_tensors_raise_errors_of_the_package(tmp_path):
    found = 0
    for path in sorted((TESTDATA / "binsparse").rglob("*")):
        if "valid" in path.parts or path.suffix not in (".h5", ".npz"):
            continue
        try:
            t = nnz.open(path)
            t.to_numpy()
        except nnz.Error as error:
            assert error.path, path
            found += 1
    assert found > 10
    nnz.write(random_tensor((3, 4, 5)), tmp_path / "t.npz")
    data = (tmp_path / "t.npz").read_bytes()
    for end in range(0, len(data), 97):
        (tmp_path / "u.npz").write_bytes(data[:end])
        with pytest.raises(nnz.Error):
            nnz.open(tmp_path / "u.npz").to_numpy()


def test_memory_limits_are_checked_in_advance(tmp_path):
    huge = scipy.sparse.coo_array(([1.0], ([0], [1], [2])), shape=(2**31 - 1, 2**31 - 1, 2**20))
    nnz.write(huge, tmp_path / "t.bsp.h5")
    t = nnz.open(tmp_path / "t.bsp.h5")
    with pytest.raises(nnz.MemoryLimitError):
        t.to_numpy()
    with pytest.raises(nnz.ArgumentError, match="all elements take"):
        np.asarray(t)
    assert t.to_scipy().nnz == 1
    with pytest.raises(nnz.MemoryLimitError):
        nnz.open(tmp_path / "t.bsp.h5", memory=8).to_scipy()


def total(t):
    return int(t.to_numpy().sum())


def test_handles_of_tensors_pickle_and_survive_a_fork(tmp_path, monkeypatch):
    elements = random_tensor((3, 4, 5), "int64")
    nnz.write(elements, tmp_path / "t.bsp.h5")
    monkeypatch.chdir(tmp_path)
    t = nnz.open("t.bsp.h5")
    monkeypatch.chdir("/")
    assert total(pickle.loads(pickle.dumps(t))) == elements.sum()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(total, [t] * 3).get(timeout=60) == [elements.sum()] * 3
    assert repr(t) == f"<nnz.Tensor 3 x 4 x 5 of int64 with {np.count_nonzero(elements)} entries: {t.format}, 't.bsp.h5'>"
    assert "<td>3 x 4 x 5</td>" in t._repr_html_()


class Offered:
    """An array as another package provides it."""

    def __init__(self, descriptor, arrays):
        self._both = descriptor, arrays

    def __binsparse_descriptor__(self):
        return self._both[0]

    def __binsparse__(self):
        return self._both[1]


def test_descriptors_match_files(tmp_path):
    matrix = scipy.sparse.csr_array(random_tensor((6, 5), "float32"))
    for order in ("row", "col"):
        nnz.write(matrix, tmp_path / "m.bsp.npz", order=order, force=True)
        m = nnz.open(tmp_path / "m.bsp.npz")
        descriptor, arrays = m.__binsparse_descriptor__(), m.__binsparse__()
        expected = matrix if order == "row" else matrix.tocsc()
        assert descriptor["binsparse"]["format"] == {"row": "CSR", "col": "CSC"}[order]
        assert descriptor["binsparse"]["number_of_stored_values"] == matrix.nnz
        for name, array in (("pointers_to_1", expected.indptr), ("indices_1", expected.indices), ("values", expected.data)):
            np.testing.assert_array_equal(arrays[name], array)
            assert descriptor["binsparse"]["data_types"][name] == arrays[name].dtype.name
        json.dumps(descriptor)
        same = m.__binsparse__()
        np.testing.assert_array_equal(same["values"], expected.data)


def test_binsparse_objects_are_accepted(tmp_path):
    elements = random_tensor((3, 4, 5), "complex64")
    nnz.write(elements, tmp_path / "t.bsp.h5")
    t = nnz.open(tmp_path / "t.bsp.h5")
    nnz.write(Offered(t.__binsparse_descriptor__(), t.__binsparse__()), tmp_path / "u.bsp.h5")
    np.testing.assert_array_equal(nnz.open(tmp_path / "u.bsp.h5").to_numpy(), elements)
    described = {"version": "0.1", "format": "DMATC", "shape": [2, 3], "number_of_stored_values": 6}
    described["data_types"] = {"values": "int16"}
    column = Offered({"binsparse": described}, {"values": np.arange(6, dtype=np.int16)})
    nnz.write(column, tmp_path / "d.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "d.npz").to_numpy(), [[0, 2, 4], [1, 3, 5]])
    described = {"version": "0.1", "format": "COOR", "shape": [3, 3], "number_of_stored_values": 2}
    described["data_types"] = {"indices_0": "int64", "indices_1": "int64", "values": "iso[bint8]"}
    arrays = {"indices_0": np.array([0, 2]), "indices_1": np.array([1, 0]), "values": np.array([True])}
    nnz.write(Offered({"binsparse": described}, arrays), tmp_path / "i.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "i.npz").to_numpy(), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [3, 2]},
        {"number_of_stored_values": 9},
        {"format": "XYZ"},
        {"data_types": {"indices_0": "int64", "values": "float64"}},
    ],
)
def test_broken_binsparse_objects_are_refused(tmp_path, change):
    described = {"version": "0.1", "format": "COOR", "shape": [3, 3], "number_of_stored_values": 2}
    described["data_types"] = {"indices_0": "int64", "indices_1": "int64", "values": "float64"}
    arrays = {"indices_0": np.array([0, 2]), "indices_1": np.array([1, 2]), "values": np.array([1.0, 2.0])}
    nnz.write(Offered({"binsparse": described}, arrays), tmp_path / "good.npz")
    with pytest.raises(nnz.Error):
        nnz.write(Offered({"binsparse": {**described, **change}}, arrays), tmp_path / "bad.npz")
    assert os.listdir(tmp_path) == ["good.npz"]


def test_tensors_with_another_order_of_dimensions_are_sorted_for_scipy(tmp_path):
    source = TESTDATA / "binsparse" / "valid" / "c" / "custom_S2s_t201.bsp.h5"
    nnz.convert(source, tmp_path / "v.npz")
    assert nnz.validate(tmp_path / "v.npz") == []
    np.testing.assert_array_equal(nnz.open(tmp_path / "v.npz").to_numpy(), nnz.open(source).to_numpy())


@pytest.mark.parametrize("many", [4, 50_000])
def test_unsorted_coo_arrays_of_scipy_are_read(tmp_path, many):
    rng = np.random.default_rng(5)
    elements = rng.choice(60 * 50 * 40, many, replace=False)
    coords = np.array(np.unravel_index(elements, (60, 50, 40)))
    values = rng.integers(1, 100, many)
    np.savez(
        tmp_path / "a.npz", format=b"coo", shape=(60, 50, 40), coords=coords, data=values, _is_array=np.array(True)
    )
    dense = np.zeros((60, 50, 40), values.dtype)
    dense[tuple(coords)] = values
    np.testing.assert_array_equal(nnz.open(tmp_path / "a.npz").to_numpy(), dense)
    assert nnz.validate(tmp_path / "a.npz") == []
