"""Ctrl-C raises KeyboardInterrupt, and what is left is complete or nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sparse
from conftest import random_matrix

import nnz

NAMES = 3_000_000

INTERRUPTED = """
import os, signal, sys, threading, time, nnz
source, target, delay = sys.argv[1], sys.argv[2], float(sys.argv[3])
m = nnz.open(source)
threads = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else None
timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
started = time.monotonic()
try:
    timer.start()
    {work}
    print("finished")
    time.sleep(5)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started - delay < 3)
timer.join()
until = time.monotonic() + 3
while threads is not None and len(os.listdir("/proc/self/task")) > threads:
    # A thread that goes on would use the file, and the memory, of what nobody waits for.
    assert time.monotonic() < until, "a thread still runs"
    time.sleep(0.01)
"""


def interrupt(work, source, target, delay):
    """Run something that is interrupted after a time, and return what it prints."""
    command = [sys.executable, "-c", INTERRUPTED.format(work=work), str(source), str(target), str(delay)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A store with millions of names of rows."""
    path = tmp_path_factory.mktemp("named") / "m.bpcells"
    nnz.write(sparse.csc_array((NAMES, 1), dtype=np.uint32), path)
    (path / "row_names").write_text("".join(f"name{number}\n" for number in range(NAMES)))
    assert nnz.open(path).shape == (NAMES, 1)
    return path


def test_reading_names_is_interrupted(named, tmp_path):
    assert interrupt("m.row_names", named, tmp_path / "none", 0.1) == ["interrupted", "True"]
    assert os.listdir(tmp_path) == []


def test_writing_names_is_interrupted_and_leaves_no_files(named, tmp_path):
    work = "nnz.convert(source, target, no_sync=True)"
    assert interrupt(work, named, tmp_path / "m.h5ad", 0.1) == ["interrupted", "True"]
    assert os.listdir(tmp_path) == []


def test_an_interrupted_split_leaves_nothing(tmp_path):
    """The parts that were complete were left."""
    source, table, many = tmp_path / "m.h5ad", tmp_path / "t.csv", tmp_path / "many.h5ad"
    nnz.write(random_matrix((3000, 100), 0.2), source)
    table.write_text("name,k\n" + "".join(f"{row},v{row % 1500}\n" for row in range(3000)))
    nnz.convert(source, many, row_annotations=table)
    before = sorted(os.listdir(tmp_path))
    work = "nnz.split(source, target, by='k')"
    assert interrupt(work, many, tmp_path / "parts", 0.4) == ["interrupted", "True"]
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["m.bpcells", "m.npz"])
def test_an_interrupt_leaves_a_complete_file_or_none(tmp_path, name):
    source = tmp_path / "source.npz"
    nnz.write(random_matrix((2000, 2000), 0.3), source)
    for step in range(8):
        target = tmp_path / "out" / name
        target.parent.mkdir()
        interrupt("nnz.convert(source, target)", source, target, 0.01 + step * 0.03)
        if os.listdir(target.parent):
            assert os.listdir(target.parent) == [name]
            assert nnz.validate(target) == [] and nnz.diff(source, target) == []
            nnz.convert(source, target, force=True)
        for directory, _, files in os.walk(target.parent, topdown=False):
            for file in files:
                os.remove(os.path.join(directory, file))
            os.rmdir(directory)


def test_the_first_array_is_made_without_imports(tmp_path):
    # Imports run code of Python, in which a signal can raise, and compiled code cannot return an error there.
    nnz.write(np.eye(2), tmp_path / "m.mtx")
    code = """
import sys
import threading
import time
import nnz
m = nnz.open(sys.argv[1])
import numpy, numpy.lib
def interrupted(*_):
    raise KeyboardInterrupt
numpy.lib.NumpyVersion = interrupted
print(m.sum(axis=0).tolist())
"""
    command = [sys.executable, "-c", code, str(tmp_path / "m.mtx")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[1.0, 1.0]\n", done.stderr
