"""Handles of fragments work in other processes and threads, and read only what is needed."""

import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from fragment_texts import BASIC, STORES, listed, read_expected

import nnz


def length_of(job):
    fragments, region = job
    return len(fragments.query(region))


def counted(counts):
    return counts.to_numpy()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_read_handles(method):
    fragments, regions = nnz.open(BASIC), ["chr1", "chr2", "chrX:0-9,000"]
    peaks = fragments.count_peaks([("chr1", 0, 90_000), ("chrX", 5, 9_000)])
    tiles = fragments.count_tiles(40_000).T
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(length_of, [(fragments, region) for region in regions]).get(timeout=60)
        matrices = pool.map_async(counted, [peaks, tiles]).get(timeout=60)
    assert found == [len(fragments.query(region)) for region in regions]
    np.testing.assert_array_equal(matrices[0], peaks.to_numpy())
    np.testing.assert_array_equal(matrices[1], tiles.to_numpy())


def test_handles_pickle_by_path(tmp_path, monkeypatch):
    shutil.copytree(BASIC, tmp_path / "f")
    monkeypatch.chdir(tmp_path)
    fragments = nnz.open("f")
    monkeypatch.chdir("/")
    kept = pickle.dumps(fragments)
    assert len(kept) < 500
    other = pickle.loads(kept)
    assert type(other) is nnz.Fragments and other.path == "f"
    assert listed(other.query()) == read_expected("basic")
    other.write(tmp_path / "g")
    found = pickle.loads(pickle.dumps(other.query("chrX")))
    assert listed(found) == [one for one in read_expected("basic") if one[0] == "chrX"]
    shutil.rmtree(tmp_path / "f")
    with pytest.raises(FileNotFoundError):
        pickle.loads(kept)


@pytest.mark.parametrize("form", ["f", "f.h5", "f.rds"])
def test_handles_survive_a_fork(form, tmp_path):
    nnz.open(BASIC).write(tmp_path / form)
    fragments = nnz.open(tmp_path / form)
    counts = fragments.count_peaks([("chr1", 0, 90_000)])
    expected, total = listed(fragments.query()), counts.sum()
    stop = threading.Event()

    def keep_reading():
        while not stop.is_set():
            fragments.query()

    reader = threading.Thread(target=keep_reading)
    reader.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 0 if listed(fragments.query()) == expected and counts.T.sum() == counts.sum() == total else 2
                finally:
                    os._exit(status)
            deadline = time.monotonic() + 30
            while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
                assert time.monotonic() < deadline, "the child hangs"
                time.sleep(0.01)
            assert os.waitstatus_to_exitcode(done[1]) == 0
    finally:
        stop.set()
        reader.join()


