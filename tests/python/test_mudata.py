"""MuData files: mudata reads what nnz writes, and both slice and concatenate alike."""

import warnings
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")
sparse = pytest.importorskip("scipy.sparse")
anndata = pytest.importorskip("anndata", exc_type=ImportError)
mudata = pytest.importorskip("mudata", exc_type=ImportError)
h5py = pytest.importorskip("h5py")
pytest.importorskip("zarr")

from anndata_same import same as same_element, same_file  # noqa: E402

warnings.filterwarnings("ignore")

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "testdata/mudata").glob("*.h5mu"))


def in_order(file):
    """Sorts the entries of rows, which are not in order in slices by SciPy."""
    for value in [file.X, file.raw.X if file.raw else None, *file.layers.values(), *file.obsp.values()]:
        if sparse.issparse(value):
            value.sort_indices()
    return file


def read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mudata.read_zarr(path) if str(path).endswith(".zarr") else mudata.read_h5mu(path)


def modality(cells, features, random, dense=False):
    values = sparse.random(len(cells), len(features), 0.3, "csr", np.float32, random)
    file = anndata.AnnData(
        values.toarray() if dense else values,
        obs=pd.DataFrame({"n": np.arange(len(cells)), "k": pd.Categorical(random.choice(["x", "y"], len(cells)))}, index=cells),
        var=pd.DataFrame({"w": random.random(len(features))}, index=features),
    )
    file.layers["c"] = file.X.copy()
    file.obsm["X_pca"] = random.random((len(cells), 2))
    file.obsp["g"] = sparse.random(len(cells), len(cells), 0.2, "csr", rng=random)
    file.uns["t"] = {"a": 1, "b": "two"}
    if not dense:
        file.raw = file
    return file


def study(seed, prefix="c"):
    """Two modalities that share most of their cells, in another order."""
    random = np.random.default_rng(seed)
    cells = [f"{prefix}{i}" for i in range(random.integers(5, 30))]
    few = list(random.permutation(cells)[: len(cells) - 3]) + [f"{prefix}only"]
    file = mudata.MuData(
        {
            "rna": modality(cells, [f"g{i}" for i in range(7)], random),
            "prot": modality(few, ["p0", "p1", "p2"], random, dense=True),
        }
    )
    file.obs["batch"] = pd.Categorical(random.choice(["u", "v"], file.n_obs))
    file.obsm["J"] = random.random((file.n_obs, 2))
    file.obsp["G"] = sparse.random(file.n_obs, file.n_obs, 0.2, "csr", rng=random)
    file.uns["seed"] = seed
    return file


def same(a, b, tables=True, but=()):
    """Asserts that two MuData objects have the same contents."""
    assert list(a.mod) == list(b.mod)
    for name in a.mod:
        same_file(a[name], b[name], but)
    assert a.axis == b.axis or "axis" in but
    if not tables:
        return
    assert list(a.obs_names) == list(b.obs_names)
    assert list(a.var_names) == list(b.var_names)
    for name in ["obs", "var"]:
        pd.testing.assert_frame_equal(getattr(a, name), getattr(b, name), check_categorical=False, check_column_type=False)
    for name in ["obsmap", "varmap", "obsm", "varm", "obsp", "varp"]:
        ours, theirs = dict(getattr(a, name)), dict(getattr(b, name))
        assert ours.keys() == theirs.keys(), name
        for key in ours:
            same_element(ours[key], theirs[key])
    assert dict(a.uns) == dict(b.uns)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files_are_copied(nnz, tmp_path, path):
    for target in [tmp_path / "a.h5mu", tmp_path / "a.zarr"]:
        nnz.convert(path, target)
        # mudata reads neither raw nor the axis of stores.
        if target.suffix == ".zarr":
            same(read(target), read(path), read(path).axis == 0, but=("raw", "axis"))
        else:
            same(read(target), read(path))
    for name in read(path).mod:
        same_file(anndata.read_zarr(tmp_path / f"a.zarr/mod/{name}"), read(path)[name])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("stored", ["h5mu", "zarr"])
def test_slices_are_those_of_mudata(nnz, tmp_path, seed, stored):
    file = study(seed)
    source = tmp_path / f"a.{stored}"
    file.write(source) if stored == "h5mu" else file.write_zarr(source)
    random = np.random.default_rng(seed)
    for cells, features in [(5, None), (1, 4), (None, 6), (0, None)]:
        rows = np.arange(file.n_obs) if cells is None else random.permutation(file.n_obs)[:cells]
        cols = np.arange(file.n_vars) if features is None else random.permutation(file.n_vars)[:features]
        options = ["--allow-empty"]
        for axis, kept, count in [("rows", rows, cells), ("cols", cols, features)]:
            if count is not None:
                options += [f"--{axis}", ",".join(map(str, kept)) or "0:0"]
        target = tmp_path / "slice.h5mu"
        nnz.ok("slice", source, target, "--force", *options)
        view = read(source)[rows, cols]
        # As stored: mudata changes the order of tables when it reads.
        with h5py.File(target) as opened:
            for axis, count in [("obs", cells), ("var", features)]:
                index = opened[axis][opened[axis].attrs["_index"]].asstr()
                assert list(index) == list(getattr(view, f"{axis}_names"))
                # Without a selection, modalities keep their order.
                for name in view.mod if count is not None else []:
                    positions = getattr(view, f"{axis}map")[name]
                    assert list(opened[f"{axis}map"][name]) == list(positions), (axis, name)
            same_element(opened["obsm/J"][:], np.asarray(view.obsm["J"]))
            assert list(opened["obs/batch/codes"]) == list(read(source).obs["batch"].cat.codes.iloc[rows])
        found = read(target)
        assert list(found.mod) == list(view.mod)
        for name in view.mod:
            ours = found[name]
            theirs = in_order(view[name][ours.obs_names, ours.var_names].copy())
            # anndata leaves out categories that no cell has.
            ours.obs["k"], theirs.obs["k"] = ours.obs["k"].astype(str), theirs.obs["k"].astype(str)
            same_file(ours, theirs, but=("raw",) if stored == "zarr" else ())


