"""A file of AnnData or Loom answers as the matrix of its X does, with layers or without."""

import inspect
import pickle

import numpy as np
import pytest
from conftest import FULL, ROOT, TESTDATA, random_matrix, same

import nnz

anndata = pytest.importorskip("anndata")

PROPERTIES = ("shape", "dtype", "order", "nnz", "ndim", "size", "axis_kinds", "format")


@pytest.fixture
def mudata():
    return TESTDATA / "reports" / "mudata-and-nested" / "m.h5mu"


@pytest.fixture(params=["h5ad", "zarr"])
def study(request, tmp_path):
    """An AnnData in memory, and its path: with layers, raw and matrices of both axes."""
    if request.param == "zarr":
        pytest.importorskip("zarr")
    rng = np.random.default_rng(0)
    adata = anndata.AnnData(random_matrix((12, 8), 0.4, np.float32))
    adata.obs_names = [f"cell{number}" for number in range(11)] + ["layers/counts"]
    adata.var_names = [f"gene{number}" for number in range(8)]
    adata.obs["batch"] = [f"b{number % 3}" for number in range(12)]
    adata.var["symbol"] = [f"S{number}" for number in range(8)]
    adata.layers["counts"] = random_matrix((12, 8), 0.4, np.float32, 1)
    adata.obsm["X_pca"] = rng.random((12, 3))
    adata.varm["PCs"] = rng.random((8, 3))
    adata.obsp["near"] = random_matrix((12, 12), 0.2)
    adata.raw = adata.copy()
    path = tmp_path / f"study.{request.param}"
    nnz.write(adata, path)
    return adata, path


def test_properties_are_those_of_anndata(study):
    adata, path = study
    f = nnz.open(path)
    assert type(f) is nnz.File and isinstance(f, nnz.Matrix)
    assert (f.shape, f.n_obs, f.n_vars) == (adata.shape, adata.n_obs, adata.n_vars)
    assert f.obs_names.equals(adata.obs_names) and f.var_names.equals(adata.var_names)
    assert list(f.obs.columns) == list(adata.obs.columns) and list(f.var["symbol"]) == list(adata.var["symbol"])
    assert list(f.obs.index) == list(adata.obs_names) and f.var_names.str.startswith("gene").all()
    same(f.X.to_scipy(), adata.X)
    for mapping in ("layers", "obsm", "varm", "obsp", "varp"):
        found, expected = getattr(f, mapping), getattr(adata, mapping)
        assert list(found) == list(expected) and len(found) == len(expected)
    same(f.layers["counts"].to_scipy(), adata.layers["counts"])
    np.testing.assert_array_equal(f.obsm["X_pca"].to_numpy(), adata.obsm["X_pca"])
    with pytest.raises(KeyError, match="no member of layers is named 'none'; it has counts"):
        f.layers["none"]


def test_an_index_selects_cells_and_features_as_in_anndata(study):
    adata, path = study
    f = nnz.open(path)
    mask = (adata.obs["batch"] == "b1").to_numpy()
    for key in (
        np.s_[:10, :5],
        np.s_[3],
        mask,
        adata.obs["batch"] == "b1",
        np.s_[mask, ["gene3", "gene1"]],
        ["cell4", "cell2"],
        np.s_[:, f.var_names.isin(["gene0", "gene5"])],
        np.s_["cell3", :],
    ):
        same(f[key].tocsr(), adata[key].X.tocsr())
    same(f["cell3"], adata["cell3"].X.tocsr())
    assert f["cell3", "gene2"] == adata["cell3", "gene2"].X.toarray().item()


def test_members_take_precedence_over_cells(study):
    adata, path = study
    f = nnz.open(path)
    same(f["layers/counts"].to_scipy(), adata.layers["counts"])
    same(f.X["layers/counts"].tocsr(), adata["layers/counts"].X.tocsr())
    same(f["layers/counts", :].tocsr(), adata["layers/counts"].X.tocsr())
    with pytest.raises(KeyError, match=r'no row is named "layers/none", and no member; the members are X, '):
        f["layers/none"]
    assert f.get("cell3") is None and "cell3" not in f and f.get("X").shape == f.shape


