"""Arrays of dask, which processes compute and write as one does."""

import contextlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import PBMC, random_matrix, same
from object_server import ObjectServer

import nnz

dask = pytest.importorskip("dask")
array = pytest.importorskip("dask.array")
pandas = pytest.importorskip("pandas")


@pytest.fixture(params=["m.bpcells", "m.h5ad", "m.npz"])
def pair(request, tmp_path):
    """A matrix, and the same in SciPy."""
    matrix = random_matrix((60, 50), 0.2, np.uint32, order="col" if request.param == "m.bpcells" else "row")
    nnz.write(matrix, tmp_path / request.param)
    return nnz.open(tmp_path / request.param), matrix


@pytest.mark.parametrize("nbytes", [1, 1000, None])
def test_chunks_and_types_are_known(pair, nbytes):
    m, matrix = pair
    lazy = m.to_dask(nbytes=nbytes)
    assert (lazy.shape, lazy.dtype) == (matrix.shape, matrix.dtype)
    parts = m.partitions(nbytes=nbytes)
    assert lazy.chunks[0 if m.order == "row" else 1] == tuple(part.stop - part.start for part in parts)
    assert lazy.numblocks[1 if m.order == "row" else 0] == 1
    kind = sparse.csr_array if m.order == "row" else sparse.csc_array
    assert all(isinstance(one, kind) for one in (lazy._meta, lazy.compute(), lazy.blocks[0, 0].compute()))
    same(lazy.compute(), matrix)
    assert type(m.to_dask(matrix=True).compute()) is (sparse.csr_matrix if m.order == "row" else sparse.csc_matrix)


def test_slices_and_functions_of_chunks(pair):
    m, matrix = pair
    lazy = m.to_dask(nbytes=500)
    same(sparse.csr_array(lazy[5:33, 7:].compute()), matrix[5:33, 7:].tocsr())
    same(sparse.csr_array(lazy[:, [3, 40]].compute()), matrix[:, [3, 40]].tocsr())
    same(sparse.csr_array(lazy[[3, 40]].compute()), matrix.tocsr()[[3, 40]])
    same(sparse.csr_array((lazy * 2).compute()), (matrix * 2).tocsr())
    same(sparse.csr_array(lazy.T.compute()), matrix.T.tocsr())


def test_sums_and_products_are_those_of_numpy(pair):
    m, matrix = pair
    lazy, dense = m.to_dask(nbytes=500), matrix.toarray()
    for axis in (None, 0, 1, (0, 1), -1):
        np.testing.assert_allclose(lazy.sum(axis=axis).compute(), dense.sum(axis=axis))
        np.testing.assert_allclose(lazy.sum(axis=axis, keepdims=True).compute(), dense.sum(axis=axis, keepdims=True))
    right, left = np.random.default_rng(0).random((dense.shape[1], 3)), np.arange(dense.shape[0])
    np.testing.assert_allclose((lazy @ right).compute(), dense @ right)
    np.testing.assert_allclose((lazy @ right[:, 0]).compute(), dense @ right[:, 0])
    np.testing.assert_allclose((left @ lazy).compute(), left @ dense)
    np.testing.assert_allclose((lazy.T @ left).compute(), dense.T @ left)
    np.testing.assert_allclose((lazy[5:33] * 2).sum(axis=0).compute(), dense[5:33].sum(axis=0) * 2)


def test_integers_select_one_row_or_column(pair):
    m, matrix = pair
    lazy, dense = m.to_dask(nbytes=500), matrix.toarray()
    for key in (2, -1, (slice(None), 3), (slice(2, 9), 3), (4, 5)):
        found = lazy[key]
        assert found.shape == dense[key].shape
        np.testing.assert_array_equal(np.asarray(found.compute()), dense[key])
    assert lazy[2].sum().compute() == dense[2].sum()