def test_many_threads_share_a_handle():
    fragments = nnz.Fragments(f"{STORES}/fragments_h5/basic.h5::packed")
    regions = [(name, start, start + 5000) for name in ("chr1", "chr2", "chrX") for start in range(0, 60_000, 3000)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda region: len(fragments.query(region)), regions * 3))
    assert found == [len(fragments.query(region)) for region in regions] * 3


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A store of three million fragments."""
    directory = tmp_path_factory.mktemp("large")
    count = 3_000_000
    rng = np.random.default_rng(0)
    starts = np.sort(rng.integers(0, 200_000_000, count))
    ends = starts + rng.integers(1, 600, count)
    cells = rng.integers(0, 5000, count)
    with open(directory / "f.tsv", "w") as out:
        for begin in range(0, count, 100_000):
            rows = zip(*(column[begin : begin + 100_000].tolist() for column in (starts, ends, cells)))
            out.writelines(f"chr1\t{start}\t{end}\tc{cell}\n" for start, end, cell in rows)
    nnz.import_fragments(directory / "f.tsv", directory / "f.fragments", no_sync=True)
    (directory / "f.tsv").unlink()
    return directory / "f.fragments", starts, ends


def bytes_read():
    """Return the number of bytes that this process has read with system calls."""
    lines = pathlib.Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["rchar"])


@pytest.mark.skipif(not os.path.exists("/proc/self/io"), reason="the system does not count what is read")
def test_queries_read_only_what_is_needed(large):
    path, starts, ends = large
    size = sum(file.stat().st_size for file in path.iterdir())
    fragments = nnz.open(path)
    names = fragments.cell_names
    assert len(names) == 5000
    before = bytes_read()
    found = fragments.query("chr1:100,000,000-100,010,000")
    read = bytes_read() - before
    expected = (starts < 100_010_000) & (ends > 100_000_000)
    np.testing.assert_array_equal(found.start, starts[expected])
    np.testing.assert_array_equal(found.end, ends[expected])
    assert 0 < len(found) < 400 and read < size / 100, (read, size)
    before = bytes_read()
    next(iter(fragments.iter_batches(nbytes=64_000)))
    assert bytes_read() - before < size / 50
    before = bytes_read()
    fragments.count_peaks([("chr1", 5_000_000, 5_010_000), ("chr1", 150_000_000, 150_010_000)]).sum()
    assert bytes_read() - before < size / 20


def test_large_stores_are_read_by_many_threads(large):
    path, starts, ends = large
    fragments = nnz.open(path)
    np.testing.assert_array_equal(fragments.start, starts)
    np.testing.assert_array_equal(fragments.end, ends)
    whole = fragments.query(threads=4)
    np.testing.assert_array_equal(whole.end, ends)
    batches = list(fragments.iter_batches(nbytes=5_000_000))
    np.testing.assert_array_equal(np.concatenate([batch.start for batch in batches]), starts)
    np.testing.assert_array_equal(np.concatenate([batch.cell for batch in batches]), whole.cell)


def test_memory_is_limited(large):
    fragments = nnz.Fragments(large[0], memory="8M")
    for read in (
        fragments.query,
        lambda: fragments.query(cells=slice(0, 4000)),
        lambda: fragments.start,
        fragments.count_tiles(100).to_scipy,
    ):
        with pytest.raises(MemoryError) as raised:
            read()
        assert isinstance(raised.value, nnz.MemoryLimitError) and raised.value.path == str(large[0])
    assert len(fragments.query("chr1:0-1,000,000")) > 0
    assert sum(len(batch) for batch in fragments.iter_batches(nbytes=4_000_000)) == 3_000_000


INTERRUPTED = """
import os, signal, sys, threading, time, nnz
source, target, call = sys.argv[1:]
fragments = nnz.open(source)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    while time.monotonic() - started < 20:
        eval(call)
except KeyboardInterrupt:
    assert time.monotonic() - started < 5
    print("interrupted")
"""


@pytest.mark.parametrize(
    "call",
    [
        "fragments.query()",
        "fragments.count_tiles(10)",
        "fragments.count_tiles(100, chrom_sizes={'chr1': 200_000_000}).sum()",
        "fragments.export(target, threads=1, force=True)",
        "nnz.merge_fragments([source, source], target, prefix='a,b', threads=1, force=True)",
    ],
)
def test_control_c_stops_and_leaves_no_files(large, call, tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, str(large[0]), str(tmp_path / "f.tsv.gz"), call]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted\n", done.stderr
    assert {name for name in os.listdir(tmp_path) if not name.startswith("f.tsv.gz")} == set()


def test_progress_is_reported(large, tmp_path):
    calls = []
    nnz.open(large[0]).export(tmp_path / "f.tsv.gz", threads=1, progress=lambda *call: calls.append(call))
    assert calls[-1][1:] == (3_000_000, 3_000_000)

    def refuse(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        nnz.open(large[0]).export(tmp_path / "g.tsv.gz", threads=1, progress=refuse)
    assert not (tmp_path / "g.tsv.gz").exists()