@pytest.mark.parametrize("join", ["inner", "outer"])
def test_concatenated_files_are_those_of_mudata(nnz, tmp_path, join):
    files = [study(10, "a"), study(11, "b")]
    files[1].mod["rna"] = files[1]["rna"][:, [2, 0, 5, 1]].copy()
    files[1] = mudata.MuData(dict(files[1].mod))
    for name, file in zip("ab", files):
        file.write(tmp_path / f"{name}.h5mu")
    out = nnz.ok("concat", tmp_path / "a.h5mu", tmp_path / "b.h5mu", tmp_path / "ab.h5mu", "--axis", "cells", "--join", join, "--label", "file")
    expected = mudata.concat([read(tmp_path / "a.h5mu"), read(tmp_path / "b.h5mu")], join=join, label="file")
    found = read(tmp_path / "ab.h5mu")
    assert sorted(found.mod) == sorted(expected.mod)
    # Cells of a file stay together; mudata lists those of the first modality first when it reads.
    with h5py.File(tmp_path / "ab.h5mu") as opened:
        index = opened["obs"][opened["obs"].attrs["_index"]].asstr()
        assert list(index) == list(files[0].obs_names) + list(files[1].obs_names)
    assert sorted(found.obs_names) == sorted(expected.obs_names)
    for name in found.mod:
        ours, theirs = found[name], in_order(expected[name])
        assert list(ours.obs_names) == list(theirs.obs_names)
        # anndata sorts the union, as nnz does.
        assert list(ours.var_names) == list(theirs.var_names)
        same_element(ours.X, theirs.X)
        same_element(ours.layers["c"], theirs.layers["c"])
        same_element(ours.obsm["X_pca"], theirs.obsm["X_pca"])
        pd.testing.assert_frame_equal(ours.obs, theirs.obs, check_categorical=False)
        maps = [pd.Series(file.obsmap[name], file.obs_names) for file in [found, expected]]
        pd.testing.assert_series_equal(maps[0], maps[1][found.obs_names])
    assert sorted(found.var_names) == sorted(expected.var_names)
    assert out == ""


def test_files_become_modalities_and_back(nnz, tmp_path):
    file = study(20)
    for name in file.mod:
        file[name].write_h5ad(tmp_path / f"{name}.h5ad")
    joined = tmp_path / "joined.h5mu"
    nnz.ok("concat", tmp_path / "rna.h5ad", tmp_path / "prot.h5ad", joined, "--axis", "features")
    expected = mudata.MuData({name: anndata.read_h5ad(tmp_path / f"{name}.h5ad") for name in file.mod})
    found = read(joined)
    same(found, expected, tables=False)
    assert list(found.obs_names) == list(expected.obs_names)
    for kind in ["obsmap", "varmap"]:
        for name in file.mod:
            assert list(getattr(found, kind)[name]) == list(getattr(expected, kind)[name])
    for name in file.mod:
        nnz.convert(f"{joined}::mod/{name}", tmp_path / f"{name}-back.h5ad")
        same_file(anndata.read_h5ad(tmp_path / f"{name}-back.h5ad"), file[name])


def test_positions_without_maps_are_found_by_name(nnz, tmp_path):
    file = study(30)
    file.write(tmp_path / "a.h5mu")
    nnz.ok("slice", tmp_path / "a.h5mu", tmp_path / "with.h5mu", "--rows", "1:4")
    with h5py.File(tmp_path / "a.h5mu", "r+") as opened:
        del opened["obsmap"], opened["varmap"]
    nnz.ok("validate", tmp_path / "a.h5mu")
    nnz.ok("slice", tmp_path / "a.h5mu", tmp_path / "without.h5mu", "--rows", "1:4")
    with h5py.File(tmp_path / "with.h5mu") as one, h5py.File(tmp_path / "without.h5mu") as other:
        for name in ["rna", "prot"]:
            assert list(one["obsmap"][name]) == list(other["obsmap"][name])
            assert list(one["mod"][name]["obs"]["n"]) == list(other["mod"][name]["obs"]["n"])


