"""Markers are those of scanpy."""

import anndata
import numpy as np
import pandas
import pytest
import scanpy as sc
import scipy.sparse as sparse

import nnz

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::RuntimeWarning", "ignore::nnz.DroppedWarning"),
    pytest.mark.filterwarnings("ignore:values look like counts"),
]

METHODS = {
    "wilcoxon": {"method": "wilcoxon", "tie_correct": True},
    "uncorrected": {"method": "wilcoxon", "tie_correct": False},
    "t-test": {"method": "t-test"},
}


def random_adata(seed, dtype):
    """Values of which some are negative, many are zero and equal, and groups of which some are small. Some cells have none."""
    rng = np.random.default_rng(seed)
    cells, features = int(rng.integers(20, 300)), int(rng.integers(1, 60))
    digits = int(rng.integers(0, 4))
    values = np.round(rng.normal(size=(cells, features)), digits) * (rng.random((cells, features)) < rng.random())
    if seed % 2:
        values = np.abs(values)
    values[:, 0] = 0
    groups = int(rng.integers(2, 6))
    codes = np.concatenate([np.repeat(np.arange(groups), 2), rng.integers(-1, groups, cells - 2 * groups)])
    labels = pandas.Categorical.from_codes(rng.permutation(codes), [f"g{at}" for at in range(groups)])
    obs = pandas.DataFrame({"kind": labels}, index=[f"c{at}" for at in range(cells)])
    var = pandas.DataFrame(index=[f"f{at}" for at in range(features)])
    # By feature, scanpy adds squares up in 64 bits.
    matrix = (sparse.csc_matrix if dtype == "float32" else sparse.csr_matrix)(values.astype(dtype))
    return anndata.AnnData(matrix, obs=obs, var=var)


def compare(found, adata, rtol):
    """Compares all numbers with those in an AnnData object."""
    expected = adata.uns["rank_genes_groups"]
    own = {}
    for at, group in enumerate(found.groups):
        names = expected["names"][group]
        order = found.features.get_indexer(names)
        own[group] = order
        for name, array, tolerance in [
            ("scores", found.scores, 1e-6),
            ("logfoldchanges", found.logfoldchanges, 1e-6),
            ("pvals", found.pvals, rtol),
            ("pvals_adj", found.pvals_adj, rtol),
        ]:
            absolute = 1e-6 if tolerance == 1e-6 else 1e-300
            np.testing.assert_allclose(array[at][order], expected[name][group], rtol=tolerance, atol=absolute, err_msg=name)
        np.testing.assert_allclose(found.pts[at], expected["pts"][group], rtol=1e-15)
        np.testing.assert_allclose(found.pts_rest[at], expected["pts_rest"][group], rtol=1e-15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_markers_are_those_of_scanpy(tmp_path, method, dtype):
    for seed in range(25):
        adata = random_adata(seed, dtype)
        sc.tl.rank_genes_groups(adata, "kind", pts=True, **METHODS[method])
        options = METHODS[method]
        nnz.write(adata.X, tmp_path / "m.h5ad", rows=adata.obs, cols=adata.var, force=True)
        found = nnz.markers(nnz.open(tmp_path / "m.h5ad::X"), "kind", **options)
        assert found.groups.tolist() == adata.obs["kind"].cat.categories.tolist()
        # The variance of values that are nearly equal is a difference of large numbers in scanpy.
        compare(found, adata, 1e-6 if method == "t-test" else 1e-9)


def test_results_are_where_scanpy_looks_for_them(tmp_path):
    adata = random_adata(3, "float32")
    nnz.write(adata.X, tmp_path / "m.h5ad", rows=adata.obs, cols=adata.var)
    found = nnz.markers(nnz.open(tmp_path / "m.h5ad::X"), "kind")
    other = adata.copy()
    found.add_to(other)
    sc.tl.rank_genes_groups(adata, "kind", pts=True, **METHODS["wilcoxon"])
    assert other.uns["rank_genes_groups"].keys() == adata.uns["rank_genes_groups"].keys()
    assert other.uns["rank_genes_groups"]["params"] == adata.uns["rank_genes_groups"]["params"]
    for name in ("scores", "pvals", "pvals_adj", "logfoldchanges", "names"):
        arrays = [one.uns["rank_genes_groups"][name] for one in (other, adata)]
        assert arrays[0].dtype == arrays[1].dtype, name
    for group in found.groups:
        table, expected = (sc.get.rank_genes_groups_df(one, group) for one in (other, adata))
        assert table.columns.tolist() == expected.columns.tolist()
        np.testing.assert_allclose(table["scores"], expected["scores"], rtol=1e-6, atol=1e-6)
        own = found.to_pandas(group)
        assert own.columns.tolist() == ["group", *expected.columns]
        np.testing.assert_allclose(own["scores"], expected["scores"], rtol=1e-6, atol=1e-6)
    other.write_h5ad(tmp_path / "with.h5ad")
    assert "rank_genes_groups" in anndata.read_h5ad(tmp_path / "with.h5ad").uns
    sc.tl.filter_rank_genes_groups(other)
    assert "rank_genes_groups_filtered" in other.uns


def test_groups_of_one_cell_are_errors_in_both(tmp_path):
    adata = anndata.AnnData(sparse.csr_matrix(np.eye(4, dtype="float32") / 3))
    adata.obs["kind"] = pandas.Categorical(["a", "b", "b", "b"])
    with pytest.raises(ValueError, match="one sample"):
        sc.tl.rank_genes_groups(adata, "kind", method="wilcoxon")
    nnz.write(adata, tmp_path / "m.h5ad")
    with pytest.raises(nnz.ArgumentError, match="group 'a' has 1 cell"):
        nnz.markers(nnz.open(tmp_path / "m.h5ad::X"), "kind")
