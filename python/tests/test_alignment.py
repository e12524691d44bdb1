"""Cells and features of other objects are found by their names, and are refused if these do not fit."""

import warnings

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


def test_components_of_a_closed_matrix_are_refused(tmp_path):
    """They were taken by position, as names could not be compared."""
    m, adata = opened(made(), tmp_path / "a.h5ad"), made()
    found = nnz.pca(m, 2)
    m.close()
    with pytest.raises(nnz.ClosedError, match="names of cells cannot be compared"):
        found.add_to(adata)
    assert "X_pca" not in adata.obsm


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


NAMES = [f"c{n}" for n in range(60)]


@pytest.fixture
def named(tmp_path):
    """A matrix of 60 cells and 60 features with names."""
    dense = np.random.default_rng(2).poisson(1.5, (60, 60)).astype(np.float32)
    frames = (pandas.DataFrame(index=[f"{kind}{n}" for n in range(60)]) for kind in "cg")
    return opened(anndata.AnnData(sp.csr_matrix(dense), *frames), tmp_path / "n.h5ad")


@pytest.mark.filterwarnings("ignore:values look like")
def test_an_index_with_some_of_the_names_is_refused(named, tmp_path):
    other = [f"c{n}" for n in range(30, 90)]
    kind = pandas.Series(list("ab") * 30, other)
    number = pandas.Series(np.arange(60.0), other)
    mask = number > 10
    genes = pandas.Series(np.ones(60), [f"g{n}" for n in range(30, 90)])
    for refused in [
        lambda: nnz.aggregate(named, kind),
        lambda: nnz.markers(named, kind),
        lambda: nnz.highly_variable_genes(named, batch=kind),
        lambda: named.regress_out(number),
        lambda: named.regress_out(number.to_frame()),
        lambda: named.X[mask],
        lambda: named.X[:, genes > 0],
        lambda: named.X @ genes,
        lambda: named.X.__rmatmul__(number),
        lambda: nnz.slice(named.path, tmp_path / "s.npz", cells=mask),
        lambda: nnz.write(named.X, tmp_path / "w.npz", rows=mask),
        lambda: nnz.write(np.eye(60), tmp_path / "w.npz", rows=mask, row_names=NAMES),
        lambda: nnz.write(made(), tmp_path / "w.h5ad", rows=mask[:12].set_axis([*CELLS[1:], "new"])),
        lambda: nnz.qc(named, qc_vars={"some": genes > 0}, percent_top=None),
    ]:
        with pytest.raises(nnz.ArgumentError, match=r"of the \d+ names of the matrix, and '\w+', which is not one; .*reindex\(.*names"):
            refused()
    # Most names in their places are not enough.
    with pytest.raises(nnz.ArgumentError, match="59 of the 60 names of the matrix, and 'new'"):
        nnz.aggregate(named, kind.set_axis([*NAMES[:59], "new"]))


@pytest.mark.filterwarnings("ignore:values look like")
def test_an_index_without_names_of_the_matrix_is_not_compared(named):
    kind = pandas.Series(list("ab") * 30)
    expected = nnz.aggregate(named, kind.to_numpy())
    for index in (None, NAMES, range(30, 90), [f"d{n}" for n in range(60)], [f"{name}-1" for name in NAMES]):
        given = kind if index is None else kind.set_axis(index)
        pandas.testing.assert_frame_equal(nnz.aggregate(named, given), expected)


@pytest.mark.filterwarnings("ignore:Observation names are not unique")
def test_names_that_were_made_unique_are_the_same_names(tmp_path):
    adata = made(["c0", "c0", *CELLS[2:]])
    m = opened(adata, tmp_path / "a.h5ad")
    adata.obs_names_make_unique()
    assert adata.obs_names[1] == "c0-1"
    pandas.testing.assert_frame_equal(nnz.aggregate(m, adata.obs["kind"]), nnz.aggregate(m, "kind"))


def test_annotations_may_rename_some_in_place(tmp_path):
    frame = made().obs.set_axis(["new", *CELLS[1:]])
    nnz.write(made().X, tmp_path / "a.npz", rows=frame, row_names=CELLS, strict=False)
    moved = frame.set_axis(["new", *CELLS[:-1]])
    with pytest.raises(nnz.ArgumentError, match="rows: the index has 11 of the 12 names"):
        nnz.write(made().X, tmp_path / "b.npz", rows=moved, row_names=CELLS)


