"""Objects of R, converted and read by anndata and mudata; the expected content is what R says of them."""

import json
import pathlib

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

OBJECTS = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "robjects"
MANIFEST = json.loads((OBJECTS / "manifest.json").read_text())


def expected(name):
    return json.loads((OBJECTS / "expected" / f"{name}.json").read_text())


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def number(value):
    return np.nan if value is None or value in ("NA", "NaN") else float(value)


def dense(matrix):
    """Returns a matrix of the manifest as cells x features, or rows x columns of what is no layer."""
    rows, cols = matrix["dim"]
    out = np.zeros((rows, cols))
    if "layout" in matrix:
        values = as_list(matrix["x"]) if "x" in matrix else [1.0] * len(as_list(matrix["i"]))
        for i, j, x in zip(as_list(matrix["i"]), as_list(matrix["j"]), values):
            out[i, j] = number(x)
    else:
        out[:] = np.reshape([number(x) for x in as_list(matrix["values"])], (cols, rows)).T
    return out


def same(found, matrix):
    found = found.toarray() if sp.issparse(found) else np.asarray(found)
    np.testing.assert_array_equal(found, matrix)


def check_column(found, wanted):
    kind = wanted["type"]
    if kind == "factor":
        assert list(found.cat.categories) == as_list(wanted.get("levels"))
        assert found.cat.ordered == wanted.get("ordered", False)
        codes = [-1 if code is None else code - 1 for code in as_list(wanted["codes"])]
        assert list(found.cat.codes) == codes
    elif kind == "character":
        for value, text in zip(found, as_list(wanted["values"])):
            assert pd.isna(value) if text is None else value == text
    elif kind in ("integer", "double", "logical") and "class" not in wanted:
        for value, one in zip(found, as_list(wanted["values"])):
            if one is None or one in ("NA", "NaN"):
                assert pd.isna(value)
            else:
                assert float(value) == number(one)


def check_table(frame, table):
    for wanted in table["columns"]:
        if wanted["name"] in frame:
            check_column(frame[wanted["name"]], wanted)


SEURAT = [
    one["file"].removesuffix(".rds")
    for one in MANIFEST
    if one["class"][0] == "Seurat" and one["file"] not in ("s5_bpcells.rds", "s5_sketch.rds")
]


@pytest.mark.parametrize("name", SEURAT)
def test_seurat_becomes_anndata(nnz, tmp_path, name):
    want = expected(name)
    out = nnz.convert(OBJECTS / f"{name}.rds", tmp_path / "out.h5ad", "--join-layers")
    found = anndata.read_h5ad(out)
    assay = want["assays"][want["active_assay"]]
    cells, features = as_list(assay["cells"]), as_list(assay["features"])
    assert list(found.obs_names) == cells
    assert list(found.var_names) == features
    check_table(found.obs, want["obs"])
    check_table(found.var, assay["feature_meta"])
    column = "active.ident" if "ident" in [one["name"] for one in want["obs"]["columns"]] else "ident"
    if cells:
        check_column(found.obs[column], want["ident"])
    main = found.uns["X_name"]
    layers = {layer: matrix for layer, matrix in assay["layers"].items() if 0 not in matrix["dim"]}
    if main in layers:
        same(found.X, dense(layers[main]).T)
    for layer, matrix in layers.items():
        if layer != main and matrix["dim"] == [len(features), len(cells)]:
            same(found.layers[layer], dense(matrix).T)
    for reduction, one in want["reductions"].items():
        embeddings = one["cell_embeddings"]
        if as_list(embeddings["rownames"]) == cells:
            same(found.obsm[f"X_{reduction}"], dense(embeddings))
    for graph, matrix in want["graphs"].items():
        if as_list(matrix["rownames"]) == cells:
            same(found.obsp[graph], dense(matrix))
    ranked = as_list(assay["var_features"])
    if ranked:
        table = found.var[found.var["highly_variable"]].sort_values("highly_variable_rank")
        assert list(table.index) == ranked


