"""Batches of cells: each cell once, in an order that a seed determines, from every orientation and format."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import FULL, PBMC, random_matrix, same
from object_server import ObjectServer

import nnz
from nnz._shuffle import Order

FORMATS = ["m.bpcells", "m.h5ad", "m.npz", "m.zarr"]


def stored(path, cells, by_cell=True):
    """Write a matrix of cells and features, as its format has them; return it with cells in rows or columns."""
    if path.suffix == ".bpcells":
        nnz.write(cells.T.tocsc(), path, axis_kinds=("features", "cells"))
    else:
        nnz.write(cells.tocsr() if by_cell else cells.tocsc(), path, axis_kinds=("cells", "features"), strict=False)
    return nnz.open(path)


@pytest.fixture(params=FORMATS)
def pair(request, tmp_path):
    """A matrix of 203 cells, and the same in SciPy."""
    cells = random_matrix((203, 31), 0.2, np.uint32)
    return stored(tmp_path / request.param, cells), cells


def taken(batches):
    """Return the positions of all cells, and their entries in that order."""
    found = list(batches)
    index = np.concatenate([batch.index for batch in found] or [np.empty(0, np.int64)])
    return index, sparse.vstack([batch.x for batch in found], format="csr") if found else None


@pytest.mark.parametrize("size, block, buffer", [(1, 1, 1), (7, 3, 50), (32, 64, 64), (50, 16, None), (300, 5, None)])
def test_each_cell_is_in_one_batch(pair, size, block, buffer):
    m, cells = pair
    batches = m.batches(size, block=block, buffer=buffer, seed=3)
    found = list(batches)
    assert len(found) == len(batches) == -(-203 // size)
    for number, batch in enumerate(found):
        expected = size if number < len(found) - 1 else 203 - size * (len(found) - 1)
        assert batch.x.format == "csr" and batch.x.shape == (expected, 31)
        assert batch.x.has_canonical_format and batch.x.indices.dtype == np.int32
        same(batch.x, cells[batch.index])
    index = np.concatenate([batch.index for batch in found])
    assert sorted(index.tolist()) == list(range(203))


def test_the_seed_and_the_epoch_determine_the_order(pair):
    m, _ = pair

    def order(batches):
        return taken(batches)[0].tolist()

    batches = m.batches(16, block=4, buffer=64, seed=5)
    first, second = order(batches), order(batches)
    assert first != second and batches.epoch == 2
    again = m.batches(16, block=4, buffer=64, seed=5)
    assert [order(again), order(again)] == [first, second]
    again.set_epoch(1)
    assert order(again) == second
    assert order(m.batches(16, block=4, buffer=64, seed=6)) != first


def test_the_order_is_that_of_all_formats(tmp_path):
    cells = random_matrix((100, 9), 0.3, np.uint32)
    orders = {tuple(taken(stored(tmp_path / name, cells).batches(8, block=4, seed=1))[0].tolist()) for name in FORMATS}
    assert len(orders) == 1


def test_batches_without_shuffling_are_in_order(pair):
    m, cells = pair
    index, found = taken(m.batches(10, shuffle=False, buffer=35))
    assert index.tolist() == list(range(203))
    same(found, cells)


def test_incomplete_batches_are_dropped_on_request(pair):
    m, _ = pair
    batches = m.batches(50, drop_last=True)
    assert [len(batch.index) for batch in batches] == [50] * 4 and len(batches) == 4
    assert list(m.batches(300, drop_last=True)) == []


@pytest.mark.parametrize("shape", [(0, 5), (1, 5), (5, 0), (0, 0)])
@pytest.mark.parametrize("name", FORMATS)
def test_small_matrices(tmp_path, name, shape):
    cells = random_matrix(shape, 0.9, np.uint32)
    m = stored(tmp_path / name, cells)
    index, found = taken(m.batches(4))
    assert sorted(index.tolist()) == list(range(shape[0]))
    if found is not None:
        same(found, cells[index])


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
@pytest.mark.parametrize("shuffle", [True, False])
def test_parts_divide_an_epoch(pair, parts, shuffle):
    m, cells = pair
    batches = m.batches(8, shuffle=shuffle, block=6, buffer=24, seed=2)
    found = [taken(batches.part(number, parts, 4)) for number in range(parts)]
    lengths = [len(index) for index, _ in found]
    assert sorted(np.concatenate([index for index, _ in found]).tolist()) == list(range(203))
    assert max(lengths) - min(lengths) <= 1
    for index, rows in found:
        same(rows, cells[index])
    even = m.batches(8, shuffle=shuffle, block=6, buffer=24, drop_last=True)
    counts = {len(list(even.part(number, parts, 0))) for number in range(parts)}
    assert counts == {203 // parts // 8}


def test_orders_are_permutations():
    random = np.random.default_rng(0)
    for _ in range(300):
        cells, block, buffer, parts = (int(random.integers(low, 60)) for low in (0, 1, 1, 1))
        order = Order(cells, True, block, buffer, int(random.integers(9)), int(random.integers(9)))
        found = [list(order.part(number, parts, False)) for number in range(parts)]
        buffers = [one for part in found for one in part]
        assert sorted(int(cell) for one in buffers for cell in one) == list(range(cells)), order
        for part in found:
            assert all(len(one) == buffer for one in part[:-1]), order
        for one in buffers:
            # A buffer has whole blocks, but for those at its ends.
            assert len({int(cell) // block for cell in one}) <= -(-len(one) // block) + 2, order


def test_orders_stay_the_same():
    # As long as NumPy permutes as it does.
    order = Order(11, True, 3, 5, seed=7, epoch=2)
    assert [part.tolist() for part in order.part(0, 1, False)] == [[8, 10, 7, 9, 6], [0, 3, 1, 5, 4], [2]]


def test_blocks_keep_neighbours_together_and_buffers_mix_them(tmp_path):
    m = stored(tmp_path / "m.npz", random_matrix((4096, 3), 0.1, np.uint32))
    index, _ = taken(m.batches(64, block=64, buffer=512))
    buffers = index.reshape(-1, 512)
    assert all(len(set(one // 64)) == 8 for one in buffers)
    # Batches have cells of several blocks, and not their neighbours in order.
    assert all(len(set(one // 64)) > 4 for one in index.reshape(-1, 64))
    assert (np.diff(index) == 1).mean() < 0.05


def test_annotations_are_those_of_the_cells(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = pandas.DataFrame(
        {
            "depth": np.arange(60) * 2,
            "kind": pandas.Categorical([["B", "T", None][i % 3] for i in range(60)], categories=["T", "B"]),
            "note": [f"cell {i}" for i in range(60)],
            "score": pandas.array([None if i % 5 == 0 else i for i in range(60)], dtype="Int32"),
            "unused": np.zeros(60),
        },
        index=[f"c{i}" for i in range(60)],
    )
    cells = random_matrix((60, 5), 0.5, np.float32)
    nnz.write(cells, tmp_path / "m.h5ad", rows=rows)
    batches = nnz.open(tmp_path / "m.h5ad").batches(7, annotations=["kind", "depth", "note", "score"])
    assert batches.categories["kind"].tolist() == ["T", "B"]
    for batch in batches:
        assert list(batch.obs) == ["kind", "depth", "note", "score"]
        assert batch.obs["depth"].tolist() == (batch.index * 2).tolist()
        assert batch.obs["kind"].tolist() == [[1, 0, -1][i % 3] for i in batch.index]
        assert batch.obs["note"].tolist() == [f"cell {i}" for i in batch.index]
        assert batch.obs["score"].tolist() == [None if i % 5 == 0 else i for i in batch.index]
    with pytest.raises(KeyError, match="'none'"):
        nnz.open(tmp_path / "m.h5ad").batches(7, annotations=["none"])


def test_a_transposed_handle_has_the_same_batches(pair):
    m, _ = pair
    if m.axis_kinds == (None, None):
        pytest.skip("the format does not state axes")
    index, found = taken(m.T.batches(16, seed=1))
    other, expected = taken(m.batches(16, seed=1))
    assert index.tolist() == other.tolist()
    same(found, expected)


def test_axes_that_are_not_stated_are_given(tmp_path):
    matrix = random_matrix((20, 30), 0.3)
    nnz.write(matrix.tocsc(), tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    with pytest.raises(nnz.UnsupportedError, match="axis='cols'"):
        m.batches(4)
    index, found = taken(m.batches(4, axis="cols"))
    same(found, matrix.T.tocsr()[index])
    for axis in ("cells", "features", "columns"):
        with pytest.raises(nnz.ArgumentError):
            m.batches(4, axis=axis)


def test_what_cannot_be_read_by_cell_is_refused(tmp_path):
    with pytest.raises(nnz.UnsupportedError, match="convert"):
        nnz.open(PBMC).batches(4)
    by_feature = stored(tmp_path / "m.h5ad", random_matrix((20, 30)), by_cell=False)
    with pytest.raises(nnz.UnsupportedError, match="order='row'"):
        by_feature.batches(4)
    nnz.write(by_feature, tmp_path / "n.h5ad", order="row")
    assert len(taken(nnz.open(tmp_path / "n.h5ad").batches(4))[0]) == 20


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 0},
        {"size": 1.5},
        {"size": 4, "block": 0},
        {"size": 4, "buffer": 3},
        {"size": 4, "seed": -1},
        {"size": 4, "seed": None},
    ],
)
def test_wrong_arguments(arguments):
    m = nnz.open(FULL)["X"]
    with pytest.raises(nnz.ArgumentError):
        m.batches(**arguments)
    batches = m.batches(4)
    for call in (lambda: batches.set_epoch(-1), lambda: batches.part(2, 2, 0), lambda: batches.part(0, 0, 0)):
        with pytest.raises(nnz.ArgumentError):
            call()


def test_values_are_converted(tmp_path):
    matrix = sparse.csr_array(np.array([[0, 1.5, 0], [1 / 3, 0, -2]]))
    nnz.write(matrix, tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    (batch,) = m.batches(4, shuffle=False, dtype="float32")
    assert batch.x.dtype == np.float32
    np.testing.assert_array_equal(batch.x.toarray(), matrix.toarray().astype(np.float32))
    with pytest.raises(nnz.CastError):
        list(m.batches(4, dtype=np.uint8))
    wrong = [(300, "uint8"), (2.0**70, "int64"), (2.0**63, "int64"), (1e300, "float32"), (-1, "uint64"), (np.nan, "int32")]
    for value, dtype in wrong:
        nnz.write(np.array([[value]]), tmp_path / "one.npz", force=True)
        with pytest.raises(nnz.CastError, match=dtype):
            list(nnz.open(tmp_path / "one.npz").batches(1, dtype=dtype))
    for value, dtype in [(np.inf, "float32"), (255, "uint8"), (1, "bool"), (-0.0, "int8")]:
        nnz.write(sparse.csr_array(([value], [0], [0, 1])), tmp_path / "one.npz", force=True)
        (batch,) = nnz.open(tmp_path / "one.npz").batches(1, dtype=dtype)
        assert batch.x.data.dtype == dtype and batch.x.data[0] == value


def test_errors_in_the_file_are_raised(tmp_path):
    m = stored(tmp_path / "m.bpcells", random_matrix((5000, 400), 0.5, np.uint32))
    batches = m.batches(50)
    with open(tmp_path / "m.bpcells" / "index_data", "r+b") as file:
        file.truncate(200)
    with pytest.raises(nnz.Error):
        list(batches)


def test_batches_of_a_url_are_those_of_the_file(tmp_path):
    local = stored(tmp_path / "m.bpcells", random_matrix((300, 20), 0.3, np.uint32))
    with ObjectServer(tmp_path) as server:
        m = nnz.open(f"{server.endpoint}/data/m.bpcells")
        index, found = taken(m.batches(16, block=4, buffer=64, seed=1))
    expected, cells = taken(local.batches(16, block=4, buffer=64, seed=1))
    assert index.tolist() == expected.tolist()
    same(found, cells)


def indices(batches):
    return [batch.index.tolist() for batch in batches]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_have_the_same_batches(pair, method):
    m, _ = pair
    batches = m.batches(16, block=4, buffer=32, seed=9)
    assert len(pickle.dumps(batches)) < 2000
    with multiprocessing.get_context(method).Pool(1) as pool:
        found = pool.map_async(indices, [batches]).get(timeout=60)
    assert found == [indices(batches)]


def test_an_iterator_is_not_continued_in_a_child(pair):
    m, _ = pair
    iterator = iter(m.batches(4, buffer=8))
    next(iterator)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for _ in iterator:
                pass
        except nnz.ArgumentError:
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + 30
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(done[1]) == 0
    assert sum(len(batch.index) for batch in iterator) == 199


def test_the_next_buffer_is_read_meanwhile(pair, monkeypatch):
    m, _ = pair
    batches = m.batches(10, buffer=50)
    read, threads = [], set()
    original = type(batches)._read

    def counted(self, cells, workers):
        read.append(len(cells))
        threads.add(threading.current_thread())
        return original(self, cells, workers)

    monkeypatch.setattr(type(batches), "_read", counted)
    iterator = iter(batches)
    next(iterator)
    until = time.monotonic() + 10
    while len(read) < 2 and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(0.05)
    # The second one, and no more, whoever waits.
    assert read == [50, 50] and threading.current_thread() not in threads
    assert len(list(iterator)) == 20 and read == [50, 50, 50, 50, 3]


def test_an_iterator_that_is_left_ends_its_thread(pair):
    m, _ = pair
    before = threading.active_count()
    for _ in range(5):
        for _ in m.batches(4, buffer=8):
            break
    until = time.monotonic() + 10
    while threading.active_count() > before:
        assert time.monotonic() < until
        time.sleep(0.01)


INTERRUPTED = """
import os, signal, sys, threading, nnz
batches = nnz.open(sys.argv[1]).batches(64, buffer=256, block=1)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        for batch in batches:
            pass
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c_ends_an_iteration(tmp_path):
    stored(tmp_path / "m.bpcells", random_matrix((3000, 200), 0.2, np.uint32))
    started = time.monotonic()
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "m.bpcells")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
    assert time.monotonic() - started < 30


def test_signals_are_handled_while_a_buffer_is_read(tmp_path, monkeypatch):
    m = stored(tmp_path / "m.npz", random_matrix((30, 5)))
    batches = m.batches(4)
    release = threading.Event()
    monkeypatch.setattr(type(batches), "_read", lambda *_: release.wait(20))
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("enough")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        started = time.monotonic()
        with pytest.raises(TimeoutError, match="enough"):
            next(iter(batches))
        assert time.monotonic() - started < 5
    finally:
        release.set()
        signal.signal(signal.SIGALRM, before)
