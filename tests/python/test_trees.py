"""h5py, zarr-python and NumPy read trees that nnz copies between containers."""

import subprocess

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")
zarr = pytest.importorskip("zarr")



@pytest.fixture(scope="session")
def copy(nnz, tmp_path_factory):
    """Returns a function that runs the example that copies trees."""
    directory = tmp_path_factory.mktemp("copies")

    def run(kind, source, *options):
        path = directory / f"{len(list(directory.iterdir()))}.{kind}"
        command = [nnz.example("tree_copy"), *options, kind, source, path]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return path, done.stdout.splitlines()

    return run


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """One of each object, written by h5py."""
    path = tmp_path_factory.mktemp("source") / "source.h5"
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "a study"
        file.attrs["list"] = ["a", "é", ""]
        file.attrs["shape"] = np.array([3, 4])
        file.attrs["table"] = np.arange(6).reshape(2, 3)
        file.attrs["flag"] = np.bool_(True)
        file.attrs["half"] = 0.5
        group = file.create_group("group/inner")
        group.attrs["empty"] = h5py.Empty("f4")
        names = "i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()
        for name in names:
            group[name] = np.arange(12).reshape(3, 4).astype(name)
        group["bool"] = np.array([True, False, True])
        group["text"] = "ein Text"
        group["texts"] = ["a", "é", "", "a" * 1000]
        group["fixed"] = np.array([b"abc", b"", b"d"])
        group["none"] = np.zeros((0, 3), "f4")
        group["scalar"] = 7
        record = np.zeros(3, [("a", "i4"), ("b", "f8"), ("c", "S3")])
        record["a"], record["c"] = [1, 2, 3], [b"x", b"yy", b"zzz"]
        group["record"] = record
        tiles = np.arange(35_000, dtype="i4").reshape(700, 50)
        file.create_dataset("tiles", data=tiles, chunks=(64, 16), compression="gzip", shuffle=True)
        file.create_dataset("filled", shape=(10,), dtype="f4", chunks=(5,), fillvalue=2.5)
        file.create_dataset("volume", data=tiles.reshape(7, 100, 50), chunks=(1, 30, 50))
    return path


def arrays(group, prefix=""):
    """Lists the paths of all arrays."""
    for name in sorted(group):
        path = f"{prefix}/{name}" if prefix else name
        if hasattr(group[name], "dtype"):
            yield path
        else:
            yield from arrays(group[name], path)


def values(array):
    """Returns all values, with strings as such."""
    if h5py.check_string_dtype(getattr(array, "dtype", None)) and isinstance(array, h5py.Dataset):
        if h5py.check_string_dtype(array.dtype).length is None:
            return np.array(array.asstr()[()], dtype=object)
    return np.asarray(array[()])


def check(found, expected):
    assert found.shape == expected.shape
    if expected.dtype.kind in "OUST" or found.dtype.kind in "OUST":
        text = lambda value: value.decode() if isinstance(value, bytes) else str(value)
        assert [text(x) for x in found.ravel()] == [text(x) for x in expected.ravel()]
    else:
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("options", [[], ["--gzip", "3"], ["--memory", "1"]])
def test_hdf5(copy, source, options):
    path, changes = copy("hdf5", source, *options)
    assert changes == []
    with h5py.File(source) as old, h5py.File(path) as new:
        paths = list(arrays(old))
        assert list(arrays(new)) == paths
        for path in paths:
            check(values(new[path]), values(old[path]))
            assert new[path].dtype == old[path].dtype
            assert new[path].fillvalue == old[path].fillvalue or old[path].dtype.kind in "OSV"
        for name, value in old.attrs.items():
            assert np.array_equal(new.attrs[name], value)
        assert isinstance(new["group/inner"].attrs["empty"], h5py.Empty)
        if not options:
            assert (new["tiles"].chunks, new["tiles"].shuffle) == ((64, 16), True)


@pytest.mark.parametrize("kind", ["zarr2", "zarr3"])
@pytest.mark.parametrize("options", [[], ["--gzip", "3"], ["--zstd", "5"], ["--memory", "1"]])
@pytest.mark.filterwarnings("ignore")
def test_zarr(copy, source, kind, options):
    path, changes = copy(kind, source, *options)
    assert changes == []
    for consolidated in (True, False):
        new = zarr.open_group(path, mode="r", use_consolidated=consolidated)
        assert new.metadata.zarr_format == int(kind[-1])
        with h5py.File(source) as old:
            paths = list(arrays(old))
            for path_in in paths:
                check(np.asarray(new[path_in][()]), values(old[path_in]))
            assert new["filled"].fill_value == 2.5
            attributes = dict(new.attrs)
            assert attributes["title"] == "a study" and attributes["flag"] is True
            assert attributes["list"] == ["a", "é", ""] and attributes["shape"] == [3, 4]
            assert attributes["table"] == [[0, 1, 2], [3, 4, 5]] and attributes["half"] == 0.5
            assert new["group/inner"].attrs["empty"] is None


@pytest.mark.filterwarnings("ignore")
def test_back_from_zarr(copy, source):
    there, _ = copy("zarr2", source)
    again, changes = copy("zarr3", there)
    assert changes == []
    back, changes = copy("hdf5", again)
    assert changes == []
    with h5py.File(source) as old, h5py.File(back) as new:
        for path in arrays(old):
            check(values(new[path]), values(old[path]))


def test_npz(copy, source):
    path, changes = copy("npz", source)
    assert any(change.startswith("group: dropped") for change in changes)
    with h5py.File(source) as old, np.load(path) as new:
        assert sorted(new.files) == ["filled", "tiles", "volume"]
        for name in new.files:
            check(new[name], values(old[name]))


def test_netcdf(copy, source):
    netcdf = pytest.importorskip("netCDF4")
    path, changes = copy("netcdf", source)
    assert "group/inner/bool: elements of type bool are stored as uint8" in changes
    with h5py.File(source) as old, netcdf.Dataset(path) as new:
        assert new["tiles"].dimensions == ("length_700", "length_50")
        assert new["group/inner/none"].shape == (0, 3)
        assert new["group/inner/text"][...] == "ein Text"
        assert new["group/inner/texts"][:].tolist() == values(old["group/inner/texts"]).tolist()
        for name in ("tiles", "volume", "group/inner/i2", "group/inner/u8", "group/inner/f4"):
            check(np.asarray(new[name][:]), values(old[name]))
        assert new.title == "a study" and new.shape.tolist() == [3, 4]
