#!/usr/bin/env python3
"""Benchmarks of `fast_matrix_market`: reading a text into memory, and writing one."""
import argparse

import fast_matrix_market
import numpy as np

from common import Clock, load, report, sync

ap = argparse.ArgumentParser()
ap.add_argument("call")
ap.add_argument("source")
ap.add_argument("target", nargs="?")
ap.add_argument("--threads", type=int, default=1)
a = ap.parse_args()


def read():
    clock = Clock()
    matrix = fast_matrix_market.mmread(a.source, parallelism=a.threads)
    seconds = clock.seconds()
    # Untimed: shows that the entries are in memory.
    report(seconds=seconds, entries=matrix.nnz, check=float(matrix.data.sum()))


def write():
    matrix = load(a.source)
    clock = Clock()
    fast_matrix_market.mmwrite(a.target, matrix, symmetry="general", parallelism=a.threads)
    seconds = clock.seconds()
    sync(a.target)
    report(seconds=seconds, synced_seconds=clock.seconds(), entries=matrix.nnz)


{"read": read, "write": write}[a.call]()