def test_methods_of_matrices_are_about_the_main_matrix(study, tmp_path):
    adata, path = study
    f, x = nnz.open(path), nnz.Matrix(path)
    for name in PROPERTIES:
        assert getattr(f, name) == getattr(x, name), name
    for name in ("sum", "mean", "min", "max", "count_nonzero", "var", "std"):
        for axis in (None, 0, 1):
            np.testing.assert_array_equal(getattr(f, name)(axis=axis), getattr(x, name)(axis=axis))
    assert np.var(f) == np.var(x) and np.sum(f) == np.sum(x)
    np.testing.assert_array_equal(np.asarray(f), np.asarray(x))
    np.testing.assert_array_equal(f @ np.ones(8), x @ np.ones(8))
    same(f.log1p()[:3].to_scipy(), x.log1p()[:3].to_scipy())
    assert sum(batch.nnz for batch in f.iter_batches(nbytes=200)) == f.nnz
    # Nothing of a matrix is lost, but what is documented to differ.
    assert all(hasattr(f, name) for name, _ in inspect.getmembers(nnz.Matrix) if not name.startswith("__"))
    with pytest.warns(nnz.DroppedWarning, match="layers/counts"):
        nnz.write(f, tmp_path / "main.npz")
    same(nnz.open(tmp_path / "main.npz").to_scipy(), x.to_scipy())
    for target in ("main.h5ad", "main.mtx"):
        with pytest.warns(nnz.DroppedWarning):
            dropped = nnz.write(f, tmp_path / target).dropped
        assert len(set(dropped)) == len(dropped) and {"layers/counts", "obsm/X_pca", "raw"} <= set(dropped)
        assert "raw/X" not in dropped
    with pytest.raises(nnz.UnsupportedError, match="only the main matrix is written"):
        nnz.write(f, tmp_path / "strict.h5ad", strict=True)


def test_the_same_code_runs_with_layers_and_without(study, tmp_path):
    adata, path = study
    only = tmp_path / "only.h5ad"
    nnz.write(anndata.AnnData(adata.X, adata.obs, adata.var), only)

    def script(path):
        with nnz.open(path) as f:
            mask = (f.obs["batch"] != "b0").to_numpy()
            part = f[mask, :4]
            return f.shape, part.toarray().tolist(), f.sum(axis=0).tolist(), f.var_names.tolist(), len(f.layers) >= 0

    assert script(only) == script(path)


def test_files_are_pickled_with_their_options(study):
    _, path = study
    f = pickle.loads(pickle.dumps(nnz.open(path, memory="1G", drop="obs/batch")))
    assert type(f) is nnz.File and "batch" not in f.obs and f["layers/counts"].shape == (12, 8)
    assert repr(f) == repr(nnz.open(path))
    # The annotations of features are pickled as a data frame.
    assert type(pickle.loads(pickle.dumps(f.var))).__name__ == "DataFrame"


def test_loom_keeps_features_as_rows():
    path = next(iter(sorted((TESTDATA / "loom").glob("*.loom"))))
    f = nnz.open(path)
    assert type(f) is nnz.File and f.axis_kinds == ("features", "cells")
    assert (f.n_vars, f.n_obs) == f.shape == f.X.shape
    assert len(f.obs) == f.n_obs and len(f.var) == f.n_vars


