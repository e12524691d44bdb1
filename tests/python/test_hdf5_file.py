"""h5py, h5dump and anndata read HDF5 trees written by nnz."""

import shutil
import subprocess

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")

LENGTHS = [0, 1, 4095, 4096, 70_000, 0]


@pytest.fixture(scope="session")
def written(nnz, tmp_path_factory):
    """Returns a function that runs the example that writes trees."""
    directory = tmp_path_factory.mktemp("trees")

    def run(what, threads=1):
        path = directory / f"{what}{threads}.h5"
        if not path.exists():
            command = [nnz.example("hdf5_tree"), what, path, str(threads)]
            subprocess.run(command, check=True)
        return path

    return run


@pytest.fixture(params=["tree", "order"])
def tree(request, written):
    """One of each object, in old groups and in groups with creation order."""
    with h5py.File(written(request.param)) as file:
        yield file


def test_threads_do_not_change_bytes(written):
    assert written("tree", 1).read_bytes() == written("tree", 4).read_bytes()


def test_numbers(tree):
    numbers = tree["numbers"]
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        assert numbers[name].dtype == name
        assert numbers[name][:].tolist() == [1, 0, 0]
    assert numbers["float32"][0] == np.float32(1e-45)
    assert numbers["float64"].dtype == "float64"
    assert numbers["bint8"].dtype == bool
    assert numbers["bint8"][:].tolist() == [True, False, False]
    assert numbers["complex[float32]"].dtype == "complex64"
    assert numbers["complex[float64]"].dtype == "complex128"
    assert numbers["half"].dtype == "float16" and numbers["half"][()] == 1.5
    assert numbers["null"].shape is None and numbers["null"].dtype == "float32"
    assert numbers["empty"].shape == (0,) and numbers["empty"].maxshape == (0,)
    assert numbers["none"].shape == (0,) and numbers["none"].maxshape == (None,)


def test_storage(tree):
    group = tree["storage/deep/er"]
    for name, dataset in group.items():
        # h5py itself has no zstd.
        if name != "zstd":
            assert (dataset[()].ravel() == np.arange(dataset.size)).all(), name
    assert group["compact"].chunks is None
    assert group["gzip"].compression_opts == 4 and group["gzip"].shuffle
    assert group["tiles"].chunks == (64, 64)
    assert group["volume"].maxshape == (9, None, 6)
    assert group["volume"][4:, 1:3, 5].tolist() == [[131, 137], [161, 167], [191, 197]]


def test_strings(tree):
    group = tree["strings"]
    assert group["scalar"].asstr()[()] == "hällo"
    assert h5py.check_string_dtype(group["scalar"].dtype) == ("utf-8", None)
    assert group["many"].asstr()[:].tolist() == [f"cell{at}" for at in range(100_000)]
    assert group["lengths"].asstr()[:].tolist() == ["x" * length for length in LENGTHS]
    for name in ("padded", "terminated"):
        assert group[name].dtype == "S4"
        assert group[name][:].tolist() == [b"abc", b"", b"d"]
    assert group["records"].dtype.names == ("name", "value", "good")
    assert group["records"][:].tolist() == [(b"a", 1.5, True), ("bé".encode(), -0.0, True)]


def test_attributes(tree):
    group = tree["attributes"]
    attributes = group.attrs
    assert attributes["text"] == "two\nlines, é"
    assert attributes["no text"] == ""
    assert attributes["texts"].tolist() == ["a", "", "ccc"]
    assert attributes["é"] == -1 and attributes["é"].dtype == "int64"
    assert attributes["shape"].tolist() == [3, 4]
    assert attributes["ordered"].dtype == bool and attributes["ordered"]
    assert tree[attributes["reference"]].name == "/attributes/target"
    names = [tree[reference].name for reference in attributes["references"]]
    assert names == ["/attributes/target", "/attributes", "/"]
    assert attributes["null"].shape is None
    assert attributes["none"].shape == (0,) and attributes["none"].dtype == "float64"
    assert attributes["table"].tolist() == [[1.5, 2.5], [3.5, 4.5]]
    assert attributes["fixed"] == b"matrix"
    assert group["target"].attrs["unit"] == "m"


