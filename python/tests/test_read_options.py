"""Options of reading: the format, and what only some formats have."""

import pickle

import numpy as np
import pytest

import nnz
from conftest import TESTDATA


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id;a;b\n10;1,5;NA\n20;;7\n")
    return path


TABLE = {"separator": "semicolon", "decimal": ",", "id_columns": 1}


def test_all_options_of_reading_are_typed():
    names = {option.replace("-", "_") for one in nnz.formats() for option in one.read_options}
    assert "id_columns" in names
    assert names | {"from_format"} == set(nnz.ReadOptions.__annotations__)
    # A function from file to file takes both.
    assert not names & set(nnz.WriteOptions.__annotations__)


def test_tables_are_opened_with_options(table):
    text = table.read_text()
    with pytest.raises(nnz.CorruptFileError, match=r"line 2, column \d+"):
        nnz.open(table, **TABLE).to_scipy()
    table.write_text(text.replace(";;", ";NA;"))
    found = nnz.open(table, na="NA", **TABLE)
    np.testing.assert_array_equal(found.to_numpy(), [[1.5, np.nan], [np.nan, 7]])
    assert list(found.row_names) == ["10", "20"]
    table.write_text(text.replace("NA", ""))
    np.testing.assert_array_equal(nnz.Matrix(table, na="", **TABLE).to_numpy(), found.to_numpy())


def test_options_are_kept_by_what_is_derived_and_pickled(tmp_path):
    path = tmp_path / "e.el"
    path.write_text("1 2\n2 3\n")
    found = nnz.open(path, base=1, undirected=True, shape=(4, 4))
    dense = np.zeros((4, 4))
    dense[[0, 1, 1, 2], [1, 0, 2, 1]] = 1
    for one in (found, pickle.loads(pickle.dumps(found)), pickle.loads(pickle.dumps(found.T))):
        np.testing.assert_array_equal(one.to_numpy(), dense)
    logarithms = pickle.loads(pickle.dumps(found.log1p()))
    np.testing.assert_allclose(logarithms.to_numpy(), np.log1p(dense))
    assert nnz.open(path, base=1, shape=4).shape == nnz.open(path, base=1, shape="4x4").shape == (4, 4)


def test_a_format_is_given(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("0 1\n1 2\n")
    with pytest.raises(nnz.UnsupportedError, match="header="):
        nnz.open(path)
    assert nnz.open(path, from_format="edges").shape == (3, 3)
    assert nnz.open(path, from_format="csv", separator="blanks", header=False, id_columns=0).shape == (2, 2)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"separators": ","}, "unknown option 'separators'|unknown option \"separators\""),
        ({"undirected": True}, "undirected does not apply to csv"),
        ({"header": "maybe"}, 'header "maybe": expected yes or no'),
        ({"id_columns": -1}, 'id_columns "-1"'),
        ({"from_format": "xlsx"}, 'unknown format "xlsx"'),
        ({"from_format": 3}, "from_format 3: expected a string"),
    ],
)
def test_wrong_options_are_named(tmp_path, options, text):
    path = tmp_path / "x.csv"
    path.write_text("id,a\nr,1\n")
    for read in (nnz.open, nnz.Matrix, nnz.stats, nnz.validate):
        with pytest.raises(nnz.ArgumentError, match=text):
            read(path, **options)
    with pytest.raises(nnz.ArgumentError, match=text):
        nnz.convert(path, tmp_path / "x.mtx", **options)
    assert not (tmp_path / "x.mtx").exists()


@pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")
def test_functions_from_file_to_file_take_them(table, tmp_path):
    table.write_text("id;a;b\n10;1,5;0\n20;0;7\n30;2;0\n")
    expected = np.array([[1.5, 0], [0, 7], [2, 0]])
    made = tmp_path / "made.npz"

    def check(cells):
        np.testing.assert_array_equal(nnz.open(made).to_numpy(), cells)

    nnz.convert(table, made, force=True, **TABLE)
    check(expected)
    nnz.transpose(table, made, force=True, **TABLE)
    check(expected.T)
    nnz.slice(table, made, rows=[0, 2], force=True, **TABLE)
    check(expected[[0, 2]])
    nnz.filter(table, made, rows="nnz>=1", cols="sum>5", force=True, **TABLE)
    check(expected[:, 1:])
    nnz.sample(table, made, rows=3, force=True, **TABLE)
    check(expected)
    nnz.concat([table, table], made, "rows", ignore_names=True, force=True, **TABLE)
    check(np.vstack([expected, expected]))
    assert nnz.validate(table, **TABLE) == []
    assert nnz.stats(table, **TABLE)["sum"] == 10.5
    assert nnz.diff(table, table, **TABLE) == []


def test_a_report_reads_the_file_with_the_same_options(table):
    table.write_text(table.read_text().replace(";;", ";NA;"))
    page = nnz.open(table, na="NA", **TABLE).report().html
    assert "<strong>Valid:</strong>" in page and "x.csv --decimal" in page


def test_a_table_of_daphne_is_read_as_a_matrix_if_told_so(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3,NA\n")
    nnz.convert(path, tmp_path / "x.dbdf", from_format="csv", header=False, id_columns=0, na="NA")
    found = nnz.open(tmp_path / "x.dbdf")
    assert isinstance(found, nnz.Matrix)
    np.testing.assert_array_equal(found.to_numpy(), [[1, 2], [3, np.nan]])


def test_options_of_reading_do_not_apply_to_what_is_open(tmp_path):
    with pytest.raises(nnz.ArgumentError, match="id_columns only applies to reading a file"):
        nnz.write(np.eye(2), tmp_path / "m.mtx", id_columns=1)


def test_elements_are_left_out(tmp_path):
    path = TESTDATA / "reports" / "columns-lost-silently" / "short.h5ad"
    with pytest.raises(nnz.CorruptFileError, match="drop.*obs/w"):
        _ = nnz.open(path).rows
    found = nnz.open(path, drop="obs/w")
    assert list(found.rows.columns) == list(pickle.loads(pickle.dumps(found)).rows.columns) == ["k"]
    assert nnz.convert(path, tmp_path / "o.h5ad", drop=["obs/w"]).dropped == []
    assert nnz.diff(path, tmp_path / "o.h5ad", drop=("obs/w",)) == []
    with pytest.raises(nnz.ArgumentError, match="no such element or column"):
        nnz.open(path, drop=["obs/w", "uns/none"])


def test_columns_that_are_not_supported_are_listed(tmp_path):
    path = TESTDATA / "reports" / "columns-lost-silently" / "kinds.h5ad"
    for source in (path, f"{path}::X"):
        dropped = nnz.convert(source, tmp_path / "o.h5ad", strict=False, force=True).dropped
        assert "obs column compound (compound of a, b)" in dropped
