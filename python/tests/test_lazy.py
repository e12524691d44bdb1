"""Functions of values, selections, products and principal components match NumPy and SciPy."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import PBMC, random_matrix
from scipy.sparse.linalg import svds

import nnz


@pytest.fixture(params=["m.bpcells", "m.npz", "m.h5ad", "m.mtx"])
def pair(request, tmp_path):
    matrix = random_matrix(dtype="uint32", order="col")
    nnz.write(matrix, tmp_path / request.param)
    found = nnz.open(tmp_path / request.param)
    dense = found.to_numpy().astype(np.float64)
    return found, dense


def normalized(dense, target=None, axis=0):
    sums = dense.sum(axis=axis, keepdims=True)
    target = np.median(sums[sums > 0]) if target is None else target
    return dense * np.where(sums > 0, target / np.where(sums > 0, sums, 1), 1)


def test_steps_match_numpy(pair):
    m, dense = pair
    by_row, by_col = np.linspace(-1, 2, m.shape[0]), np.linspace(0.5, 3, m.shape[1])
    cases = [
        (m.log1p(), np.log1p(dense)),
        (m.scale(0.25), dense * 0.25),
        (m.scale(0.125).expm1(), np.expm1(dense * 0.125)),
        (m.limit_rows(np.arange(m.shape[0])), np.minimum(dense, np.arange(m.shape[0])[:, None])),
        (m.limit_cols(np.arange(m.shape[1])), np.minimum(dense, np.arange(m.shape[1]))),
        (m.scale_rows(by_row), dense * by_row[:, None]),
        (m.scale_cols(by_col), dense * by_col),
        (m.scale_rows(by_row).abs(), np.abs(dense * by_row[:, None])),
        (m.scale_rows(by_row).clip(-2, 5), np.clip(dense * by_row[:, None], -2, 5)),
        (m.binarize(2), (dense > 2).astype(float)),
        (m.normalize_total(1e4, axis="cols").log1p(), np.log1p(normalized(dense, 1e4))),
        (m.normalize_total(axis="rows"), normalized(dense, axis=1)),
        (m.T.normalize_total(10, axis="rows").log1p().T, np.log1p(normalized(dense, 10))),
        (m.normalize_total(axis="cols").log1p().scale_cols(by_col), np.log1p(normalized(dense)) * by_col),
    ]
    for found, expected in cases:
        assert found.dtype == (np.float32 if m.dtype.itemsize <= 4 else np.float64)
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=2e-6, atol=1e-6)
        np.testing.assert_allclose(found.to_scipy().toarray(), expected, rtol=2e-6, atol=1e-6)
        np.testing.assert_allclose(found.sum(axis=0), expected.sum(axis=0), rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(found[2:7, [3, 1]].to_numpy(), expected[2:7][:, [3, 1]], rtol=2e-6, atol=1e-6)


def test_tfidf_is_its_formula(pair):
    m, dense = pair
    cells, features = dense.sum(axis=0), dense.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(features > 0, dense.shape[1] / features, 1)[:, None] / np.where(cells > 0, cells, 1)
    expected = np.log1p(dense * weights * 1e4)
    np.testing.assert_allclose(m.tfidf(axis="cols").to_numpy(), expected, rtol=1e-5, atol=1e-6)


def test_cells_are_normalized_whatever_the_orientation():
    m = nnz.open(PBMC)
    assert m.axis_kinds == ("features", "cells")
    for found, axis in [(m.normalize_total(1e4), 0), (m.T.normalize_total(1e4), 1)]:
        sums = found.sum(axis=axis)
        np.testing.assert_allclose(sums[sums > 0], 1e4, rtol=1e-5)


def test_selections_are_lazy(pair):
    m, dense = pair
    mask = np.arange(m.shape[1]) % 3 == 0
    found = m.normalize_total(100, axis="cols").log1p().select(cols=mask).select(rows=[4, 2, 9])
    expected = np.log1p(normalized(dense, 100))[[4, 2, 9]][:, mask]
    assert type(found) is nnz.LazyMatrix and found.shape == expected.shape
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=2e-6, atol=1e-6)
    x = np.ones(mask.sum())
    np.testing.assert_allclose(found @ x, expected @ x, rtol=1e-5)
    with pytest.raises(nnz.ArgumentError, match="a row is selected twice"):
        m.select(rows=[1, 1])
    with pytest.raises(IndexError):
        m.select(cols=10_000)


def test_an_index_of_a_computed_matrix_is_computed(pair, tmp_path):
    pytest.importorskip("dask")
    m, dense = pair
    v, mask = np.linspace(0.5, 3, m.shape[1]), np.arange(m.shape[0]) % 2 == 0
    found = m.normalize_total(target_sum=1e4, axis="cols").log1p().scale_cols(v)[mask]
    expected = (np.log1p(normalized(dense, 1e4)) * v)[mask]
    assert type(found) is nnz.LazyMatrix and found.shape == expected.shape
    nnz.write(found, tmp_path / "w.npz")
    right = np.linspace(-1, 1, m.shape[1])
    for one, other in [
        (found.sum(axis=0), expected.sum(axis=0)),
        (found @ right, expected @ right),
        (found.to_scipy().toarray(), expected),
        (nnz.open(tmp_path / "w.npz").to_numpy(), expected),
        (found[1:, [3, 0]].to_numpy(), expected[1:, [3, 0]]),
        (found.T[2].to_numpy(), expected.T[[2]]),
    ]:
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-4)
    if m._source.random_access:
        np.testing.assert_allclose(found.to_dask(nbytes=500).compute().toarray(), expected, rtol=1e-5, atol=1e-5)
    # An index of a lazy matrix is one, whatever was done before and whatever the index.
    for lazy in (found, found.T, m.T, m.lazy, m.select()):
        assert type(lazy[1, 2]) is type(lazy[1]) is type(lazy[[1, 0]]) is nnz.LazyMatrix
    assert found[1, 2].item() == pytest.approx(expected[1, 2], rel=1e-5)
    assert not isinstance(m[mask], nnz.LazyMatrix)
    with pytest.raises(nnz.ArgumentError, match="a row is selected twice"):
        found[[1, 1]]


@pytest.mark.parametrize("width", [None, 1, 2, 7, 8, 33])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_products_match_numpy(pair, width, dtype):
    m, dense = pair
    rng = np.random.default_rng(0)
    right = rng.integers(-4, 5, m.shape[1:] if width is None else (m.shape[1], width)).astype(dtype)
    left = rng.integers(-4, 5, m.shape[:1] if width is None else (width, m.shape[0])).astype(dtype)
    kind = np.float32 if dtype == "float32" and m.dtype.itemsize <= 4 else np.float64
    for matrix, array in [(m, dense), (m.T.T, dense), (m.T, dense.T)]:
        one, other = (right, left) if matrix.shape == m.shape else (left.T, right.T)
        found = matrix @ one
        assert found.dtype == kind
        np.testing.assert_array_equal(found, array @ one)
        np.testing.assert_array_equal(other @ matrix, other @ array)
        np.testing.assert_array_equal(np.matmul(matrix, one), array @ one)


def test_products_that_do_not_fit_are_refused(pair):
    m, _ = pair
    for other, message in [
        (np.ones(3), "do not match"),
        (np.ones((2, 2, 2)), "3 dimensions"),
        (np.ones(m.shape[1], complex), "complex128"),
        (sparse.eye_array(m.shape[1]), "dense arrays"),
        (m.T, "dense arrays"),
        ("x", "expected numbers"),
        (np.float64(2), "expected numbers"),
    ]:
        with pytest.raises(nnz.ArgumentError, match=message):
            m @ other
    with pytest.raises(nnz.ArgumentError, match="do not match"):
        np.ones(3) @ m


def test_functions_of_numpy_make_arrays(pair):
    m, dense = pair
    np.testing.assert_allclose(np.sqrt(m), np.sqrt(dense))
    np.testing.assert_array_equal(np.add(m, 1), dense + 1)


def test_operators_are_those_of_scipy(pair):
    m, dense = pair
    rng = np.random.default_rng(1)
    x, y = rng.random((m.shape[1], 3)), rng.random((m.shape[0], 3))
    mean = dense.mean(axis=0)
    for center, array in [(False, dense), (True, dense - mean), (mean + 1, dense - mean - 1)]:
        found = m.as_linear_operator(center=center)
        np.testing.assert_allclose(found @ x, array @ x)
        np.testing.assert_allclose(found @ x[:, 0], array @ x[:, 0])
        np.testing.assert_allclose(found.H @ y, array.T @ y, atol=1e-9)
        np.testing.assert_allclose(found.rmatvec(y[:, 1]), array.T @ y[:, 1], atol=1e-9)
    values = svds(m.as_linear_operator(center=True), k=4, rng=0)[1]
    np.testing.assert_allclose(sorted(values)[::-1], np.linalg.svd(dense - mean, compute_uv=False)[:4])
    with pytest.raises(nnz.ArgumentError, match="numbers to subtract"):
        m.as_linear_operator(center=[1.0])


def test_lazy_matrices_pickle_and_are_written(pair, tmp_path):
    m, dense = pair
    lazy = m.normalize_total(50, axis="cols").log1p().T
    again = pickle.loads(pickle.dumps(lazy))
    assert again.shape == lazy.shape and again.T.shape == m.shape
    expected = np.log1p(normalized(dense, 50)).T
    np.testing.assert_allclose(again.to_numpy(), expected, rtol=2e-6, atol=1e-6)
    nnz.write(lazy, tmp_path / "w.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "w.npz").to_numpy(), lazy.to_numpy())


def test_components_match_numpy():
    m = nnz.open(PBMC).normalize_total(1e4).log1p()
    dense = m.T.to_numpy().astype(np.float64)
    centred = dense - dense.mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False)
    for matrix in (m, m.T):
        found = nnz.pca(matrix, 20, iterations=6)
        np.testing.assert_allclose(found.singular_values, values[:20], rtol=1e-2)
        np.testing.assert_allclose(found.mean, dense.mean(axis=0), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found.loadings.T @ found.loadings, np.eye(20), atol=1e-6)
        np.testing.assert_allclose(found.scores, centred @ found.loadings, atol=2e-3)
        np.testing.assert_allclose(found.explained_variance, found.scores.var(axis=0, ddof=1), rtol=1e-5)
    assert np.array_equal(nnz.pca(m, 3, seed=5).scores, nnz.pca(m, 3, seed=5).scores)
    assert np.array_equal(nnz.pca(PBMC, 3).scores, nnz.pca(nnz.open(PBMC), 3).scores)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: nnz.pca(m, 0), "n_components"),
        (lambda m: nnz.pca(m, 10_000), "expected a number from 1 to"),
        (lambda m: nnz.pca(m, 2, iterations=0), "iterations"),
        (lambda m: nnz.pca(m, 2, seed=-1), "seed"),
        (lambda m: nnz.pca(m, 2, axis="genes"), "axis"),
        (lambda m: m.normalize_total(0), "expected a positive number"),
        (lambda m: m.normalize_total(np.nan), "expected a positive number"),
        (lambda m: m.normalize_total("x"), "expected a number"),
        (lambda m: m.clip(1, 2), "minimum of at most 0"),
        (lambda m: m.binarize(-1), "at least 0"),
        (lambda m: m.scale(np.inf), "finite"),
        (lambda m: m.scale_rows([1.0]), "1 factors for 507 rows"),
        (lambda m: m.scale_cols(np.ones((2, 2))), "one dimension"),
        (lambda m: m.scale_cols(["a"]), "expected numbers"),
        (lambda m: m.limit_rows([1.0]), "1 limits for 507 rows"),
        (lambda m: m.limit_cols(np.full(1107, -1)), "at least 0"),
    ],
)
def test_wrong_arguments_are_errors(call, message):
    with pytest.raises(nnz.ArgumentError, match=message):
        call(nnz.open(PBMC))


def test_repeated_entries_are_refused_by_functions_but_not_by_products(tmp_path):
    matrix = sparse.csr_array((np.array([1.0, 2, 3]), np.array([1, 1, 0]), np.array([0, 2, 3])), (2, 2))
    nnz.write(matrix, tmp_path / "d.npz", to="scipy")
    m = nnz.open(tmp_path / "d.npz")
    np.testing.assert_array_equal(m @ np.array([1.0, 10]), [30, 3])
    np.testing.assert_array_equal(m.scale(2) @ np.array([1.0, 10]), [60, 6])
    with pytest.raises(nnz.UnsupportedError, match="the matrix has duplicate entries, which the format sums"):
        m.log1p().sum()
    # Only the rows that are read matter.
    assert m.log1p()[1, 0] == pytest.approx(np.log1p(3))
    unsorted = sparse.csr_array((np.array([1.0, 2]), np.array([1, 0]), np.array([0, 2])), (1, 2))
    nnz.write(unsorted, tmp_path / "u.npz", to="scipy")
    np.testing.assert_allclose(nnz.open(tmp_path / "u.npz").log1p().to_numpy(), np.log1p([[2, 1]]), rtol=1e-6)


def test_unsorted_rows_that_several_units_share_are_not_duplicates(tmp_path):
    # They were refused where a unit ends within a row.
    rng = np.random.default_rng(1)
    rows, stored, cols = 900, 249, 765
    indices = np.concatenate([rng.permutation(cols)[:stored] for _ in range(rows)])
    data = rng.integers(1, 9, rows * stored).astype(np.float32)
    indptr = np.arange(rows + 1) * stored
    matrix = sparse.csr_array((data, indices, indptr), (rows, cols))
    nnz.write(matrix, tmp_path / "u.npz", to="scipy")
    m = nnz.open(tmp_path / "u.npz")
    dense = matrix.toarray()
    np.testing.assert_allclose(m.log1p().sum(axis=0), np.log1p(dense).sum(axis=0), rtol=1e-5)
    stored_values = nnz.aggregate(m, np.zeros(rows, int), "count_nonzero", axis="rows")
    np.testing.assert_array_equal(stored_values.to_numpy()[0], np.count_nonzero(dense, axis=0))
    # Duplicates on both sides of such a place are found.
    row = 65536 // stored
    indices[row * stored] = indices[row * stored + stored - 1]
    nnz.write(sparse.csr_array((data, indices, indptr), (rows, cols)), tmp_path / "d.npz", to="scipy")
    with pytest.raises(nnz.UnsupportedError, match="the matrix has duplicate entries"):
        nnz.open(tmp_path / "d.npz").log1p().sum()


def test_wide_values_are_computed_in_64_bits(tmp_path):
    values = np.array([[0.1, 0, 3.3]])
    nnz.write(values, tmp_path / "w.npz")
    found = nnz.open(tmp_path / "w.npz").log1p()
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.to_numpy(), np.log1p(values), rtol=1e-15)


def test_complex_matrices_are_refused(tmp_path):
    nnz.write(np.array([[1j]]), tmp_path / "c.npz")
    m = nnz.open(tmp_path / "c.npz")
    for call in (m.log1p, lambda: m @ np.ones(1), lambda: nnz.pca(m, 1)):
        with pytest.raises(nnz.UnsupportedError, match="complex"):
            call()


def test_batches_and_partitions_are_computed(pair):
    m, dense = pair
    if not m._source.random_access:
        pytest.skip("it has no random access")
    lazy = m.normalize_total(100, axis="cols").log1p()
    expected = np.log1p(normalized(dense, 100))
    parts = pickle.loads(pickle.dumps(lazy.partitions(n=4)))
    blocks = [part.read().toarray() for part in parts]
    np.testing.assert_allclose(np.concatenate(blocks, axis=1), expected, rtol=2e-6, atol=1e-6)
    for batch in lazy.batches(7, seed=1, axis="cols"):
        np.testing.assert_allclose(batch.x.toarray(), expected.T[batch.index], rtol=2e-6, atol=1e-6)
    blockwise = pytest.importorskip("dask.array") and lazy.to_dask().compute()
    np.testing.assert_allclose(blockwise.toarray(), expected, rtol=2e-6, atol=1e-6)
    assert lazy.to_dask().name != m.to_dask().name


def test_matrices_are_not_outputs_of_functions_of_numpy():
    m = nnz.open(PBMC)
    with pytest.raises(TypeError, match="cannot be the output"):
        np.add(np.ones(m.shape), 1, out=m)
    assert np.add(np.ones(m.shape), 1, where=m.binarize().to_numpy() > 0, out=np.zeros(m.shape)).sum() > 0


def test_integers_that_float32_rounds_are_refused_by_functions(tmp_path):
    nnz.write(np.array([[2**24 + 1, 3]], np.uint32), tmp_path / "i.npz")
    m = nnz.open(tmp_path / "i.npz")
    with pytest.raises(nnz.CastError, match="16777217"):
        m.scale(1).to_numpy()
    assert m.select(cols=[1]).scale(2).to_numpy().tolist() == [[6]]


def test_complex_factors_are_refused():
    m = nnz.open(PBMC)
    with pytest.raises(nnz.ArgumentError, match="complex"):
        m.as_linear_operator().matvec(np.ones(m.shape[1]) * 1j)
    for call in (lambda: m.scale(2 + 5j), lambda: m.scale(np.complex128(2)), lambda: m.scale_rows(np.ones(507) * 1j)):
        with pytest.raises(nnz.ArgumentError, match="expected a? ?number"):
            call()


def test_infinite_sums_are_refused_and_empty_axes_are_normalized(tmp_path):
    nnz.write(np.array([[np.inf, 1.0], [2, 2]]), tmp_path / "f.npz")
    with pytest.raises(nnz.UnsupportedError, match="values of row 0 add up to inf"):
        nnz.open(tmp_path / "f.npz").normalize_total()
    nnz.write(np.zeros((0, 3)), tmp_path / "e.npz")
    assert nnz.open(tmp_path / "e.npz").tfidf().shape == (0, 3)


@pytest.mark.parametrize("factor, offset", [(1, 0), (1e30, 0), (1e-30, 0), (1, 1e6)])
@pytest.mark.parametrize("shape", [(4, 2), (32, 5), (20, 8), (9, 9)])
def test_all_components_of_small_matrices_are_found(tmp_path, shape, factor, offset):
    dense = np.random.default_rng(0).random(shape) * factor + offset
    nnz.write(dense, tmp_path / "p.npz")
    found = nnz.pca(tmp_path / "p.npz", min(shape))
    expected = np.linalg.svd(dense - dense.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(found.singular_values, expected, rtol=1e-6, atol=1e-9 * expected[0] + 1e-9 * offset)
    np.testing.assert_allclose(found.loadings.T @ found.loadings, np.eye(min(shape)), atol=1e-8)


def test_values_that_are_not_finite_have_no_components(tmp_path):
    for value in (np.nan, np.inf):
        nnz.write(np.array([[value, 1.0], [2, 2], [0, 1]]), tmp_path / "n.npz", force=True)
        with pytest.raises(nnz.UnsupportedError, match="not finite"):
            nnz.pca(tmp_path / "n.npz", 2)
    # The square of this value is no float64; the component is.
    nnz.write(np.array([[1e200, 1.0], [2, 2], [0, 1]]), tmp_path / "n.npz", force=True)
    np.testing.assert_allclose(nnz.pca(tmp_path / "n.npz", 2).singular_values[0], 1e200 * np.sqrt(2 / 3))


def test_components_are_stored_where_scanpy_looks_for_them():
    anndata = pytest.importorskip("anndata")
    m = nnz.open(PBMC)
    found, adata = nnz.pca(m.log1p(), 4), m.to_anndata()
    found.add_to(adata)
    np.testing.assert_array_equal(adata.obsm["X_pca"], found.scores)
    np.testing.assert_array_equal(adata.varm["PCs"], found.loadings)
    dense = np.log1p(m.to_numpy())
    total = dense.var(axis=1, ddof=1).sum()
    np.testing.assert_allclose(found.total_variance, total, rtol=1e-9)
    np.testing.assert_allclose(adata.uns["pca"]["variance_ratio"], found.explained_variance / total)
    with pytest.raises(nnz.ArgumentError, match="components of 1107 cells"):
        found.add_to(anndata.AnnData(np.ones((2, 3))))


def test_loadings_of_selected_features_are_stored_for_all():
    anndata = pytest.importorskip("anndata")
    m = nnz.open(PBMC)
    adata = m.to_anndata()
    chosen = [400, 3, 77, 250, 8, 100]
    found = nnz.pca(m.select(rows=chosen).log1p(), 3)
    assert found.features.tolist() == [m.row_names[at] for at in chosen]
    found.add_to(adata)
    np.testing.assert_array_equal(adata.varm["PCs"][chosen], found.loadings)
    assert np.count_nonzero(adata.varm["PCs"].any(axis=1)) == len(chosen)
    assert repr(found).startswith("<nnz.PCA of 3 components of 1107 cells, ")
    other = anndata.AnnData(np.ones((1107, 9)))
    with pytest.raises(nnz.ArgumentError, match="no feature"):
        found.add_to(other)
    with pytest.raises(nnz.ArgumentError, match="AnnData object has 5"):
        found.add_to(anndata.AnnData(np.ones((1107, 5))))
