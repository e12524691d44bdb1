"""Data in memory is written and read back unchanged."""

import os
import pathlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sparse
from conftest import FULL, random_matrix, same

import nnz


@pytest.mark.parametrize("name", ["m.bpcells", "m.mtx", "m.mtx.gz", "m.npz", "m.bsp.h5", "m.zarr", "m.dbdf", "m.h5ad", "m.nc"])
def test_all_formats_round_trip(tmp_path, name):
    matrix = random_matrix(dtype=np.uint32 if name == "m.bpcells" else np.float64)
    done = nnz.write(matrix, tmp_path / name)
    assert (done.shape, done.entries) == ((40, 30), matrix.nnz)
    assert done.bytes_after > 0 and done.dropped == []
    same(nnz.open(tmp_path / name).to_scipy("row"), matrix)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("what", ["array", "matrix"])
def test_all_kinds_of_scipy_are_written(tmp_path, kind, what):
    matrix = getattr(sparse, f"{kind}_{what}")(random_matrix())
    nnz.write(matrix, tmp_path / "m.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "m.npz").to_numpy(), matrix.toarray())
    assert sparse.load_npz(tmp_path / "m.npz").shape == matrix.shape


def test_stored_zeros_and_signs_are_kept(tmp_path):
    stored = sparse.csr_array(([0.0, -0.0, np.nan], ([0, 1, 1], [1, 0, 1])), shape=(2, 2))
    nnz.write(stored, tmp_path / "m.npz")
    found = nnz.open(tmp_path / "m.npz").to_scipy()
    assert found.nnz == 3 and np.signbit(found.data).tolist() == [False, True, False]
    dense = np.array([[0.0, -0.0], [1.0, np.nan]])
    nnz.write(dense, tmp_path / "d.npz")
    assert nnz.open(tmp_path / "d.npz").nnz == 3
    np.testing.assert_array_equal(np.signbit(nnz.open(tmp_path / "d.npz").to_numpy()), np.signbit(dense))


def test_arrays_of_any_layout_are_written(tmp_path):
    array = np.arange(12, dtype=">i2").reshape(3, 4)[:, ::-1]
    nnz.write(array, tmp_path / "m.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "m.npz").to_numpy(), array)
    unsorted = sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 0]), np.array([0, 2])), shape=(1, 3))
    nnz.write(unsorted, tmp_path / "u.bpcells")
    np.testing.assert_array_equal(nnz.open(tmp_path / "u.bpcells").to_numpy(), [[2.0, 0.0, 1.0]])


def test_other_objects_are_refused(tmp_path):
    for obj in (np.zeros(3, "S3"), np.zeros((2, 2), "S3"), np.zeros((2, 2), np.float16), np.zeros((2, 2), np.longdouble)):
        with pytest.raises(nnz.ArgumentError):
            nnz.write(obj, tmp_path / "m.npz")
    assert os.listdir(tmp_path) == []
    broken = sparse.csr_array(np.eye(2))
    broken.indices[0] = 7
    with pytest.raises(nnz.CorruptFileError, match="index 7"):
        nnz.write(broken, tmp_path / "m.npz")


def test_names_and_annotations_are_written(tmp_path):
    pandas = pytest.importorskip("pandas")
    genes = pandas.DataFrame(
        {
            "symbol": ["A", None, "C"],
            "length": pandas.array([1, None, 3], "Int64"),
            "score": [0.5, np.nan, 1.5],
            "kept": [True, False, True],
            "kind": pandas.Categorical(["x", None, "y"], ["y", "x", "z"], ordered=True),
        },
        index=["g1", "g2", "g3"],
    )
    path = tmp_path / "m.h5ad"
    nnz.write(np.eye(2, 3), path, cols=genes, row_names=["c1", "c2"], axis_kinds=("cells", "features"))
    m = nnz.open(path)
    assert m.axis_kinds == ("cells", "features")
    assert list(m.row_names) == ["c1", "c2"]
    found = m.cols
    assert list(found.index) == ["g1", "g2", "g3"]
    assert found["symbol"].isna().tolist() == [False, True, False]
    assert found["length"].dtype == "Int64" and found["length"].tolist()[2] == 3
    assert found["score"].dtype == np.float64 and np.isnan(found["score"].iloc[1])
    assert found["kept"].tolist() == [True, False, True]
    assert list(found["kind"].cat.categories) == ["y", "x", "z"] and found["kind"].cat.ordered
    anndata = pytest.importorskip("anndata")
    whole = anndata.read_h5ad(path)
    assert list(whole.var_names) == ["g1", "g2", "g3"]
    assert list(whole.var["kind"].cat.categories) == ["y", "x", "z"]
    with pytest.raises(nnz.ArgumentError, match="1 names for 2 rows"):
        nnz.write(np.eye(2, 3), tmp_path / "n.h5ad", row_names=["c1"])
    with pytest.raises(nnz.ArgumentError, match="2 annotations are given for 3 columns"):
        nnz.write(np.eye(2, 3), tmp_path / "n.h5ad", cols=genes[:2])