def test_chunks_take_part_in_functions_of_numpy(pair):
    m, matrix = pair
    block, dense = m.to_dask().blocks[0, 0].compute(), matrix.toarray()[: m.shape[0], : m.shape[1]]
    dense = dense[: block.shape[0], : block.shape[1]]
    for found, expected in [
        (np.multiply(block, dense), dense * dense),
        (np.add(block, dense), dense + dense),
        (dense - block, dense - dense),
        (block * np.float64(2), dense * 2),
        (np.float64(2) * block, dense * 2),
        (abs(block), abs(dense)),
        (block.T, dense.T),
    ]:
        found = found.toarray() if sparse.issparse(found) else np.asarray(found)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 0)])
def test_empty_matrices(tmp_path, shape):
    nnz.write(sparse.csr_array(shape, dtype=np.float32), tmp_path / "m.npz")
    lazy = nnz.open(tmp_path / "m.npz").to_dask()
    assert lazy.shape == shape and lazy.compute().shape == shape
    assert nnz.from_dask(lazy, tmp_path / "n.npz").shape == shape
    same(nnz.open(tmp_path / "n.npz").to_scipy(), sparse.csr_array(shape, dtype=np.float32))


def test_names_of_chunks_follow_the_file(tmp_path):
    nnz.write(random_matrix((30, 20)), tmp_path / "m.npz")
    first = nnz.open(tmp_path / "m.npz").to_dask(nbytes=500)
    m = nnz.open(tmp_path / "m.npz")
    assert m.to_dask(nbytes=500).name == first.name not in (m.T.to_dask(nbytes=500).name, m.to_dask(nbytes=400).name)
    nnz.write(random_matrix((30, 20), seed=1), tmp_path / "m.npz", force=True)
    assert nnz.open(tmp_path / "m.npz").to_dask(nbytes=500).name != first.name


@pytest.mark.parametrize("target", ["n.bpcells", "n.h5ad", "n.npz", "n.mtx"])
@pytest.mark.parametrize("chunks", [(60, 50), (7, 50), (60, 9), (13, 11)])
def test_arrays_are_written(tmp_path, target, chunks):
    matrix = random_matrix((60, 50), 0.2, np.uint32)
    dense = array.from_array(matrix.toarray(), chunks=chunks)
    for number, lazy in enumerate([dense, dense.map_blocks(sparse.csr_array), dense.map_blocks(sparse.csc_matrix)]):
        path = tmp_path / str(number) / target
        path.parent.mkdir()
        summary = nnz.from_dask(lazy, path)
        assert (summary.shape, summary.entries) == ((60, 50), matrix.nnz)
        assert [entry.name for entry in path.parent.iterdir()] == [target]
        nnz.write(matrix, tmp_path / str(number) / ("expected" + path.suffix))
        assert nnz.diff(path, tmp_path / str(number) / ("expected" + path.suffix)) == []


def test_the_order_follows_the_chunks(tmp_path):
    dense = random_matrix((60, 50), 0.2).toarray()
    for chunks, order, expected in [
        ((60, 9), None, "col"),
        ((7, 50), None, "row"),
        ((7, 9), None, "row"),
        ((60, 9), "row", "row"),
        ((7, 50), "col", "col"),
    ]:
        nnz.from_dask(array.from_array(dense, chunks=chunks), tmp_path / "m.npz", order=order, force=True)
        m = nnz.open(tmp_path / "m.npz")
        assert m.order == expected
        np.testing.assert_array_equal(m.to_numpy(), dense)
    lazy = array.from_array(dense, chunks=(60, 50)).map_blocks(sparse.csc_array, meta=sparse.csc_array((0, 0)))
    nnz.from_dask(lazy, tmp_path / "m.npz", force=True)
    assert nnz.open(tmp_path / "m.npz").order == "col"


def test_names_annotations_and_types_are_written(tmp_path):
    pytest.importorskip("anndata")
    matrix = random_matrix((6, 4), 0.5, np.uint32)
    rows = pandas.DataFrame({"kind": list("ABABAB")}, index=[f"c{i}" for i in range(6)])
    nnz.from_dask(
        array.from_array(matrix.toarray(), chunks=(4, 4)),
        tmp_path / "m.h5ad",
        rows=rows,
        col_names=[f"g{i}" for i in range(4)],
        axis_kinds=("cells", "features"),
        type="float32",
    )
    m = nnz.open(tmp_path / "m.h5ad")
    assert m.rows["kind"].tolist() == list("ABABAB") and m.col_names.tolist() == ["g0", "g1", "g2", "g3"]
    assert m.dtype == np.float32


