"""scanpy gives the same results for matrices on disk as for those in memory."""

import warnings
from pathlib import Path

import anndata
import numpy as np
import pytest
import scanpy as sc
import scipy.sparse as sparse

import nnz

ROOT = Path(__file__).resolve().parents[3]
PBMC = ROOT / "examples" / "pbmc_10x_v3_mtx"
# So small that each file has several chunks.
CHUNK = 50_000

# Values of two programs that differ by less than this, of their size, may be in either order.
CLOSE = 1e-5

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::nnz.DroppedWarning")


def assert_highest(chosen, values, n):
    """Asserts that the chosen features have the `n` highest values, up to the last bits of those near the limit."""
    chosen, values = np.asarray(chosen), np.asarray(values, dtype=np.float64)
    assert chosen.sum() == n
    limit = np.sort(values[~np.isnan(values)])[-n]
    near = np.isclose(values, limit, rtol=CLOSE)
    assert (chosen | near)[values >= limit].all() and not (chosen & ~near)[~(values >= limit)].any()


def near_a_limit(found, top):
    """The features that the last bits of scanpy's values may move over a limit of the flavor "seurat"."""
    dispersions = found["dispersions_norm"].to_numpy(dtype=np.float64)
    if top:
        return np.isclose(dispersions, np.sort(dispersions[~np.isnan(dispersions)])[-top], rtol=10 * CLOSE)
    means = found["means"].to_numpy()
    limits = [(means, 0.0125), (means, 3), (dispersions, 0.5)]
    return np.logical_or.reduce([np.isclose(values, limit, rtol=10 * CLOSE) for values, limit in limits])


def bounds_of_ranks(values):
    """The lowest and highest rank that each value may have, from 0 for the highest, if its last bits differ."""
    descending = np.sort(-values)
    lowest = np.searchsorted(descending, -values * (1 + CLOSE), "left")
    return lowest, np.searchsorted(descending, -values * (1 - CLOSE), "right") - 1


@pytest.fixture(params=["h5ad by row", "h5ad by col", "10x"])
def pair(request, tmp_path):
    """An AnnData whose matrix is on disk, and the same as read by anndata."""
    if request.param == "10x":
        path, read = tmp_path / "m.h5", tmp_path / "m.h5ad"
        nnz.convert(PBMC, path, to="10x", genome="GRCh38")
        nnz.convert(path, read, type="float32")
    else:
        path = read = tmp_path / "m.h5ad"
        order = request.param.split()[-1]
        nnz.convert(PBMC, path, type="float32", order=order)
        assert nnz.open(f"{path}::X").order == order
    memory = anndata.read_h5ad(read)
    memory.X = sparse.csr_matrix(memory.X)
    disk = nnz.read_anndata(path, nbytes=CHUNK)
    assert not sparse.issparse(disk.X) and disk.X.npartitions > 1
    assert disk.shape == memory.shape == (1107, 507)
    assert disk.obs_names.tolist() == memory.obs_names.tolist()
    assert disk.var_names.tolist() == memory.var_names.tolist()
    return disk, memory


def computed(adata):
    found = adata.X.compute() if hasattr(adata.X, "compute") else adata.X
    return found.toarray() if sparse.issparse(found) else np.asarray(found)


def test_the_usual_steps(pair):
    disk, memory = pair
    np.testing.assert_array_equal(computed(disk), computed(memory))
    for adata in pair:
        sc.pp.normalize_total(adata, target_sum=1e4)
        sc.pp.log1p(adata)
    assert hasattr(disk.X, "compute"), "the matrix was read into memory"
    np.testing.assert_allclose(computed(disk), computed(memory), rtol=1e-5)
    for adata in pair:
        with warnings.catch_warnings():
            # Genes without cells.
            warnings.simplefilter("ignore", RuntimeWarning)
            sc.pp.highly_variable_genes(adata, n_top_genes=60)
    for adata in pair:
        assert_highest(adata.var["highly_variable"], memory.var["dispersions_norm"], 60)
    for column in ("means", "dispersions", "dispersions_norm"):
        np.testing.assert_allclose(disk.var[column], memory.var[column], rtol=1e-4, atol=1e-6)
    if disk.X._meta.format == "csc":
        # scanpy refuses such chunks of any kind.
        disk.X = disk.X.rechunk((300, -1)).map_blocks(sparse.csr_matrix)
    for adata in pair:
        sc.pp.pca(adata, n_comps=5, svd_solver="covariance_eigh")
    found, expected = np.asarray(disk.obsm["X_pca"]), memory.obsm["X_pca"]
    # The sign of a component is arbitrary.
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=1e-3, atol=1e-3)
    # The variances differ by n / (n - 1): scanpy divides by n for dask arrays.
    ratios = (adata.uns["pca"]["variance_ratio"] for adata in pair)
    np.testing.assert_allclose(*ratios, rtol=1e-4)


