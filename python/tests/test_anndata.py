"""AnnData whose matrices stay on disk."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse

import nnz
from conftest import FULL, PBMC, TESTDATA, random_matrix, read_or_skip, same

anndata = pytest.importorskip("anndata")
pytest.importorskip("dask.array")
pandas = pytest.importorskip("pandas")

VALID = TESTDATA / "anndata" / "valid"
TENX = TESTDATA / "tenx" / "h5"
FILES = sorted(path for kind in ("h5ad", "zarr*") for path in VALID.glob(f"*/{kind}/*") if path.suffix in (".h5ad", ".zarr"))


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def plain(matrix):
    """Return a matrix in types that SciPy computes with, not a view."""
    if sparse.issparse(matrix):
        indptr, indices = (part.astype(np.int64) for part in (matrix.indptr, matrix.indices))
        made = sparse.csr_matrix if matrix.format == "csr" else sparse.csc_matrix
        return made((matrix.data, indices, indptr), matrix.shape)
    if matrix is None:
        return None
    # Half floats are read as floats.
    return np.array(matrix, np.float32 if matrix.dtype == np.float16 else matrix.dtype)


def equal(found, expected):
    """Assert that two AnnData objects are equal, including types."""
    from anndata.tests.helpers import assert_equal

    for adata in (found, expected):
        if adata.X is not None:
            adata.X = plain(adata.X)
        for name in adata.layers:
            adata.layers[name] = plain(adata.layers[name])
    # NaN is not equal to itself in exact comparisons.
    assert_equal(found, expected)
    for one, other in [(found.X, expected.X), *((found.layers[key], expected.layers[key]) for key in expected.layers)]:
        assert type(one) is type(other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)
        if sparse.issparse(one):
            assert one.format == other.format
            same(sparse.csr_array(one), sparse.csr_array(other))
        elif one is not None and hasattr(one, "dtype"):
            np.testing.assert_array_equal(one, other)


def read(path):
    """Read a file with anndata."""
    return anndata.read_h5ad(path) if path.suffix == ".h5ad" else anndata.read_zarr(path)


def assert_lock_is_free(h5py):
    """Assert that another thread can use h5py while errors of this one are kept."""
    free = threading.Thread(target=lambda: h5py.File.in_memory().close(), daemon=True)
    free.start()
    free.join(timeout=60)
    assert not free.is_alive()


@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.parts[-3:]))
def test_golden_files_match_anndata(path):
    expected = read_or_skip(read, path)
    try:
        found = nnz.read_anndata(path, nbytes=100)
    except nnz.UnsupportedError as error:
        # For example, with a compression that nnz refuses.
        pytest.skip(str(error))
    equal(found.to_memory(), expected)
    equal(nnz.read_anndata(path, backed=False), expected)


def test_most_golden_files_are_read():
    found = 0
    for path in FILES:
        try:
            nnz.read_anndata(path)
            found += 1
        except Exception as error:
            print(path, error)
    assert found > 0.9 * len(FILES) > 0


def test_matrices_are_read_when_they_are_computed():
    import dask.array

    adata = nnz.read_anndata(FULL, nbytes=60)
    assert isinstance(adata.X, dask.array.Array) and isinstance(adata.layers["scaled"], dask.array.Array)
    assert isinstance(adata.raw.X, dask.array.Array)
    assert adata.X.numblocks[0] > 1 and adata.X.numblocks[1] == 1
    # This layer is stored by column.
    assert adata.layers["counts"].numblocks[0] == 1
    assert sparse.isspmatrix_csc(adata.layers["counts"].compute())
    whole = anndata.read_h5ad(FULL)
    some = adata[[3, 1, 7], ["g1" if "g1" in adata.var_names else adata.var_names[1]]].to_memory()
    other = whole[[3, 1, 7], list(some.var_names)].to_memory()
    equal(some, other)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("suffix", [".h5ad", ".zarr"])
def test_random_matrices(tmp_path, suffix, dtype):
    if suffix == ".zarr":
        pytest.importorskip("zarr")
    rng = np.random.default_rng(1)
    for shape in [(50, 20), (1, 5), (0, 4), (6, 0)]:
        x = sparse.csr_matrix(rng.integers(0, 3, shape).astype(dtype))
        adata = anndata.AnnData(x, layers={"by_col": x.tocsc(), "dense": x.toarray()})
        path = tmp_path / f"{shape[0]}{suffix}"
        adata.write_h5ad(path) if suffix == ".h5ad" else adata.write_zarr(path)
        for nbytes in (1, 200, 1 << 26):
            equal(nnz.read_anndata(path, nbytes=nbytes).to_memory(), read(path))


def test_a_matrix_of_another_format_has_cells_as_obs(tmp_path):
    adata = nnz.read_anndata(PBMC, nbytes=10_000)
    assert adata.shape == (1107, 507) and adata.X.numblocks[0] > 1
    assert list(adata.var.columns) == ["gene_ids", "feature_types"]
    expected = nnz.open(PBMC).to_anndata()
    equal(adata.to_memory(), expected)
    # The same as a file that is written.
    nnz.convert(PBMC, tmp_path / "pbmc.h5ad")
    equal(adata.to_memory(), read(tmp_path / "pbmc.h5ad"))
    matrix = random_matrix(dtype=np.uint32)
    nnz.write(matrix, tmp_path / "m.mtx")
    adata = nnz.read_anndata(tmp_path / "m.mtx", nbytes=100)
    same(sparse.csr_array(adata.X.compute()), matrix.astype(adata.X.dtype))


def test_names_and_type_of_a_10x_matrix_are_chosen(tmp_path):
    ids = nnz.open(PBMC).row_names.tolist()
    for backed in (True, False):
        adata = nnz.read_anndata(PBMC, backed=backed, var_names="gene_ids", dtype="int64")
        assert adata.var_names.tolist() == ids and "gene_symbols" in adata.var and adata.X.dtype == np.int64
        adata = nnz.read_anndata(PBMC, backed=backed)
        assert adata.var["gene_ids"].tolist() == ids and adata.X.dtype == np.float32
    with pytest.raises(nnz.ArgumentError, match="expected 'gene_symbols' or 'gene_ids'"):
        nnz.read_anndata(PBMC, var_names="symbol")
    with pytest.raises(nnz.ArgumentError, match="dtype only applies to 10x"):
        nnz.read_anndata(FULL, dtype="int64")
    # An integer that float32 does not have.
    large = sparse.csc_array(([1 << 24, (1 << 24) + 1], ([0, 1], [0, 1])), shape=(2, 2))
    nnz.write(large, tmp_path / "large.h5", to="10x", row_names=["a", "b"], col_names=["c", "d"])
    for backed in (True, False):
        with pytest.raises(nnz.CastError, match="16777217 cannot be stored exactly as float32"):
            nnz.read_anndata(tmp_path / "large.h5", backed=backed).to_memory()
    assert nnz.read_anndata(tmp_path / "large.h5", backed=False, dtype="int32").X.max() == (1 << 24) + 1
    with pytest.raises(nnz.CastError, match="type"):
        nnz.convert(tmp_path / "large.h5", tmp_path / "large.h5ad")
    nnz.convert(tmp_path / "large.h5", tmp_path / "large.h5ad", type="uint32")
    assert nnz.open(tmp_path / "large.h5ad").dtype == np.uint32


def test_a_10x_matrix_of_two_types_of_features_is_split_by_mudata():
    mudata = pytest.importorskip("mudata")
    adata = nnz.read_anndata(TENX / "cr3_feature_barcode.h5", backed=False)
    made = mudata.MuData(adata)
    assert len(made.mod) == adata.var["feature_types"].nunique() > 1


def test_arrays_pickle_and_are_computed_in_processes():
    import dask

    adata = nnz.read_anndata(FULL, nbytes=60)
    expected = anndata.read_h5ad(FULL).X
    found = pickle.loads(pickle.dumps(adata.X))
    same(sparse.csr_array(found.compute(scheduler="synchronous")), sparse.csr_array(expected))
    with dask.config.set(scheduler="processes", num_workers=2):
        same(sparse.csr_array(adata.X.compute()), sparse.csr_array(expected))


def test_a_file_that_was_replaced_has_other_chunks(tmp_path):
    path = tmp_path / "m.h5ad"
    names = []
    for value in (1, 2):
        anndata.AnnData(sparse.csr_matrix(np.full((3, 2), value, np.float32))).write_h5ad(path)
        os.utime(path, ns=(value, value))
        names.append(nnz.read_anndata(path).X.name)
    assert names[0] != names[1]
    assert nnz.read_anndata(path).X.name == names[1]


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        nnz.read_anndata(tmp_path / "missing.h5ad")
    (tmp_path / "text.h5ad").write_text("nothing")
    with pytest.raises(nnz.Error):
        nnz.read_anndata(tmp_path / "text.h5ad")
    with pytest.raises(ValueError):
        nnz.read_anndata(FULL, nbytes=0)
    with pytest.raises(nnz.Error):
        nnz.read_anndata(f"{FULL}::no/such")


def test_chunks_have_the_requested_bytes(tmp_path):
    matrix = sparse.csr_matrix(random_matrix((2000, 300), 0.1, np.float32))
    anndata.AnnData(matrix).write_h5ad(tmp_path / "m.h5ad")
    adata = nnz.read_anndata(tmp_path / "m.h5ad", nbytes=50_000)
    for block in adata.X.blocks:
        chunk = block.compute()
        assert 10_000 < chunk.data.nbytes + chunk.indices.nbytes < 80_000


def test_lazy_matrices_are_written(tmp_path):
    adata = nnz.read_anndata(FULL, nbytes=60)
    expected = sparse.csr_array(anndata.read_h5ad(FULL).X)
    nnz.write(adata, tmp_path / "m.mtx", to="matrix-market")
    found = nnz.open(tmp_path / "m.mtx").to_scipy("row")
    np.testing.assert_array_equal(found.toarray(), expected.toarray().T if found.shape != expected.shape else expected.toarray())
    nnz.write(adata.X, tmp_path / "x.bsp.h5")
    same(nnz.open(tmp_path / "x.bsp.h5").to_scipy("row"), expected)
    nnz.write(adata, tmp_path / "m.h5ad")
    equal(nnz.read_anndata(tmp_path / "m.h5ad").to_memory(), anndata.read_h5ad(FULL))


@pytest.mark.parametrize("target", ["copy.h5ad", "copy.zarr"])
def test_backed_objects_stay_those_of_their_file(tmp_path, target):
    file = tmp_path / "study.h5ad"
    anndata.AnnData(sparse.random_array((5, 4), density=0.5, format="csr", rng=0)).write_h5ad(file)
    backed = anndata.read_h5ad(file, backed="r+")
    nnz.write(backed, tmp_path / target)
    assert os.fspath(backed.filename) == os.fspath(file)
    backed.file.close()
    assert backed.X[:2].shape == (2, 4)
    same(nnz.open(f"{tmp_path / target}::X").to_scipy(), anndata.read_h5ad(file).X)


@pytest.mark.parametrize("backed", [True, False])
def test_damaged_files_are_errors_of_this_package(backed):
    for path in sorted((TESTDATA / "anndata" / "malformed").iterdir()):
        try:
            found = nnz.read_anndata(path, backed=backed)
            if backed:
                found.to_memory()
        except nnz.Error as error:
            assert error.path


def test_categories_are_distinct(tmp_path):
    h5py = pytest.importorskip("h5py")
    obs = pandas.DataFrame({"c": pandas.Categorical(["a", "b"])}, index=["x", "y"])
    anndata.AnnData(np.eye(2), obs=obs).write_h5ad(tmp_path / "d.h5ad")
    with h5py.File(tmp_path / "d.h5ad", "a") as file:
        file["obs/c/categories"][1] = "a"
    with pytest.raises(nnz.CorruptFileError, match='the category "a" again'):
        _ = nnz.open(tmp_path / "d.h5ad::X").rows
    assert nnz.validate(tmp_path / "d.h5ad")
    rows = pandas.DataFrame({"c": pandas.Categorical([1, "1"], categories=[1, "1"])})
    with pytest.warns(nnz.DroppedWarning, match="column 'c'"):
        nnz.write(np.eye(2), tmp_path / "e.h5ad", rows=rows)
    assert anndata.read_h5ad(tmp_path / "e.h5ad").obs.empty


def damaged_copies(path, change):
    """Write one file of HDF5 and one of Zarr, and change an array of each."""
    h5py, zarr = (pytest.importorskip(name) for name in ("h5py", "zarr"))
    diagonal = sparse.csr_matrix(2 * np.eye(3))
    adata = anndata.AnnData(
        np.eye(3), obsm={"m": diagonal}, varm={"m": diagonal}, obsp={"m": diagonal}, varp={"m": diagonal}, uns={"a": {"m": diagonal}}
    )
    adata.write_h5ad(path / "d.h5ad")
    adata.write_zarr(path / "d.zarr")
    with h5py.File(path / "d.h5ad", "a") as file:
        change(file)
    change(zarr.open_group(path / "d.zarr", mode="a"))
    return path / "d.h5ad", path / "d.zarr"


@pytest.mark.parametrize("place", ["obsm/m", "varm/m", "obsp/m", "varp/m", "uns/a/m"])
def test_damaged_sparse_matrices_are_errors_in_every_element(tmp_path, place):
    def damage(store):
        store[f"{place}/indptr"][:] = [0, 2, 1, 3]

    for path in damaged_copies(tmp_path, damage):
        with pytest.raises(nnz.CorruptFileError) as error:
            nnz.read_anndata(path)
        assert error.value.path == f"{path}::{place}"


def test_sparse_matrices_of_every_element_equal_those_of_anndata(tmp_path):
    for path in damaged_copies(tmp_path, lambda store: None):
        found, expected = nnz.read_anndata(path), read(path)
        equal(found.to_memory(), expected)
        for one, other in ((found.obsp["m"], expected.obsp["m"]), (found.uns["a"]["m"], expected.uns["a"]["m"])):
            assert type(one) is type(other) and one.dtype == other.dtype


def test_damaged_matrices_are_not_read_by_anndata():
    for path in sorted((TESTDATA / "anndata" / "malformed").iterdir()):
        try:
            checked = nnz.open(f"{path}::X").to_numpy()
        except nnz.Error:
            for backed in (True, False):
                with pytest.raises(nnz.Error) as error:
                    nnz.read_anndata(path, backed=backed).to_memory()
                assert error.value.path
        else:
            try:
                found = nnz.read_anndata(path).to_memory().X
            except nnz.Error as error:
                assert error.path
            else:
                np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, checked)


def test_matrices_behind_external_links_are_errors(tmp_path):
    h5py = pytest.importorskip("h5py")
    path, _ = damaged_copies(tmp_path, lambda store: None)
    other = tmp_path / "other.h5ad"
    anndata.AnnData(np.eye(3), obsp={"m": sparse.csr_matrix(5 * np.eye(3))}).write_h5ad(other)
    with h5py.File(path, "a") as file:
        del file["uns/a/m"]
        file["uns/a/m"] = h5py.ExternalLink(other, "obsp/m")
    with pytest.raises(nnz.UnsupportedError, match="external link"):
        nnz.read_anndata(path)


def test_writing_does_not_change_the_object(tmp_path):
    frame = pandas.DataFrame({"text": ["a", "b", "a"], "number": [1, 2, 3]}, index=["x", "y", "z"])
    adata = anndata.AnnData(np.eye(3), obs=frame, var=frame.copy())
    adata.raw = adata.copy()
    obs, view = adata.obs, adata[:2]
    nnz.write(adata, tmp_path / "a.h5ad")
    nnz.write(view, tmp_path / "v.h5ad")
    assert adata.obs is obs and view.is_view
    for after in (adata.obs, adata.var, adata.raw.var):
        pandas.testing.assert_frame_equal(after, frame)
    # The file has categories, as anndata writes it.
    assert anndata.read_h5ad(tmp_path / "a.h5ad").obs["text"].dtype == "category"


def test_targets_and_options_are_checked_before_an_object_is_written(tmp_path, monkeypatch):
    adata = anndata.AnnData(np.eye(3))
    nnz.write(adata, tmp_path / "a.h5ad")

    def write_h5ad(*_, **__):
        raise AssertionError("it is written")

    monkeypatch.setattr(anndata.AnnData, "write_h5ad", write_h5ad)
    with pytest.raises(nnz.ExistsError):
        nnz.write(adata, tmp_path / "a.h5ad")
    with pytest.raises(nnz.ArgumentError):
        nnz.write(adata, tmp_path / "b.h5ad", unknown=1)
    with pytest.raises(nnz.StorageError) as error:
        nnz.write(adata, tmp_path / "no" / "such" / "b.h5ad")
    assert error.value.path
    with pytest.raises(AssertionError):
        nnz.write(adata, tmp_path / "a.h5ad", force=True)


def test_errors_of_the_system_have_the_path_of_the_target(tmp_path, monkeypatch):
    def write_h5ad(self, path):
        (tmp_path / "seen").write_text(os.fspath(path))
        raise OSError("Can't write data (file write failed: errno = 28, error message = 'No space left on device')")

    monkeypatch.setattr(anndata.AnnData, "write_h5ad", write_h5ad)
    with pytest.raises(nnz.StorageError) as error:
        nnz.write(anndata.AnnData(np.eye(3)), tmp_path / "a.h5ad")
    assert error.value.path == str(tmp_path / "a.h5ad") and error.value.errno == 28
    assert str(error.value) == f"{tmp_path / 'a.h5ad'}: No space left on device"
    assert [path.name for path in tmp_path.iterdir()] == ["seen"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_that_end_the_process_leave_nothing(tmp_path, name):
    code = """
        import sys, time, anndata, numpy, nnz
        def write_h5ad(self, path):
            open(path, "w").close()
            for _ in range(1000):
                time.sleep(0.05)
        anndata.AnnData.write_h5ad = write_h5ad
        nnz.write(anndata.AnnData(numpy.eye(3)), sys.argv[1])
    """
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), tmp_path / "a.h5ad"])
    while process.poll() is None and not list(tmp_path.glob(".nnz-*/whole.h5ad")):
        time.sleep(0.02)
    process.send_signal(getattr(signal, name))
    assert process.wait(30) == -getattr(signal, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("indptr", [[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 2, 2], [0, 1, 3]], ids=str)
def test_damaged_matrices_of_old_files_are_errors(tmp_path, indptr):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "old.h5ad"
    shutil.copyfile(VALID / "0.6.22" / "h5ad" / "full_csr.h5ad", path)
    with h5py.File(path, "a") as file:
        group = file.create_group("uns/neighbors_of_test/g")
        group.attrs.update(h5sparse_format=b"csr", h5sparse_shape=np.array([3, 3]))
        group.update(indptr=np.array(indptr), indices=np.array([0, 1, 2]), data=np.ones(3))
    if indptr == [0, 1, 2, 3]:
        assert nnz.read_anndata(path).uns["neighbors_of_test"]["g"].nnz == 3
        return
    with pytest.raises(nnz.CorruptFileError) as error:
        nnz.read_anndata(path)
    assert error.value.path == f"{path}::uns/neighbors_of_test/g"


@pytest.mark.parametrize("parts", [
    {"indptr": [0, 1, 2, 3], "indices": [0, 1, 3], "data": [1.0, 1, 1]},
    {"indptr": [0, 1, 2, 3], "indices": [0, 1, -1], "data": [1.0, 1, 1]},
    {"indptr": [0, 1, 2, 3], "indices": [0, 1, 2], "data": [1.0, 1, 1, 1]},
    {"indptr": [0.0, 1, 2, 3], "indices": [0, 1, 2], "data": [1.0, 1, 1]},
    {"indptr": [[0, 1, 2, 3]], "indices": [0, 1, 2], "data": [1.0, 1, 1]},
    {"indptr": [0, 1, 2, 3], "indices": [0, 1, 2**63], "data": [1.0, 1, 1]},
    {"indptr": [0, 1, 2, 3], "data": [1.0, 1, 1]},
    {"indptr": [], "indices": [], "data": []},
], ids=str)
def test_damaged_arrays_of_uns_are_errors(tmp_path, parts):
    h5py = pytest.importorskip("h5py")
    anndata.AnnData(np.eye(3), uns={"m": sparse.csr_matrix(np.eye(3))}).write_h5ad(tmp_path / "m.h5ad")
    with h5py.File(tmp_path / "m.h5ad", "a") as file:
        for name in ("indptr", "indices", "data"):
            del file["uns/m"][name]
        for name, values in parts.items():
            file["uns/m"][name] = np.array(values)
    with pytest.raises(nnz.CorruptFileError) as error:
        nnz.read_anndata(tmp_path / "m.h5ad")
    assert error.value.path == f"{tmp_path / 'm.h5ad'}::uns/m"
    assert_lock_is_free(h5py)
