"""AnnData files that nnz changes in place: h5py, zarr and anndata read the changes, and everything else is unchanged."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
anndata = pytest.importorskip("anndata", exc_type=ImportError)
sparse = pytest.importorskip("scipy.sparse")

from anndata_same import read, same_file  # noqa: E402
from hdf5_content import content  # noqa: E402
from hdf5_datasets import GENERATIONS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "testdata/anndata/valid"
FILES = sorted(CORPUS.glob("*/h5ad/*.h5ad"))
STORES = sorted(path for path in CORPUS.glob("*/zarr[23]/*.zarr.tar.gz"))

# Members that can be removed, with the groups they are in.
GROUPS = ["layers", "obsm", "varm", "obsp", "varp", "uns"]


def content_of(path):
    """Everything in a file, or a skip if a filter is not installed."""
    try:
        return content(path)
    except OSError as error:
        pytest.skip(f"h5py cannot read it: {error}")


def name_of(path):
    return f"{path.parts[-3]}-{path.name}"


def drops(path):
    """Everything in an HDF5 file that can be removed: paths of nnz, and the objects that are removed with each."""
    found = {}
    with h5py.File(path) as file:
        if "raw" in file:
            found["raw"] = ["/raw"]
        elif "raw.X" in file:
            found["raw"] = [f"/{name}" for name in file if name.startswith("raw.")]
        for group in GROUPS:
            members = file.get(group)
            if not isinstance(members, h5py.Group):
                continue
            for name in members:
                if not name.endswith("_categories"):
                    found[f"{group}/{name}"] = [f"/{group}/{name}"]
        for frame in ["obs", "var"]:
            if not isinstance(file[frame], h5py.Group):
                continue
            index = file[frame].attrs["_index"]
            for name in file[frame].attrs["column-order"]:
                if name != index and "/" not in name:
                    found[f"{frame}/{name}"] = [f"/{frame}/{name}", f"/{frame}/__categories/{name}"]
    return found


def without(things, gone):
    """Everything but some objects, and the lists of columns."""
    kept = {}
    for name, thing in things.items():
        if any(f"{name}/".startswith(f"{path}/") for path in gone):
            continue
        if name in ["/obs", "/var"] and thing[0] == "group":
            attributes = {key: value for key, value in thing[1].items() if key != "column-order"}
            thing = ("group", attributes)
        kept[name] = thing
    return kept


def addresses(path):
    """The addresses of all objects, and of the data of all datasets."""
    found = {}

    def visit(group):
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            thing = group[name]
            where = [h5py.h5o.get_info(thing.id).addr]
            if isinstance(thing, h5py.Group):
                visit(thing)
            elif isinstance(thing, h5py.Dataset):
                where.append(thing.id.get_offset())
                if thing.chunks and thing.shape and 0 not in thing.shape:
                    where += [thing.id.get_chunk_info(at).byte_offset for at in range(thing.id.get_num_chunks())]
            found[thing.name] = where

    with h5py.File(path) as file:
        visit(file)
    return found


def differing_bytes(before, after):
    a = np.frombuffer(before, np.uint8)
    b = np.frombuffer(after[: len(before)], np.uint8)
    return int((a != b).sum())


@pytest.mark.parametrize("source", FILES, ids=name_of)
def test_members_are_removed_from_every_version(nnz, tmp_path, source):
    path = tmp_path / "a.h5ad"
    path.write_bytes(source.read_bytes())
    every = drops(path)
    if not every:
        pytest.skip("nothing can be removed")
    before, bytes_before, where = content_of(path), path.read_bytes(), addresses(path)
    some = dict(list(every.items())[::2])
    nnz.ok("edit", path, *(f"--drop={name}" for name in some))
    after = content(path)
    gone = [name for paths in some.values() for name in paths]
    assert without(after, ()) == without(before, gone)
    # Objects keep their addresses, and their bytes but for the groups that are changed.
    found = addresses(path)
    assert found == {name: where[name] for name in found}
    groups = len({name.rpartition("/")[0] for name in gone}) + 2
    assert differing_bytes(bytes_before, path.read_bytes()) <= 96 + 1024 * groups
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < len(bytes_before) + 100_000
    with h5py.File(path) as file:
        for frame in ["obs", "var"]:
            if isinstance(file[frame], h5py.Group):
                order = list(file[frame].attrs["column-order"])
                assert all(name in file[frame] for name in order)
    # The rest, too.
    rest = [name for name in every if name not in some]
    if rest:
        nnz.ok("edit", path, *(f"--drop={name}" for name in rest))
        gone += [name for name in rest for name in every[name]]
        assert without(content(path), ()) == without(before, gone)
    # h5py changes the file afterwards.
    with h5py.File(path, "r+") as file:
        file.create_group("later/inner")["x"] = np.arange(100)
        file.attrs["later"] = "x" * 100
        for group in GROUPS:
            if isinstance(file.get(group), h5py.Group):
                for at in range(12):
                    file[group][f"later{at}"] = np.arange(at)
    assert without(content(path), ["/later"] + [f"/{g}/later{at}" for g in GROUPS for at in range(12)])["/obs"]


def names_of(path):
    with h5py.File(path) as file:
        obs = file["obs"]
        if obs.attrs.get("encoding-version") != "0.2.0":
            return None
        names = obs[obs.attrs["_index"]]
        if not isinstance(names, h5py.Dataset) or h5py.check_string_dtype(names.dtype) is None:
            return None
        return names.asstr()[:].tolist()


@pytest.mark.parametrize("source", FILES, ids=name_of)
def test_columns_are_added_to_every_version(nnz, tmp_path, source):
    path, table = tmp_path / "a.h5ad", tmp_path / "t.csv"
    path.write_bytes(source.read_bytes())
    before, where = content_of(path), addresses(path)
    names = names_of(path)
    if names is None:
        table.write_text("n,x\na,1\n")
        bytes_before = path.read_bytes()
        message = nnz.refuses("edit", path, f"--add-columns=cells={table}")
        assert "layout" in message or "table" in message
        assert path.read_bytes() == bytes_before
        return
    if len(set(names)) < len(names) or not names:
        pytest.skip("names are repeated, or there are none")
    rows = np.random.default_rng(0).permutation(len(names))
    added = pd.DataFrame({"new": np.arange(len(names)), "text": [f"t{at % 3}" for at in range(len(names))]}, names)
    added.iloc[rows].to_csv(table, index_label="name")
    nnz.ok("edit", path, f"--add-columns=cells={table}")
    after = content(path)
    gone = ["/obs/new", "/obs/text"]
    assert without(after, gone) == without(before, ())
    found = addresses(path)
    assert {name: found[name] for name in where} == where
    with h5py.File(path) as file:
        order = [name for name in file["obs"].attrs["column-order"]]
        assert order[-2:] == ["new", "text"]
        assert file["obs/new"][:].tolist() == list(range(len(names)))
    if anndata_reads(source):
        found = read(path)
        assert found.obs["new"].tolist() == list(range(len(names)))
        assert found.obs["text"].tolist() == added["text"].tolist()
        expected = read(source)
        found.obs = found.obs[expected.obs.columns]
        same_file(found, expected)
    # Twice is an error, unless they are replaced.
    before = path.read_bytes()
    assert "--replace" in nnz.refuses("edit", path, f"--add-columns=cells={table}")
    assert path.read_bytes() == before
    added["new"] += 1
    added.to_csv(table, index_label="name")
    nnz.ok("edit", path, f"--add-columns=cells={table}", "--replace")
    with h5py.File(path) as file:
        assert [name for name in file["obs"].attrs["column-order"]] == order
        assert file["obs/new"][:].tolist() == list(range(1, len(names) + 1))
    assert without(content(path), gone) == without(after, gone)


def anndata_reads(path):
    try:
        read(path)
    except Exception:
        return False
    return True


def files_of(store):
    return {str(path.relative_to(store)): path for path in store.rglob("*") if path.is_file()}


def listing(store):
    """The consolidated metadata of a store, or None."""
    if (store / ".zmetadata").exists():
        return json.loads((store / ".zmetadata").read_text())["metadata"]
    if (store / "zarr.json").exists():
        found = json.loads((store / "zarr.json").read_text()).get("consolidated_metadata")
        return found and found["metadata"]
    return None


def check_listing(store):
    found = listing(store)
    if found is None:
        return
    names = [".zgroup", ".zarray", ".zattrs"]
    for name, path in files_of(store).items():
        if path.name in names:
            entry = found.pop(name)
            # zarr-python adds it to groups of version 2, too.
            entry.pop("consolidated_metadata", None)
            assert entry == json.loads(path.read_text()), name
        elif path.name == "zarr.json" and name != "zarr.json":
            entry = found.pop(str(Path(name).parent))
            entry.pop("consolidated_metadata", None)
            described = json.loads(path.read_text())
            described.pop("consolidated_metadata", None)
            assert entry == described, name
    assert not any(found.values())


@pytest.mark.parametrize("source", STORES, ids=name_of)
def test_stores_are_changed(nnz, tmp_path, source):
    path = tmp_path / "a.zarr"
    with tarfile.open(source) as tar:
        tar.extractall(path, filter="data")
    before = {name: (file.read_bytes(), file.stat().st_ino) for name, file in files_of(path).items()}
    was_listed = listing(path) is not None
    if was_listed:
        check_listing(path)
    try:
        expected = read(path)
    except Exception:
        pytest.skip("anndata does not read it")
    columns = [name for name in expected.obs.columns if "/" not in name]
    gone = [f"{group}/{name}" for group in GROUPS for name in getattr(expected, group) if name != "_index"]
    gone = gone[::2] + [f"obs/{name}" for name in columns[:2]]
    if expected.raw is not None:
        gone.append("raw")
    names = expected.obs_names.tolist()
    options = [f"--drop={name}" for name in gone]
    dataframe = json.loads((path / "obs/.zattrs").read_text()) if (path / "obs/.zattrs").exists() else {}
    adds = len(set(names)) == len(names) and dataframe.get("encoding-version", "0.2.0") == "0.2.0" and names
    if adds:
        table = pd.DataFrame({"new": np.arange(len(names)) * 0.5}, names)
        table.to_csv(tmp_path / "t.csv", index_label="name")
        options.append(f"--add-columns=cells={tmp_path / 't.csv'}")
    if not options:
        pytest.skip("nothing to change")
    nnz.ok("edit", path, *options)
    after = files_of(path)
    # Files that stay are the same files.
    changed = {".zmetadata", "zarr.json", "obs/.zattrs", "obs/zarr.json"}
    for name, file in after.items():
        if name in changed or name.startswith("obs/new/"):
            continue
        assert (file.read_bytes(), file.stat().st_ino) == before[name], name
        assert file.stat().st_nlink == 1
    def is_gone(name):
        return any(f"{name}/".startswith(f"{start}/") or name.startswith(f"obs/__categories/{start[4:]}/")
                   for start in gone)

    missing = {name for name in before if name not in after}
    assert missing == {name for name in before if is_gone(name)}
    assert (listing(path) is not None) == was_listed
    check_listing(path)
    found = read(path)
    for group in GROUPS:
        assert sorted(getattr(found, group)) == sorted(
            name for name in getattr(expected, group) if f"{group}/{name}" not in gone
        )
    kept = [name for name in expected.obs.columns if f"obs/{name}" not in gone]
    assert found.obs.columns.tolist() == kept + (["new"] if adds else [])
    pd.testing.assert_frame_equal(found.obs[kept], expected.obs[kept])
    if adds:
        assert found.obs["new"].tolist() == table["new"].tolist()
    assert sorted(os.listdir(tmp_path)) == sorted([path.name] + (["t.csv"] if adds else []))


def study(path, generation="earliest", order=False):
    """A file of AnnData with many members, in a generation of HDF5."""
    rng = np.random.default_rng(0)
    count = 50
    data = anndata.AnnData(
        sparse.random(count, 20, 0.2, "csr", random_state=0),
        obs=pd.DataFrame(
            {f"c{at}": rng.integers(0, 5, count) for at in range(12)}
            | {"kind": pd.Categorical(rng.choice(["a", "b"], count))},
            index=[f"cell{at}" for at in range(count)],
        ),
        var=pd.DataFrame({"gene": [f"x{at}" for at in range(20)]}, index=[f"g{at}" for at in range(20)]),
    )
    for at in range(15):
        data.layers[f"layer{at}"] = sparse.random(count, 20, 0.1, "csr", random_state=at)
        data.uns[f"u{at}"] = {"inner": {"deep": np.arange(at + 1), "text": "x" * at}, "n": at}
    data.obsm["X_pca"] = rng.normal(size=(count, 5))
    data.obsm["frame"] = pd.DataFrame({"a": np.arange(count)}, index=data.obs_names)
    data.raw = data.copy()
    # Also of attributes.
    config = h5py.get_config()
    config.track_order = order
    with h5py.File(path, "w", libver=GENERATIONS[generation]) as file:
        for name in ["X", "obs", "var", "layers", "uns", "obsm"]:
            anndata.io.write_elem(file, name, dict(getattr(data, name)) if name in ["layers", "uns", "obsm"] else getattr(data, name))
        anndata.io.write_elem(file, "raw", data.raw)
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        for group in ["obs", "uns/u1", "layers"] if order or generation == "v200" else ["obs"]:
            for at in range(12):
                file[group].attrs[f"more{at}"] = at
    config.track_order = False
    return data


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_all_generations_of_hdf5(nnz, tmp_path, generation, order):
    path, table = tmp_path / "a.h5ad", tmp_path / "t.csv"
    data = study(path, generation, order)
    pd.DataFrame({"c5": np.arange(50) * 2, "new": np.arange(50) * 0.5}, data.obs_names).iloc[::-1].to_csv(table)
    before, where = content(path), addresses(path)
    gone = ["layers/layer3", "uns/u1/inner", "uns/u2/inner/deep", "uns/u4", "obs/c3", "obs/kind", "var/gene",
            "obsm/frame", "raw"]
    for at in range(2):
        drop = gone[at::2]
        nnz.ok("edit", path, *(f"--drop={name}" for name in drop))
    nnz.ok("edit", path, "--replace", f"--add-columns=rows={table}")
    changed = [f"/{name}" for name in [*gone, "obs/c5", "obs/new"]]
    assert without(content(path), changed) == without(before, changed)
    found = addresses(path)
    for name, address in where.items():
        if not any(f"{name}/".startswith(f"{start}/") for start in changed):
            assert found[name] == address, name
    back = read(path, strict=True)
    assert back.raw is None and list(back.obsm) == ["X_pca"] and "layer3" not in back.layers
    columns = [name for name in data.obs.columns if name not in ["c3", "kind"]] + ["new"]
    assert back.obs.columns.tolist() == columns
    assert back.obs["c5"].tolist() == (np.arange(50) * 2).tolist()
    assert back.obs["new"].tolist() == (np.arange(50) * 0.5).tolist()
    assert list(back.uns["u2"]["inner"]) == ["text"] and list(back.uns["u1"]) == ["n"]
    with h5py.File(path, "r+") as file:
        # Attributes with creation order keep it.
        if order:
            assert list(file["obs"].attrs)[-1] == "more11"
        for name in list(file["layers"]):
            del file[f"layers/{name}"]
        for name in list(file["obs"].attrs):
            if name.startswith("more"):
                del file["obs"].attrs[name]
        file["layers/later"] = file["X/data"][:]
        file["uns/u1/inner"] = 5
        file["obs"].attrs["later"] = np.arange(1000)
    with h5py.File(path) as file:
        assert list(file["layers"]) == ["later"] and file["obs"].attrs["later"][-1] == 999


@pytest.mark.parametrize("zarr", [False, True])
def test_whole_groups_are_emptied(nnz, tmp_path, zarr):
    path = tmp_path / ("a.zarr" if zarr else "a.h5ad")
    data = study(tmp_path / "a.h5ad")
    if zarr:
        nnz.ok("convert", tmp_path / "a.h5ad", path)
    nnz.ok("edit", path, "--drop=uns", "--drop=uns/u1/inner", "--drop=layers")
    found = read(path, strict=True)
    assert not found.uns and not found.layers and list(found.obsm) == list(data.obsm)


def test_other_links_keep_what_is_removed(nnz, tmp_path):
    path = tmp_path / "a.h5ad"
    study(path)
    with h5py.File(path, "r+") as file:
        file["uns/same"] = file["layers/layer1"]
        file["uns/group"] = file["uns/u3/inner"]
        file["uns/soft"] = h5py.SoftLink("/layers/layer2")
        file["uns/out"] = h5py.ExternalLink("other.h5", "/x")
        file["uns/reference"] = file["layers/layer1/data"].ref
        before = file["layers/layer1/data"][:]
    nnz.ok("edit", path, "--drop=layers/layer1", "--drop=uns/u3", "--drop=uns/out", "--drop=uns/soft")
    with h5py.File(path) as file:
        assert file["uns/same/data"][:].tolist() == before.tolist()
        assert file[file["uns/reference"][()]] == file["uns/same/data"]
        assert file["uns/group/deep"][:].tolist() == [0, 1, 2, 3]
        for name in ["uns/same", "uns/group"]:
            assert h5py.h5o.get_info(file[name].id).rc == 1
        assert "out" not in file["uns"] and "soft" not in file["uns"] and "layers/layer2" in file


def test_soft_links_to_what_is_removed_are_named(nnz, tmp_path):
    path = tmp_path / "a.h5ad"
    study(path)
    with h5py.File(path, "r+") as file:
        file["uns/soft"] = h5py.SoftLink("/layers/layer1/data")
        file["uns/u1/other"] = h5py.SoftLink("/uns/soft")
        file["uns/broken"] = h5py.SoftLink("/layers/none")
    before = path.read_bytes()
    error = nnz.refuses("edit", path, "--drop=layers/layer1")
    assert "uns/soft is a soft link to /layers/layer1/data" in error and "a.h5ad" in error
    error = nnz.refuses("edit", path, "--drop=layers/layer1", "--drop=uns/soft")
    assert "uns/u1/other is a soft link to /uns/soft" in error
    assert path.read_bytes() == before
    nnz.ok("edit", path, "--drop=layers/layer1", "--drop=uns/soft", "--drop=uns/u1")
    with h5py.File(path) as file:
        assert "layer1" not in file["layers"]
        assert {"soft", "u1"}.isdisjoint(file["uns"]) and "broken" in list(file["uns"])


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_files_without_permission_to_write_are_not_changed(nnz):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.h5ad"
        study(path)
        path.chmod(0o444)
        before = path.read_bytes()
        binary, user = nnz.binary, {}
        if os.geteuid() == 0:
            # Another user, who may write into the directory.
            other = 65534
            os.chown(folder, other, other)
            binary, user = shutil.copy(nnz.binary, folder), {"user": other, "group": other, "extra_groups": []}
        for arguments in [["edit", path, "--drop=raw"], ["convert", path, f"{path}::layers/new"]]:
            done = subprocess.run([binary, *arguments], capture_output=True, **user)
            assert done.returncode == 1 and b"ermission denied" in done.stderr, done.stderr
            assert path.read_bytes() == before and path.stat().st_mode & 0o777 == 0o444


REFUSED = [
    (["--drop=layers/none"], "layer14"),
    (["--drop=none/x"], "layers/NAME"),
    (["--drop=X"], "X cannot be removed"),
    (["--drop=obs"], "obs cannot be removed"),
    (["--drop=obs/_index"], "needs it"),
    (["--drop=obs/none"], "c11, kind"),
    (["--drop=uns/u1/inner/none"], "deep"),
    (["--drop=uns/u1/n/x"], "part of uns/u1/n"),
    (["--drop=obsm/frame/a"], "part of obsm/frame"),
    (["--drop=raw/X"], "layers/NAME"),
    (["--drop=layers/layer1", "--drop=layers/none"], "none"),
]

TABLES = [
    ("name,x\ncell0,1\n", "no row for 49 of the 50 names"),
    ("name,x\n" + "".join(f"cell{at},1\n" for at in range(51)), "cell50"),
    ("name,x\n" + "".join(f"cell{at % 50},1\n" for at in range(51)), "cell0"),
    ("name,c1\n" + "".join(f"cell{at},1\n" for at in range(50)), "--replace"),
    ("name,_index\n" + "".join(f"cell{at},1\n" for at in range(50)), "_index"),
]


@pytest.mark.parametrize("zarr", [False, True])
def test_mistakes_change_nothing(nnz, tmp_path, zarr):
    path = tmp_path / ("a.zarr" if zarr else "a.h5ad")
    study(tmp_path / "a.h5ad")
    if zarr:
        nnz.ok("convert", tmp_path / "a.h5ad", path)

    def state():
        return {name: file.read_bytes() for name, file in files_of(path).items()} if zarr else path.read_bytes()

    before = state()
    for options, message in REFUSED:
        found = nnz.refuses("edit", path, *options)
        assert message in found, (options, found)
    for text, message in TABLES:
        (tmp_path / "t.csv").write_text(text)
        found = nnz.refuses("edit", path, f"--add-columns=cells={tmp_path / 't.csv'}", "--drop=layers/layer1")
        assert message in found, (text, found)
    assert "one of the names" in nnz.refuses("edit", path, f"--add-columns=cells={header(tmp_path)}")
    nnz.ok("edit", path, "--drop=layers/layer1", "--dry-run")
    assert state() == before


def test_no_change_names_both_options(nnz, tmp_path):
    study(tmp_path / "a.h5ad")
    for options in ([], ["--dry-run"]):
        found = nnz.run("edit", tmp_path / "a.h5ad", *options)
        assert found.returncode == 2 and "--drop <PATH>|--add-columns <AXIS=FILE>" in found.stderr.decode()


def header(directory):
    path = directory / "no_header.csv"
    path.write_text("".join(f"cell{at},1\n" for at in range(50)))
    return path


@pytest.mark.parametrize("zarr", [False, True])
def test_edits_at_once_are_serialised(nnz, tmp_path, zarr):
    path = tmp_path / ("a.zarr" if zarr else "a.h5ad")
    study(tmp_path / "a.h5ad")
    if zarr:
        nnz.ok("convert", tmp_path / "a.h5ad", path)

    def edit(at):
        return subprocess.run([nnz.binary, "edit", path, f"--drop=layers/layer{at}"], capture_output=True, timeout=120)

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(edit, range(15)))
    found = read(path)
    kept = [f"layer{at}" for at in range(15) if done[at].returncode != 0]
    assert sorted(found.layers) == sorted(kept)
    assert not kept, [each.stderr for each in done if each.returncode]
    assert nnz.ok("validate", path) == ""
    left = ["a.h5ad", "a.zarr"] if zarr else ["a.h5ad"]
    assert sorted(os.listdir(tmp_path)) == left


@pytest.mark.parametrize("zarr", [False, True])
def test_a_group_of_a_file_is_changed(nnz, tmp_path, zarr):
    study(tmp_path / "a.h5ad")
    if zarr:
        path = tmp_path / "m.zarr"
        zarr = pytest.importorskip("zarr")
        root = zarr.open_group(str(path), mode="w", zarr_format=2)
        root.create_group("mod")
        nnz.ok("convert", tmp_path / "a.h5ad", tmp_path / "rna.zarr")
        (tmp_path / "rna.zarr").rename(path / "mod/rna")
        zarr.consolidate_metadata(str(path))
    else:
        path = tmp_path / "m.h5mu"
        with h5py.File(tmp_path / "a.h5ad") as source, h5py.File(path, "w") as file:
            file.create_group("mod")
            source.copy(source["/"], file, "mod/rna")
            file.attrs["encoding-type"] = "MuData"
    assert "AnnData" in nnz.refuses("edit", path, "--drop=layers/layer1")
    nnz.ok("edit", f"{path}::mod/rna", "--drop=layers/layer1", "--drop=obs/c1")
    if zarr:
        check_listing(path)
        found = anndata.io.read_elem(zarr.open_group(str(path / "mod/rna"), mode="r"))
    else:
        with h5py.File(path) as file:
            assert file.attrs["encoding-type"] == "MuData"
            found = anndata.io.read_elem(file["mod/rna"])
    assert "layer1" not in found.layers and len(found.layers) == 14
    assert "c1" not in found.obs and "c2" in found.obs


@pytest.mark.parametrize("extra", [1, 5, 8])
def test_a_file_of_any_length_is_changed(nnz, tmp_path, extra):
    # Nothing but the padding is appended.
    path = tmp_path / "a.h5ad"
    study(path)
    with open(path, "ab") as file:
        file.write(b"x" * extra)
    nnz.ok("edit", path, "--drop=layers/layer1")
    assert "layer1" not in read(path).layers
    assert nnz.ok("validate", path) == ""


def test_other_containers_are_refused(nnz, tmp_path):
    path = tmp_path / "a.zarr.zip"
    path.write_bytes((CORPUS / "0.12.19/zarr3/zip.zarr.zip").read_bytes())
    assert "zip" in nnz.refuses("edit", path, "--drop=raw")
    assert b"standard input" in nnz.run("edit", "-", "--drop=raw").stderr
    matrix = tmp_path / "m.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n")
    assert "HDF5" in nnz.refuses("edit", matrix, "--drop=raw")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["x"] = 1
    assert "AnnData" in nnz.refuses("edit", tmp_path / "b.h5", "--drop=raw")
    assert "no such file" in nnz.refuses("edit", tmp_path / "none.h5ad", "--drop=raw")


def test_a_file_that_h5py_writes_to_is_refused(nnz, tmp_path):
    path = tmp_path / "a.h5ad"
    study(path, "v110")
    with h5py.File(path, "r+"):
        done = subprocess.run([nnz.binary, "edit", path, "--drop=raw"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "another program" in done.stderr
    nnz.ok("edit", path, "--drop=raw")