@pytest.mark.parametrize("target", [1e4, None])
def test_values_are_computed_as_by_scanpy(tmp_path, target):
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    adata = anndata.read_h5ad(tmp_path / "m.h5ad")
    adata.X = sparse.csr_matrix(adata.X)
    found = nnz.open(tmp_path / "m.h5ad::X").normalize_total(target).log1p()
    sc.pp.normalize_total(adata, target_sum=target)
    sc.pp.log1p(adata)
    np.testing.assert_allclose(found.to_numpy(), adata.X.toarray(), rtol=2e-6, atol=1e-6)
    sc.pp.pca(adata, n_comps=20, svd_solver="arpack")
    values = np.sqrt(adata.uns["pca"]["variance"] * (adata.n_obs - 1))
    np.testing.assert_allclose(nnz.pca(found, 20, iterations=6).singular_values, values, rtol=1e-2)


def test_metrics_are_those_of_scanpy(tmp_path):
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    adata = anndata.read_h5ad(tmp_path / "m.h5ad")
    adata.var["mt"] = np.arange(adata.n_vars) % 7 == 0
    cells, features = sc.pp.calculate_qc_metrics(adata, qc_vars=["mt"], percent_top=[50, 100])
    found = nnz.qc(tmp_path / "m.h5ad", qc_vars={"mt": adata.var["mt"].to_numpy()}, percent_top=[50, 100])
    assert set(found.cells.columns) == set(cells.columns)
    assert set(found.features.columns) - {"mt"} == set(features.columns)
    for table, expected in [(found.cells, cells), (found.features, features)]:
        for name in expected.columns:
            np.testing.assert_allclose(table[name], expected[name], rtol=1e-5, err_msg=name)
    groups = np.array(["a", "b", "c"])[np.arange(adata.n_obs) % 3]
    adata.obs["group"] = groups
    expected = sc.get.aggregate(adata, "group", "sum")
    np.testing.assert_allclose(nnz.aggregate(tmp_path / "m.h5ad", groups), expected.layers["sum"], rtol=1e-5)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("top", [40, None])
