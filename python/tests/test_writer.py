"""Matrices that are written in parts."""

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sparse

import nnz
from conftest import random_matrix, same

# Unsupported types are tested in other files.
pytestmark = pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")

TARGETS = ("m.bpcells", "m.mtx", "m.mtx.gz", "m.h5ad", "m.npz", "m.bsp.h5", "m.zarr", "m.dbdf", "m.rds")


def parts(matrix, order, step):
    """Divide a matrix into parts of some rows or columns; the last one may be shorter."""
    length = matrix.shape[0 if order == "row" else 1]
    matrix = matrix.tocsr() if order == "row" else matrix.tocsc()
    for start in range(0, length, step):
        yield matrix[start : start + step, :] if order == "row" else matrix[:, start : start + step]


@pytest.mark.parametrize("order", ["row", "col"])
@pytest.mark.parametrize("target", TARGETS)
def test_parts_are_the_matrix(tmp_path, target, order):
    matrix = random_matrix(dtype=np.float64)
    names = [f"r{i}" for i in range(40)], [f"c{i}" for i in range(30)]
    with nnz.writer(tmp_path / target, matrix.shape, order, row_names=names[0], col_names=names[1]) as writer:
        for part in parts(matrix, order, 7):
            writer.write(part)
    assert writer.summary.entries == matrix.nnz
    same(nnz.open(tmp_path / target).to_scipy("row"), matrix)


@pytest.mark.parametrize("seed", range(20))
def test_random_parts_are_the_matrix(tmp_path, seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(0, 60, 2))
    dtype = rng.choice(["int8", "uint16", "int64", "float32", "float64", "bool", "complex128"])
    dense = rng.integers(0, 2, shape) * rng.integers(1, 100, shape)
    matrix = sparse.csr_array(dense.astype(dtype))
    order = str(rng.choice(["row", "col"]))
    with nnz.writer(tmp_path / "m.bsp.h5", shape, order, dtype=dtype) as writer:
        for part in parts(matrix, order, int(rng.integers(1, 20))):
            writer.write(part.toarray() if rng.random() < 0.3 else part)
    same(nnz.open(tmp_path / "m.bsp.h5").to_scipy("row"), matrix)


def test_a_large_part_is_cut_into_batches(tmp_path):
    matrix = random_matrix((3000, 2000), 0.1, np.float32)
    with nnz.writer(tmp_path / "m.bpcells", matrix.shape, to="bpcells") as writer:
        for part in parts(matrix, "row", 2500):
            writer.write(part)
    same(nnz.open(tmp_path / "m.bpcells").to_scipy("row"), matrix)


def test_annotations_are_written(tmp_path):
    pandas = pytest.importorskip("pandas")
    matrix = random_matrix()
    rows = pandas.DataFrame({"n": np.arange(40)}, index=[f"cell{i}" for i in range(40)])
    kinds = ("cells", "features")
    with nnz.writer(tmp_path / "m.h5ad", matrix.shape, rows=rows, axis_kinds=kinds) as writer:
        writer.write(matrix)
    found = nnz.open(tmp_path / "m.h5ad")
    assert list(found.rows.index) == list(rows.index)
    assert list(found.rows["n"]) == list(range(40))


def test_a_matrix_without_parts_is_empty(tmp_path):
    with nnz.writer(tmp_path / "m.mtx", (0, 3)):
        pass
    assert nnz.open(tmp_path / "m.mtx").shape == (0, 3)


def test_missing_rows_are_refused_and_no_files_are_left(tmp_path):
    matrix = random_matrix()
    writer = nnz.writer(tmp_path / "m.bpcells", matrix.shape)
    writer.write(matrix[:39])
    with pytest.raises(nnz.Error, match="39"):
        writer.close()
    assert os.listdir(tmp_path) == []
    with pytest.raises(nnz.ArgumentError):
        writer.write(matrix[39:])


def test_too_many_rows_are_refused(tmp_path):
    matrix = random_matrix()
    writer = nnz.writer(tmp_path / "m.bpcells", (39, 30))
    with pytest.raises(ValueError, match="40"):
        writer.write(matrix)
    assert os.listdir(tmp_path) == []