@pytest.mark.parametrize("wrong", [(0, 99), (0, -1), (1, 1), None])
def test_wrong_maps_are_refused(nnz, tmp_path, wrong):
    file = study(40)
    path = tmp_path / "a.h5mu"
    file.write(path)
    with h5py.File(path, "r+") as opened:
        numbers = opened["obsmap/rna"][:].astype(np.int64)
        del opened["obsmap/rna"]
        if wrong is None:
            numbers = numbers[1:]
        else:
            numbers[wrong[0]] = wrong[1]
        opened["obsmap"]["rna"] = numbers
    before = path.read_bytes()
    assert "obsmap/rna" in nnz.run("validate", path).stdout.decode()
    assert "obsmap/rna" in nnz.refuses("slice", path, tmp_path / "s.h5mu", "--rows", "0:2")
    assert not (tmp_path / "s.h5mu").exists() and path.read_bytes() == before
    # Modalities are read without the maps.
    nnz.convert(f"{path}::mod/rna", tmp_path / "rna.h5ad")


def test_elements_are_left_out(nnz, tmp_path):
    file = study(50)
    path, target = tmp_path / "a.h5mu", tmp_path / "b.h5mu"
    file.write(path)
    nnz.ok("convert", path, target, "--drop", "mod/rna/layers/c", "--drop", "obsm/J", "--drop", "obs/batch")
    found = read(target)
    assert "c" not in found["rna"].layers and "c" in found["prot"].layers
    assert "J" not in found.obsm and "batch" not in found.obs
    nnz.ok("convert", path, target, "--drop", "mod/prot", "--force")
    assert list(read(target).mod) == ["rna"]
    assert nnz.run("convert", path, target, "--drop", "mod", "--force").returncode == 2
    assert "mod/x" in nnz.run("convert", path, target, "--drop", "mod/x", "--force").stderr.decode()


def test_a_path_that_exists_is_not_a_short_form(nnz, tmp_path):
    random = np.random.default_rng(60)
    cells = ["c1", "c2", "c3"]
    file = mudata.MuData({"X": modality(cells, ["g1", "g2"], random), "mod": modality(cells[:2], ["m1"], random)})
    file.write(tmp_path / "a.h5mu")
    assert nnz.names(f"{tmp_path}/a.h5mu::mod/X", "cols") == ["g1", "g2"]
    assert nnz.names(f"{tmp_path}/a.h5mu::mod/mod", "cols") == ["m1"]


def test_modalities_are_changed_by_either_path(nnz, tmp_path):
    path = tmp_path / "a.h5mu"
    study(80).write(path)
    nnz.ok("edit", f"{path}::rna", "--drop=layers/c")
    nnz.ok("edit", f"{path}::mod/prot", "--drop=obsm/X_pca")
    found = read(path)
    assert "c" not in found["rna"].layers and "c" in found["prot"].layers
    assert "X_pca" in found["rna"].obsm and "X_pca" not in found["prot"].obsm
    assert f"{path}::mod/rna" in nnz.refuses("edit", path, "--drop=layers/c")
    assert "J" in read(path).obsm


def test_missing_modalities_are_reported(nnz, tmp_path):
    file = study(70)
    path = tmp_path / "a.h5mu"
    file.write(path)
    with h5py.File(path, "r+") as opened:
        del opened["mod/rna"]
    assert "mod/rna" in nnz.run("validate", path).stdout.decode()
    assert "mod/rna" in nnz.refuses("convert", path, tmp_path / "b.h5mu", "--strict")
    nnz.ok("convert", path, tmp_path / "b.h5mu")
    nnz.ok("validate", tmp_path / "b.h5mu")


def test_groups_with_several_names_are_copied_for_each(nnz, tmp_path):
    file = study(80)
    path = tmp_path / "a.h5mu"
    file.write(path)
    with h5py.File(path, "r+") as opened:
        opened["mod/again"] = h5py.SoftLink("/mod/prot")
        opened["obsmap/again"], opened["varmap/again"] = opened["obsmap/prot"][:], opened["varmap/prot"][:] * 0
        opened["mod/rna/uns/cycle"] = opened["mod/rna"]
    # The cycle does not end.
    assert "uns/cycle" in nnz.run("convert", path, tmp_path / "b.h5mu").stderr.decode()
    nnz.ok("convert", path, tmp_path / "c.h5mu", "--drop", "mod/rna/uns/cycle", "--drop", "varmap/again")
    nnz.ok("validate", tmp_path / "c.h5mu")
    with h5py.File(tmp_path / "c.h5mu") as opened:
        assert list(opened["mod/again/obs/n"]) == list(opened["mod/prot/obs/n"])
        assert (opened["mod/again/X"][:] == opened["mod/prot/X"][:]).all()


def test_files_with_broken_maps_are_not_copied(nnz, tmp_path):
    file = study(90)
    file.write(tmp_path / "a.h5mu")
    with h5py.File(tmp_path / "a.h5mu", "r+") as opened:
        opened["obsmap/rna"][0] = 77
    assert "obsmap/rna" in nnz.refuses("convert", tmp_path / "a.h5mu", tmp_path / "b.h5mu")
    assert not (tmp_path / "b.h5mu").exists()