EXPERIMENTS = [
    one["file"].removesuffix(".rds")
    for one in MANIFEST
    if one["class"][0].endswith(("Experiment", "DataSet"))
    and not one["file"].startswith(("mae", "sce_delayed", "sce_tenx"))
]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_become_anndata(nnz, tmp_path, name):
    want = expected(name)
    found = anndata.read_h5ad(nnz.convert(OBJECTS / f"{name}.rds", tmp_path / "out.h5ad"))
    assert list(found.shape) == want["dim"][::-1]
    if want.get("colnames"):
        assert list(found.obs_names) == as_list(want["colnames"])
        assert list(found.var_names) == as_list(want["rownames"])
    if "obs" in want:
        check_table(found.obs, want["obs"])
        check_table(found.var, want["var"])
    main = found.uns["X_name"]
    for assay, matrix in want["assays"].items():
        assay = assay.removeprefix("#")
        same(found.X if assay == main else found.layers[assay], dense(matrix).T)
    for reduction, one in (want.get("reduced_dims") or {}).items():
        if "dim" in one:
            same(found.obsm[f"X_{reduction.lower()}"], dense(one))


def test_split_layers_are_joined_as_r_joins_them(nnz, tmp_path):
    joined = expected("s5_joined")["assays"]["RNA"]
    error = nnz.refuses("convert", OBJECTS / "s5_split.rds", tmp_path / "no.h5ad")
    assert "--join-layers" in error
    out = nnz.convert(OBJECTS / "s5_split.rds", tmp_path / "out.h5ad", "--join-layers")
    found = anndata.read_h5ad(out)
    order = [list(joined["cells"]).index(cell) for cell in found.obs_names]
    rows = [list(joined["features"]).index(feature) for feature in found.var_names]
    same(found.X, dense(joined["layers"]["counts"])[np.ix_(rows, order)].T)


def test_assays_become_modalities(nnz, tmp_path):
    mudata = pytest.importorskip("mudata")
    want = expected("s4_multi")
    out = nnz.convert(OBJECTS / "s4_multi.rds", tmp_path / "out.h5mu")
    found = mudata.read_h5mu(out)
    assert list(found.mod) == ["ADT", "RNA", "HTO"] or set(found.mod) == set(want["assays"])
    for name, assay in want["assays"].items():
        modality = found.mod[name]
        assert list(modality.var_names) == as_list(assay["features"])
        main = modality.uns["X_name"]
        same(modality.X, dense(assay["layers"][main]).T)


def test_layers_are_chosen(nnz, tmp_path):
    want = expected("s4_full")["assays"]["RNA"]
    out = nnz.convert(OBJECTS / "s4_full.rds", tmp_path / "out.h5ad", "--x", "counts")
    found = anndata.read_h5ad(out)
    same(found.X, dense(want["layers"]["counts"]).T)
    same(found.layers["data"], dense(want["layers"]["data"]).T)
    error = nnz.refuses("convert", OBJECTS / "s4_full.rds", tmp_path / "no.h5ad", "--x", "nothing")
    assert "layers are counts, data, scale.data" in error


def test_paths_are_followed_when_asked(nnz, tmp_path):
    import shutil

    for name in ("s5_bpcells.rds", "sce_delayed_hdf5.rds", "sce_tenxseed_r45.rds"):
        shutil.copy(OBJECTS / name, tmp_path)
        error = nnz.refuses("convert", tmp_path / name, tmp_path / "no.h5ad")
        assert "--follow-paths" in error
        assert "neither there nor beside" in nnz.refuses(
            "convert", "--follow-paths", tmp_path / name, tmp_path / "no.h5ad"
        )
    for name in ("bp_counts", "delayed.h5", "tenx.h5"):
        source = OBJECTS / "sidecar" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    done = nnz.run("convert", "--follow-paths", tmp_path / "s5_bpcells.rds", tmp_path / "bp.h5ad")
    assert done.returncode == 0 and b"in place of" in done.stderr, done.stderr
    same(anndata.read_h5ad(tmp_path / "bp.h5ad").X, dense(expected("s5_bpcells")["counts"]).T)
    for name, out in (("sce_delayed_hdf5", "dense.h5ad"), ("sce_tenxseed_r45", "tenx.h5ad")):
        nnz.convert(tmp_path / f"{name}.rds", tmp_path / out, "--follow-paths")
        same(anndata.read_h5ad(tmp_path / out).X, dense(expected(name)["assays"]["counts"]).T)