def test_sparse_and_nullable_columns_are_annotations(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame({"sparse": pandas.arrays.SparseArray([0, 7, 0]), "null": pandas.array([1, None, 3], "Int8")})
    nnz.write(np.eye(3), tmp_path / "m.h5ad", rows=rows)
    found = nnz.open(tmp_path / "m.h5ad::X").rows
    assert found["sparse"].tolist() == [0, 7, 0] and found["sparse"].dtype == np.int64
    assert found["null"].isna().tolist() == [False, True, False] and found["null"].dtype.name == "Int8"


def test_dropped_data_is_a_warning(tmp_path):
    with pytest.warns(nnz.DroppedWarning, match="row names"):
        done = nnz.write(np.eye(2), tmp_path / "m.npz", row_names=["a", "b"])
    assert done.dropped == ["row names"]
    with pytest.raises(nnz.UnsupportedError, match="row names"):
        nnz.write(np.eye(2), tmp_path / "n.npz", row_names=["a", "b"], strict=True)


def test_lazy_matrices_are_written(tmp_path, store):
    path, matrix = store
    nnz.write(nnz.open(path).T, tmp_path / "t.bpcells")
    found = nnz.open(tmp_path / "t.bpcells")
    same(found.to_scipy("col"), matrix.T.tocsc())
    assert list(found.col_names[:2]) == ["r0", "r1"]


def test_whole_anndata_is_written(tmp_path):
    anndata = pytest.importorskip("anndata")
    whole = anndata.read_h5ad(FULL)
    for name in ("w.h5ad", "w.zarr"):
        nnz.write(whole, tmp_path / name)
        assert nnz.diff(FULL, tmp_path / name) == [], name
        assert sorted(os.listdir(tmp_path))[-1] == name
    with pytest.warns(nnz.DroppedWarning):
        nnz.write(whole, tmp_path / "x.bpcells")
    found = nnz.open(tmp_path / "x.bpcells")
    # Cells are on the axis of the format.
    assert found.axis_kinds == ("features", "cells") and found.shape == (7, 11)
    assert list(found.col_names) == list(whole.obs_names)


def test_options_match_the_command(tmp_path):
    matrix = random_matrix(dtype=np.int64)
    nnz.write(matrix, tmp_path / "a.mtx", layout="array")
    assert "array" in (tmp_path / "a.mtx").read_text()[:40]
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "a.mtx"), matrix.toarray())
    nnz.write(matrix, tmp_path / "c.bsp.h5", to="COOR", type=np.float32, compress="gzip:1")
    assert nnz.open(tmp_path / "c.bsp.h5").dtype == np.float32
    nnz.write(matrix, tmp_path / "b.bpcells", unpacked=True, format_version=1, type="double", memory="100M", threads=1)
    assert nnz.open(tmp_path / "b.bpcells").dtype == np.float64
    for options, text in (
        ({"ordre": "row"}, 'unknown option "ordre"'),
        ({"order": "rows"}, 'order "rows"'),
        ({"compress": "gzip:99"}, 'compress "gzip:99"'),
        ({"layout": "tiles"}, "layout"),
        ({"unpacked": True}, "unpacked"),
        ({"to": "xlsx"}, "unknown format"),
        ({"type": "string"}, 'type "string": expected uint8'),
        ({"memory": "much"}, 'memory "much"'),
        ({"duplicates": "drop"}, 'duplicates "drop"'),
    ):
        with pytest.raises(nnz.ArgumentError, match=text):
            nnz.write(matrix, tmp_path / "x.mtx", **options)
    assert not (tmp_path / "x.mtx").exists()


