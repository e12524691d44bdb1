"""Masks and positions select what is written, as names and strings do."""

import numpy as np
import pytest
from conftest import FULL, PBMC, random_matrix, same

import nnz

pandas = pytest.importorskip("pandas")

KEPT = [1, 4, 5, 9]
MASK = np.isin(np.arange(40), KEPT)
GIVEN = {
    "mask": MASK,
    "list of booleans": MASK.tolist(),
    "series of booleans": pandas.Series(MASK, index=[f"i{number}" for number in range(40)]),
    "nullable booleans": pandas.Series(MASK, dtype="boolean"),
    "positions": np.array(KEPT),
    "narrow positions": np.array(KEPT, np.uint8),
    "list of positions": KEPT,
    "negative positions": [position - 40 for position in KEPT],
    "series of positions": pandas.Series(KEPT),
    "nullable positions": pandas.Series(KEPT, dtype="Int64"),
    "names": [f"r{position}" for position in KEPT],
    "series of names": pandas.Series([f"r{position}" for position in KEPT]),
    "index of names": pandas.Index([f"r{position}" for position in KEPT]),
    "string": "r1,4:6,9",
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_all_functions_take_the_same_selections(store, tmp_path, given):
    path, matrix = store
    expected = matrix[KEPT]
    nnz.slice(path, tmp_path / "slice.npz", rows=given, strict=False)
    nnz.filter(path, tmp_path / "filter.npz", rows=given, strict=False)
    nnz.write(nnz.open(path), tmp_path / "write.npz", rows=given)
    if not any(isinstance(one, str) for one in given):
        nnz.write(matrix, tmp_path / "memory.npz", rows=given)
    for target in tmp_path.glob("*.npz"):
        same(nnz.open(target).to_scipy().tocsr(), expected.tocsr())
    same(nnz.open(path).filter(rows=given).to_scipy().tocsr(), expected.tocsr())
    assert nnz.stats(path, "rows", rows=given)["nnz"].tolist() == np.diff(expected.tocsr().indptr).tolist()
    if not isinstance(given, str):
        same(nnz.open(path)[given].tocsr(), expected.tocsr())
        same(nnz.open(path).select(rows=given).to_scipy().tocsr(), expected.tocsr())


def test_cells_and_features_are_selected_on_their_axis(tmp_path):
    m = nnz.open(PBMC)
    cells, features = np.arange(1107) % 3 == 0, np.arange(507) % 7 == 1
    expected = m.to_scipy()[features][:, cells]
    for write in (nnz.slice, nnz.filter):
        write(PBMC, tmp_path / "m.npz", cells=cells, features=features, strict=False, force=True)
        same(nnz.open(tmp_path / "m.npz").to_scipy(), expected)
    nnz.slice(PBMC, tmp_path / "m.npz", cells=slice(None, -1000), features=[5, 2], force=True)
    same(nnz.open(tmp_path / "m.npz").to_scipy(), m.to_scipy()[[5, 2]][:, :107])
    with pytest.raises(nnz.ArgumentError, match="does not state which axis has cells; use rows or cols"):
        nnz.slice(tmp_path / "m.npz", tmp_path / "n.npz", cells=[0])


def test_masks_select_cells_of_whole_files(tmp_path):
    mask = np.arange(11) < 4
    nnz.slice(FULL, tmp_path / "some.h5ad", cells=mask)
    some = nnz.open(tmp_path / "some.h5ad")
    assert some.shape == (4, 7) and some["layers/counts"].shape == (4, 7) and some["obsm/X_pca"].shape == (4, 3)
    nnz.filter(FULL, tmp_path / "less.h5ad", cells=(mask, [0, 2, 9]))
    assert list(nnz.open(tmp_path / "less.h5ad").obs_names) == list(some.obs_names[[0, 2]])


def test_masks_select_cells_of_files_without_x(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "none.h5ad"
    path.write_bytes(FULL.read_bytes())
    with h5py.File(path, "a") as file:
        del file["X"]
    nnz.slice(path, tmp_path / "some.h5ad", rows=np.arange(11) < 4)
    assert nnz.open(tmp_path / "some.h5ad").n_obs == 4


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (MASK[:-1], IndexError, "39 booleans for 40 rows"),
        ([True], IndexError, "1 booleans for 40 rows"),
        ([40], IndexError, "row 40 is outside of 40 rows"),
        ([-41], IndexError, "row -41 is outside of 40 rows"),
        ([1, 1], nnz.ArgumentError, "a row is selected twice"),
        (["r1", "r1"], nnz.ArgumentError, 'row "r1" .* is selected twice'),
        (np.array([0.5]), IndexError, "integers, booleans or names"),
        (pandas.Series([True, None] * 20, dtype="boolean"), IndexError, "missing values"),
        (np.zeros(40, bool), nnz.ArgumentError, "selects no rows|no row"),
        (["r77"], KeyError, 'no row is named "r77"'),
        (["3"], KeyError, 'no row is named "3"'),
    ],
)
def test_selections_that_do_not_fit_are_errors(store, tmp_path, given, error, message):
    path, _ = store
    for write in (nnz.slice, nnz.filter):
        with pytest.raises(error, match=message):
            write(path, tmp_path / "m.npz", rows=given, strict=False)
    with pytest.raises(error, match=message):
        nnz.write(nnz.open(path), tmp_path / "m.npz", rows=given)
    assert not (tmp_path / "m.npz").exists()


def test_write_selects_of_what_is_in_memory(tmp_path):
    matrix = random_matrix((6, 5))
    nnz.write(matrix, tmp_path / "m.h5ad", rows=[4, 1], cols=np.arange(5) > 1, row_names=["a", "b"])
    m = nnz.open(tmp_path / "m.h5ad")
    same(m.to_scipy(), matrix[[4, 1]][:, 2:])
    assert m.row_names.tolist() == ["a", "b"]
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(matrix, layers={"twice": matrix * 2})
    for target in ("a.h5ad", "a.npz"):
        nnz.write(adata, tmp_path / target, rows=["4", "1"], cols=slice(2), strict=False)
        same(nnz.open(tmp_path / target).to_scipy().tocsr(), matrix[[4, 1]][:, :2])
    assert nnz.open(tmp_path / "a.h5ad")["layers/twice"].shape == (2, 2)
    with pytest.raises(IndexError, match="2 booleans for 6 rows"):
        nnz.write(adata, tmp_path / "b.h5ad", rows=[True, False])
    with pytest.raises(KeyError, match="no row is named 'x'"):
        nnz.write(adata, tmp_path / "b.h5ad", rows=["x"])
