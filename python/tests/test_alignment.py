"""Cells and features of other objects are found by their names, and are refused if these do not fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import PBMC

import nnz

anndata = pytest.importorskip("anndata")
pandas = pytest.importorskip("pandas")

CELLS = [f"c{n}" for n in range(12)]
GENES = [f"g{n}" for n in range(5)]
KIND = pandas.Categorical(list("ab") * 6)

pytestmark = pytest.mark.filterwarnings("ignore::nnz.DroppedWarning", "ignore:values look like counts", "ignore:Transforming to str")


def made(cells=CELLS, genes=GENES):
    """Return an AnnData with columns for both axes; without names if these are None."""
    dense = np.random.default_rng(1).poisson(1.5, (12, 5)).astype(np.float32)
    obs = pandas.DataFrame({"kind": KIND, "n": np.arange(12)}, index=cells)
    return anndata.AnnData(sp.csr_matrix(dense), obs, pandas.DataFrame({"k": np.arange(5)}, index=genes))


def opened(adata, path):
    adata.write_h5ad(path)
    return nnz.open(path)


@pytest.fixture
def components(tmp_path):
    """Returns the components of an AnnData with some names of cells."""
    return lambda cells: nnz.pca(opened(made(cells), tmp_path / "p.h5ad").log1p(), 2)


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_scores_of_repeated_names_need_the_same_order(components):
    repeated = ["c0", "c0", *CELLS[2:]]
    found = components(repeated)
    same = made(repeated)
    found.add_to(same)
    np.testing.assert_array_equal(same.obsm["X_pca"], found.scores)
    for scores, names in [(found, repeated[::-1]), (found, CELLS[:1] * 2 + CELLS[:1:-1]), (components(CELLS), repeated)]:
        other = made(names)
        with pytest.raises(nnz.ArgumentError, match="more than once"):
            scores.add_to(other)
        assert not other.obsm and not other.varm and not other.uns


def test_scores_are_not_put_on_other_cells(components):
    with pytest.raises(nnz.ArgumentError, match="of other cells: 'c0' is the first, 'd0' that of the AnnData"):
        components(CELLS).add_to(made([f"d{n}" for n in range(12)]))


@pytest.mark.parametrize("own, other", [(None, CELLS), (CELLS, None), (None, None)])
def test_cells_without_names_are_taken_by_position(components, own, other):
    found, adata = components(own), made(other)
    found.add_to(adata)
    np.testing.assert_array_equal(adata.obsm["X_pca"], found.scores)


def test_numbers_in_another_order_are_names(components):
    found, order = components(None), np.random.default_rng(0).permutation(12)
    adata = made(None)[order].copy()
    found.add_to(adata)
    np.testing.assert_array_equal(adata.obsm["X_pca"], found.scores[order])


def test_parameters_are_those_of_scanpy(tmp_path):
    m, adata = opened(made(), tmp_path / "a.h5ad").log1p(), made()
    nnz.pca(m, 2).add_to(adata)
    assert adata.uns["pca"]["params"] == {"zero_center": True, "use_highly_variable": False, "mask_var": None}
    adata.write_h5ad(tmp_path / "with.h5ad")
    assert anndata.read_h5ad(tmp_path / "with.h5ad").uns["pca"]["params"]["zero_center"]
    nnz.write(adata, tmp_path / "ours.h5ad")
    assert "variance" in anndata.read_h5ad(tmp_path / "ours.h5ad").uns["pca"]
    adata.var["highly_variable"] = np.arange(5) < 3
    nnz.pca(m.select(cols=slice(3)), 2).add_to(adata)
    assert adata.uns["pca"]["params"] == {"zero_center": True, "use_highly_variable": True, "mask_var": "highly_variable"}
    nnz.pca(m.select(cols=slice(4)), 2).add_to(adata)
    assert not adata.uns["pca"]["params"]["use_highly_variable"]


def test_markers_have_the_names_of_the_object(tmp_path):
    m = nnz.open(PBMC)
    found, adata = nnz.markers(m.log1p(), np.arange(1107) % 2), m.to_anndata()
    assert adata.var_names[0] != found.features[0] and adata.var["gene_ids"].iloc[0] == found.features[0]
    found.add_to(adata[:, ::-1].copy())
    found.add_to(adata)
    stored = adata.uns["rank_genes_groups"]
    assert set(stored["names"]["0"]) == set(adata.var_names)
    assert stored["pts"].index.tolist() == adata.var_names.tolist()
    first = adata.var["gene_ids"][stored["names"]["1"][0]]
    assert first == found.to_pandas(1, top=1)["names"][0]


def test_markers_of_features_that_the_object_does_not_have_are_errors(tmp_path):
    found = nnz.markers(opened(made(), tmp_path / "a.h5ad").log1p(), "kind")
    other = made(genes=["new", *GENES[1:]])
    with pytest.raises(nnz.ArgumentError, match="no feature 'g0', of which the markers are"):
        found.add_to(other)
    with pytest.raises(nnz.ArgumentError, match="markers of 5 features: the AnnData object has 4"):
        found.add_to(made()[:, :4].copy())
    assert not other.uns
    some = nnz.markers(nnz.open(tmp_path / "a.h5ad").select(cols=["g3", "g1"]).log1p(), "kind")
    adata = made()
    some.add_to(adata)
    assert sorted(adata.uns["rank_genes_groups"]["names"]["a"]) == ["g1", "g3"]


def test_markers_of_raw_are_found_there(tmp_path):
    found = nnz.markers(opened(made(), tmp_path / "a.h5ad").log1p(), "kind")
    whole = made()
    whole.raw = whole
    adata = whole[:, :2].copy()
    found.add_to(adata)
    assert adata.uns["rank_genes_groups"]["params"]["use_raw"] is True
    found.add_to(whole)
    assert whole.uns["rank_genes_groups"]["params"]["use_raw"] is False


def test_features_without_names_get_those_of_the_object(tmp_path):
    nnz.write(made().X, tmp_path / "m.npz")
    adata = made()
    nnz.markers(nnz.open(tmp_path / "m.npz").log1p(), KIND).add_to(adata)
    assert set(adata.uns["rank_genes_groups"]["names"]["a"]) == set(GENES)


def test_groups_are_a_column_of_the_object(tmp_path):
    m = opened(made(), tmp_path / "a.h5ad").log1p()
    other = made()
    with pytest.raises(nnz.ArgumentError, match="obs of the AnnData object has no column 'none'"):
        nnz.markers(m, KIND).add_to(other, groupby="none")
    del other.obs["kind"]
    with pytest.raises(nnz.ArgumentError, match="no column 'kind'"):
        nnz.markers(m, "kind").add_to(other)
    assert not other.uns


@pytest.mark.parametrize("target", ["b.h5ad", "b.mtx"])
@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_masks_of_pandas_select_of_an_anndata_in_its_order(tmp_path, target, axis):
    adata = made()
    column = (adata.obs["n"] if axis == "rows" else adata.var["k"]) > 2
    mixed = column.iloc[::-1]
    one = {"rows": "rows", "cols": "columns"}[axis]
    for obj in (adata, opened(adata, tmp_path / "a.h5ad")):
        with pytest.raises(nnz.ArgumentError, match=f"the selection of {one}: the index has the names of the matrix in another"):
            nnz.write(obj, tmp_path / target, **{axis: mixed})
    assert nnz.write(adata, tmp_path / target, **{axis: column}, strict=False).shape == ((9, 5) if axis == "rows" else (12, 2))


def test_numbers_to_subtract_have_the_order_of_columns(tmp_path):
    m = opened(made(), tmp_path / "a.h5ad")["X"]
    means = pandas.Series(m.mean(axis=0), index=GENES)
    with pytest.raises(nnz.ArgumentError, match="center: the index has the names of the matrix in another order"):
        m.as_linear_operator(center=means.iloc[::-1])
    found = m.as_linear_operator(center=means) @ np.ones(5)
    np.testing.assert_allclose(found, m.as_linear_operator(center=True) @ np.ones(5))


def test_names_of_a_data_frame_are_selected_with_it(tmp_path):
    frame = pandas.DataFrame(np.arange(12.0).reshape(4, 3), index=list("abcd"), columns=list("fgh"))
    mask = np.array([True, False, True, True])
    for rows, cols, expected in [
        (mask, None, frame[mask]),
        (None, ["g"], frame[["g"]]),
        ([3, 0], ["h", "f"], frame.iloc[[3, 0]][["h", "f"]]),
        (["c", "a"], [True, False, True], frame.loc[["c", "a"], ["f", "h"]]),
        (pandas.Series(mask, frame.index), slice(2), frame[mask].iloc[:, :2]),
        ("d,a", "h", frame.loc[["d", "a"], ["h"]]),
        ([3, 2, 1, 0], None, frame.iloc[::-1]),
    ]:
        for given in (frame, frame.astype(pandas.SparseDtype("float64", 0))):
            nnz.write(given, tmp_path / "f.h5ad", rows=rows, cols=cols, force=True)
            pandas.testing.assert_frame_equal(nnz.open(tmp_path / "f.h5ad").to_pandas(), expected, check_dtype=False)
    with pytest.raises(nnz.ArgumentError, match="in another order"):
        nnz.write(frame, tmp_path / "n.h5ad", rows=pandas.Series(mask, frame.index[::-1]))
    with pytest.raises(KeyError, match="z"):
        nnz.write(frame, tmp_path / "n.h5ad", cols=["z"])


def test_names_of_all_rows_are_selected_with_a_matrix(tmp_path):
    matrix = made().X
    mask = np.arange(12) % 3 == 0
    kept = [CELLS[at] for at in np.flatnonzero(mask)]
    for names in (CELLS, kept, pandas.Index(CELLS), np.array(CELLS)):
        nnz.write(matrix, tmp_path / "m.h5ad", rows=mask, row_names=names, force=True)
        assert nnz.open(tmp_path / "m.h5ad").row_names.tolist() == kept
    nnz.write(matrix, tmp_path / "m.h5ad", rows=["c7", "c2"], cols=["g1"], row_names=CELLS, col_names=GENES, force=True)
    m = nnz.open(tmp_path / "m.h5ad")
    assert m.row_names.tolist() == ["c7", "c2"] and m.col_names.tolist() == ["g1"]
    np.testing.assert_array_equal(m.to_numpy(), matrix[[7, 2]][:, [1]].toarray())
    with pytest.raises(nnz.ArgumentError):
        nnz.write(matrix, tmp_path / "n.h5ad", rows=mask, row_names=CELLS[:7])


def test_sets_of_features_are_names(tmp_path):
    named = nnz.qc(PBMC, qc_vars={"some": ["APP", "SOD1"]}, percent_top=None)
    symbols = nnz.open(PBMC).rows["name"]
    expected = nnz.qc(PBMC, qc_vars={"some": symbols.isin(["APP", "SOD1"]).to_numpy()}, percent_top=None)
    assert named.cells["total_counts_some"].sum() > 0
    pandas.testing.assert_frame_equal(named.cells, expected.cells)
    ids = nnz.qc(PBMC, qc_vars={"some": symbols.index[symbols.isin(["APP", "SOD1"])]}, percent_top=None)
    pandas.testing.assert_frame_equal(ids.cells, expected.cells)
    with pytest.raises(KeyError, match="none"):
        nnz.qc(PBMC, qc_vars={"some": ["APP", "none"]})


@pytest.mark.parametrize("function", ["open", "qc", "pca", "concat", "aggregate", "slice", "read_anndata"])
@pytest.mark.parametrize("kind", ["AnnData", "csr_matrix", "ndarray"])
def test_objects_in_memory_are_no_paths(tmp_path, function, kind):
    obj = {"AnnData": made(), "csr_matrix": made().X, "ndarray": made().X.toarray()}[kind]
    arguments = {"concat": ([obj, obj], tmp_path / "x.h5ad", "rows"), "aggregate": (obj, "kind"), "slice": (obj, tmp_path / "x.h5ad")}
    with pytest.raises(nnz.ArgumentError, match=f"expected a path, not {kind}: write it to a file first"):
        getattr(nnz, function)(*arguments.get(function, (obj,)))
    with pytest.raises(TypeError):
        nnz.open(None)


def test_masks_of_two_dimensions_are_errors_that_say_how_to_change_them(store, tmp_path):
    path, _ = store
    mask = np.asmatrix(np.arange(40) % 2 == 0).T
    for refused in [
        lambda: nnz.slice(path, tmp_path / "x.npz", rows=mask),
        lambda: nnz.open(path)[mask],
        lambda: nnz.open(path)[np.asarray(mask)],
    ]:
        with pytest.raises(IndexError, match=r"numpy.ravel\(\) makes one of the shape \(40, 1\)"):
            refused()
    assert nnz.open(path)[np.ravel(mask)].shape == (20, 30)


def test_text_with_commas_keeps_the_names_of_rows(tmp_path):
    frame = pandas.DataFrame({"g": [1.0, 0, 2.5], "h": [1, 2, 3]}, index=list("abc"))
    for target, separator in (("x.csv", ","), ("x.tsv", "\t")):
        assert nnz.write(frame, tmp_path / target).dropped == []
        found = pandas.read_csv(tmp_path / target, sep=separator, index_col=0)
        pandas.testing.assert_frame_equal(found, frame, check_dtype=False)
    # Without names of rows, a table has columns of their own types.
    nnz.write(frame.reset_index(drop=True), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == ["g,h", "1.0,1", "0.0,2", "2.5,3"]


def test_missing_values_meet_no_condition(tmp_path):
    adata = made()
    adata.obs["kind"] = pandas.Categorical(["a", "b", None] * 4)
    adata.obs["n"] = [1.0, 2.0, np.nan] * 4
    opened(adata, tmp_path / "a.h5ad")
    for condition in ("kind!=b", "n!=2"):
        assert nnz.slice(tmp_path / "a.h5ad", tmp_path / "b.h5ad", cells=condition, force=True).shape == (4, 5)


def test_groups_of_no_cells_have_no_rows(tmp_path):
    nnz.write(np.zeros((0, 3)), tmp_path / "e.npz")
    assert nnz.aggregate(tmp_path / "e.npz", []).shape == (0, 3)
    nnz.write(np.zeros((2, 3)), tmp_path / "z.npz")
    with pytest.raises(nnz.ArgumentError, match="no cell has a label"):
        nnz.aggregate(tmp_path / "z.npz", [None, None])


def test_annotations_are_read_anew(tmp_path):
    f = opened(made(), tmp_path / "a.h5ad")
    f.obs["new"] = 1
    assert "new" not in f.obs and f.obs is not f.obs