def test_symbols_are_compared_as_names_are(tmp_path):
    tenx = nnz.open(PBMC)
    adata = tenx.to_anndata()
    ids = opened(adata, tmp_path / "a.h5ad")
    for m, index in ((tenx.T, adata.var_names), (ids.X, pandas.Index(adata.var["gene_ids"].astype(str)))):
        numbers = pandas.Series(np.arange(507.0), index)
        np.testing.assert_array_equal(m @ numbers, m @ numbers.to_numpy())
        mask = numbers > 100
        assert m[:, mask].shape == (1107, 406)
        for refused in (lambda: m @ numbers[::-1], lambda: m[:, mask[::-1]], lambda: nnz.qc(m, qc_vars={"some": mask[::-1]})):
            with pytest.raises(nnz.ArgumentError, match=r"the index has values of the annotation '(name|gene_ids)' in another order; .loc"):
                refused()
    mask = pandas.Series(np.arange(507) > 100, adata.var["gene_ids"].astype(str))
    with pytest.raises(nnz.ArgumentError, match="'gene_ids' in another order"):
        nnz.write(adata, tmp_path / "b.h5ad", cols=mask[::-1])
    assert nnz.write(adata, tmp_path / "b.h5ad", cols=mask).shape == (1107, 406)


def test_data_frames_on_the_left_have_the_names_of_rows_as_columns(named):
    left = pandas.DataFrame(np.ones((60, 60)), index=NAMES[::-1], columns=NAMES)
    np.testing.assert_allclose(named.X.__rmatmul__(left), left.to_numpy() @ named.X.to_numpy())
    with pytest.raises(nnz.ArgumentError, match="the operand: the index has the names of the matrix in another order"):
        named.X.__rmatmul__(left[NAMES[::-1]])


@pytest.mark.parametrize("part", [slice(10, None), slice(None, None, 2), slice(3, 4)])
def test_numbers_of_a_part_of_a_data_frame_are_names(tmp_path, part):
    whole = pandas.DataFrame(np.arange(900.0).reshape(30, 30))
    for frame, names in ((whole[part], (True, False)), (whole.iloc[:, part], (False, True))):
        nnz.write(frame, tmp_path / "f.h5ad", force=True, cell_axis="rows")
        found = nnz.open(tmp_path / "f.h5ad")
        for own, index, has in zip((found.row_names, found.col_names), (frame.index, frame.columns), names):
            if has:
                assert own.tolist() == [str(number) for number in index]
    nnz.write(whole[part], tmp_path / "f.csv")
    pandas.testing.assert_frame_equal(
        pandas.read_csv(tmp_path / "f.csv", index_col=0), whole[part].set_axis([str(n) for n in range(30)], axis=1), check_dtype=False
    )


def test_the_column_of_groups_has_the_groups(tmp_path):
    m, adata = opened(made(), tmp_path / "a.h5ad").log1p(), made()
    adata.obs["s"] = ["x", "y"] * 6
    found = nnz.markers(m, KIND)
    with pytest.raises(nnz.ArgumentError, match="the column 's' of obs does not have the group 'a'"):
        found.add_to(adata, groupby="s")
    assert not adata.uns
    found.add_to(adata, groupby="kind")
    # Numbers are groups by their text.
    adata.obs["number"] = np.arange(12) % 2
    nnz.markers(m, np.arange(12) % 2).add_to(adata, groupby="number")
    assert adata.uns["rank_genes_groups"]["params"]["groupby"] == "number"


def test_columns_of_a_matrix_of_r_are_cells(tmp_path):
    dense = np.random.default_rng(3).poisson(1.5, (5, 12)).astype(float)
    nnz.write(sp.csc_matrix(dense), tmp_path / "a.rds", to="dgCMatrix", row_names=GENES, col_names=CELLS, axis_kinds=("features", "cells"))
    m = nnz.open(tmp_path / "a.rds")
    assert m.axis_kinds == (None, None)
    nnz.convert(tmp_path / "a.rds", tmp_path / "a.h5ad")
    assert nnz.open(tmp_path / "a.h5ad").shape == (12, 5)
    for source in (m, m.T, m.lazy, m.T.T, m.scale(1.0), tmp_path / "a.rds"):
        cells = nnz.qc(source, percent_top=None).cells
        assert cells.index.tolist() == CELLS
        np.testing.assert_array_equal(cells["total_counts"], dense.sum(axis=0))
    assert nnz.qc(m, percent_top=None, axis="rows").cells.index.tolist() == GENES
    for adata in (m.to_anndata(), m.T.to_anndata(), nnz.read_anndata(tmp_path / "a.rds", backed=False)):
        assert adata.obs_names.tolist() == CELLS and adata.var_names.tolist() == GENES
        np.testing.assert_array_equal(adata.X.toarray(), dense.T)
    assert nnz.pca(m.log1p(), 2).scores.shape == nnz.pca(m.T.log1p(), 2).scores.shape == (12, 2)
    assert nnz.aggregate(m, KIND).shape == (2, 5)
    np.testing.assert_allclose(m.normalize_total(10).sum(axis=0), 10, rtol=1e-5)


