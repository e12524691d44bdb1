"""Handles work in other processes and threads, and signals stop long operations."""

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import FULL, random_matrix, same

import nnz


def column_sum(job):
    m, start, end = job
    return m[:, start:end].sum()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_the_gil_stays_disabled():
    assert not sys._is_gil_enabled()


def test_handles_pickle_by_path(store, tmp_path, monkeypatch):
    path, matrix = store
    monkeypatch.chdir(path.parent)
    m = nnz.open(path.name).T
    monkeypatch.chdir("/")
    other = pickle.loads(pickle.dumps(m))
    assert other.path == path.name and other.shape == (30, 40)
    same(other.to_scipy(), matrix.T.tocsr())
    file = pickle.loads(pickle.dumps(nnz.File(FULL)))
    assert file["X"].shape == (11, 7)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_read_handles(store, method):
    path, matrix = store
    m = nnz.open(path)
    jobs = [(m, start, start + 10) for start in (0, 10, 20)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(column_sum, jobs).get(timeout=60)
    assert found == [matrix[:, start:end].sum() for _, start, end in jobs]


def test_handles_survive_a_fork(tmp_path):
    for name in ("m.h5ad", "m.bpcells", "m.zarr", "m.mtx"):
        path = tmp_path / name
        nnz.write(random_matrix(dtype=np.int32), path)
        m = nnz.open(path)
        expected = m.to_scipy().sum()
        stop = threading.Event()

        def keep_reading():
            while not stop.is_set():
                m.to_scipy()

        reader = threading.Thread(target=keep_reading)
        reader.start()
        try:
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    status = 1
                    try:
                        status = 0 if m.to_scipy().sum() == expected == m.T.T.to_scipy().sum() else 2
                    finally:
                        os._exit(status)
                deadline = time.monotonic() + 30
                while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
                    assert time.monotonic() < deadline, f"{name}: the child hangs"
                    time.sleep(0.01)
                assert os.waitstatus_to_exitcode(done[1]) == 0, name
        finally:
            stop.set()
            reader.join()


def test_many_threads_share_a_handle(store):
    path, matrix = store
    m = nnz.open(path)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda col: m[:, col].sum(), list(range(30)) * 5))
    assert found == [matrix[:, [col]].sum() for col in range(30)] * 5


def test_other_threads_run_meanwhile(tmp_path):
    nnz.write(large(), tmp_path / "m.npz")
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    counter = threading.Thread(target=count)
    counter.start()
    started = time.monotonic()
    nnz.convert(tmp_path / "m.npz", tmp_path / "m.mtx.gz", threads=1)
    took = time.monotonic() - started
    done.set()
    counter.join()
    assert ticks > took * 50


def large(entries=1_000_000):
    rng = np.random.default_rng(0)
    rows, cols = rng.integers(0, 100_000, (2, entries))
    return sparse.coo_array((rng.random(entries), (rows, cols)), shape=(100_000, 100_000)).tocsr()


INTERRUPTED = """
import os, signal, sys, threading, time, nnz
source, target = sys.argv[1:]
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    nnz.convert(source, target, threads=1)
except KeyboardInterrupt:
    assert time.monotonic() - started < 5
    print("interrupted")
"""


def test_control_c_stops_and_leaves_no_files(tmp_path):
    nnz.write(large(4_000_000), tmp_path / "m.npz")
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "m.mtx.gz"
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path / "m.npz"), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted\n", done.stderr
    assert os.listdir(tmp_path / "out") == []


def test_a_callback_that_raises_cancels(tmp_path):
    nnz.write(large(), tmp_path / "m.npz")
    calls = []

    def progress(what, done, total):
        calls.append((what, done, total))
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        nnz.convert(tmp_path / "m.npz", tmp_path / "m.mtx.gz", progress=progress, threads=1)
    assert os.listdir(tmp_path) == ["m.npz"]
    assert len(calls) == 1


def test_progress_is_reported(tmp_path):
    matrix = large()
    nnz.write(matrix, tmp_path / "m.npz")
    calls = []
    nnz.convert(tmp_path / "m.npz", tmp_path / "m.mtx.gz", progress=lambda *call: calls.append(call), threads=1)
    assert calls[-1] == ("writing", matrix.nnz, matrix.nnz)
    nnz.convert(tmp_path / "m.npz", tmp_path / "n.mtx", progress=True)


def test_what_writes_nothing_reports_progress(tmp_path):
    matrix = large()
    path = tmp_path / "m.npz"
    nnz.write(matrix, path)
    operations = {
        ("checking", matrix.nnz): lambda report: nnz.validate(path, progress=report),
        ("comparing", 2 * matrix.nnz): lambda report: nnz.diff(path, path, progress=report),
        ("reading", matrix.nnz): lambda report: nnz.stats(path, progress=report),
        ("computing, pass 5 of 5", matrix.nnz): lambda report: nnz.pca(path, 2, iterations=1, progress=report),
    }
    for (what, total), operation in operations.items():
        calls = []
        operation(lambda *call, calls=calls: calls.append(call))
        assert calls[-1] == (what, total, total)


def test_handlers_of_signals_run_while_it_works(tmp_path):
    nnz.write(large(), tmp_path / "m.npz")
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        nnz.convert(tmp_path / "m.npz", tmp_path / "m.mtx.gz", threads=1)
        assert len(seen) == 1 and seen[0] < time.monotonic()
    finally:
        signal.signal(signal.SIGUSR1, before)
