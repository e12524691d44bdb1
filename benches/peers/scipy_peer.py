#!/usr/bin/env python3
"""Benchmark of SciPy: sums of a matrix in memory, without reading and decoding."""
import argparse

import numpy as np

from common import Clock, load, report, weigh

ap = argparse.ArgumentParser()
ap.add_argument("call")
ap.add_argument("source")
a = ap.parse_args()

matrix = load(a.source)
clock = Clock()
# Products with ones: several times as fast as `sum`.
if a.call == "col-sums":
    sums = np.ones(matrix.shape[0], matrix.dtype) @ matrix
else:
    sums = matrix @ np.ones(matrix.shape[1], matrix.dtype)
seconds = clock.seconds()
report(seconds=seconds, entries=matrix.nnz, check=weigh(sums))