def test_a_guess_of_the_axes_is_a_warning(tmp_path):
    dense = made().X.toarray()
    for at, obj in enumerate((dense, made().X, pandas.DataFrame(dense))):
        with pytest.warns(UserWarning, match="does not state which axis has cells: rows are taken for cells") as caught:
            found = nnz.write(obj, tmp_path / f"{at}.h5ad")
        assert [str(one.message) for one in caught] == [note for note in found.notes if "which axis" in note]
        assert caught[0].filename == __file__ and not issubclass(caught[0].category, nnz.DroppedWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nnz.write(dense, tmp_path / "s.h5ad", axis_kinds=("cells", "features"))
        nnz.write(dense, tmp_path / "t.h5ad", cell_axis="rows")
        nnz.write(dense, tmp_path / "u.npz")


def annotated(path):
    """Open an AnnData with a second name of each cell and gene, of which nnz does not know the column."""
    adata = made()
    adata.obs["cell_id"] = [f"K{n}" for n in range(12)]
    adata.var["symbol"] = [f"S{n}" for n in range(5)]
    return adata, opened(adata, path)


@pytest.mark.filterwarnings("ignore:values look like")
def test_an_index_of_an_annotation_in_another_order_is_refused(tmp_path):
    adata, m = annotated(tmp_path / "a.h5ad")
    kind, symbols = adata.obs.set_index("cell_id")["kind"], adata.var.set_index("symbol")["k"]
    for refused in [
        lambda: m.select(cols=symbols[::-1] > 2),
        lambda: nnz.qc(m, qc_vars={"some": symbols[::-1] > 2}, percent_top=None),
        lambda: m.scale_cols(symbols[::-1]),
        lambda: nnz.aggregate(m, kind[::-1]),
        lambda: nnz.write(adata, tmp_path / "w.h5ad", cols=symbols[::-1] > 2),
    ]:
        with pytest.raises(nnz.ArgumentError, match="values of the annotation '(symbol|cell_id)' in another order"):
            refused()
    assert m.select(cols=symbols > 2).shape == (12, 2)
    assert nnz.aggregate(m, kind).equals(nnz.aggregate(m, "kind"))


@pytest.mark.filterwarnings("ignore:values look like")
def test_an_index_with_some_categories_is_not_one_of_the_annotation(tmp_path):
    _, m = annotated(tmp_path / "a.h5ad")
    labels = pandas.Series(list("xy") * 6, ["b", "a", *(f"d{n}" for n in range(10))])
    assert nnz.aggregate(m, labels).shape == (2, 5)
    assert nnz.aggregate(m, labels.set_axis(list("ba") * 6)).shape == (2, 5)


@pytest.mark.filterwarnings("ignore:values look like")
def test_names_with_a_suffix_in_another_order_are_refused(tmp_path):
    m = opened(made(), tmp_path / "a.h5ad")
    labels = pandas.Series(KIND, [f"{name}-1" for name in CELLS])
    assert nnz.aggregate(m, labels).equals(nnz.aggregate(m, "kind"))
    with pytest.raises(nnz.ArgumentError, match="the names of the matrix with a suffix, in another order"):
        nnz.aggregate(m, labels[::-1])


def test_an_index_with_more_names_than_the_matrix_says_how_to_align_it(tmp_path):
    m = opened(made(), tmp_path / "a.h5ad")
    with pytest.raises(nnz.ArgumentError, match=r"13 for the 12 names of the matrix, .*; \.loc\[m\.obs_names\] aligns it"):
        nnz.aggregate(m, pandas.Series(list("abc") * 4 + ["a"], [*CELLS, "new"]))
    with pytest.raises(nnz.ArgumentError, match=r"another order; \.loc\[m\.var_names\] changes it"):
        m.scale_cols(pandas.Series(1.0, GENES[::-1]))
    # Positions are not one for each feature.
    qc = nnz.qc(m, qc_vars={"some": pandas.Series([1, 2], GENES[:2])}, percent_top=None)
    assert "total_counts_some" in qc.cells


@pytest.mark.parametrize(
    "compute",
    [nnz.qc, nnz.pca, nnz.highly_variable_genes, lambda m, **options: m.normalize_total(**options), lambda m, **options: nnz.markers(m, KIND, **options)],
)
@pytest.mark.filterwarnings("ignore:values look like")
def test_a_guess_of_the_axes_of_a_file_is_a_warning(tmp_path, compute):
    nnz.write(sp.csr_matrix(np.arange(144.0).reshape(12, 12)), tmp_path / "m.mtx")
    m, options = nnz.open(tmp_path / "m.mtx"), {"n_components": 2} if compute is nnz.pca else {}
    with pytest.warns(UserWarning, match='which axis has cells: rows are taken for cells; axis="cols" takes the columns') as caught:
        compute(m, **options)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "values ")
        compute(m, axis="cols", **options)
        compute(m.scale(1.0).normalize_total(axis="rows"), **options)


