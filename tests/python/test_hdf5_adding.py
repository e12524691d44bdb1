"""A matrix added to an HDF5 file of h5py leaves everything else unchanged, and h5py and h5dump can go on with the file."""

import shutil
import subprocess
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")

from hdf5_content import content  # noqa: E402
from hdf5_datasets import GENERATIONS, LIBRARY, set_property  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

MATRIX = "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 1 5\n2 3 7\n3 4 9\n"

# Where matrices are added, one after another: next to others, in a group with several links, replaced.
TARGETS = [("new", []), ("sub/nEw", []), ("again/zz/deep", []), ("new", ["--force"]), ("aaa", [])]

# Numbers of members: without any, at the limits of compact links and of nodes, and with trees.
CASES = [
    *((generation, False, 9, {}) for generation in GENERATIONS),
    *((generation, True, 30, {}) for generation in GENERATIONS),
    *((generation, True, count, {}) for generation in ("earliest", "v200") for count in (0, 7, 8)),
    ("earliest", False, 500, {}),
    ("v200", True, 500, {}),
    ("earliest", False, 9, {"userblock_size": 512}),
    ("v112", True, 30, {"userblock_size": 1024}),
    *(
        (generation, False, 9, {"fs_strategy": strategy, "fs_persist": True})
        for generation, strategy in [("v112", "fsm"), ("v112", "page"), ("v200", "fsm"), ("v200", "page")]
    ),
]
CASES = [case for case in CASES if case[0] in GENERATIONS]


def fill(group, count):
    """Adds members of all kinds, and attributes."""
    for at in range(count):
        # Names before and after those that are added.
        name = f"{'mnz'[at % 3]}{at:05}"
        kind = at % 5
        if kind == 0:
            group[name] = np.arange(at % 7)
        elif kind == 1:
            group.create_group(name).attrs["a"] = at
        elif kind == 2:
            group[name] = h5py.SoftLink("/sub")
        elif kind == 3:
            group[name] = h5py.ExternalLink("other.h5", "/x")
        else:
            group[name] = np.dtype("i4")
    group.attrs["large"] = np.arange(100)
    for at in range(20 if count == 30 else 1):
        group.attrs[f"a{at}"] = "x" * at


def create(path, libver, order, count, options):
    with h5py.File(path, "w", libver=libver, track_order=order, **options) as file:
        group = file.create_group("sub", track_order=order)
        fill(file, count)
        fill(group, count)
        group["up"] = file["/"]
        file["again"] = group
    if "fs_strategy" in options:
        # Free space is kept in the file.
        for change in ("gone", None):
            with h5py.File(path, "r+") as file:
                if change:
                    file[change] = np.arange(5000)
                else:
                    del file["gone"]


