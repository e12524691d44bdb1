"""Markers of groups."""

import numpy as np
import pytest
from conftest import PBMC
from scipy import sparse, stats

import nnz

pandas = pytest.importorskip("pandas")


def random_values(rng, cells, features, dtype="float64"):
    """Values of which some are negative, many are zero, and most occur several times."""
    values = np.round(rng.normal(size=(cells, features)), 1) * (rng.random((cells, features)) < 0.4)
    return np.abs(values * 10).astype(dtype) if np.dtype(dtype).kind == "u" else values.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint32"])
@pytest.mark.parametrize("order", ["row", "col"])
@pytest.mark.filterwarnings("ignore:values look like counts")
def test_markers_are_those_of_scipy(tmp_path, order, dtype):
    rng = np.random.default_rng(1)
    dense = random_values(rng, 60, 25, dtype)
    dense[:, 3] = 0
    nnz.write(sparse.csr_array(dense), tmp_path / "m.h5ad", order=order)
    labels = np.array(["a", "b", "c", None], object)[rng.integers(0, 4, 60)]
    found = nnz.markers(tmp_path / "m.h5ad", labels)
    tested = nnz.markers(tmp_path / "m.h5ad", labels, method="t-test")
    assert found.groups.tolist() == ["a", "b", "c"] and found.scores.shape == (3, 25)
    assert (found.sorting_seconds is None) == (order == "col")
    dense = dense.astype("float64")
    for at, label in enumerate("abc"):
        own, rest = dense[labels == label], dense[labels != label]
        # The p-value is that of the normal approximation; the score has its sign.
        expected = stats.mannwhitneyu(own, rest, use_continuity=False, method="asymptotic", axis=0)
        varies = np.ptp(dense, axis=0) > 0
        np.testing.assert_allclose(found.pvals[at][varies], expected.pvalue[varies], rtol=1e-11)
        assert not found.scores[at][~varies].any() and (found.pvals[at][~varies] == 1).all()
        above = expected.statistic - len(own) * len(rest) / 2
        np.testing.assert_array_equal(np.sign(found.scores[at]), np.sign(above))
        expected = stats.ttest_ind(own[:, varies], rest[:, varies], equal_var=False)
        np.testing.assert_allclose(tested.scores[at][varies], expected.statistic, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(tested.pvals[at][varies], expected.pvalue, rtol=1e-9)
        for one in (found, tested):
            np.testing.assert_allclose(one.pvals_adj[at], stats.false_discovery_control(one.pvals[at]), rtol=1e-14)
            np.testing.assert_allclose(one.pts[at], (own != 0).mean(axis=0), rtol=1e-15)
            np.testing.assert_allclose(one.pts_rest[at], (rest != 0).mean(axis=0), rtol=1e-15)
            with np.errstate(invalid="ignore"):
                ratios = [np.expm1(part.mean(axis=0)) + 1e-9 for part in (own, rest)]
                np.testing.assert_allclose(one.logfoldchanges[at], np.log2(ratios[0] / ratios[1]), rtol=1e-6, atol=1e-6)


def test_groups_are_those_of_an_annotation(tmp_path):
    rng = np.random.default_rng(2)
    kinds = pandas.Categorical(["T", "B"] * 6, categories=["B", "none", "T"])
    rows = pandas.DataFrame({"kind": kinds}, index=[f"c{at}" for at in range(12)])
    nnz.write(random_values(rng, 12, 5), tmp_path / "m.h5ad", rows=rows)
    m = nnz.open(f"{tmp_path / 'm.h5ad'}::X")
    found, same = nnz.markers(m, "kind"), nnz.markers(m, np.array(["T", "B"] * 6))
    # Categories without cells are left out.
    assert found.groups.tolist() == ["B", "T"] and found.groupby == "kind" and same.groupby is None
    np.testing.assert_array_equal(found.scores, same.scores)
    # Of two groups, one is the rest of the other.
    np.testing.assert_array_equal(found.scores[0], -found.scores[1])
    with pytest.raises(KeyError, match="no annotation"):
        nnz.markers(m, "type")


def test_tables_have_the_best_features_first():
    m = nnz.open(PBMC).normalize_total(1e4).log1p()
    found = nnz.markers(m, np.arange(1107) % 3)
    assert repr(found) == "<nnz.Markers of 3 groups and 507 features, wilcoxon>"
    assert found.features.tolist() == m.row_names.tolist()
    table = found.to_pandas()
    assert table["group"].tolist() == [0] * 507 + [1] * 507 + [2] * 507
    scores = table["scores"].to_numpy().reshape(3, 507)
    assert (np.diff(scores, axis=1) <= 0).all()
    one = found.to_pandas(group=2, top=4)
    pandas.testing.assert_frame_equal(one, table[table["group"] == 2].head(4).reset_index(drop=True))
    at = found.features.get_loc(one["names"][0])
    assert one["pvals_adj"][0] == found.pvals_adj[2, at] and one["pct_nz_group"][0] == found.pts[2, at]
    with pytest.raises(KeyError, match="no group 3"):
        found.to_pandas(group=3)


def test_threads_and_orders_do_not_change_a_bit(tmp_path):
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 4000)
    matrix = sparse.csr_array(random_values(rng, 4000, 120, "float32"))
    found = []
    for order in ("row", "col"):
        nnz.write(matrix, tmp_path / f"{order}.h5ad", order=order)
        m = nnz.open(tmp_path / f"{order}.h5ad::X")
        source = m._handle.source
        for workers in (1, 2, 5):
            arrays, _ = source.markers(labels, 5, "rows", "wilcoxon", True, None, workers)
            found.append([array.tobytes() for array in arrays])
    assert all(one == found[0] for one in found)


@pytest.mark.filterwarnings("ignore:values look like counts")
def test_what_cannot_be_compared_is_an_error(tmp_path):
    nnz.write(np.array([[1.5], [np.nan], [0], [2]]), tmp_path / "m.npz")
    with pytest.raises(nnz.UnsupportedError, match=r"row 1, column 0.*a value of NaN"):
        nnz.markers(tmp_path / "m.npz", ["a", "a", "b", "b"])
    nnz.write(np.array([[1.5], [0], [0], [2]]), tmp_path / "n.npz")
    for labels, message in [
        (["a", "b", "b", "b"], "group 'a' has 1 cell: expected at least 2"),
        (["a"] * 4, "group 'a' has all cells"),
        ([None] * 4, "no cell has a label"),
        (["a"] * 3, "for 4 cells"),
    ]:
        with pytest.raises(nnz.ArgumentError, match=message):
            nnz.markers(tmp_path / "n.npz", labels)
    with pytest.raises(nnz.ArgumentError, match="expected one of 'wilcoxon', 't-test'"):
        nnz.markers(tmp_path / "n.npz", ["a", "a", "b", "b"], method="logreg")
    m = nnz.open(tmp_path / "n.npz", memory=16)
    with pytest.raises(nnz.MemoryLimitError):
        nnz.markers(m, ["a", "a", "b", "b"])


def test_counts_are_warned_of():
    with pytest.warns(UserWarning, match="look like counts"):
        nnz.markers(PBMC, np.arange(1107) % 2)


def test_tables_of_no_groups_are_empty(tmp_path):
    """A ValueError of pandas before."""
    sparse.save_npz(tmp_path / "m.npz", sparse.csr_array((0, 3)))
    found = nnz.markers(tmp_path / "m.npz", np.array([], dtype=object)).to_pandas()
    assert len(found) == 0 and "pvals_adj" in found.columns