def test_without_x_one_sentence_lists_the_members(study):
    adata, path = study
    if path.suffix == ".zarr":
        pytest.skip("the group is removed from a file")
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "a") as file:
        del file["X"]
    f = nnz.open(path)
    assert repr(f).startswith(f"<nnz.File {str(path)!r}: raw/X, layers/counts, ")
    expected = "several matrices, and none is the main one: take one by its path, such as f\\['raw/X'\\]; it has raw/X, "
    for use in (lambda: f.shape, lambda: f.X, lambda: f[:3], lambda: f.sum(), lambda: f.T, lambda: nnz.write(f, "m.npz")):
        with pytest.raises(nnz.ArgumentError, match=expected):
            use()
    with pytest.raises(KeyError, match="no member is named 'cell3'; the members are raw/X, "):
        f["cell3"]
    assert f.n_obs == 12 and list(f.obs["batch"]) == list(adata.obs["batch"])
    same(f.layers["counts"].to_scipy(), adata.layers["counts"])


def test_a_modality_of_mudata_is_a_file_of_anndata(mudata):
    f = nnz.open(mudata)
    assert list(f) == ["mod/rna", "mod/prot", "mod/emp", "obsm/J"]
    with pytest.raises(nnz.ArgumentError, match="such as f\\['mod/rna'\\]; it has mod/rna, mod/prot, mod/emp, obsm/J"):
        f[:2]
    assert f.n_obs == 4 and list(f.obs) == ["s", "rna:batch", "rna:n"] and len(f.var_names) == 5
    assert f.obsm["J"].shape == (4, 2) and f["mod/rna"].layers["counts"].shape == (4, 3)
    rna = f["mod/rna"]
    assert type(rna) is nnz.File and rna.path == f"{mudata}::mod/rna" and rna.shape == (4, 3)
    assert rna.layers["counts"].shape == (4, 3) and rna.obsm["X_pca"].shape == (4, 2)
    assert type(pickle.loads(pickle.dumps(rna))["layers/counts"]) is nnz.Matrix
    same(nnz.open(f"{mudata}::mod/rna")[:2], rna[:2])


def test_samples_of_mudata_have_the_cells_of_every_modality(tmp_path):
    source = TESTDATA / "mudata" / "cells-0.3.h5mu"
    nnz.sample(source, tmp_path / "s.h5mu", cells=3, seed=4)
    nnz.slice(source, tmp_path / "all.h5mu", cells=list(nnz.open(tmp_path / "s.h5mu").obs_names))
    assert nnz.diff(tmp_path / "s.h5mu", tmp_path / "all.h5mu") == []
    names = set(nnz.open(tmp_path / "s.h5mu").obs_names)
    assert len(names) == 3
    for name in ("rna", "prot"):
        whole, part = (nnz.open(f"{path}::mod/{name}").obs_names for path in (source, tmp_path / "s.h5mu"))
        assert set(part) == set(whole) & names


def test_read_anndata_of_mudata_names_the_modalities(mudata):
    for backed in (True, False):
        with pytest.raises(nnz.ArgumentError, match="MuData, .*: rna, prot, emp; nnz.read_anndata\\('.*::mod/rna'\\)"):
            nnz.read_anndata(mudata, backed=backed)
    read = nnz.read_anndata(f"{mudata}::mod/rna", backed=False)
    assert read.shape == (4, 3) and list(read.layers) == ["counts"] and list(read.obsm) == ["X_pca"]
    same(read.X, nnz.open(f"{mudata}::mod/rna").to_scipy())
    assert read.raw.shape == (4, 3) and "batch" in read.obs


def test_files_of_several_matrices_have_no_main_one(tmp_path):
    path = tmp_path / "several.h5"
    for number in (1, 2):
        nnz.write(np.eye(number), f"{path}::m{number}", to="binsparse")
    f = nnz.open(path)
    assert list(f) == ["m1", "m2"] and [one.shape for one in f.values()] == [(1, 1), (2, 2)]
    assert dict(f.items()).keys() == f.keys()
    with pytest.raises(nnz.ArgumentError, match="such as f\\['m1'\\]; it has m1, m2"):
        nnz.pca(f)


