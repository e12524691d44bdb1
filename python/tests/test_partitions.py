"""Partitions: ranges that other processes read, without the rest of the matrix."""

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import FULL, PBMC, random_matrix, same
from object_server import ObjectServer

import nnz
from nnz import _partitions

FORMATS = ["m.bpcells", "m.h5ad", "m.npz", "m.zarr", "m.bsp.h5"]


@pytest.fixture(params=[(name, order) for name in FORMATS for order in ("row", "col")], ids=str)
def pair(request, tmp_path):
    """A matrix stored by row or by column, and the same in SciPy."""
    name, order = request.param
    matrix = random_matrix((70, 90), 0.2, np.uint32, order=order)
    # Some with many entries, and some with none.
    empty, full = sparse.csr_array((30, 90), dtype=np.uint32), sparse.csr_array(np.ones((2, 90), np.uint32))
    matrix = sparse.vstack([matrix, empty, full])
    matrix = matrix.asformat("csr" if order == "row" else "csc")
    nnz.write(matrix, tmp_path / name)
    return nnz.open(tmp_path / name), matrix


def joined(m, blocks):
    stack = sparse.vstack if m.order == "row" else sparse.hstack
    return stack(blocks, format="csr" if m.order == "row" else "csc")


@pytest.mark.parametrize("nbytes", [1, 100, 1000, 5000, 10**9, None])
def test_partitions_are_bounded_and_have_every_entry(pair, nbytes):
    m, matrix = pair
    length = m.shape[0 if m.order == "row" else 1]
    parts = m.partitions(nbytes=nbytes)
    assert [part.start for part in parts] == [0, *(part.stop for part in parts[:-1])] and parts[-1].stop == length
    for part in parts:
        assert part.axis == {"row": "rows", "col": "cols"}[m.order] and part.path == m.path
        size = part.nnz * 8 + (part.stop - part.start) * 8
        assert size <= (nbytes or 1 << 27) or part.stop == part.start + 1
        block = part.read()
        assert (block.shape, block.nnz) == (part.shape, part.nnz)
        same(block, matrix[part.start : part.stop] if m.order == "row" else matrix[:, part.start : part.stop])
    same(joined(m, [part.read() for part in parts]), matrix)
    # They are not much smaller than they may be.
    total = matrix.nnz * 8 + length * 8
    largest = max(int(count) for count in np.diff(matrix.indptr)) * 8 + 8
    if nbytes and nbytes > 4 * largest:
        assert len(parts) <= total // (nbytes - largest - nbytes // 32) + 1


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_a_number_of_partitions(pair, n):
    m, matrix = pair
    parts = m.partitions(n=n)
    length = m.shape[0 if m.order == "row" else 1]
    assert 1 <= len(parts) <= min(n, length)
    assert all(part.start < part.stop for part in parts)
    same(joined(m, [part.read() for part in parts]), matrix)
    if n == 3:
        largest = max(int(count) for count in np.diff(matrix.indptr))
        assert all(abs(part.nnz - matrix.nnz / 3) <= 2 * largest for part in parts)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1), (6, 4)])
def test_small_and_empty_matrices(tmp_path, shape):
    nnz.write(sparse.csr_array(shape, dtype=np.float32), tmp_path / "m.npz")
    m = nnz.open(tmp_path / "m.npz")
    for parts in (m.partitions(), m.partitions(n=3)):
        assert sum(part.stop - part.start for part in parts) == shape[0]
        same(joined(m, [part.read() for part in parts]), sparse.csr_array(shape, dtype=np.float32))
    assert len(m.partitions()) == 1
    assert [part.stop - part.start for part in m.partitions(n=3)] == {0: [0], 1: [1], 5: [2, 2, 1], 6: [2, 2, 2]}[shape[0]]


def test_the_transpose_has_partitions_of_the_other_axis(pair):
    m, matrix = pair
    for part in m.T.partitions(n=2):
        some = slice(part.start, part.stop)
        same(part.read(), matrix.T[some] if part.axis == "rows" else matrix.T[:, some])


def test_wrong_arguments():
    m = nnz.open(FULL)["X"]
    for arguments in ({"nbytes": 0}, {"n": 0}, {"nbytes": 5, "n": 5}):
        with pytest.raises(nnz.ArgumentError):
            m.partitions(**arguments)
    with pytest.raises(nnz.UnsupportedError, match="convert"):
        nnz.open(PBMC).partitions()


def total(part):
    return part.read().sum()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_read_partitions(pair, method):
    m, matrix = pair
    parts = m.partitions(n=4)
    assert all(len(pickle.dumps(part)) < 600 + 2 * len(m.path) for part in parts)
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(total, parts).get(timeout=60)
    assert found == [total(part) for part in parts] and sum(found) == matrix.sum()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(total, parts * 5)) == 5 * matrix.sum()


def test_unpickling_opens_nothing(store, tmp_path):
    path, _ = store
    (part,) = nnz.open(path).partitions()
    data = pickle.dumps(part)
    path.rename(tmp_path / "away")
    part = pickle.loads(data)
    assert (part.start, part.stop, part.shape) == (0, 30, (40, 30))
    assert repr(part).startswith("<nnz.Partition of columns 0:30 with")
    with pytest.raises(FileNotFoundError):
        part.read()
    (tmp_path / "away").rename(path)
    assert part.read().nnz == part.nnz


