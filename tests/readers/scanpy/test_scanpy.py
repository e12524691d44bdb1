"""scanpy reads files of nnz, and nnz reads files of scanpy."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import scanpy as sc
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[3]
TENX = ROOT / "testdata/tenx/h5"
FOLDER = ROOT / "examples/pbmc_10x_v3_mtx"
SOURCES = ["cr3_gex", "cr3_feature_barcode", "cr2_one_genome"]


def quiet(read, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Repeated names are in the file; other warnings are about a dependency.
        warnings.filterwarnings("ignore", message="Variable names are not unique")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", category=FutureWarning, module="(scanpy|anndata)")
        return read(*arguments, **options)


def entries(nnz, source):
    """The matrix as cells x features."""
    triples = nnz.cat(source, np.int64)
    shape = len(nnz.names(source, "cols")), len(nnz.names(source, "rows"))
    return sp.csr_matrix((triples.values, (triples.cols, triples.rows)), shape)


def check(nnz, found, source):
    assert found.obs_names.tolist() == nnz.names(source, "cols")
    assert found.var["gene_ids"].tolist() == nnz.names(source, "rows")
    np.testing.assert_array_equal(found.X.toarray(), entries(nnz, source).toarray())


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("source", SOURCES)
def test_hdf5_of_10x(nnz, tmp_path, source, version):
    source = TENX / f"{source}.h5"
    options = ["--to", "10x", "--format-version", version, "--genome", "GRCh38"]
    written = nnz.convert(source, tmp_path / "a.h5", *options)
    check(nnz, quiet(sc.read_10x_h5, written, gex_only=False), source)


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("source", [TENX / "cr3_gex.h5", FOLDER])
def test_folders_of_10x(nnz, tmp_path, source, version):
    written = nnz.convert(source, tmp_path / "a", "--to", "10x", "--format-version", version)
    check(nnz, quiet(sc.read_10x_mtx, written, gex_only=False), source)


def test_files_of_scanpy_are_converted_to_10x(nnz, tmp_path):
    adata = quiet(sc.read_10x_h5, TENX / "cr3_feature_barcode.h5", gex_only=False)
    adata.var_names_make_unique()
    adata.write_h5ad(tmp_path / "a.h5ad")
    nnz.convert(tmp_path / "a.h5ad", tmp_path / "b.h5", "--to", "10x")
    again = quiet(sc.read_10x_h5, tmp_path / "b.h5", gex_only=False)
    assert again.var_names.tolist() == adata.var_names.tolist()
    for column in ["gene_ids", "feature_types"]:
        assert again.var[column].tolist() == adata.var[column].tolist()
    np.testing.assert_array_equal(again.X.toarray(), adata.X.toarray())


@pytest.mark.parametrize("source", [*(TENX / f"{name}.h5" for name in SOURCES), FOLDER])
def test_10x_becomes_the_anndata_of_scanpy(nnz, tmp_path, source):
    reader = sc.read_10x_mtx if source.is_dir() else sc.read_10x_h5
    expected = quiet(reader, source, gex_only=False)
    expected.var_names_make_unique()
    found = quiet(sc.read_h5ad, nnz.convert(source, tmp_path / "a.h5ad"))
    # Stored by cell, as scanpy reads HDF5; what it reads from directories is stored by gene.
    assert found.X.format == "csr" and found.X.dtype == expected.X.dtype
    np.testing.assert_array_equal(found.X.toarray(), expected.X.toarray())
    for ours, theirs in [(found.obs, expected.obs), (found.var, expected.var)]:
        assert ours.index.tolist() == theirs.index.tolist()
        assert set(theirs.columns) <= set(ours.columns)
        for column in theirs.columns:
            assert ours[column].tolist() == theirs[column].tolist(), column


def test_the_usual_steps_run_on_converted_files(nnz, tmp_path):
    written = nnz.convert(FOLDER, tmp_path / "a.h5ad")
    adata = quiet(sc.read_h5ad, written)
    expected = quiet(sc.read_10x_mtx, FOLDER, cache=False)
    expected.var_names_make_unique()
    assert adata.var_names.tolist() == expected.var_names.tolist()
    for one in (adata, expected):
        sc.pp.filter_genes(one, min_cells=3)
        sc.pp.normalize_total(one, target_sum=1e4)
        sc.pp.log1p(one)
        sc.pp.highly_variable_genes(one, n_top_genes=50)
        sc.pp.pca(one, n_comps=5)
    np.testing.assert_array_equal(adata.X.toarray(), expected.X.toarray())
    np.testing.assert_allclose(adata.obsm["X_pca"], expected.obsm["X_pca"], rtol=1e-4, atol=1e-4)
    adata.write_h5ad(tmp_path / "b.h5ad")
    assert nnz.run("validate", tmp_path / "b.h5ad").returncode == 0
    nnz.convert(tmp_path / "b.h5ad", tmp_path / "c.h5ad")
    again = quiet(sc.read_h5ad, tmp_path / "c.h5ad")
    np.testing.assert_array_equal(again.obsm["X_pca"], adata.obsm["X_pca"])
    assert "hvg" in again.uns and "pca" in again.uns


def test_logarithms_of_scanpy_are_not_taken_for_counts(nnz, tmp_path):
    adata = quiet(sc.read_10x_mtx, FOLDER, cache=False)
    adata.var_names_make_unique()
    sc.pp.log1p(adata)
    adata.write_h5ad(tmp_path / "a.h5ad")
    done = nnz.run("normalize", tmp_path / "a.h5ad", tmp_path / "b.h5ad", "--target-sum", "1e4")
    assert b"values are not counts: uns/log1p states that they are logarithms" in done.stderr


@pytest.mark.parametrize("shape", [(5, 4, 3), (7, 1, 2, 3)])
def test_arrays_of_several_dimensions_are_loaded_by_scipy(nnz, tmp_path, shape):
    rng = np.random.default_rng(4)
    dense = rng.random(shape) * (rng.random(shape) < 0.3)
    sp.save_npz(tmp_path / "a.npz", sp.coo_array(dense))
    nnz.convert(tmp_path / "a.npz", tmp_path / "b.bsp.h5")
    nnz.convert(tmp_path / "b.bsp.h5", tmp_path / "c.npz")
    found = sp.load_npz(tmp_path / "c.npz")
    assert found.shape == shape and found.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(found.toarray(), dense)
    nnz.ok("diff", tmp_path / "b.bsp.h5", tmp_path / "c.npz")