def test_wrong_arrays_are_refused(tmp_path):
    unknown = array.from_array(np.eye(4), chunks=(2, 4))
    unknown = unknown[array.from_array(np.array([True, False, True, True]), chunks=2)]
    for given in (np.eye(3), array.ones(3), array.ones((2, 2, 2)), unknown):
        with pytest.raises(nnz.ArgumentError):
            nnz.from_dask(given, tmp_path / "m.npz")
    with pytest.raises(nnz.ArgumentError, match="order"):
        nnz.from_dask(array.ones((2, 2)), tmp_path / "m.npz", order="rows")
    with pytest.raises(nnz.UnsupportedError, match="temporary"):
        nnz.from_dask(array.ones((2, 2)), "s3://data/m.npz")
    wrong = array.ones((4, 4), chunks=(2, 4)).map_blocks(lambda block: block[:1], meta=np.empty((0, 0)))
    with pytest.raises(nnz.ArgumentError, match="shape"):
        nnz.from_dask(wrong, tmp_path / "m.npz")
    complex = array.ones((4, 4), chunks=(2, 4)).map_blocks(lambda block: block * 1j, meta=np.empty((0, 0)))
    with pytest.raises(nnz.CastError, match="complex128"):
        nnz.from_dask(complex, tmp_path / "m.npz")
    with pytest.raises(nnz.Error):
        nnz.from_dask(array.ones((4, 4), dtype=np.float16), tmp_path / "m.npz")
    with pytest.raises(nnz.UnsupportedError, match="convert"):
        nnz.open(PBMC).to_dask()
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path):
    started = threading.Event()

    def fail(block):
        # dask calls it without entries to find types.
        if block.size and block[0, 0] == 3:
            assert started.wait(10)
            raise RuntimeError("enough")
        started.set()
        return block

    rows = np.arange(6.0).reshape(6, 1) * np.ones((1, 3))
    lazy = array.from_array(rows, chunks=(1, 3)).map_blocks(fail, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match="enough"):
        nnz.from_dask(lazy, tmp_path / "m.npz")
    assert list(tmp_path.iterdir()) == []
    nnz.write(np.eye(2), tmp_path / "m.npz")
    with pytest.raises(RuntimeError, match="enough"):
        nnz.from_dask(lazy, tmp_path / "m.npz", force=True)
    assert os.listdir(tmp_path) == ["m.npz"] and nnz.open(tmp_path / "m.npz").shape == (2, 2)


def test_an_existing_target_is_noticed_before_anything_is_computed(tmp_path):
    nnz.write(np.eye(2), tmp_path / "m.npz")
    computed = []
    lazy = array.ones((4, 4), chunks=(2, 4)).map_blocks(lambda block: computed.append(1) or block, meta=np.empty((0, 0)))
    with pytest.raises(nnz.ExistsError):
        nnz.from_dask(lazy, tmp_path / "m.npz")
    assert computed == []


def test_temporary_files_are_where_they_are_wanted(tmp_path):
    (tmp_path / "scratch").mkdir()
    seen = []

    def look(block):
        seen.append([len(os.listdir(tmp_path / name)) for name in ("scratch", "out")])
        return block

    (tmp_path / "out").mkdir()
    lazy = array.ones((4, 4), chunks=(2, 4)).map_blocks(look, meta=np.empty((0, 0)))
    nnz.from_dask(lazy, tmp_path / "out" / "m.mtx", temporary=tmp_path / "scratch")
    assert all(scratch == 1 for scratch, _ in seen) and os.listdir(tmp_path / "scratch") == []


