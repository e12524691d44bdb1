"""Errors have a common base class and a place."""

import os
import pickle

import numpy as np
import pytest
from conftest import FULL, PBMC, TESTDATA

import nnz


def test_a_missing_file_is_file_not_found(tmp_path):
    path = tmp_path / "none.h5ad"
    for call in (nnz.open, nnz.File, nnz.validate, nnz.stats, lambda path: nnz.convert(path, tmp_path / "m.mtx")):
        with pytest.raises(FileNotFoundError) as raised:
            call(path)
        error = raised.value
        assert isinstance(error, nnz.MissingFileError)
        assert str(error) == f"{path}: no such file or directory"
        assert error.path == error.filename == str(path)
        assert error.errno == 2


def test_unrecognized_files_are_format_errors(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello\n")
    with pytest.raises(nnz.FormatError) as raised:
        nnz.open(path)
    assert isinstance(raised.value, ValueError)
    assert raised.value.path == str(path)


def test_broken_files_are_reported_with_their_place(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n3 1 4\n")
    with pytest.raises(nnz.CorruptFileError) as raised:
        nnz.open(path).to_scipy()
    error = raised.value
    assert (error.path, error.array) == (str(path), None)
    assert error.position[:2] == ("line", 4)
    assert str(error).startswith(f"{path}: line 4")


def test_values_that_do_not_fit_are_reported(tmp_path):
    with pytest.raises(nnz.CastError) as raised:
        nnz.write(np.array([[1.5]]), tmp_path / "m.mtx", type="uint8")
    assert "1.5 cannot be stored exactly as uint8; float64 can store it" in str(raised.value)
    assert os.listdir(tmp_path) == []


def test_duplicates_are_reported(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n1 1 4\n")
    with pytest.raises(nnz.DuplicateError):
        nnz.open(path).to_scipy()
    assert nnz.open(path).to_scipy(duplicates="sum")[0, 0] == 7


def test_other_data_is_unsupported():
    with pytest.raises(nnz.UnsupportedError, match="fragments.*`nnz.Fragments` works with"):
        nnz.transpose(TESTDATA / "bpcells" / "fragments_dir" / "basic.packed", "t.mtx")


def test_hints_have_names_of_python(tmp_path):
    with pytest.raises(nnz.ArgumentError, match="`to=` selects the format"):
        nnz.write(np.eye(2), tmp_path / "m.xyz")


def test_memory_is_limited():
    with pytest.raises(MemoryError) as raised:
        nnz.open(PBMC, memory=1000).to_scipy()
    assert isinstance(raised.value, nnz.MemoryLimitError)


def test_access_is_denied(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = tmp_path / "m.mtx"
    path.write_text("")
    path.chmod(0)
    with pytest.raises(PermissionError):
        nnz.open(path)


def test_errors_can_be_pickled(tmp_path):
    for call in (lambda: nnz.open(tmp_path / "none"), lambda: nnz.open(FULL)["none"], lambda: nnz.open(__file__)):
        with pytest.raises(Exception) as raised:
            call()
        error = raised.value
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is type(error) and str(other) == str(error)
        assert getattr(other, "path", None) == getattr(error, "path", None)
        assert getattr(other, "errno", None) == getattr(error, "errno", None)


def test_broken_files_raise_errors_of_the_package():
    broken = [path for path in sorted((TESTDATA / "anndata" / "malformed").glob("*.h5ad"))]
    broken += sorted((TESTDATA / "daphne").glob("bad_*.dbdf"))
    assert len(broken) > 50
    for path in broken:
        try:
            found = nnz.open(path)
            for m in found.values() if isinstance(found, nnz.File) else [found]:
                m.to_scipy()
                m.row_names, m.col_names
        except nnz.Error as error:
            assert str(error) and error.path, path