def test_all_options_of_formats_are_typed():
    names = {option.replace("-", "_") for one in nnz.formats() for option in one.options}
    assert names <= set(nnz.WriteOptions.__annotations__)


def test_targets_are_replaced_only_with_force(tmp_path):
    path = tmp_path / "m.mtx"
    nnz.write(np.eye(2), path)
    with pytest.raises(FileExistsError) as raised:
        nnz.write(np.eye(3), pathlib.Path(path))
    assert isinstance(raised.value, nnz.ExistsError)
    assert nnz.open(path).shape == (2, 2)
    nnz.write(np.eye(3), path, force=True)
    assert nnz.open(path).shape == (3, 3)


def test_columns_of_other_types_are_dropped_with_a_warning(tmp_path):
    pandas = pytest.importorskip("pandas")
    anndata = pytest.importorskip("anndata")
    obs = pandas.DataFrame(
        {
            "time": pandas.date_range("2020", periods=3),
            "lists": [[1], [2], [3]],
            "span": pandas.to_timedelta([1, 2, 3], unit="s"),
            "n": [1, 2, 3],
        },
        index=list("abc"),
    )
    adata = anndata.AnnData(np.eye(3, dtype=np.float32), obs=obs)
    for name in ("m.mtx", "m.bpcells"):
        with pytest.warns(nnz.DroppedWarning, match="column 'time' of type datetime64.*, column 'lists' of type object"):
            done = nnz.write(adata, tmp_path / name)
        assert len([one for one in done.dropped if one.startswith("column '")]) == 3
        np.testing.assert_array_equal(nnz.open(tmp_path / name).to_numpy(), np.eye(3))
        with pytest.raises(nnz.UnsupportedError, match="'time'"):
            nnz.write(adata, tmp_path / name, force=True, strict=True)
    # The other columns are written where there is a place for them.
    with pytest.warns(nnz.DroppedWarning, match="'time'"):
        nnz.write(np.eye(3), tmp_path / "m.h5ad", rows=obs)
    assert list(nnz.open(tmp_path / "m.h5ad").rows.columns) == ["n"]
    with pytest.warns(nnz.DroppedWarning, match="'time'"):
        with nnz.writer(tmp_path / "w.h5ad", (3, 3), rows=obs) as parts:
            parts.write(np.eye(3))
    assert len(parts.summary.dropped) == 3


