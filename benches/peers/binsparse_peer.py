#!/usr/bin/env python3
"""Benchmarks of Python: reading Binsparse arrays in HDF5 into memory with `h5py`, writing them, and
converting text to such a file with `fast_matrix_market` and `binsparse`."""
import argparse
import resource
import sys

import h5py
import numpy as np

from common import Clock, report, sync

NAMES = ["pointers_to_1", "indices_1", "values"]

ap = argparse.ArgumentParser()
ap.add_argument("call")
ap.add_argument("source")
ap.add_argument("target", nargs="?")
a = ap.parse_args()


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def read():
    clock = Clock()
    with h5py.File(a.source, "r") as file:
        pointers, _, values = (file[name][...] for name in NAMES)
    seconds = clock.seconds()
    most = peak()
    # Untimed: shows that the entries are in memory.
    check = float(values.sum(dtype=np.float64 if values.dtype.kind == "f" else np.int64))
    report(seconds=seconds, entries=int(pointers[-1]), check=check, peak_rss=most)


def write():
    # Arrays of the types that the other contenders write.
    with h5py.File(a.source, "r") as file:
        arrays = [file[name][...] for name in NAMES]
    clock = Clock()
    with h5py.File(a.target, "w") as file:
        for name, array in zip(NAMES, arrays):
            file.create_dataset(name, data=array)
    seconds = clock.seconds()
    sync(a.target)
    report(seconds=seconds, synced_seconds=clock.seconds(), entries=len(arrays[1]))


def import_text():
    import binsparse
    import fast_matrix_market
    from binsparse.conversions.scipy import from_scipy

    clock = Clock()
    matrix = fast_matrix_market.mmread(a.source, parallelism=2).tocsr()
    binsparse.save_binsparse(from_scipy(matrix), a.target)
    seconds = clock.seconds()
    sync(a.target)
    report(seconds=seconds, synced_seconds=clock.seconds(), entries=matrix.nnz)


{"read": read, "write": write, "import-text": import_text}[a.call]()
