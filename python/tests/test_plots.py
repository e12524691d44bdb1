"""Pictures on axes of matplotlib, in notebooks, and reports."""

import html

import numpy as np
import pytest
import scipy.sparse
from conftest import TESTDATA

import nnz


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture
def made(tmp_path):
    """Writes a SciPy matrix and opens it."""

    def write(matrix, name="m.npz"):
        path = tmp_path / name
        scipy.sparse.save_npz(path, matrix)
        return nnz.open(path)

    return write


def test_spy_counts_the_entries_of_bins(pyplot, made):
    matrix = scipy.sparse.random_array((300, 170), density=0.05, rng=np.random.default_rng(1), format="csr")
    ax = made(matrix).plot.spy(bins=50)
    grid = ax.images[0].get_array()
    rows, cols = matrix.nonzero()
    expected = np.zeros(grid.shape, int)
    np.add.at(expected, (rows // 6, cols // 4), 1)
    # The last bin has two of four columns, and the colour of its density.
    expected[:, -1] *= 2
    assert (np.ma.filled(grid, 0) == expected).all()
    assert ax.get_ylim() == (300, 0) and ax.get_xlim() == (0, 170)
    assert ax.get_xlabel() == "columns"


def test_knee_has_the_rank_of_each_column(pyplot, made):
    counts = np.array([[5, 0, 1], [1, 0, 1], [0, 0, 7]])
    m = made(scipy.sparse.csc_array(counts))
    x, y = m.plot.knee(measure="sum").lines[0].get_data()
    assert list(zip(x, y)) == [(1, 9), (1, 9), (2, 6), (2, 6), (3, 0), (3, 0)]
    x, y = m.plot.knee(axis="rows").lines[0].get_data()
    assert list(zip(x, y)) == [(1, 2), (2, 2), (3, 1), (3, 1)]


def drawn(ax):
    return [(bar.get_x(), bar.get_x() + bar.get_width(), bar.get_height()) for bar in ax.patches]


def test_values_are_counted(pyplot, made):
    values = [1.0, 1.0, 2.0, 0.3, -4.0, np.nan, np.inf]
    ax = made(scipy.sparse.coo_array((values, (range(7), range(7))))).plot.values()
    assert drawn(ax) == [(-4.25, -4.0, 1), (0.25, 0.5, 1), (1.0, 1.25, 2), (2.0, 2.25, 1)]
    assert ax.get_xscale() == "linear" and ax.get_xlabel() == "value\nNaN: 1\ninf: 1"
    # Integers are in the middle of their bars.
    ax = made(scipy.sparse.csr_array([[1, 2, 2, -1]]), "integers.npz").plot.values()
    assert drawn(ax) == [(-1.5, -0.5, 1), (0.5, 1.5, 1), (1.5, 2.5, 2)]


def test_values_of_different_orders_are_on_a_logarithmic_scale(pyplot, made):
    sizes = 10 ** np.linspace(-3, 3, 600)
    both = np.concatenate([sizes, -sizes])
    ax = made(scipy.sparse.csr_array(both.reshape(1, -1))).plot.values()
    assert ax.get_xscale() == "symlog"
    bars = drawn(ax)
    assert sum(count for *_, count in bars) == 1200
    assert np.allclose([(-right, -left, count) for left, right, count in reversed(bars)], bars)
    ax = made(scipy.sparse.csr_array(sizes.reshape(1, -1)), "positive.npz").plot.values()
    assert ax.get_xscale() == "log"
    ax.figure.canvas.draw()


def test_pictures_are_drawn_on_given_axes(pyplot, made):
    m = made(scipy.sparse.eye_array(4, format="csr"))
    _, axes = pyplot.subplots(1, 3)
    assert m.plot.spy(axes[0], cmap="viridis") is axes[0]
    assert axes[0].images[0].get_cmap().name == "viridis"
    assert m.plot.knee(axes[1], color="red") is axes[1]
    assert m.plot.values(axes[2]) is axes[2]


def test_empty_matrices_are_drawn(pyplot, made):
    for number, shape in enumerate([(0, 0), (3, 0), (0, 3), (3, 4)]):
        m = made(scipy.sparse.csr_array(shape), f"{number}.npz")
        for ax in (m.plot.spy(), m.plot.knee(), m.plot.knee(measure="sum", axis="rows"), m.plot.values()):
            # Some versions of matplotlib check the scales only here.
            ax.figure.canvas.draw()
    negative = made(scipy.sparse.csr_array(-np.eye(3)), "negative.npz")
    negative.plot.knee(measure="sum").figure.canvas.draw()


def test_derived_matrices_are_drawn(pyplot, made):
    m = made(scipy.sparse.csr_array(np.arange(12).reshape(3, 4)))
    assert m.T.plot.spy().get_ylim() == (4, 0)


def test_wrong_options_of_pictures(pyplot, made):
    m = made(scipy.sparse.eye_array(4, format="csr"))
    for bins in (0, -1, 10_001):
        with pytest.raises(nnz.ArgumentError, match="1 to 10,000"):
            m.plot.spy(bins=bins)
    with pytest.raises(nnz.ArgumentError, match='"nnz" or "sum"'):
        m.plot.knee(measure="mean")
    with pytest.raises(nnz.ArgumentError):
        m.plot.knee(axis="genes")
    with pytest.raises(nnz.Error, match="complex"):
        made(scipy.sparse.eye_array(4, format="csr") * 1j, "c.npz").plot.values()


def test_notebooks_show_a_picture_of_small_matrices(made, monkeypatch):
    m = made(scipy.sparse.eye_array(4, format="csr"))
    shown = m._repr_html_()
    assert "<svg" in shown and "<table>" in shown
    # Two pictures in a page have different identifiers.
    assert shown != m._repr_html_()
    monkeypatch.setattr("nnz._show.MOST_ENTRIES", 3)
    assert "<svg" not in m._repr_html_()


def test_a_report_is_a_page(made, tmp_path):
    m = made(scipy.sparse.csr_array(np.arange(12).reshape(3, 4)))
    report = m.report()
    assert report.html.startswith("<!DOCTYPE html>") and "Valid:" in report.html
    assert "3 rows × 4 columns" in report.html
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<table" not in shown
    assert "<title>m.npz</title>" in report.html
    # A derived matrix is not stored, and cannot be validated.
    derived = (m * 2.0).report() if hasattr(m, "__mul__") else m.T.report()
    assert "Valid:" not in derived.html


def test_a_report_of_a_broken_file_lists_its_errors():
    path = TESTDATA / "anndata" / "malformed" / "indices_out_of_range.h5ad"
    (error,) = nnz.validate(path)
    for page in [nnz.report(path).html, nnz.open(path).report().html]:
        assert "Invalid:" in page and html.escape(error.message) in page
        assert "<title>indices_out_of_range.h5ad</title>" in page
    # It cannot be opened at all.
    page = nnz.report(path.with_name("truncated_half.h5ad")).html
    assert "Invalid:" in page and "<title>truncated_half.h5ad</title>" in page
    with pytest.raises(FileNotFoundError):
        nnz.report("missing.h5ad")


def test_a_report_shows_an_embedding():
    page = nnz.report(TESTDATA / "anndata" / "valid" / "0.12.19" / "h5ad" / "full_csr.h5ad").html
    assert "X_umap of all 11 cells, coloured by cell_type." in page