def test_an_anndata_without_x_says_so(tmp_path):
    pandas = pytest.importorskip("pandas")
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(obs=pandas.DataFrame(index=list("abc")))
    for name in ("m.mtx", "m.bpcells"):
        with pytest.raises(nnz.ArgumentError, match="the AnnData has no X"):
            nnz.write(adata, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_duplicates_that_cannot_be_kept_are_those_of_the_source(tmp_path):
    twice = sparse.csr_array((np.r_[1.0, 2, 3], np.r_[1, 1, 0], np.r_[0, 2, 3, 3]), (3, 3))
    for name in ("m.npy", "m.mtx", "m.dbdf", "m.bsp.h5"):
        for options in ({}, {"duplicates": "keep"}):
            with pytest.raises(nnz.DuplicateError, match="the matrix in memory: entry .row 0, column 1.") as raised:
                nnz.write(twice, tmp_path / name, **options)
            # Nothing is at the path of the target, and the matrix has none.
            assert raised.value.path is None and raised.value.position == ("entry", 0, 1)
    assert list(tmp_path.iterdir()) == []


def test_data_after_the_last_entry_is_ignored_as_in_scipy(tmp_path):
    for made in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        matrix = made(random_matrix())
        longer = matrix.copy()
        longer.data = np.r_[longer.data, 1, 2]
        longer.indices = np.r_[longer.indices, 1, 2].astype(longer.indices.dtype)
        nnz.write(longer, tmp_path / "m.npz", force=True)
        same(nnz.open(tmp_path / "m.npz").to_scipy(), made(matrix))
        order = "row" if longer.format == "csr" else "col"
        with nnz.writer(tmp_path / "w.npz", matrix.shape, order, force=True) as parts:
            parts.write(longer)
        same(nnz.open(tmp_path / "w.npz").to_scipy(), made(matrix))
    # One array alone that is too long is still an error.
    broken = sparse.csr_array(random_matrix())
    broken.data = broken.data[:-1]
    with pytest.raises(nnz.Error):
        nnz.write(broken, tmp_path / "n.npz")


def test_errors_of_values_in_memory_have_no_path(tmp_path):
    with pytest.raises(nnz.CastError, match="the matrix in memory: entry") as raised:
        nnz.write(np.array([[1.5]]), tmp_path / "m.mtx", type="uint8")
    assert raised.value.path is None and raised.value.position == ("entry", 0, 0)


@pytest.mark.parametrize("elements", [[[2**53 + 1, 0.5]], ((0.5, 2**64 - 1),)])
def test_lists_of_integers_that_floats_round_are_refused(tmp_path, elements):
    with pytest.raises(nnz.CastError, match="cannot be stored exactly"):
        nnz.write(elements, tmp_path / "z.npz")


def test_columns_of_integers_that_floats_round_are_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    for frame in [{"a": [2**53 + 1], "b": [0.5]}, {"a": np.array([5]), "b": np.array([2**64 - 1], np.uint64)}]:
        with pytest.raises(nnz.CastError, match="cannot be stored exactly"):
            nnz.write(pandas.DataFrame(frame), tmp_path / "x.npz")
    nnz.write(pandas.DataFrame({"a": [2**53], "b": [0.5]}), tmp_path / "x.npz")


def test_sums_of_small_integers_do_not_wrap(tmp_path):
    entries = sparse.csr_array((np.array([100, 100], np.int8), [0, 0], [0, 2]), (1, 1))
    nnz.write(entries, tmp_path / "d.npz", to="scipy")
    m = nnz.open(tmp_path / "d.npz")
    with pytest.raises(nnz.Error, match="does not fit"):
        _ = m[0, 0]
    with pytest.raises(nnz.CastError, match="does not fit int8"):
        nnz.write(entries.tocoo(), tmp_path / "c.mtx")
    twice = sparse.coo_array((np.array([10, 20], np.int8), ([0, 0], [0, 0])), (1, 1))
    nnz.write(twice, tmp_path / "c.mtx")
    assert nnz.open(tmp_path / "c.mtx")[0, 0] == 30


def test_every_byte_but_zero_is_true(tmp_path):
    truths = np.array([2, 255, 0, 1], np.uint8).view(bool)
    for name in ["b.npz", "b.mtx", "b.bpcells"]:
        nnz.write(sparse.csr_array((truths, np.arange(4), [0, 4]), (1, 4)), tmp_path / name)
        assert nnz.open(tmp_path / name).sum() == 3


def test_sparse_columns_of_data_frames_are_exact(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.arrays.SparseArray([1, 1, 2], fill_value=1), "b": pandas.arrays.SparseArray([0, 0, 3])})
    nnz.write(frame, tmp_path / "m.npz")
    assert nnz.open(tmp_path / "m.npz").to_numpy().tolist() == [[1, 0], [1, 0], [2, 3]]
    frame["c"] = pandas.arrays.SparseArray([0.5, 0, 0], fill_value=0)
    frame["a"] = pandas.arrays.SparseArray([2**53 + 1, 0, 0])
    with pytest.raises(nnz.CastError, match="'a': 9007199254740993"):
        nnz.write(frame, tmp_path / "n.npz")


def test_an_index_that_is_not_written_may_have_missing_values(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2]}, index=[None, "x"])
    with pytest.warns(nnz.DroppedWarning):
        nnz.write(frame, tmp_path / "t.dbdf")
    with pytest.raises(nnz.ArgumentError, match="row_names: None"):
        nnz.write(frame, tmp_path / "m.npz")


