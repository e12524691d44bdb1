"""Errors have a common base class and a place."""

import errno
import os
import pickle
import sys

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
    path = tmp_path / "notes"
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


def test_the_hint_of_an_unknown_extension_lists_formats_of_whole_files(tmp_path):
    for name in ("q.foo", "q"):
        with pytest.raises(nnz.ArgumentError, match="file extension; `to=` selects the format: .*mudata, anndata"):
            nnz.convert(FULL, tmp_path / name)


def test_memory_is_limited():
    with pytest.raises(MemoryError) as raised:
        nnz.open(PBMC, memory=1000).to_scipy()
    assert isinstance(raised.value, nnz.MemoryLimitError)


def test_a_selection_has_the_path_of_its_file(tmp_path):
    path = tmp_path / "m.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n1 1 4\n")
    with pytest.raises(nnz.DuplicateError) as raised:
        nnz.convert(nnz.open(path)[:1], tmp_path / "m.npz")
    assert raised.value.path == str(path)
    assert str(raised.value).startswith(f"the selection from {path}: ")


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


def test_errors_of_the_system_have_its_numbers_and_texts(tmp_path):
    nnz.write(np.eye(2), tmp_path / "m.mtx")
    calls = [
        (lambda: nnz.write(np.eye(2), tmp_path / "m.mtx"), FileExistsError, errno.EEXIST),
        (lambda: nnz.open(tmp_path / "none"), FileNotFoundError, errno.ENOENT),
        (lambda: nnz.write(np.eye(2), tmp_path / "none" / "m.mtx"), FileNotFoundError, errno.ENOENT),
        (lambda: nnz.write(np.eye(2), tmp_path / "m.mtx" / "m.mtx"), OSError, errno.ENOTDIR),
    ]
    for call, kind, number in calls:
        with pytest.raises(kind) as raised:
            call()
        assert (raised.value.errno, raised.value.strerror) == (number, os.strerror(number))
        other = pickle.loads(pickle.dumps(raised.value))
        assert (other.errno, other.strerror) == (number, os.strerror(number))


def test_an_empty_path_is_named(tmp_path):
    for call in (nnz.open, nnz.stats, lambda path: nnz.convert(path, tmp_path / "m.mtx")):
        with pytest.raises(FileNotFoundError, match="^the path is empty: no such file or directory$"):
            call("")


def test_a_group_that_is_not_there_lists_those_that_are(tmp_path):
    for call in (nnz.open, nnz.Matrix):
        with pytest.raises(nnz.FormatError, match=r"full_csr.h5ad::nope: no such group; the file has X, .*layers/counts") as raised:
            call(f"{FULL}::nope")
        assert str(raised.value).count("layers/counts") == 1
        assert raised.value.path == f"{FULL}::nope"
    for call in (nnz.stats, lambda path: nnz.convert(path, tmp_path / "m.mtx")):
        with pytest.raises(nnz.FormatError, match="nope"):
            call(f"{FULL}::nope")


def test_functions_of_numpy_reduce(store):
    path, matrix = store
    m, dense = nnz.open(path), matrix.toarray()
    for function in (np.sum, np.mean, np.var, np.std, np.min, np.max, np.amin, np.amax):
        for axis in (None, 0, 1):
            np.testing.assert_allclose(function(m, axis=axis), function(dense, axis=axis))
    for call in (lambda: np.sum(m, out=np.zeros(())), lambda: m.mean(dtype="float32"), lambda: m.max(out=np.zeros(()))):
        with pytest.raises(nnz.ArgumentError, match="out|dtype"):
            call()
    for ddof in (None, "1", 0.5):
        with pytest.raises(nnz.ArgumentError, match="ddof"):
            m.var(ddof=ddof)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_paths_that_are_not_utf8_are_kept(tmp_path):
    path = os.path.join(tmp_path, os.fsdecode(b"n\xff\xfe.mtx"))
    with pytest.raises(FileNotFoundError) as raised:
        nnz.open(path)
    assert raised.value.path == raised.value.filename == path
    nnz.write(np.eye(2), path)
    m = nnz.open(path)
    assert m.path == path and os.path.exists(m.path)
    assert b"\\xff" in m._repr_html_().encode() or b"\\udcff" in m._repr_html_().encode()


def test_read_anndata_names_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    for path in (PBMC, FULL):
        with pytest.raises(ImportError, match="^read_anndata requires anndata"):
            nnz.read_anndata(path)


def test_fill_values_have_a_way_out(tmp_path):
    path = tmp_path / "t.bsp.h5"
    sparse = pytest.importorskip("sparse")
    nnz.write(sparse.COO.from_numpy(np.array([[3, 1], [3, 3]]), fill_value=3), path)
    m = nnz.Matrix(path)
    for call in (m.to_numpy, m.to_scipy, lambda: m[0]):
        with pytest.raises(nnz.UnsupportedError, match="the fill value is 3.*nnz.convert writes all elements to .npy"):
            call()
    nnz.convert(path, tmp_path / "t.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), [[3, 1], [3, 3]])


def test_files_are_shown_in_notebooks():
    html = nnz.File(FULL)._repr_html_()
    assert html.startswith("<table><caption>nnz.File</caption>") and "layers/counts" in html and "11 x 7" in html
