"""loompy and anndata read Loom files of nnz, and nnz reads theirs."""

import warnings
from pathlib import Path

import anndata
import loompy
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "testdata/loom"
# Chunks have 64 rows and columns.
SHAPES = [(13, 9), (64, 64), (200, 131), (1, 70), (65, 1)]


def dense(shape, dtype, seed=1):
    values = sp.random(*shape, density=0.3, random_state=seed, format="csr")
    return np.ceil(values.toarray() * 100).astype(dtype)


def names(prefix, count):
    return np.array([f"{prefix}{number}" for number in range(count)], dtype=object)


def create(path, layers, **attributes):
    """A file of loompy: genes x cells."""
    genes, cells = layers[""].shape
    rows = {"Gene": names("g", genes), "Accession": names("ENSG", genes)}
    cols = {"CellID": names("c", cells)} | attributes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loompy.create(str(path), layers, rows, cols)
    return path


def matrix(nnz, source, shape, dtype):
    entries = nnz.cat(source, dtype)
    found = np.zeros(shape, dtype)
    found[entries.rows, entries.cols] = entries.values
    return found


def read_loom(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anndata.io.read_loom(path, X_name="", dtype="float64")


def study(shape=(131, 200)):
    """A whole file of cells x genes."""
    cells, genes = shape
    counts = dense(shape, np.float32)
    adata = anndata.AnnData(
        sp.csr_matrix(counts),
        obs=pd.DataFrame(
            {"n": np.arange(cells), "kind": pd.Categorical(["a", "b", "c"][n % 3] for n in range(cells))},
            index=names("cell", cells).astype(str),
        ),
        var=pd.DataFrame({"score": np.linspace(0, 1, genes)}, index=names("gene", genes).astype(str)),
    )
    adata.layers["counts"] = sp.csc_matrix(dense(shape, np.int32, 2))
    adata.layers["scaled"] = dense(shape, np.float64, 3)
    adata.obsm["X_pca"] = np.random.default_rng(4).normal(size=(cells, 5))
    adata.varm["PCs"] = np.random.default_rng(5).normal(size=(genes, 3)).astype(np.float32)
    adata.obsp["distances"] = sp.random(cells, cells, 0.1, random_state=6, format="csr")
    adata.uns |= {"title": "a study", "version": 3, "parameters": {"k": 15}}
    return adata


@pytest.mark.parametrize("order", ["row", "col"])
@pytest.mark.parametrize("shape", SHAPES)
def test_loompy_reads_what_is_written(nnz, tmp_path, shape, order):
    values = dense(shape, np.int32)
    create(tmp_path / "a.loom", {"": values}, Kind=names("k", shape[1]))
    store = nnz.convert(tmp_path / "a.loom", tmp_path / "a.bpcells", "--order", order)
    written = nnz.convert(store, tmp_path / "b.loom")
    with loompy.connect(str(written), "r+") as ds:
        assert ds.shape == shape and ds.attrs["LOOM_SPEC_VERSION"] == "3.0.0"
        np.testing.assert_array_equal(ds[:, :], values)
        assert ds.ra["Gene"].tolist() == names("g", shape[0]).tolist()
        assert ds.ca["CellID"].tolist() == names("c", shape[1]).tolist()
        # It grows, as files of loompy do.
        more = dense((shape[0], 3), ds[:, :].dtype, 7)
        ds.add_columns({"": more}, {"CellID": names("d", 3)})
        np.testing.assert_array_equal(ds[:, :], np.hstack([values, more]))


@pytest.mark.parametrize(
    "dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_types_are_kept(nnz, tmp_path, dtype, kind):
    values = dense((100, 70), dtype)
    adata = anndata.AnnData(kind(values))
    adata.write_h5ad(tmp_path / "a.h5ad")
    written = nnz.convert(tmp_path / "a.h5ad", tmp_path / "a.loom")
    with loompy.connect(str(written), "r") as ds:
        assert ds[:, :].dtype == dtype
        np.testing.assert_array_equal(ds[:, :].T, values)
    np.testing.assert_array_equal(matrix(nnz, written, (70, 100), dtype).T, values)


@pytest.mark.parametrize("shape", SHAPES)
def test_files_of_loompy_are_read(nnz, tmp_path, shape):
    layers = {"": dense(shape, np.float32), "spliced": dense(shape, np.uint16, 2)}
    path = create(tmp_path / "a.loom", layers)
    np.testing.assert_array_equal(matrix(nnz, path, shape, np.float32), layers[""])
    spliced = matrix(nnz, f"{path}::layers/spliced", shape, np.uint16)
    np.testing.assert_array_equal(spliced, layers["spliced"])
    assert nnz.names(path, "rows") == names("g", shape[0]).tolist()
    assert nnz.names(path, "cols") == names("c", shape[1]).tolist()
    assert nnz.ok("validate", "--notes", path) == ""


@pytest.mark.parametrize("chunks", [None, (1, 131), (200, 1), (7, 5), (200, 131)])
def test_any_chunks_are_read(nnz, tmp_path, chunks):
    import h5py

    values = dense((200, 131), np.int32)
    path = create(tmp_path / "a.loom", {"": values})
    with h5py.File(path, "r+") as file:
        del file["matrix"]
        file.create_dataset("matrix", data=values, chunks=chunks)
    np.testing.assert_array_equal(matrix(nnz, path, values.shape, np.int32), values)
    nnz.ok("validate", path)


def test_anndata_reads_what_is_written(nnz, tmp_path):
    adata = study()
    adata.write_h5ad(tmp_path / "a.h5ad")
    found = read_loom(nnz.convert(tmp_path / "a.h5ad", tmp_path / "a.loom"))
    np.testing.assert_array_equal(found.X.toarray(), adata.X.toarray())
    assert found.obs_names.tolist() == adata.obs_names.tolist()
    assert found.var_names.tolist() == adata.var_names.tolist()
    assert found.obs["kind"].tolist() == adata.obs["kind"].tolist()
    assert found.obs["n"].tolist() == adata.obs["n"].tolist()
    assert found.var["score"].tolist() == adata.var["score"].tolist()
    np.testing.assert_array_equal(found.layers["counts"].toarray(), adata.layers["counts"].toarray())


def test_files_of_anndata_are_read(nnz, tmp_path):
    adata = study()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.io.write_loom(tmp_path / "a.loom", adata, write_obsm_varm=True)
    nnz.convert(tmp_path / "a.loom", tmp_path / "b.h5ad")
    found = anndata.read_h5ad(tmp_path / "b.h5ad")
    assert found.obs_names.tolist() == adata.obs_names.tolist()
    assert found.var_names.tolist() == adata.var_names.tolist()
    np.testing.assert_array_equal(found.X.toarray(), adata.X.toarray())
    np.testing.assert_array_equal(found.layers["scaled"].toarray(), adata.layers["scaled"])
    np.testing.assert_array_equal(found.obsm["X_pca"], adata.obsm["X_pca"])
    np.testing.assert_array_equal(found.varm["PCs"], adata.varm["PCs"])


def test_whole_files_go_to_loom_and_back(nnz, tmp_path):
    adata = study()
    adata.write_h5ad(tmp_path / "a.h5ad")
    done = nnz.run("convert", tmp_path / "a.h5ad", tmp_path / "a.loom")
    assert done.returncode == 0 and b"dropped: uns/parameters" in done.stderr, done.stderr
    with loompy.connect(str(tmp_path / "a.loom"), "r") as ds:
        assert ds.attrs["title"] == "a study" and ds.attrs["version"] == 3
        graph = ds.col_graphs["distances"]
        np.testing.assert_array_equal(graph.toarray(), adata.obsp["distances"].toarray())
        np.testing.assert_array_equal(ds.ca["X_pca"], adata.obsm["X_pca"])
        np.testing.assert_array_equal(ds.ra["PCs"], adata.varm["PCs"])
        np.testing.assert_array_equal(ds.layers["scaled"][:, :].T, adata.layers["scaled"])
    for path in ["a.loom", nnz.convert(tmp_path / "a.loom", tmp_path / "b.loom")]:
        nnz.ok("validate", "--notes", tmp_path / path)
        nnz.convert(tmp_path / path, tmp_path / "b.h5ad", "--force")
        found = anndata.read_h5ad(tmp_path / "b.h5ad")
        assert found.obs_names.tolist() == adata.obs_names.tolist()
        assert found.uns["title"] == "a study" and found.uns["version"] == 3
        assert found.X.dtype == np.float32 and found.layers["counts"].dtype == np.int32
        np.testing.assert_array_equal(found.X.toarray(), adata.X.toarray())
        for name in ["counts", "scaled"]:
            layer = adata.layers[name]
            layer = layer.toarray() if sp.issparse(layer) else layer
            np.testing.assert_array_equal(found.layers[name].toarray(), layer)
        np.testing.assert_array_equal(found.obsm["X_pca"], adata.obsm["X_pca"])
        np.testing.assert_array_equal(found.varm["PCs"], adata.varm["PCs"])
        distances = adata.obsp["distances"].toarray()
        np.testing.assert_array_equal(found.obsp["distances"].toarray(), distances)


@pytest.mark.parametrize("name", ["attrs", "layers", "graphs", "loompy2_old_spec", "anndata", "one_cell"])
def test_golden_files_become_files_that_loompy_reads(nnz, tmp_path, name):
    source = GOLDEN / f"{name}.loom"
    written = nnz.convert(source, tmp_path / "a.loom")
    with loompy.connect(str(source), "r") as old, loompy.connect(str(written), "r") as new:
        assert old.layers.keys() == new.layers.keys()
        for layer in old.layers.keys():
            np.testing.assert_array_equal(old.layers[layer][:, :], new.layers[layer][:, :])
            assert old.layers[layer].dtype == new.layers[layer].dtype
        for graphs in ["row_graphs", "col_graphs"]:
            old_graphs, new_graphs = getattr(old, graphs), getattr(new, graphs)
            assert old_graphs.keys() == new_graphs.keys()
            for graph in old_graphs.keys():
                np.testing.assert_array_equal(old_graphs[graph].toarray(), new_graphs[graph].toarray())
        assert len(old.ra.keys()) == len(new.ra.keys())
        assert len(old.ca.keys()) == len(new.ca.keys())
