"""Metrics of cells and features, and sums of groups."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from conftest import PBMC, random_matrix

import nnz

pandas = pytest.importorskip("pandas")


@pytest.fixture(params=["rows", "cols"])
def counts(request, tmp_path):
    matrix = random_matrix(dtype="uint32", order="row")
    stored = matrix if request.param == "rows" else matrix.T
    nnz.write(stored, tmp_path / "m.bpcells")
    return nnz.open(tmp_path / "m.bpcells"), matrix.toarray(), request.param


def test_metrics_are_their_formulas(counts):
    m, dense, axis = counts
    chosen = np.arange(dense.shape[1]) % 3 == 0
    found = nnz.qc(m, qc_vars={"mt": chosen, "two": [0, 1]}, percent_top=[1, 5], axis=axis)
    totals, cells, features = dense.sum(axis=1), found.cells, found.features
    np.testing.assert_array_equal(cells["total_counts"], totals)
    np.testing.assert_array_equal(cells["n_genes_by_counts"], (dense > 0).sum(axis=1))
    np.testing.assert_array_equal(cells["total_counts_mt"], dense[:, chosen].sum(axis=1))
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(cells["pct_counts_two"], dense[:, :2].sum(axis=1) / totals * 100)
        top = np.sort(dense, axis=1)[:, -5:].sum(axis=1) / totals * 100
    np.testing.assert_allclose(cells["pct_counts_in_top_5_genes"], top)
    np.testing.assert_array_equal(features["mt"], chosen)
    np.testing.assert_array_equal(features["n_cells_by_counts"], (dense > 0).sum(axis=0))
    np.testing.assert_allclose(features["mean_counts"], dense.mean(axis=0))
    np.testing.assert_allclose(features["pct_dropout_by_counts"], (dense == 0).mean(axis=0) * 100)


def test_groups_are_added_up(counts):
    m, dense, axis = counts
    labels = np.array(["b", "a", "c"])[np.arange(len(dense)) % 3]
    for func, expected in [
        ("sum", lambda part: part.sum(axis=0)),
        ("mean", lambda part: part.mean(axis=0)),
        ("count_nonzero", lambda part: (part > 0).sum(axis=0)),
    ]:
        found = nnz.aggregate(m, labels, func, axis=axis)
        assert found.index.tolist() == ["a", "b", "c"] and found.shape == (3, dense.shape[1])
        for label in "abc":
            np.testing.assert_allclose(found.loc[label], expected(dense[labels == label]))
    some = pandas.Categorical(["x", None] * (len(dense) // 2), categories=["y", "x"])
    found = nnz.aggregate(m, some, axis=axis)
    # Unused categories are left out.
    assert found.index.tolist() == ["x"]
    np.testing.assert_array_equal(found.loc["x"], dense[::2].sum(axis=0))


def test_many_groups_are_added_up_in_one_pass(counts):
    m, dense, axis = counts
    labels = np.arange(len(dense)) % 7
    found = nnz.aggregate(m, labels, axis=axis)
    np.testing.assert_array_equal(found, [dense[labels == label].sum(axis=0) for label in range(7)])


def test_groups_are_those_of_an_annotation(tmp_path):
    dense = np.arange(12).reshape(4, 3)
    rows = pandas.DataFrame({"kind": pandas.Categorical(["B", "T", "B", "T"])}, index=list("abcd"))
    nnz.write(dense, tmp_path / "m.h5ad", rows=rows)
    found = nnz.aggregate(f"{tmp_path / 'm.h5ad'}::X", "kind")
    assert found.loc["B"].tolist() == [6, 8, 10] and found.loc["T"].tolist() == [12, 14, 16]
    with pytest.raises(KeyError, match="no annotation"):
        nnz.aggregate(f"{tmp_path / 'm.h5ad'}::X", "type")


def test_wrong_arguments_are_errors():
    for call, message in [
        (lambda: nnz.qc(PBMC, percent_top=[0]), "percent_top"),
        (lambda: nnz.qc(PBMC, percent_top=[10_000]), "there are 507 features"),
        (lambda: nnz.qc(PBMC, qc_vars={"mt": [True]}), "expected 507 booleans"),
        (lambda: nnz.qc(PBMC, qc_vars={"mt": [507]}), "positions below 507"),
        (lambda: nnz.aggregate(PBMC, [1]), "for 1107 cells"),
        (lambda: nnz.aggregate(PBMC, np.zeros(1107), "max"), "expected one of"),
    ]:
        with pytest.raises(nnz.ArgumentError, match=message):
            call()


def test_values_that_are_not_finite_stay_in_their_group(tmp_path):
    dense = np.array([[np.inf, 1.0], [2, np.nan], [3, 4]])
    nnz.write(dense, tmp_path / "m.npz")
    found = nnz.aggregate(tmp_path / "m.npz", ["a", "b", "c"])
    np.testing.assert_array_equal(found, dense)
    np.testing.assert_array_equal(nnz.aggregate(tmp_path / "m.npz", ["a", "a", "b"], "count_nonzero"), [[2, 2], [1, 1]])
    metrics = nnz.qc(tmp_path / "m.npz", qc_vars={"second": [1]})
    np.testing.assert_array_equal(metrics.cells["total_counts_second"], [1, np.nan, 4])
    assert nnz.qc(tmp_path / "m.npz", qc_vars={"none": []}).cells["total_counts_none"].tolist()[2] == 0


def test_highly_variable_features_are_chosen_by_number_or_by_limits():
    m = nnz.open(PBMC).normalize_total(1e4).log1p()
    found = nnz.highly_variable_genes(m, 30)
    assert found.index.tolist() == m.row_names.tolist() and found["highly_variable"].sum() == 30
    least = found["dispersions_norm"][found["highly_variable"]].min()
    assert (found["dispersions_norm"][~found["highly_variable"]].fillna(-np.inf) <= least).all()
    limited = nnz.highly_variable_genes(m, min_mean=0.1, max_mean=2, min_disp=1)
    chosen = limited[limited["highly_variable"]]
    assert len(chosen) and (chosen["means"] > 0.1).all() and (chosen["dispersions_norm"] > 1).all()
    # The same for cells in rows.
    pandas.testing.assert_frame_equal(nnz.highly_variable_genes(m.T, 30), found)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"flavor": "cell_ranger"}, "expected one of 'seurat', 'seurat_v3'"),
        ({"n_top_genes": 0}, "n_top_genes"),
        ({"n_bins": 0}, "n_bins"),
        ({"batch": [1, 2]}, "for 1107 cells"),
        ({"batch": [None] * 1107}, "no label"),
        ({}, "needs logarithms"),
    ],
)
def test_wrong_arguments_of_highly_variable_genes_are_errors(options, message):
    with pytest.raises(nnz.ArgumentError, match=message):
        # Counts, of which some are so large that their exponentials are not finite.
        nnz.highly_variable_genes(nnz.open(PBMC).scale(100), **options)


def test_matrices_without_cells_have_no_variable_features(tmp_path):
    nnz.write(np.zeros((0, 3)), tmp_path / "m.npz")
    with pytest.raises(nnz.ArgumentError, match="no cells"):
        nnz.highly_variable_genes(tmp_path / "m.npz")


def test_cells_without_a_label_are_left_out_whatever_has_the_labels(tmp_path):
    nnz.write(np.array([[1.0], [2], [4], [8]]), tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    texts = pandas.Series(["T", None, "B", "T"])
    for labels in (
        texts,
        texts.tolist(),
        ["T", float("nan"), "B", "T"],
        np.array(["T", None, "B", "T"], object),
        ("T", pandas.NA, "B", "T"),
        texts.astype("category").tolist(),
        texts.astype("string"),
        pandas.Categorical(texts),
    ):
        assert nnz.aggregate(m, labels)[0].to_dict() == {"B": 4, "T": 9}, labels
    assert nnz.aggregate(m, np.ma.array([1, 2, 1, 2], mask=[0, 1, 0, 0]))[0].to_dict() == {1: 5, 2: 8}
    # Labels keep their types.
    assert nnz.aggregate(m, [1, "1", 2, 1])[0].to_dict() == {1: 9, 2: 4, "1": 2}
    for labels in ([None] * 4, np.full(4, np.nan), pandas.array([None] * 4, dtype="Int64")):
        with pytest.raises(nnz.ArgumentError, match="no cell has a label"):
            nnz.aggregate(m, labels)
    for labels in ([[1], [2], [3], [4]], ["a"] * 3, 5, [["a", "b"], "a", "a", "a"]):
        with pytest.raises(nnz.ArgumentError, match="labels? "):
            nnz.aggregate(m, labels)
    with pytest.raises(nnz.ArgumentError, match="some cells have no label"):
        nnz.highly_variable_genes(m, batch=["a", float("nan"), "a", "a"])


def test_integer_labels_with_missing_values_are_not_floats(tmp_path):
    large = 1 << 53
    anndata = pytest.importorskip("anndata")
    labels = pandas.array([large, large + 1, large + 1, None], dtype="Int64")
    table = pandas.DataFrame({"k": labels}, index=list("wxyz"))
    values = sparse.csr_matrix([[1.0], [2], [4], [8]])
    anndata.AnnData(values, obs=table).write_h5ad(tmp_path / "m.h5ad")
    m = nnz.open(tmp_path / "m.h5ad::X")
    listed = [large, large + 1, large + 1, None]
    for given in (labels, pandas.Series(labels), pandas.Index(labels), listed, [*listed[:3], float("nan")], "k"):
        assert nnz.aggregate(m, given).iloc[:, 0].to_dict() == {large: 1, large + 1: 6}, given
    column = nnz.open(tmp_path / "m.h5ad::X").batches(4, annotations=["k"], shuffle=False).columns["k"]
    assert column.tolist() == listed
    for dtype in ("Int8", "UInt64", "boolean"):
        small = pandas.array([1, 0, 0, None], dtype=dtype)
        index = nnz.aggregate(m, small).index
        assert index.tolist() == [0, 1] and index.dtype.kind == {"Int8": "i", "UInt64": "u", "boolean": "b"}[dtype]


def test_a_batch_of_one_cell_is_named(tmp_path):
    counts = np.random.default_rng(0).poisson(1, (5, 8)).astype("float32")
    nnz.write(counts, tmp_path / "m.h5ad", order="row")
    m = nnz.open(tmp_path / "m.h5ad::X").normalize_total(1e4).log1p()
    for flavor in ("seurat", "seurat_v3"):
        with pytest.raises(nnz.ArgumentError, match="batch 'b' has 1 cell: .* at least 2 cells"):
            nnz.highly_variable_genes(m, 3, batch=list("aaaab"), flavor=flavor)
    with pytest.raises(nnz.ArgumentError, match="there is 1 cell: .* at least 2 cells"):
        nnz.highly_variable_genes(m.select(rows=[0]), 3)


@pytest.mark.parametrize("name", ["m.npz", "m.h5ad"])
def test_shares_of_entries_that_are_summed(name, tmp_path):
    matrix = sparse.csr_matrix((np.array([1.0, 4, 6, 2]), [0, 1, 0, 1], [0, 3, 4]), (2, 3))
    assert not matrix.has_canonical_format
    if name == "m.npz":
        sparse.save_npz(tmp_path / name, matrix)
    else:
        anndata = pytest.importorskip("anndata")
        anndata.AnnData(matrix).write_h5ad(tmp_path / name)
        name += "::X"
    found = nnz.qc(f"{tmp_path / name}", percent_top=[1, 2]).cells
    np.testing.assert_allclose(found["pct_counts_in_top_1_genes"], [700 / 11, 100])
    np.testing.assert_allclose(found["pct_counts_in_top_2_genes"], [100, 100])


def test_logarithms_are_not_taken_for_counts(tmp_path):
    logs = nnz.open(PBMC).log1p()
    for work in (lambda: nnz.aggregate(logs, np.zeros(logs.shape[1])), lambda: logs.log1p()):
        with pytest.warns(UserWarning, match="not counts|applied before"):
            work()
    nnz.write(logs, tmp_path / "logs.h5ad", force=True)
    for name, warned in ((tmp_path / "logs.h5ad", True), (PBMC, False)):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            nnz.aggregate(name, np.zeros(1107))
            nnz.qc(name)
        assert sum("not counts" in str(one.message) for one in found) == 2 * warned


def test_features_of_several_types_are_warned_of(tmp_path):
    anndata = pytest.importorskip("anndata")
    types = ["Gene Expression"] * 6 + ["Antibody Capture"] * 2
    var = pandas.DataFrame({"feature_types": types}, index=[f"g{n}" for n in range(8)])
    rng = np.random.default_rng(0)
    counts = sparse.csr_matrix(rng.poisson(2, (40, 8)).astype("float32"))
    anndata.AnnData(counts, var=var).write_h5ad(tmp_path / "m.h5ad")
    m = nnz.open(tmp_path / "m.h5ad::X")
    logs = m.log1p()
    for work in (
        lambda: m.normalize_total(10),
        lambda: nnz.qc(m),
        lambda: nnz.highly_variable_genes(logs, 3),
        lambda: nnz.pca(logs.T.T, 2),
        lambda: nnz.markers(logs, np.arange(40) % 2),
    ):
        with pytest.warns(UserWarning, match='6 "Gene Expression", 2 "Antibody Capture"'):
            work()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nnz.pca(m.select(cols=slice(6)).log1p(), 2)


def test_annotations_choose_features_and_make_groups_of_combinations(tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(1)
    counts = sparse.csr_array(rng.poisson(1.0, (40, 6)).astype(np.float32))
    adata = anndata.AnnData(counts)
    adata.obs["type"] = pandas.Categorical(rng.choice(["T", "B"], 40), categories=["T", "B", "unused"])
    adata.obs["sample"] = [f"s{n % 3}" for n in range(40)]
    adata.obs.loc[adata.obs_names[5], "sample"] = None
    adata.var["mt"] = [True, False, False, True, False, False]
    adata.write_h5ad(tmp_path / "m.h5ad")
    m = nnz.open(f"{tmp_path / 'm.h5ad'}::X")
    by_name = nnz.qc(m, qc_vars=["mt"], percent_top=None)
    pandas.testing.assert_frame_equal(by_name.cells, nnz.qc(m, qc_vars={"mt": [0, 3]}, percent_top=None).cells)
    assert repr(by_name) == "<nnz.QC of 40 cells and 6 features>"
    with pytest.raises(KeyError, match="the features have no annotation 'ribo'"):
        nnz.qc(m, qc_vars=["ribo"])
    with pytest.raises(nnz.ArgumentError, match="names of their annotations"):
        nnz.qc(m, qc_vars=[0, 1])

    sums, cells = nnz.aggregate(m, ["type", "sample"], counts=True)
    frame = pandas.DataFrame(counts.toarray(), columns=[str(n) for n in range(6)])
    keys = [adata.obs["type"].to_numpy(), adata.obs["sample"].to_numpy()]
    groups = frame.groupby(keys)
    expected = groups.sum()
    # Categories are in their order.
    order = sorted(expected.index, key=lambda key: (["T", "B"].index(key[0]), key[1]))
    np.testing.assert_array_equal(sums.to_numpy(), expected.loc[order].to_numpy())
    assert sums.index.tolist() == order and sums.index.names == ["type", "sample"]
    assert cells.tolist() == groups.size().loc[order].tolist() and cells.sum() == 39
    with pytest.raises(KeyError, match="no annotation 'batch'"):
        nnz.aggregate(m, ["type", "batch"])


def test_sets_of_zeros_and_ones_are_booleans(tmp_path):
    matrix = random_matrix(dtype="uint32")
    chosen = np.arange(30) % 3 == 0
    cols = pandas.DataFrame(
        {
            "bools": chosen,
            "ints": chosen.astype(np.int64),
            "nullable": pandas.array(chosen.astype(int), "UInt8"),
            "missing": pandas.array([None, *chosen[1:]], "boolean"),
            "floats": chosen.astype(float),
            "texts": np.where(chosen, "yes", "no"),
            "numbers": np.arange(30),
        }
    )
    nnz.write(matrix, tmp_path / "m.h5ad", cols=cols, axis_kinds=("cells", "features"))
    m = nnz.open(tmp_path / "m.h5ad")
    expected = nnz.qc(m, qc_vars={"set": chosen}, percent_top=None).cells["total_counts_set"].to_numpy()
    for name in ("bools", "ints", "nullable"):
        for own, label in (([name], name), ({"s": cols[name]}, "s"), ({"s": cols[name].to_numpy()}, "s")):
            found = nnz.qc(m, qc_vars=own, percent_top=None).cells[f"total_counts_{label}"]
            np.testing.assert_array_equal(found, expected)
    # Fewer or other numbers are positions.
    some = nnz.qc(m, qc_vars={"s": np.array([1, 0])}, percent_top=None).cells["total_counts_s"]
    np.testing.assert_array_equal(some, matrix.toarray()[:, :2].sum(axis=1))
    for name, message in [
        ("missing", "missing values"),
        ("floats", "values of float64: expected booleans, or only 0 and 1"),
        ("texts", "expected booleans, or only 0 and 1"),
        ("numbers", "values of int64: expected booleans, or only 0 and 1"),
    ]:
        with pytest.raises(nnz.ArgumentError, match=message):
            nnz.qc(m, qc_vars=[name], percent_top=None)
