"""Tables are read, selected, written, and exchanged with pandas and Arrow."""

import multiprocessing
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import FULL, PBMC, TESTDATA

import nnz

pandas = pytest.importorskip("pandas")
DAPHNE = TESTDATA / "daphne"
TEN = DAPHNE / "frame_10types.dbdf"
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def random_frame(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    made = {}
    for dtype in TYPES:
        if np.dtype(dtype).kind == "f":
            made[dtype] = rng.normal(size=rows).astype(dtype)
        else:
            limits = np.iinfo(dtype)
            made[dtype] = rng.integers(limits.min, limits.max, rows, dtype=dtype, endpoint=True)
    return pandas.DataFrame(made)


@pytest.fixture
def pair(tmp_path):
    frame = random_frame()
    nnz.write(frame, tmp_path / "t.dbdf")
    return nnz.open(tmp_path / "t.dbdf"), frame


@pytest.mark.parametrize("options", [{}, {"block": "7x10"}, {"dialect": "daphne"}, {"dialect": "daphne-2022"}])
def test_random_frames_round_trip(tmp_path, options):
    for seed, rows in enumerate([0, 1, 3, 500]):
        frame = random_frame(rows, seed)
        if options.get("dialect"):
            # DAPHNE's own dialect has no 16-bit integers.
            frame = frame.drop(columns=["int16", "uint16"])
        done = nnz.write(frame, tmp_path / "t.dbdf", force=True, **options)
        assert done.shape == frame.shape and done.dropped == []
        t = nnz.open(tmp_path / "t.dbdf")
        assert isinstance(t, nnz.Table)
        assert (t.shape, len(t), t.columns, list(t)) == (frame.shape, rows, list(frame.columns), list(frame.columns))
        assert t.dtypes == list(frame.dtypes)
        pandas.testing.assert_frame_equal(t.to_pandas(), frame)
        for label, values in t.to_dict().items():
            np.testing.assert_array_equal(values, frame[label])


def test_random_rows_and_columns(pair):
    t, frame = pair
    rng = np.random.default_rng(3)
    for _ in range(60):
        start, stop = (int(one) for one in rng.integers(-510, 510, 2))
        rows = [
            slice(start, stop, int(rng.choice([-7, -1, 1, 2, 50]))),
            rng.integers(-500, 500, rng.integers(1, 40)),
            rng.random(500) < 0.1,
            slice(None),
        ][rng.integers(4)]
        labels = list(rng.permutation(frame.columns)[: rng.integers(1, 6)])
        expected = frame.iloc[rows][labels].reset_index(drop=True)
        found = t[rows, labels]
        assert found.shape == expected.shape
        pandas.testing.assert_frame_equal(found.to_pandas(), expected)
        pandas.testing.assert_frame_equal(t[labels][rows].to_pandas(), expected)
        if len(expected) > 2:
            again = rng.integers(0, len(expected), 5)
            pandas.testing.assert_frame_equal(found[again].to_pandas(), expected.iloc[again].reset_index(drop=True))
            pandas.testing.assert_frame_equal(found[1:].to_pandas(), expected[1:].reset_index(drop=True))


def test_columns_and_values(pair):
    t, frame = pair
    np.testing.assert_array_equal(t["float32"], frame["float32"])
    np.testing.assert_array_equal(t[3:9, "int8"], frame["int8"][3:9])
    np.testing.assert_array_equal(t[[9, 3], 1], frame["int16"].iloc[[9, 3]])
    assert t[7, "uint64"] == frame["uint64"][7] and t[-1, 0] == frame["int8"].iloc[-1]
    assert t[5].shape == (1, 10) and t[:, 1:3].columns == ["int16", "int32"]
    assert [len(part) for part in t.iter_batches(nbytes=4200)] == [100] * 5
    np.testing.assert_array_equal(np.concatenate([part["int64"] for part in t.iter_batches(nbytes=999)]), frame["int64"])


def test_missing_rows_and_columns_are_errors(pair):
    t, _ = pair
    with pytest.raises(KeyError) as raised:
        t["none"]
    assert isinstance(raised.value, nnz.UnknownNameError) and str(raised.value) == "no column has the label 'none'"
    for key in (500, -501, (0, 10), ([0, 500], 0), (slice("a", "b"), 0), (0, 0, 0), ("int8", "int8"), np.ones(499, bool)):
        with pytest.raises(IndexError):
            t[key]
    double = nnz.open(DAPHNE / "frame_dup_labels.dbdf")
    label = next(label for label in double.columns if double.columns.count(label) > 1)
    with pytest.raises(nnz.ArgumentError, match="several columns"):
        double[label]
    with pytest.raises(nnz.ArgumentError, match="to_pandas"):
        double.to_dict()
    assert list(double.to_pandas().columns) == double.columns
    with pytest.raises(nnz.ArgumentError):
        t.iter_batches(nbytes=0)


def test_golden_frames_are_read_and_written(tmp_path):
    paths = sorted(path for path in DAPHNE.glob("*frame*.dbdf") if not path.name.startswith("bad"))
    assert len(paths) > 10
    for path in paths:
        t = nnz.open(path)
        frame = t.to_pandas()
        assert frame.shape == t.shape
        nnz.write(t, tmp_path / "t.dbdf", force=True)
        pandas.testing.assert_frame_equal(nnz.open(tmp_path / "t.dbdf").to_pandas(), frame)
        nnz.convert(path, tmp_path / "u.dbdf", force=True)
        pandas.testing.assert_frame_equal(nnz.open(tmp_path / "u.dbdf").to_pandas(), frame)
        if t.shape[1]:
            nnz.write(t, tmp_path / "t.csv", force=True)
            nnz.convert(tmp_path / "t.csv", tmp_path / "v.dbdf", force=True)
            found = pandas.read_csv(tmp_path / "t.csv", skip_blank_lines=False, float_precision="round_trip")
            assert found.shape == t.shape, path
            for at in range(t.shape[1]):
                np.testing.assert_array_equal(found.iloc[:, at].to_numpy(t.dtypes[at]), t[:, at])


def test_broken_frames_raise_errors_of_the_package():
    paths = [path for path in sorted(DAPHNE.glob("bad_*.dbdf")) if "frame" in path.name]
    assert len(paths) > 5
    for path in paths:
        with pytest.raises(nnz.Error) as raised:
            nnz.open(path).to_pandas()
        assert raised.value.path == str(path)


def test_stated_rows_take_no_memory(tmp_path):
    nnz.write(pandas.DataFrame({"a": [1.5, 2.5]}), tmp_path / "t.dbdf")
    data = (tmp_path / "t.dbdf").read_bytes()
    # The number of rows follows two bytes. Elements in no block are zero.
    assert data[2:10] == (2).to_bytes(8, "little")
    (tmp_path / "u.dbdf").write_bytes(data[:2] + (2**50).to_bytes(8, "little") + data[10:])
    t = nnz.open(tmp_path / "u.dbdf")
    assert t.shape == (2**50, 1)
    with pytest.raises(nnz.MemoryLimitError):
        t.to_dict()
    assert t[2**50 - 3 :, "a"].tolist() == [0.0] * 3 and t[:3, "a"].tolist() == [1.5, 2.5, 0.0]


def test_unsupported_values_are_refused(tmp_path, pair):
    t, _ = pair
    for frame, text in (
        (pandas.DataFrame({"a": ["x"]}), "tables hold numbers"),
        (pandas.DataFrame({"a": pandas.array([1, None], "Int64")}), "row 1 is missing"),
        (pandas.DataFrame({"a": pandas.Categorical(["x"])}), "tables hold numbers"),
    ):
        with pytest.raises(nnz.UnsupportedError, match=text):
            nnz.write(frame, tmp_path / "x.dbdf")
    for options in ({"order": "row"}, {"type": "float32"}, {"row_names": "a"}):
        with pytest.raises(nnz.ArgumentError, match="not to tables"):
            nnz.write(t, tmp_path / "x.dbdf", **options)
    with pytest.raises(nnz.ArgumentError, match="not to tables"):
        nnz.write(t, tmp_path / "x.dbdf", rows=random_frame())
    with pytest.raises(nnz.ArgumentError, match=r"\.csv or \.dbdf"):
        nnz.write(t, tmp_path / "x.npz")
    indexed = pandas.DataFrame({"a": [1, 2]}, index=["x", "y"])
    with pytest.raises(nnz.UnsupportedError, match="the index"):
        nnz.write(indexed, tmp_path / "x.dbdf", strict=True)
    assert os.listdir(tmp_path) == ["t.dbdf"]
    with pytest.warns(nnz.DroppedWarning, match="the index"):
        assert nnz.write(indexed, tmp_path / "x.dbdf").dropped == ["the index"]
    with pytest.raises(FileExistsError):
        nnz.write(t, tmp_path / "x.dbdf")


def test_data_frames_are_matrices_in_formats_without_tables(tmp_path):
    frame = pandas.DataFrame({"a": [1.0, 0.0], "b": [0.0, 2.0]}, index=["x", "y"])
    nnz.write(frame, tmp_path / "m.bpcells", type="float32")
    m = nnz.open(tmp_path / "m.bpcells")
    assert (list(m.row_names), list(m.col_names)) == (["x", "y"], ["a", "b"])
    pandas.testing.assert_frame_equal(m.to_pandas().sparse.to_dense(), frame.astype("float32"))
    nnz.write(m.to_pandas(), tmp_path / "n.bpcells")
    assert nnz.diff(tmp_path / "m.bpcells", tmp_path / "n.bpcells") == []


def test_parts_of_tables_are_written(pair, tmp_path):
    t, frame = pair
    nnz.write(t[5:100:7, ["float64", "int8"]], tmp_path / "p.dbdf")
    expected = frame[["float64", "int8"]][5:100:7].reset_index(drop=True)
    pandas.testing.assert_frame_equal(nnz.open(tmp_path / "p.dbdf").to_pandas(), expected)


def rows_of(t):
    return int(t["int64"].sum())


def test_handles_of_tables_pickle_and_survive_a_fork(pair, monkeypatch):
    t, frame = pair
    part = t[10:400:3, ["int64", "int8"]]
    expected = int(frame["int64"][10:400:3].sum())
    assert rows_of(pickle.loads(pickle.dumps(part))) == expected
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(rows_of, [part] * 3).get(timeout=60) == [expected] * 3
    assert repr(part).startswith("<nnz.Table 130 x 2 (int64: int64, int8: int8): ")
    assert "<td>130 x 2</td>" in part._repr_html_()


def test_arrow_streams_have_the_values(pair):
    arrow = pytest.importorskip("pyarrow")
    t, frame = pair
    for part, expected in ((t, frame), (t[::-3, ["int8", "float64"]], frame[["int8", "float64"]][::-3]), (t[:0], frame[:0])):
        made = arrow.table(part)
        made.validate(full=True)
        assert made.schema.names == list(expected.columns)
        pandas.testing.assert_frame_equal(made.to_pandas(), expected.reset_index(drop=True))
    # Unread batches are released.
    reader = arrow.RecordBatchReader.from_stream(t)
    del reader
    capsule = t.__arrow_c_stream__()
    del capsule


def test_streams_are_read_in_batches(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": np.arange(3_000_000), "b": np.arange(3_000_000) * 0.5})
    nnz.write(frame, tmp_path / "t.dbdf")
    reader = arrow.RecordBatchReader.from_stream(nnz.open(tmp_path / "t.dbdf"))
    batches = [batch.num_rows for batch in reader]
    assert len(batches) > 2 and sum(batches) == 3_000_000
    pandas.testing.assert_frame_equal(arrow.table(nnz.open(tmp_path / "t.dbdf")).to_pandas(), frame)


def test_arrow_streams_are_written(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    frame = random_frame(1000)
    whole = arrow.Table.from_pandas(frame, preserve_index=False)
    # Batches with offsets.
    parts = arrow.Table.from_batches([batch for at in (0, 3, 500) for batch in whole[at : at + 333].to_batches()])
    for table in (whole, parts, whole[:0], whole[17:19]):
        done = nnz.write(table, tmp_path / "t.dbdf", force=True)
        assert done.shape == (table.num_rows, 10)
        pandas.testing.assert_frame_equal(nnz.open(tmp_path / "t.dbdf").to_pandas(), table.to_pandas())
    truth = arrow.table({"t": arrow.array([True, False, True] * 7)})
    nnz.write(truth[5:], tmp_path / "b.csv")
    expected = [str(int(one)) for one in ([True, False, True] * 7)[5:]]
    assert (tmp_path / "b.csv").read_text().split()[1:] == expected


@pytest.mark.parametrize(
    "values, text",
    [(["x"], "type"), ([1, None], "row 1 is missing"), ([[1.0]], "type"), ([b"x"], "type")],
)
def test_streams_with_other_than_numbers_are_refused(tmp_path, values, text):
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(nnz.UnsupportedError, match=text):
        nnz.write(arrow.table({"a": arrow.array(values)}), tmp_path / "t.dbdf")
    with pytest.raises(nnz.UnsupportedError, match="dictionary"):
        nnz.write(arrow.table({"a": arrow.array(["x"]).dictionary_encode()}), tmp_path / "t.dbdf")
    assert os.listdir(tmp_path) == []


def test_errors_of_streams_are_raised(tmp_path):
    arrow = pytest.importorskip("pyarrow")

    def batches():
        yield arrow.record_batch({"a": [1, 2]})
        raise RuntimeError("out of rows")

    schema = arrow.schema([("a", arrow.int64())])
    reader = arrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(nnz.Error, match="out of rows"):
        nnz.write(reader, tmp_path / "t.dbdf")
    assert os.listdir(tmp_path) == []
    capsule = arrow.table({"a": [1]}).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    nnz.write(Once(), tmp_path / "t.dbdf")
    with pytest.raises(nnz.ArgumentError, match="already been consumed"):
        nnz.write(Once(), tmp_path / "u.dbdf")


INTERRUPTED = """
import os, signal, sys, threading, itertools, pyarrow, nnz
schema = pyarrow.schema([("a", pyarrow.int64())])
batch = pyarrow.record_batch({"a": list(range(1000))}, schema=schema)
reader = pyarrow.RecordBatchReader.from_batches(schema, itertools.repeat(batch))
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    nnz.write(reader, sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c_stops_a_stream_and_leaves_no_files(tmp_path):
    pytest.importorskip("pyarrow")
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "t.dbdf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
    assert os.listdir(tmp_path) == []


def test_annotations_are_arrow_streams(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    for path in (PBMC, f"{FULL}::X"):
        m = nnz.open(path)
        for axis, frame in (("rows", m.rows), ("cols", m.cols)):
            found = m.annotations(axis)
            made = arrow.table(found)
            made.validate(full=True)
            assert made.column_names == [found.name_column, *frame.columns] and len(made) == len(found) == len(frame)
            assert made[found.name_column].to_pylist() == list(frame.index)
            for label in found.columns:
                column = frame[label]
                expected = [None if gone else value for value, gone in zip(column, column.isna())]
                values = [None if value != value else value for value in made[label].to_pylist()]
                assert values == expected, label
            pandas.testing.assert_frame_equal(found.to_pandas(), frame)
    ordered = pandas.DataFrame(
        {"score": [1.5, 2.5, 3.5], "kind": pandas.Categorical(["x", None, "y"], ["y", "x"], ordered=True)},
        index=["a", "b", "c"],
    )
    nnz.write(np.eye(3), tmp_path / "m.h5ad", cols=ordered, axis_kinds=("cells", "features"))
    found = nnz.open(tmp_path / "m.h5ad").annotations("features")
    made = arrow.table(found)
    assert made["kind"].type.ordered and made["kind"].to_pylist() == ["x", None, "y"]
    assert made["score"].to_pylist() == [1.5, 2.5, 3.5] and found.columns == ["score", "kind"]
    assert made[found.name_column].to_pylist() == ["a", "b", "c"]
    with pytest.raises(nnz.ArgumentError, match="axis"):
        nnz.open(PBMC).annotations("sideways")
