"""Shared by the peers: inputs, the clock, and output."""
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp


def raw_counts(folder):
    """The arrays of gen_counts.py as a matrix of genes by cells."""
    with open(os.path.join(folder, "shape.json")) as file:
        shape = json.load(file)
    indptr = np.fromfile(os.path.join(folder, "indptr.u64"), "<u8")
    index = np.int32 if indptr[-1] < 2**31 else np.int64
    return sp.csc_matrix(
        (
            np.fromfile(os.path.join(folder, "data.u32"), "<u4"),
            np.fromfile(os.path.join(folder, "indices.u32"), "<u4").astype(index),
            indptr.astype(index),
        ),
        shape=(shape["genes"], shape["cells"]),
    )


def generated(data, cells):
    """The folder with the arrays of gen_counts.py for a number of cells, which is created if missing."""
    raw = pathlib.Path(data) / f"counts-{cells}"
    if not (raw / "shape.json").exists():
        generator = pathlib.Path(__file__).parent.parent / "data" / "gen_counts.py"
        subprocess.run([sys.executable, generator, raw, "--cells", str(cells)], check=True)
    return raw


def load(path):
    """A matrix for a peer that starts from memory: raw counts, or arrays of gen_big.py."""
    if os.path.isdir(path):
        return raw_counts(path)
    arrays = np.load(path)
    side = len(arrays["indptr"]) - 1
    index = arrays["indptr"].astype(np.int32)
    return sp.csr_matrix((arrays["data"], arrays["indices"], index), shape=(side, side))


def weigh(sums):
    """Sums weighted by position, so that their order matters."""
    place = np.arange(1, len(sums) + 1) % 97
    return float(np.dot(place.astype(np.float64), np.asarray(sums, dtype=np.float64)))


def sync(path):
    """Waits until the output is on disk."""
    if os.path.isdir(path):
        for name in os.listdir(path):
            sync(os.path.join(path, name))
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


class Clock:
    """A clock that starts when it is created."""

    def __init__(self):
        self.started = time.perf_counter()

    def seconds(self):
        return time.perf_counter() - self.started


def report(**measured):
    print(json.dumps(measured))