def test_exceptions_leave_the_target_unchanged(tmp_path):
    target = tmp_path / "m.mtx"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError):
        with nnz.writer(target, (40, 30), force=True) as writer:
            writer.write(random_matrix()[:3])
            raise ZeroDivisionError
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["m.mtx"]


def test_unfinished_writers_leave_no_files(tmp_path):
    writer = nnz.writer(tmp_path / "m.bpcells", (40, 30))
    writer.write(random_matrix()[:3])
    del writer
    assert os.listdir(tmp_path) == []


def test_existing_targets_are_refused(tmp_path):
    (tmp_path / "m.mtx").write_text("old")
    with pytest.raises(FileExistsError):
        with nnz.writer(tmp_path / "m.mtx", (40, 30)) as writer:
            writer.write(random_matrix())
    assert (tmp_path / "m.mtx").read_text() == "old"


@pytest.mark.parametrize(
    "block, error",
    [
        (np.ones((2, 29)), ValueError),
        (np.ones(30), ValueError),
        (sparse.csr_array(np.ones((2, 30), np.complex64)), nnz.CastError),
        (np.array([["x"] * 30]), ValueError),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, block, error):
    with pytest.raises(error):
        with nnz.writer(tmp_path / "m.mtx", (40, 30), dtype=np.float32) as writer:
            writer.write(block)
    assert os.listdir(tmp_path) == []


def test_narrower_values_fit(tmp_path):
    with nnz.writer(tmp_path / "m.bpcells", (4, 3)) as writer:
        writer.write(np.full((2, 3), 1.5))
        writer.write(np.full((2, 3), 2, np.uint8))
    found = nnz.open(tmp_path / "m.bpcells").to_numpy()
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [[1.5] * 3] * 2 + [[2.0] * 3] * 2)


def test_broken_parts_are_refused(tmp_path):
    broken = sparse.csr_array((2, 30))
    broken.indptr, broken.indices, broken.data = np.array([0, 1, 1]), np.array([30]), np.array([1.0])
    with pytest.raises(nnz.Error):
        with nnz.writer(tmp_path / "m.mtx", (2, 30)) as writer:
            writer.write(broken)
    assert os.listdir(tmp_path) == []


def test_invalid_orders_and_options_are_refused(tmp_path):
    with pytest.raises(ValueError, match="row"):
        nnz.writer(tmp_path / "m.mtx", (2, 30), "rows")
    with pytest.raises(nnz.ArgumentError, match="no_such_option"):
        nnz.writer(tmp_path / "m.mtx", (2, 30), dtype=float, no_such_option=1)
    for shape in [(-1, 30), (2,), (2, 3, 4), (2.5, 3)]:
        with pytest.raises((ValueError, TypeError)):
            nnz.writer(tmp_path / "m.mtx", shape, dtype=float)


def test_interrupts_leave_no_files(tmp_path):
    main = threading.main_thread().ident
    threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    part = random_matrix((200, 2000), 0.5)
    with pytest.raises(KeyboardInterrupt):
        with nnz.writer(tmp_path / "m.mtx.gz", (10_000_000, 2000)) as writer:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                writer.write(part)
    assert os.listdir(tmp_path) == []


def test_writers_dropped_in_a_child_continue_in_the_parent(tmp_path):
    matrix = random_matrix()
    writer = nnz.writer(tmp_path / "m.bpcells", matrix.shape)
    writer.write(matrix[:10])
    child = os.fork()
    if child == 0:
        try:
            del writer
            gc.collect()
        finally:
            os._exit(0)
    until = time.monotonic() + 30
    ended = 0
    while not ended and time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not ended:
        os.kill(child, signal.SIGKILL)
    assert ended and status == 0
    writer.write(matrix[10:])
    writer.close()
    same(nnz.open(tmp_path / "m.bpcells").to_scipy("row"), matrix)