def others(path, added):
    """Everything in a file other than what was added."""
    return {
        name: thing
        for name, thing in content(path).items()
        if not any(f"{name}/".startswith(f"{start}/") for start in added)
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_other_objects_do_not_change(nnz, tmp_path, case):
    generation, order, count, options = case
    source, path = tmp_path / "m.mtx", tmp_path / "f.h5"
    source.write_text(MATRIX)
    create(path, GENERATIONS[generation], order, count, options)
    places = ["new", "aaa", "later", *(f"sub/{name}" for name in ("nEw", "zz", "later"))]
    places += [f"sub/more{at}" for at in range(12)]
    added = [f"/{place}" for place in places]
    added += [place.replace("/sub/", "/again/") for place in added]
    before = others(path, added)
    userblock = path.read_bytes()[: options.get("userblock_size", 0)]

    for target, force in TARGETS:
        nnz.ok("convert", source, f"{path}::{target}", "--to", "bpcells", *force)
        if count <= 30:
            assert others(path, added) == before
        with h5py.File(path) as file:
            assert file[target]["shape"][:].tolist() == [3, 4]
            # Links with creation order are listed in it.
            assert not order or "/" in target or list(file)[-1] == target
    assert path.read_bytes()[: len(userblock)] == userblock
    if shutil.which("h5dump") and generation in ("earliest", "v108", "v110") and count < 2000:
        subprocess.run(["h5dump", "-H", path], check=True, stdout=subprocess.DEVNULL)
    assert len(nnz.cat(f"{path}::new", "uint32")) == 3

    with h5py.File(path, "r+") as file:
        file["later"] = np.arange(1000)
        del file["aaa"]
        file["sub/later"] = np.arange(10)
        for at in range(12):
            file.create_group(f"sub/more{at}")
    assert others(path, added) == before
    with h5py.File(path) as file:
        assert "aaa" not in file and file["later"][:].sum() == 499_500
        assert file["new/shape"][:].tolist() == file["sub/nEw/shape"][:].tolist() == [3, 4]


def foreign(path, libver):
    """A file with all kinds of objects that a group can be next to."""
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        file.attrs["title"] = "not ours"
        numbers = np.arange(5000.0)
        numbers = file.create_dataset("a/numbers", data=numbers, chunks=(100,), compression="gzip")
        numbers.attrs["unit"] = "m"
        numbers.make_scale("x")
        matrix = file.create_dataset("a/matrix", data=np.ones((5000, 3), ">i2"))
        matrix.dims[0].attach_scale(numbers)
        file["a/hard"] = file["a/matrix"]
        file["soft"] = h5py.SoftLink("/a/numbers")
        file["gone"] = h5py.SoftLink("/nowhere")
        file["out"] = h5py.ExternalLink("other.h5", "/there")
        file["round"] = h5py.SoftLink("/a")
        file["names"] = ["one", "zwei", "trois"]
        file["type"] = np.dtype("i4,f8")
        file["flag"] = h5py.Empty("f4")
        ragged = [np.arange(2), np.arange(3)]
        file.create_dataset("ragged", data=ragged, dtype=h5py.vlen_dtype("i4"))
        file.create_dataset("reference", data=numbers.ref, dtype=h5py.ref_dtype)
        for at in range(30):
            file.attrs[f"many{at}"] = np.arange(at)
            file.create_group(f"dense/g{at}")


@pytest.mark.parametrize("libver", ["earliest", "v110", "latest"])
def test_references_and_scales_are_kept(nnz, tmp_path, libver):
    source, path = tmp_path / "m.mtx", tmp_path / "f.h5"
    source.write_text(MATRIX)
    foreign(path, libver)
    before = content(path)
    # The last is the longest name.
    for target, force in [("new/place", []), ("new/place", ["--force"]), ("L" * 64_999, [])]:
        nnz.ok("convert", source, f"{path}::{target}", "--to", "bpcells", *force)
        after = content(path)
        assert {name: after[name] for name in before} == before
        with h5py.File(path) as file:
            assert file[target]["shape"][:].tolist() == [3, 4]
            assert file[file["reference"][()]] == file["a/numbers"]
            assert file["a/matrix"].dims[0]["x"] == file["a/numbers"]
    before = path.read_bytes()
    for target, force in [("new/place", []), ("type", ["--force"]), ("names", ["--force"])]:
        nnz.refuses("convert", source, f"{path}::{target}", "--to", "bpcells", *force)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("internal", "leaf"), [(8, 4), (1, 4), (16, 8)])
def test_files_with_nodes_of_other_sizes_are_refused(nnz, tmp_path, internal, leaf):
    # The extension of the superblock has the sizes, and a root node of the usual size would overwrite what follows it.
    if LIBRARY is None:
        pytest.skip("the library of h5py was not found")
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    set_property("H5Pset_sym_k", fcpl, internal, leaf)
    fcpl.set_file_space_strategy(h5py.h5f.FSPACE_STRATEGY_PAGE, True, 1)
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST)
    path, matrix = tmp_path / "a.h5", tmp_path / "m.mtx"
    matrix.write_text(MATRIX)
    with h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, fcpl, fapl)) as file:
        for at in range(5):
            file[f"g{at}/data"] = np.arange(5)
    before = path.read_bytes()
    refused = subprocess.run(
        [nnz.binary, "convert", matrix, f"{path}::new", "--to", "bpcells"], capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "structures of unusual sizes" in refused.stderr
    assert path.read_bytes() == before