# The signal is sent when both threads have done work that was submitted after they were started: Python does not end
# if it is interrupted while an executor starts a thread.
INTERRUPTED = """
import collections, os, signal, sys, threading, time
import dask, dask.array, numpy, nnz
lock, done, sent = threading.Lock(), collections.Counter(), threading.Event()
def slow(block):
    if block.size:
        with lock:
            done[threading.get_ident()] += 1
            ready = len(done) == 2 and min(done.values()) > 2 and not sent.is_set()
            if ready:
                sent.set()
        if ready:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
    return block
if __name__ == "__main__":
    rows = numpy.arange(40.0).reshape(40, 1) * numpy.ones((1, 3))
    lazy = dask.array.from_array(rows, chunks=(1, 3)).map_blocks(slow, meta=numpy.empty((0, 0)))
    try:
        with dask.config.set(num_workers=2):
            nnz.from_dask(lazy, sys.argv[1])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def test_control_c_leaves_nothing(tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "m.npz")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
    assert os.listdir(tmp_path) == []


def test_targets_at_urls(tmp_path):
    matrix = random_matrix((20, 10), dtype=np.float32)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "bucket").mkdir()
    with ObjectServer(tmp_path / "bucket") as server:
        nnz.from_dask(
            array.from_array(matrix.toarray(), chunks=(6, 10)),
            "s3://data/m.npz",
            temporary=tmp_path / "scratch",
            storage_options=server.options,
        )
    same(nnz.open(tmp_path / "bucket" / "m.npz").to_scipy(), matrix)
    assert os.listdir(tmp_path / "scratch") == []


@contextlib.contextmanager
def cluster(scheduler):
    """Set a scheduler: none, processes of dask, or two workers of distributed."""
    if scheduler == "distributed":
        distributed = pytest.importorskip("distributed")
        # Without a dashboard, which would be a port that may be taken.
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=40
        ) as two, distributed.Client(two):
            yield
    else:
        with dask.config.set(scheduler=scheduler):
            yield


def depths(block):
    return np.asarray(block.sum(axis=0)).reshape(1, -1)


def process(block):
    return np.full((1, 1), os.getpid())


def results(m, directory, here):
    """Compute sums, slices and a file, as bytes."""
    lazy = m.to_dask(nbytes=20_000)
    assert lazy.npartitions > 5
    ones = ((1,), (1,) * lazy.npartitions)
    processes = lazy.map_blocks(process, chunks=ones, dtype=np.int64, meta=np.empty((0, 0))).compute()
    assert (processes == os.getpid()).all() if here else (processes != os.getpid()).all()
    sums = lazy.map_blocks(depths, chunks=((1,), lazy.chunks[1]), dtype=np.float64, meta=np.empty((0, 0)))
    some = lazy[:, 30:700].compute()
    right = np.random.default_rng(0).random((m.shape[1], 4))
    nnz.from_dask(lazy / 3, directory / "m.npz", compress="none", no_sync=True)
    assert [path.name for path in directory.iterdir()] == ["m.npz"]
    written = nnz.open(directory / "m.npz").to_scipy()
    arrays = [np.asarray(sums.compute()), np.asarray(sums.sum().compute())]
    arrays += [lazy.sum(axis=1).compute(), (lazy @ right).compute()]
    arrays += [part for block in (some, written) for part in (block.indptr, block.indices, block.data)]
    return [(one.dtype.str, one.tobytes()) for one in arrays]


@pytest.mark.parametrize("scheduler", ["processes", "distributed"])
def test_processes_compute_the_same(tmp_path, scheduler):
    matrix = random_matrix((100, 800), 0.2, order="col")
    nnz.write(matrix, tmp_path / "m.bpcells")
    m = nnz.open(tmp_path / "m.bpcells")
    found = []
    for name in ("synchronous", scheduler):
        (tmp_path / name).mkdir()
        with cluster(name):
            found.append(results(m, tmp_path / name, name == "synchronous"))
    assert found[0] == found[1]
    assert found[0][0][1] == np.asarray(matrix.sum(axis=0)).tobytes()


def test_chunks_of_integers_that_floats_round_are_refused(tmp_path):
    import dask.array

    array = dask.array.from_array(np.array([[2**53 + 1]])).map_blocks(lambda block: block, dtype=np.float64)
    with pytest.raises(nnz.CastError, match="9007199254740993"):
        nnz.from_dask(array, tmp_path / "d.npz")