def test_parts_of_several_threads_are_written(tmp_path):
    part = sparse.csr_array(np.eye(1, 5))
    with nnz.writer(tmp_path / "m.bpcells", (400, 5)) as writer:
        threads = [threading.Thread(target=lambda: [writer.write(part) for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert nnz.open(tmp_path / "m.bpcells").nnz == 400


@pytest.mark.parametrize("dtype", [None, "int32"])
def test_the_target_is_checked_at_the_start(tmp_path, dtype):
    (tmp_path / "old.mtx").write_text("old")
    names = ["a", "b"]
    refused = [
        ("n.mtx", {"nonsense": 1}, nnz.ArgumentError),
        ("n.mtx", {"to": "zzz"}, nnz.ArgumentError),
        ("n.xyz", {}, nnz.ArgumentError),
        ("n.mtx", {"threads": 0}, nnz.ArgumentError),
        ("none/n.mtx", {}, FileNotFoundError),
        ("old.mtx", {}, FileExistsError),
        ("old.mtx/n.mtx", {}, OSError),
        ("n.h5", {"to": "10x"}, nnz.UnsupportedError),
        ("n.h5", {"to": "10x", "row_names": names}, nnz.UnsupportedError),
        ("n.mtx", {"row_names": ["a"]}, nnz.ArgumentError),
    ]
    for order in ("row", "col"):
        for name, options, error in refused:
            with pytest.raises(error):
                nnz.writer(tmp_path / name, (2, 2), order, dtype=dtype, **options)
            assert os.listdir(tmp_path) == ["old.mtx"]
        with nnz.writer(tmp_path / "n.h5", (2, 2), order, dtype=dtype, to="10x", row_names=names, col_names=names) as parts:
            parts.write(np.eye(2, dtype=np.int32))
        assert parts.summary.entries == 2
        os.remove(tmp_path / "n.h5")
    with pytest.raises(nnz.ArgumentError, match="lossy|type|strict|unknown|nonsense"):
        nnz.writer(tmp_path / "n.mtx", (2, 2), dtype=dtype, type="nonsense")


def test_errors_of_a_writer_have_its_path(tmp_path):
    path = tmp_path / "w.mtx"

    def blocks(*written, dtype=None):
        writer = nnz.writer(path, (4, 3), dtype=dtype)
        for block in written:
            writer.write(block)
        writer.close()

    wrong = [
        (lambda: blocks(np.eye(2, 4)), nnz.ArgumentError, "a block has 4 columns, the matrix 3"),
        (lambda: blocks(np.eye(2, 3)), nnz.ArgumentError, "2 of 4 rows were written"),
        (lambda: blocks(), nnz.ArgumentError, "0 of 4 rows were written"),
        (lambda: blocks(np.eye(2, 3), np.eye(3, 3)), nnz.ArgumentError, "5 rows are written, but the matrix has 4"),
        (lambda: blocks(np.eye(2, 3), dtype="int8"), nnz.CastError, "values of float64 may not fit into int8"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message) as raised:
            call()
        assert type(raised.value) is error and isinstance(raised.value, ValueError)
        assert raised.value.path == str(path) and str(raised.value).startswith(f"{path}: ")
        assert os.listdir(tmp_path) == []
    writer = nnz.writer(path, (4, 3))
    writer.abort()
    with pytest.raises(nnz.ArgumentError, match="ended") as raised:
        writer.write(np.eye(2, 3))
    assert raised.value.path == str(path)
    # It is still there, and does not cancel others.
    table = tmp_path / "t.csv"
    table.write_text("1,0\n0,2\n")
    assert nnz.open(table, header="no").shape == (2, 2)


@pytest.mark.parametrize("block", [np.array([[2**53 + 1]]), np.array([[2**64 - 1]], np.uint64), np.array([[-(2**53) - 1]])])
def test_integers_that_floats_round_are_refused(tmp_path, block):
    for dtype in ["float64", "complex128"]:
        with pytest.raises(nnz.CastError, match="cannot be stored exactly"):
            with nnz.writer(tmp_path / "w.npz", (1, 1), dtype=dtype) as parts:
                parts.write(block)
        assert not (tmp_path / "w.npz").exists()


def test_large_integers_that_floats_have_are_written(tmp_path):
    with nnz.writer(tmp_path / "w.npz", (1, 3), dtype="float64") as parts:
        parts.write(np.array([[2**53, 2**60, -(2**62)]]))
    assert nnz.open(tmp_path / "w.npz").to_numpy().tolist() == [[2.0**53, 2.0**60, -(2.0**62)]]


def test_the_working_directory_may_change(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    parts = nnz.writer("a.npz", (1, 2))
    parts.write(np.ones((1, 2)))
    monkeypatch.chdir("other")
    parts.close()
    assert (tmp_path / "a.npz").exists()