def test_many_and_large_attributes(tree):
    large = tree["attributes/large"]
    assert list(large) == ["member"]
    assert len(large.attrs) == 102
    assert large.attrs["column-order"].tolist() == [str(at) for at in range(100_000)]
    assert [large.attrs[f"x{at}"] for at in range(100)] == list(range(100))
    many = tree["attributes/many"].attrs
    assert sorted(many.values()) == list(range(1000))


def test_members_keep_their_order_on_request(written):
    with h5py.File(written("order")) as file:
        assert list(file["attributes"]) == ["target", "large", "many"]
    with h5py.File(written("tree")) as file:
        assert list(file["attributes"]) == ["large", "many", "target"]


def test_structures_of_any_size(written):
    with h5py.File(written("sizes")) as file:
        for count, group in file["members"].items():
            assert list(group) == sorted(f"m{at}" for at in range(int(count)))
            assert all(f"m{at}" in group for at in range(0, int(count), 97))
        for count, dataset in file["chunks"].items():
            assert (dataset[:] == np.arange(3 * int(count))).all()


def test_other_programs_can_change_the_file(written, tmp_path):
    for what in ("tree", "order"):
        path = shutil.copy(written(what), tmp_path / f"{what}.h5")
        with h5py.File(path, "a") as file:
            for at in range(50):
                file["numbers"].create_group(f"new{at}")
            del file["numbers/int8"]
            large = file["attributes/large"]
            large.attrs["more"] = list(range(20))
            del large.attrs["x5"]
            large.create_group("new")
            file["storage/deep/er/gzip"].resize((400_000,))
            file["storage/deep/er/gzip"][300_001:] = 5
            file["strings/scalar"][()] = "replaced"
        with h5py.File(path) as file:
            assert len(file["numbers"]) == len(h5py.File(written(what))["numbers"]) + 49
            large = file["attributes/large"]
            assert len(large.attrs) == 102 and large.attrs["more"].tolist() == list(range(20))
            assert list(large) == ["member", "new"]
            gzip = file["storage/deep/er/gzip"]
            assert gzip[300_000:300_002].tolist() == [300_000, 5] and gzip[-1] == 5
            assert file["strings/scalar"].asstr()[()] == "replaced"


@pytest.mark.skipif(not shutil.which("h5dump"), reason="h5dump is not installed")
@pytest.mark.parametrize("what", ["tree", "order", "h5ad"])
def test_h5dump_describes_the_file(written, what):
    done = subprocess.run(["h5dump", "-A", written(what)], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_a_dataframe_of_many_columns(written):
    with h5py.File(written("columns")) as file:
        columns = file["obs"].attrs["column-order"]
        assert len(columns) == len(file["obs"]) == 100_000
        for at in range(0, 100_000, 997):
            assert file["obs"][columns[at]][:].tolist() == [at, 1]


@pytest.mark.filterwarnings("error")
def test_anndata_opens_a_file(written):
    anndata = pytest.importorskip("anndata", exc_type=ImportError)
    for backed in (None, "r"):
        data = anndata.read_h5ad(written("h5ad"), backed=backed)
        assert data.X[:].toarray().tolist() == [[1, 0], [0, 2], [0, 3.5]]
        assert data.obs_names.tolist() == ["cell0", "cell1", "cell2"]
        assert data.obs["kind"].tolist()[::2] == ["B", "T"] and data.obs["kind"].isna().iloc[1]
        assert data.obs["note"].tolist() == ["", "zwei", "é"]
        assert data.obs["n"].tolist() == [7, 8, 9]
        assert data.var_names.tolist() == ["g0", "g1"] and data.var.shape == (2, 0)
        assert data.uns["answer"] == 42 and data.uns["title"] == "a study"