def test_dispersions_are_those_of_scanpy(tmp_path, batched, top):
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    adata = anndata.read_h5ad(tmp_path / "m.h5ad")
    adata.X = sparse.csr_matrix(adata.X)
    labels = np.array(["a", "b", "c"])[np.arange(adata.n_obs) % 3]
    adata.obs["batch"] = labels
    sc.pp.normalize_total(adata, target_sum=1e4)
    sc.pp.log1p(adata)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        sc.pp.highly_variable_genes(adata, n_top_genes=top, batch_key="batch" if batched else None)
    m = nnz.open(tmp_path / "m.h5ad::X").normalize_total(1e4).log1p()
    found = nnz.highly_variable_genes(m, top, batch=labels if batched else None)
    assert set(found.columns) <= set(adata.var.columns)
    near = np.zeros(adata.n_vars, bool)
    for label in np.unique(labels) if batched else [None]:
        part = adata[labels == label] if batched else adata
        near |= near_a_limit(sc.pp.highly_variable_genes(part, n_top_genes=top, inplace=False), top)
    near |= near_a_limit(adata.var, top)
    assert near.mean() < 0.1
    for name in found.columns:
        expected = adata.var[name]
        if expected.dtype == bool or "nbatches" in name:
            differ = found[name].to_numpy() != expected.to_numpy()
            assert differ.sum() <= near.sum(), name
            if not top:
                assert not (differ & ~near).any(), name
        else:
            np.testing.assert_allclose(found[name], expected, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("batched", [False, True])
def test_standardized_variances_are_those_of_scanpy(tmp_path, batched):
    pytest.importorskip("skmisc")
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    adata = anndata.read_h5ad(tmp_path / "m.h5ad")
    adata.X = sparse.csr_matrix(adata.X)
    labels = np.array(["a", "b"])[np.arange(adata.n_obs) % 2]
    adata.obs["batch"] = labels
    key = "batch" if batched else None
    sc.pp.highly_variable_genes(adata, n_top_genes=50, flavor="seurat_v3", batch_key=key)
    found = nnz.highly_variable_genes(
        tmp_path / "m.h5ad", 50, flavor="seurat_v3", batch=labels if batched else None
    )
    assert set(found.columns) <= set(adata.var.columns)
    for name in ("means", "variances", "variances_norm"):
        np.testing.assert_allclose(found[name], adata.var[name], rtol=CLOSE, err_msg=name)
    # A rank is the median over the batches in which the feature is among the 50 first. It depends on the last bits of
    # variances, which differ between processors.
    parts = [adata[labels == label] for label in np.unique(labels)] if batched else [adata]
    tables = [sc.pp.highly_variable_genes(part, n_top_genes=50, flavor="seurat_v3", inplace=False) for part in parts]
    bounds = np.array([bounds_of_ranks(table["variances_norm"].to_numpy()) for table in tables])
    lowest, highest = np.where(bounds < 50, bounds, np.nan).transpose(1, 0, 2)
    uncertain = (np.isnan(lowest) != np.isnan(highest)).any(axis=0)
    assert uncertain.mean() < 0.1
    with warnings.catch_warnings():
        # Features that are in no batch among the first.
        warnings.simplefilter("ignore", RuntimeWarning)
        lowest, highest = np.nanmedian(lowest, axis=0), np.nanmedian(highest, axis=0)
    for ranks in (found["highly_variable_rank"].to_numpy(), adata.var["highly_variable_rank"].to_numpy()):
        assert (np.isnan(ranks) == np.isnan(lowest))[~uncertain].all()
        ranked = ~uncertain & ~np.isnan(ranks)
        assert (lowest <= ranks)[ranked].all() and (ranks <= highest)[ranked].all()
    moved = uncertain | (lowest < highest)
    differ = found["highly_variable"].to_numpy() != adata.var["highly_variable"].to_numpy()
    assert differ.sum() <= moved.sum()


def test_components_in_anndata_are_read_by_scanpy(tmp_path):
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    m = nnz.open(tmp_path / "m.h5ad::X").normalize_total(1e4).log1p()
    adata = m.to_anndata()
    nnz.pca(m, 10).add_to(adata)
    sc.pp.neighbors(adata, n_neighbors=5)
    assert adata.obsp["distances"].shape == (1107, 1107)


@pytest.mark.parametrize("mask", [None, "highly_variable"])
def test_parameters_of_components_are_those_of_scanpy(tmp_path, mask):
    """`sc.tl.ingest` reads them."""
    nnz.convert(PBMC, tmp_path / "m.h5ad", type="float32")
    m = nnz.open(tmp_path / "m.h5ad::X").normalize_total(1e4).log1p()
    adata = m.to_anndata()
    chosen = np.arange(adata.n_vars) % 4 == 0
    if mask:
        adata.var[mask] = chosen
    expected = adata.copy()
    nnz.pca(m.select(cols=chosen) if mask else m, 5).add_to(adata)
    sc.pp.pca(expected, n_comps=5, mask_var=mask)
    assert adata.uns["pca"].keys() == expected.uns["pca"].keys()
    assert adata.uns["pca"]["params"] == expected.uns["pca"]["params"]
    assert not mask or not adata.varm["PCs"][~chosen].any()
    adata.write_h5ad(tmp_path / "with.h5ad")
    assert anndata.read_h5ad(tmp_path / "with.h5ad").uns["pca"]["params"]["use_highly_variable"] == bool(mask)


def test_filters_keep_the_cells_of_calculate_qc_metrics(tmp_path):
    memory = nnz.read_anndata(PBMC).to_memory()
    batches = ["a", "b"] * memory.n_obs
    memory.obs["batch"] = batches[: memory.n_obs]
    memory.write_h5ad(tmp_path / "study.h5ad")
    some = ("APP", "SOD1")
    nnz.filter(
        tmp_path / "study.h5ad",
        tmp_path / "kept.h5ad",
        features="nnz>=3",
        cells=("nnz>=40", "sum(features=^(APP|SOD1)$)/sum<0.05", "batch=a"),
    )
    memory.var["some"] = memory.var_names.isin(some)
    assert memory.var["some"].sum() == 2
    sc.pp.calculate_qc_metrics(memory, qc_vars=["some"], inplace=True, percent_top=None)
    obs, genes = memory.obs, memory.var["n_cells_by_counts"] >= 3
    cells = (obs["n_genes_by_counts"] >= 40) & (obs["pct_counts_some"] < 5) & (obs["batch"] == "a")
    assert 0 < cells.sum() < (obs["batch"] == "a").sum()
    kept = nnz.read_anndata(tmp_path / "kept.h5ad").to_memory()
    assert kept.obs_names.tolist() == memory.obs_names[cells].tolist()
    assert kept.var_names.tolist() == memory.var_names[genes].tolist()
    assert (sparse.csr_array(kept.X) != sparse.csr_array(memory[cells, genes].X)).nnz == 0
