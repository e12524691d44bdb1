"""Quantiles, ranks, residuals and groups, beside NumPy and SciPy."""

import pickle

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
import scipy.stats

import nnz


@pytest.fixture(params=["csr", "csc"])
def stored(request, tmp_path):
    """Return a path, and its elements: some negative, some zero, and many equal."""
    rng = np.random.default_rng(3)
    dense = rng.integers(-2, 4, (30, 20)) * rng.integers(0, 2, (30, 20)) * 0.5
    dense[4], dense[:, 7] = 0, 0
    nnz.write(sp.csr_array(dense).asformat(request.param), tmp_path / "m.npz")
    return tmp_path / "m.npz", dense


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf"])
def test_quantiles_are_those_of_numpy(stored, axis, method):
    path, dense = stored
    wanted = [0, 0.1, 0.37, 0.5, 1]
    found = nnz.open(path).quantile(wanted, axis, method=method)
    np.testing.assert_allclose(found, np.quantile(dense, wanted, axis=axis, method=method), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(nnz.open(path).quantile(0.5, axis), np.median(dense, axis=axis), rtol=1e-12)


def test_wrong_quantiles_are_refused(stored):
    m = nnz.open(stored[0])
    for arguments, says in [((1.5, 0), "expected 0 to 1"), ((0.5, None), "expected 0 or 1"), (([[0.5]], 0), "a number, or a list")]:
        with pytest.raises(nnz.ArgumentError, match=says):
            m.quantile(*arguments)
    with pytest.raises(nnz.ArgumentError, match="expected one of"):
        m.quantile(0.5, 0, method="nearest")


@pytest.mark.parametrize("axis", [0, 1])
def test_ranks_are_those_of_scipy(stored, axis):
    path, dense = stored
    found = nnz.open(path).rank(axis).to_numpy()
    ranks = scipy.stats.rankdata(dense, axis=axis)
    zeros = (dense < 0).sum(axis, keepdims=True) + ((dense == 0).sum(axis, keepdims=True) + 1) / 2
    np.testing.assert_allclose(found, ranks - zeros)
    assert nnz.open(path).rank(axis).order == ("col" if axis == 0 else "row")


def test_pearson_residuals_are_those_of_their_formula(stored):
    path, dense = stored
    counts = np.abs(dense) * 2
    nnz.write(sp.csr_array(counts), path, force=True)
    mean = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num((counts - mean) / np.sqrt(mean + mean**2 / 10))
    for clip, limit in [(None, np.sqrt(30)), (0.7, 0.7)]:
        found = nnz.open(path).pearson_residuals(10, clip)
        np.testing.assert_allclose(found.to_numpy(), np.clip(expected, -limit, limit), rtol=1e-9, atol=1e-12)
    assert found.shape == (30, 20)
    with pytest.raises(nnz.UnsupportedError, match="those of counts"):
        nnz.open(path).scale(-1).pearson_residuals()


def test_residuals_of_a_regression_are_those_of_least_squares(stored):
    path, dense = stored
    rng = np.random.default_rng(1)
    numbers, kinds = rng.normal(size=30), np.array(["a", "b", "c"])[rng.integers(0, 3, 30)]
    frame = pandas.DataFrame({"number": numbers, "kind": pandas.Categorical(kinds)})
    design = np.column_stack([np.ones(30), numbers, kinds == "a", kinds == "b"]).astype(float)
    expected = dense - design @ np.linalg.lstsq(design, dense, rcond=None)[0]
    found = nnz.open(path).regress_out(frame)
    np.testing.assert_allclose(found.to_numpy(), expected, atol=1e-12)
    right = rng.normal(size=(20, 3))
    np.testing.assert_allclose(found @ right, expected @ right, atol=1e-12)
    np.testing.assert_allclose(found.T @ numbers, expected.T @ numbers, atol=1e-12)
    values = np.linalg.svd(expected - expected.mean(0), compute_uv=False)
    np.testing.assert_allclose(nnz.pca(found, 5).singular_values, values[:5], rtol=1e-9)
    # One covariate, and annotations by name.
    alone = nnz.open(path).regress_out(numbers).to_numpy()
    nnz.write(sp.csr_array(dense), path.with_suffix(".h5ad"), rows=frame, axis_kinds=("cells", "features"))
    named = nnz.open(path.with_suffix(".h5ad"))
    assert "regress_out('number')" in named.regress_out("number").steps
    np.testing.assert_allclose(named.regress_out("number").to_numpy(), alone, atol=1e-12)
    np.testing.assert_allclose(named.regress_out(["number", "kind"]).to_numpy(), expected, atol=1e-12)
    for wrong, says in [(numbers[:5], "5 numbers for 30"), (np.full(30, np.nan), "not finite"), (np.zeros((2, 2, 2)), "expected 1 or 2")]:
        with pytest.raises(nnz.ArgumentError, match=says):
            nnz.open(path).regress_out(wrong)
    with pytest.raises(KeyError, match="nothing"):
        named.regress_out("nothing")


def test_groups_are_combined_by_several_functions(stored):
    path, dense = stored
    labels = np.array(["x", "y", "z"])[np.arange(30) % 3]
    found, cells = nnz.aggregate(path, labels, ["mean", "var", "sum", "count_nonzero"], counts=True)
    grouped = pandas.DataFrame(dense).groupby(labels)
    for function, expected in [("mean", grouped.mean()), ("var", grouped.var()), ("sum", grouped.sum())]:
        np.testing.assert_allclose(found[function], expected, atol=1e-12)
    np.testing.assert_array_equal(found["count_nonzero"], (pandas.DataFrame(dense) != 0).groupby(labels).sum())
    assert cells.tolist() == [10, 10, 10]
    with pytest.raises(nnz.ArgumentError, match="'median'"):
        nnz.aggregate(path, labels, ["mean", "median"])


def test_pandas_objects_in_another_order_are_refused(tmp_path):
    names = [f"c{n}" for n in range(6)]
    dense = np.arange(24.0).reshape(6, 4)
    frame = pandas.DataFrame({"n": range(6)}, index=names)
    path = tmp_path / "m.h5ad"
    nnz.write(sp.csr_array(dense), path, rows=frame, axis_kinds=("cells", "features"))
    m = nnz.open(path)
    mixed = frame.iloc[::-1]
    labels = pandas.Series(list("aabbab"), index=mixed.index)
    for refused in [
        lambda: nnz.write(m, tmp_path / "x.h5ad", rows=mixed),
        lambda: nnz.aggregate(m, labels),
        lambda: nnz.markers(m, labels),
        lambda: nnz.highly_variable_genes(m, batch=labels),
        lambda: m["X"].regress_out(mixed["n"]),
        lambda: m["X"].scale_rows(mixed["n"]),
        lambda: m["X"][mixed["n"] > 2],
        lambda: m["X"].filter(cells=mixed["n"] > 2),
        lambda: nnz.slice(path, tmp_path / "y.h5ad", cells=mixed["n"] > 2),
    ]:
        with pytest.raises(ValueError, match="in another order"):
            refused()
    # In order, or without names.
    assert nnz.aggregate(m, labels.loc[names]).shape == nnz.aggregate(m, labels.reset_index(drop=True)).shape
    nnz.write(m, tmp_path / "z.h5ad", rows=frame.reset_index(drop=True))
    assert nnz.open(tmp_path / "z.h5ad").obs_names.tolist() == names


def test_scores_are_those_of_their_cells(tmp_path):
    """They were put on the cells of another order."""
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    names, genes = [f"c{n}" for n in range(30)], [f"g{n}" for n in range(8)]
    dense = rng.poisson(1.0, (30, 8)).astype(np.float32)
    adata = anndata.AnnData(dense, pandas.DataFrame(index=names), pandas.DataFrame(index=genes))
    adata.write_h5ad(tmp_path / "a.h5ad")
    found = nnz.pca(nnz.open(tmp_path / "a.h5ad").log1p(), 3)
    cells, features = rng.permutation(30), rng.permutation(8)
    other = adata[cells][:, features].copy()
    found.add_to(other)
    np.testing.assert_array_equal(other.obsm["X_pca"], found.scores[cells])
    np.testing.assert_array_equal(other.varm["PCs"], found.loadings[features])
    other.obs_names = [*other.obs_names[:-1], "new"]
    with pytest.raises(nnz.ArgumentError, match="not of cell 'new'"):
        found.add_to(other)


def test_loadings_are_those_of_their_features(tmp_path):
    """With as many features, their names were not compared."""
    anndata = pytest.importorskip("anndata")
    dense = np.random.default_rng(0).poisson(1.0, (30, 8)).astype(np.float32)
    adata = anndata.AnnData(dense, var=pandas.DataFrame(index=[f"g{n}" for n in range(8)]))
    adata.write_h5ad(tmp_path / "a.h5ad")
    found = nnz.pca(nnz.open(tmp_path / "a.h5ad").log1p(), 3)
    other = adata[:, ::-1].copy()
    found.add_to(other)
    np.testing.assert_array_equal(other.varm["PCs"], found.loadings[::-1])
    other.var_names = [f"other{n}" for n in range(8)]
    with pytest.raises(nnz.ArgumentError, match="has no feature"):
        found.add_to(other)


def test_an_axis_that_is_given_once_is_kept(tmp_path):
    """The next step took rows for cells."""
    (tmp_path / "m.csv").write_text("g,a,b,c\nx,1,0,3\ny,2,5,0\n")
    m = nnz.open(tmp_path / "m.csv")
    for made in [m.normalize_total(10, axis="cols"), m.pearson_residuals(axis="cols"), m.regress_out([1.0, 2.0, 4.0], axis="cols")]:
        assert made.axis_kinds == ("features", "cells")
        assert len(nnz.pca(made, 1).scores) == 3
    assert m.normalize_total(10).axis_kinds == (None, None)
    copy = pickle.loads(pickle.dumps(m.normalize_total(10, axis="cols")))
    assert copy.axis_kinds == ("features", "cells")


def test_operands_and_frames_in_another_order_are_refused(tmp_path):
    names = list("abcd")
    frame = pandas.DataFrame(np.eye(4), index=names, columns=list("wxyz"))
    nnz.write(frame, tmp_path / "m.h5ad", axis_kinds=("cells", "features"))
    m = nnz.open(tmp_path / "m.h5ad")["X"]
    mixed = pandas.Series(range(4), index=list("zyxw"))
    for refused in [
        lambda: m @ mixed,
        lambda: m.T @ pandas.Series(range(4), index=names[::-1]),
        lambda: nnz.write(frame, tmp_path / "n.h5ad", rows=pandas.DataFrame({"k": range(4)}, index=names[::-1])),
        lambda: nnz.write(sp.eye_array(4).tocsr(), tmp_path / "n.h5ad", rows=pandas.DataFrame({"k": range(4)}, index=names[::-1]), row_names=names),
    ]:
        with pytest.raises(ValueError, match="in another order"):
            refused()


@pytest.mark.parametrize("work", ["normalize_total", "pearson_residuals", "pca", "highly_variable_genes"])
def test_counts_and_logarithms_for_each_other_are_warned_about(tmp_path, work):
    counts = np.random.default_rng(0).poisson(2.0, (20, 9)).astype(np.float32)
    values = np.log1p(counts) if work in ("normalize_total", "pearson_residuals") else counts
    nnz.write(sp.csr_array(values), tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    works = {"pca": lambda: nnz.pca(m, 2), "highly_variable_genes": lambda: nnz.highly_variable_genes(m)}
    with pytest.warns(UserWarning, match="counts"):
        works.get(work, lambda: getattr(m, work)())()