def test_a_matrix_is_opened_once_in_a_process(store, monkeypatch):
    path, matrix = store
    opened = []
    original = _partitions.pickle.loads
    monkeypatch.setattr(_partitions.pickle, "loads", lambda data: opened.append(1) or original(data))
    parts = nnz.open(path).partitions(n=5)
    same(sparse.hstack([part.read() for part in parts], format="csc"), matrix)
    assert len(opened) == 1 and len(_partitions._handles) <= _partitions._KEPT


def test_a_replaced_matrix_is_noticed(tmp_path):
    path = tmp_path / "m.npz"
    nnz.write(random_matrix((20, 10)), path)
    before = nnz.open(path).partitions(n=2)
    before[0].read()
    matrix = random_matrix((20, 10), 0.5, seed=1)
    nnz.write(matrix, path, force=True)
    same(sparse.vstack([part.read() for part in nnz.open(path).partitions(n=2)], format="csr"), matrix)
    for part in pickle.loads(pickle.dumps(before)):
        # A process that has not read it before; one that has still has the previous file.
        _partitions._handles.clear()
        with pytest.raises(nnz.ChangedError, match="replaced"):
            part.read()
    nnz.write(random_matrix((10, 10)), path, force=True)
    _partitions._handles.clear()
    with pytest.raises(nnz.ChangedError, match="10 x 10 now"):
        before[1].read()


LONG = 1_000_000
"""Columns of a matrix whose pointers take 8 MB in 64 bits."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server of a matrix with many columns, in several formats."""
    directory = tmp_path_factory.mktemp("bucket")
    rng = np.random.default_rng(0)
    indptr = np.arange(LONG + 1, dtype=np.int64)
    matrix = sparse.csc_array((rng.integers(1, 9, LONG, dtype=np.uint32), rng.integers(0, 50, LONG), indptr), shape=(50, LONG))
    nnz.write(matrix, directory / "m.bpcells")
    nnz.write(matrix, directory / "m.h5ad", cell_axis="as-is", compress="none")
    with ObjectServer(directory) as server:
        server.matrix = matrix
        yield server


def pointers(directory, name):
    """Return where the pointers of the matrix are: the names of files, and ranges of bytes."""
    if name == "m.bpcells":
        return [("/data/m.bpcells/idxptr", 0, 8 * (LONG + 1) + 8)]
    h5py = pytest.importorskip("h5py")
    with h5py.File(directory / name) as file:
        array = file["X/indptr"].id
        chunks = [array.get_chunk_info(number) for number in range(array.get_num_chunks())]
    return [(f"/data/{name}", chunk.byte_offset, chunk.byte_offset + chunk.size) for chunk in chunks]


def read_of(requests, ranges):
    """Count the bytes of ranges that were requested."""
    read = 0
    for _, path, requested in requests:
        first, last = (int(number) for number in requested.removeprefix("bytes=").split("-"))
        read += sum(max(0, min(last + 1, end) - max(first, start)) for name, start, end in ranges if name == path)
    return read


DIVIDE = """
import pickle, sys
import nnz

sys.stdout.buffer.write(pickle.dumps(nnz.open(sys.argv[1]).partitions(n=100)[57]))
"""

READ = """
import pickle, sys
part = pickle.load(sys.stdin.buffer)
block = part.read()
print(block.nnz, int(block.sum()))
"""


@pytest.mark.parametrize("name", ["m.bpcells", "m.h5ad"])
def test_a_worker_reads_the_pointers_of_its_range_only(served, name):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    # In a process of its own, which has ended before requests are counted, with all that it read ahead.
    command = [sys.executable, "-c", DIVIDE, f"{served.endpoint}/data/{name}"]
    divided = subprocess.run(command, capture_output=True, timeout=60, env=environment)
    assert divided.returncode == 0, divided.stderr.decode()
    part = pickle.loads(divided.stdout)
    assert part.stop - part.start == LONG // 100
    served.reset()
    done = subprocess.run(
        [sys.executable, "-c", READ], input=pickle.dumps(part), capture_output=True, timeout=60, env=environment
    )
    assert done.returncode == 0, done.stderr.decode()
    expected = served.matrix[:, part.start : part.stop]
    assert done.stdout.decode() == f"{expected.nnz} {int(expected.sum())}\n"
    ranges = pointers(served.directory, name)
    whole = sum(end - start for _, start, end in ranges)
    # Its own, and the last ones, at opening.
    assert 0 < read_of(served.requests, ranges) < whole / 8, served.requests
    if name == "m.bpcells":
        # Most reads of HDF5 are metadata.
        assert served.bytes < 400_000, served.requests


def test_dividing_by_size_reads_some_pointers(served):
    m = nnz.open(f"{served.endpoint}/data/m.bpcells")
    served.reset()
    parts = m.partitions(nbytes=LONG * 16 // 8)
    assert len(parts) in (8, 9)
    assert served.bytes < 8 * (LONG + 1) / 2, served.bytes