def test_categories_are_texts_and_numbers_only(tmp_path):
    pandas = pytest.importorskip("pandas")
    kept = {
        "texts": pandas.Categorical(["b", "a", "b"]),
        "integers": pandas.Categorical([2, 1, 2]),
        "floats": pandas.Categorical([0.5, 1.5, None]),
        "booleans": pandas.Categorical([True, False, True]),
        "nullable": pandas.Categorical(pandas.array([2**53 + 1, None, 2], dtype="Int64")),
    }
    dropped = {
        "bytes": pandas.Categorical([b"a", b"b", b"a"]),
        "mixed": pandas.Categorical([1, "a", 2]),
        "same": pandas.Categorical([1, "1", 2]),
        "days": pandas.Categorical(pandas.to_datetime(["2020", "2021", "2020"])),
        "intervals": pandas.cut([1, 2, 3], 2),
    }
    rows = pandas.DataFrame({**kept, **dropped}, index=list("xyz"))
    with pytest.warns(nnz.DroppedWarning) as warned:
        made = nnz.write(np.eye(3), tmp_path / "a.h5ad", rows=rows)
    assert all(any(repr(name) in str(one.message) for one in warned) for name in dropped)
    assert len(made.dropped) == len(dropped)
    found = nnz.open(tmp_path / "a.h5ad::X").rows
    assert list(found) == list(kept)
    for name, column in kept.items():
        expected = [None if pandas.isna(label) else label for label in column]
        assert [None if pandas.isna(label) else label for label in found[name]] == expected, name
    with pytest.raises(nnz.UnsupportedError, match="column 'bytes'"):
        nnz.write(np.eye(3), tmp_path / "b.h5ad", rows=rows, strict=True)


def test_errors_about_a_new_target_are_not_those_of_damaged_files(tmp_path):
    target = tmp_path / "g.el"
    for force in (False, True):
        with pytest.raises(nnz.UnsupportedError, match="found the value 2, expected 1") as raised:
            nnz.write(np.array([[0, 2], [0, 0]]), target, force=force)
        assert raised.value.path == str(target) and target.exists() == force
        target.write_text("0 1\n")
    anndata, pandas = (pytest.importorskip(name) for name in ("anndata", "pandas"))
    obs = pandas.DataFrame({"": [1, 2]}, index=["x", "y"])
    with pytest.raises(nnz.Error) as raised:
        nnz.write(anndata.AnnData(np.eye(2), obs=obs), tmp_path / "o.h5ad")
    assert not isinstance(raised.value, nnz.CorruptFileError)
    assert str(tmp_path / "o.h5ad") in str(raised.value) and ".nnz-" not in str(raised.value)


class MuData:
    """Of one element, which is a MuData again, as of a MuData of mudata."""

    __module__ = "mudata._core.mudata"

    def __len__(self):
        return 2

    def __getitem__(self, key):
        return MuData()


@pytest.mark.parametrize("wrapped", [lambda one: one, lambda one: [[one, 1.0]]], ids=["object", "list"])
def test_objects_that_numpy_only_guesses_are_refused_at_once(tmp_path, wrapped):
    with pytest.raises(nnz.ArgumentError, match="a MuData in memory cannot be written: .* by its method `write`, which"):
        nnz.write(wrapped(MuData()), tmp_path / "m.h5ad")
    for obj, name in ((object(), "builtins.object"), ({1: 2}, "builtins.dict"), ([[1, {2}]], "builtins.set")):
        with pytest.raises(nnz.ArgumentError, match=f"an object of type {name} cannot be written: expected a matrix or an array"):
            nnz.write(obj, tmp_path / "m.npz")
    with nnz.writer(tmp_path / "w.npz", (2, 2)) as writer:
        with pytest.raises(nnz.ArgumentError, match="builtins.object cannot be written"):
            writer.write(object())
        writer.write(np.eye(2))
    assert os.listdir(tmp_path) == ["w.npz"]


def test_what_numpy_converts_is_written(tmp_path):
    import array
    import collections

    class Offered:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    class Interface:
        kept = np.arange(3)
        __array_interface__ = kept.__array_interface__

    values = array.array("q", [0, 1, 2])
    for obj in ([0, 1, 2], (0, 1, np.int64(2)), range(3), collections.deque([0, 1, 2]), values, memoryview(values), Offered(), Interface()):
        nnz.write(obj, tmp_path / "v.npy", force=True)
        assert nnz.open(tmp_path / "v.npy").to_numpy().ravel().tolist() == [0, 1, 2]
    nnz.write([np.arange(2), [True, 1.5]], tmp_path / "m.npz")
    np.testing.assert_array_equal(nnz.open(tmp_path / "m.npz").to_numpy(), [[0, 1], [1, 1.5]])