def test_files_of_several_matrices_are_written_as_a_whole(tmp_path):
    genomes = TESTDATA / "tenx" / "h5" / "cr2_two_genomes.h5"
    f = nnz.open(genomes)
    assert {name: one.shape for name, one in f.items()} == {"hg19": (20, 11), "mm10": (8, 11)}
    with pytest.raises(nnz.ArgumentError, match="such as f\\['hg19'\\]"):
        f.sum()
    with pytest.warns(nnz.DroppedWarning, match="hg19: row names"):
        summary = nnz.convert(genomes, tmp_path / "all.mat")
    assert (summary.shape, summary.entries) == ((), 68)
    nnz.slice(genomes, tmp_path / "some.h5", cells=[3, 1], to="10x")
    for name, one in nnz.open(tmp_path / "some.h5").items():
        same(one[:], f[name][:, [3, 1]])
        same(nnz.open(tmp_path / "all.mat")[name][:], f[name][:].astype(float))


def test_a_whole_file_has_a_matrix_for_each_class():
    assert isinstance(nnz.open(FULL), nnz.File) and not isinstance(nnz.open(f"{FULL}::X"), nnz.File)
    assert type(nnz.open(ROOT / "examples" / "pbmc_10x_v3_mtx")) is nnz.Matrix


@pytest.mark.parametrize("whole", [FULL, TESTDATA / "reports" / "mudata-and-nested" / "m.h5mu"], ids=["anndata", "mudata"])
def test_wrong_options_are_errors_when_a_file_is_opened(whole):
    for opener in (nnz.open, nnz.File):
        with pytest.raises(nnz.ArgumentError, match="foo"):
            opener(whole, foo=1)
        with pytest.raises(nnz.ArgumentError, match="cannot leave out \"layers/zz\": there is no such element"):
            opener(whole, drop="layers/zz")
        with pytest.raises(nnz.ArgumentError, match="\"obs\" cannot be left out"):
            opener(whole, drop="obs")
        with pytest.raises(nnz.ArgumentError, match="na"):
            opener(whole, na="x")


def test_options_that_no_member_gets_are_errors(tmp_path):
    for number in (1, 2):
        nnz.write(np.eye(number), f"{tmp_path / 'several.h5'}::m{number}", to="binsparse")
    with pytest.raises(nnz.ArgumentError, match="contains several matrices; select one"):
        nnz.open(tmp_path / "several.h5", drop="m1")


def test_short_paths_of_modalities_are_read(mudata):
    short, full = (nnz.read_anndata(f"{mudata}::{name}", backed=False) for name in ("rna", "mod/rna"))
    assert list(short.layers) == ["counts"] and list(short.obsm) == ["X_pca"] and short.obs.equals(full.obs)
    same(short.X, full.X)
    same(nnz.read_anndata(f"{mudata}::rna/layers/counts", backed=False).X, full.layers["counts"])
    with pytest.raises(nnz.FormatError):
        nnz.read_anndata(f"{mudata}::none", backed=False)


@pytest.mark.parametrize("backed", [False, True])
def test_dense_members_are_read_as_anndata(study, mudata, backed):
    if backed:
        pytest.importorskip("dask")
    adata, path = study
    # Features are columns in any case.
    for name, expected in (("obsm/X_pca", adata.obsm["X_pca"]), ("varm/PCs", adata.varm["PCs"].T)):
        read = nnz.read_anndata(f"{path}::{name}", backed=backed)
        x = read.X.compute() if backed else read.X
        assert isinstance(x, np.ndarray)
        np.testing.assert_array_equal(x, expected)
        axis = "var_names" if "varm" in name else "obs_names"
        assert list(getattr(read, axis)) == list(getattr(adata, axis))
    read = nnz.read_anndata(f"{mudata}::obsm/J", backed=backed)
    np.testing.assert_array_equal(read.X.compute() if backed else read.X, nnz.open(f"{mudata}::obsm/J").to_numpy())
