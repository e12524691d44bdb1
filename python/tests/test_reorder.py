"""New orders of rows and columns, and profiles."""

import numpy as np
import pytest
from conftest import random_matrix

import nnz

pytestmark = pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")


def by_frequency(counts):
    return np.argsort(-counts, kind="stable")


@pytest.mark.parametrize("name", ["m.bpcells", "m.h5ad", "m.npz", "m.zarr"])
def test_orders_equal_those_of_numpy(tmp_path, name):
    matrix = random_matrix((30, 50), dtype=np.int32).tocsr()
    entries = (matrix != 0).astype(int)
    options = {"reorder": {"rows": "frequency", "cols": "frequency"}, "cell_axis": "as-is"}
    nnz.write(matrix, tmp_path / name, **options)
    rows, cols = by_frequency(np.asarray(entries.sum(axis=1)).ravel()), by_frequency(np.asarray(entries.sum(axis=0)).ravel())
    found = nnz.open(tmp_path / name).to_scipy().toarray()
    np.testing.assert_array_equal(found, matrix.toarray()[rows][:, cols])


def test_lists_and_original_positions(tmp_path):
    matrix = random_matrix((5, 4), dtype=np.int32)
    names = {"row_names": list("abcde"), "col_names": list("wxyz")}
    nnz.write(matrix, tmp_path / "m.bpcells", **names)
    order = {"rows": list("edcba"), "cols": None}
    nnz.convert(tmp_path / "m.bpcells", tmp_path / "r.bpcells", reorder=order)
    moved = nnz.open(tmp_path / "r.bpcells")
    assert list(moved.row_names) == list("edcba")
    assert nnz.diff(tmp_path / "m.bpcells", tmp_path / "r.bpcells", by_name=True) == []
    assert nnz.diff(tmp_path / "m.bpcells", tmp_path / "r.bpcells") != []
    nnz.convert(tmp_path / "r.bpcells", tmp_path / "o.bpcells", reorder={"rows": "original"})
    assert nnz.diff(tmp_path / "m.bpcells", tmp_path / "o.bpcells") == []


def test_wrong_orders_are_refused(tmp_path):
    matrix = random_matrix((5, 4), dtype=np.int32)
    for order, says in [
        ({"genes": "frequency"}, 'expected a dictionary with "rows" and "cols"'),
        ("frequency", "expected a dictionary"),
        ({"rows": "often"}, 'expected "frequency", "original" or a list of names'),
        ({"rows": "original"}, "the original order of the rows is unknown"),
        ({"rows": ["0", "1"]}, "the new order lists 2 of 5 rows"),
    ]:
        with pytest.raises(nnz.ArgumentError, match=says):
            nnz.write(matrix, tmp_path / "m.bpcells", reorder=order)
    with pytest.raises(nnz.ArgumentError, match="expected fast, small or share"):
        nnz.write(matrix, tmp_path / "m.bpcells", profile="tiny")
    assert not (tmp_path / "m.bpcells").exists()


@pytest.mark.parametrize("profile", ["fast", "small", "share"])
@pytest.mark.parametrize("name", ["m.bpcells", "m.h5ad", "m.npz", "m.zarr", "m.mtx"])
def test_profiles_keep_all_elements(tmp_path, name, profile):
    matrix = random_matrix((30, 50), dtype=np.float32)
    matrix.data = np.floor(matrix.data * 10).astype(np.float32)
    kinds = ("cells", "features")
    labels = {"row_names": [f"c{n}" for n in range(30)], "col_names": [f"g{n}" for n in range(50)]}
    source = tmp_path / "source.h5ad"
    nnz.write(matrix.tocsr(), source, axis_kinds=kinds, **labels)
    nnz.convert(source, tmp_path / name, profile=profile)
    assert nnz.diff(source, tmp_path / name, by_name=name not in ("m.npz", "m.mtx")) == []


def test_repeated_names_of_files_without_a_matrix_are_reported_with_the_file(tmp_path):
    anndata, pandas = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    first, second = tmp_path / "first.h5ad", tmp_path / "second.h5ad"
    for path, names in ((first, ["a", "a"]), (second, ["a", "b"])):
        anndata.AnnData(obs=pandas.DataFrame(index=names)).write_h5ad(path)
    with pytest.raises(nnz.Error, match="cannot be matched by name") as raised:
        nnz.diff(first, second, by_name=True)
    assert raised.value.path == str(first)