def test_to_anndata_warns_of_a_guess_of_the_axes(tmp_path):
    nnz.write(made().X, tmp_path / "m.mtx")
    m = nnz.open(tmp_path / "m.mtx")
    with pytest.warns(UserWarning, match=r'rows are taken for cells; nnz.write\(m, "a.h5ad", cell_axis="cols"\) takes the columns'):
        assert m.to_anndata().shape == (12, 5)
    nnz.write(m, tmp_path / "a.h5ad", cell_axis="cols")
    assert nnz.open(tmp_path / "a.h5ad").obs.shape[0] == 5


def test_warnings_have_options_as_python_takes_them(tmp_path):
    with pytest.warns(UserWarning, match='; cell_axis="cols" states that cells are the columns'):
        found = nnz.write(made().X, tmp_path / "a.h5ad")
    assert any('cell_axis="cols"' in note for note in found.notes)


def test_cells_without_a_label_are_a_warning(tmp_path):
    adata = made()
    adata.obs.loc[["c1", "c4"], "kind"] = np.nan
    m = opened(adata, tmp_path / "a.h5ad")
    with pytest.warns(UserWarning, match="^2 cells without a label: left out$") as caught:
        assert nnz.aggregate(m, "kind", counts=True)[1].sum() == 10
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="^2 cells without a label: among the others of every group$"):
        nnz.markers(m, "kind")
    with pytest.warns(UserWarning, match="^2 cells without a label: in no file$"):
        assert nnz.split(tmp_path / "a.h5ad", tmp_path / "parts", "kind").missing == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nnz.aggregate(m, "n")


def test_a_group_that_does_not_exist_lists_the_groups(tmp_path):
    found = nnz.markers(opened(made(), tmp_path / "a.h5ad"), "kind")
    with pytest.raises(KeyError, match="there is no group 'D': the groups are 'a', 'b'"):
        found.to_pandas("D")


@pytest.mark.filterwarnings("ignore:the source does not state")
def test_levels_of_an_index_are_names_and_annotations(tmp_path):
    adata = made()
    adata.obs["sample"] = ["x", "y", "y"] * 4
    sums = nnz.aggregate(opened(adata, tmp_path / "a.h5ad"), ["kind", "sample"])
    nnz.write(sums, tmp_path / "sums.h5ad")
    found = nnz.open(tmp_path / "sums.h5ad")
    assert found.obs_names.tolist() == ["a_x", "a_y", "b_x", "b_y"] and found.var_names.tolist() == GENES
    assert found.obs["kind"].tolist() == list("aabb") and found.obs["sample"].tolist() == list("xyxy")
    np.testing.assert_array_equal(found.to_numpy(), sums)
    nnz.write(sums, tmp_path / "some.h5ad", rows=["b_y", "a_x"])
    assert nnz.open(tmp_path / "some.h5ad").obs["kind"].tolist() == ["b", "a"]
    nnz.write(sums.T, tmp_path / "turned.h5ad", row_names=list("vwxyz"))
    assert nnz.open(tmp_path / "turned.h5ad").cols["sample"].tolist() == list("xyxy")
    assert nnz.open(tmp_path / "turned.h5ad").row_names.tolist() == list("vwxyz")
    nnz.write(sums.to_numpy(), tmp_path / "rows.h5ad", rows=pandas.DataFrame({"n": range(4)}, sums.index.set_names([None, "n"])))
    obs = nnz.open(tmp_path / "rows.h5ad").obs
    assert obs.columns.tolist() == ["level_0", "n"] and obs.index[0] == "a_x" and obs["n"].tolist() == [0, 1, 2, 3]
