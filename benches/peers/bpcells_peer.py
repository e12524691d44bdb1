#!/usr/bin/env python3
"""Benchmarks of the `bpcells` wheel, each task in its fastest way.

The wheel has no sums: it returns blocks of columns as SciPy matrices, and a product with a
vector of ones sums them. Blocks of a hundred columns a thread stay in the cache and were the
fastest of 50 to 20,000; one call for all columns takes twice as long.
"""
import argparse

import bpcells.cpp
import numpy as np
import scipy.sparse as sp
from bpcells.experimental import DirMatrix

from common import Clock, load, report, sync, weigh

ap = argparse.ArgumentParser()
ap.add_argument("call")
ap.add_argument("source")
ap.add_argument("target", nargs="?")
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--count", type=int, default=1000)
a = ap.parse_args()


def blocks(path, width=100):
    cols = DirMatrix(path).shape[1]
    step = width * a.threads
    for first in range(0, cols, step):
        chosen = list(range(first, min(first + step, cols)))
        yield from bpcells.cpp.load_matrix_dir_subset(path, None, chosen, a.threads)


def whole(path):
    return sp.hstack(list(blocks(path, 500)), format="csc")


def col_sums():
    clock = Clock()
    ones = np.ones(DirMatrix(a.source).shape[0], np.uint32)
    sums = np.concatenate([ones @ block for block in blocks(a.source)])
    report(seconds=clock.seconds(), check=weigh(sums))


def row_sums():
    clock = Clock()
    sums = np.zeros(DirMatrix(a.source).shape[0], np.uint64)
    for block in blocks(a.source):
        sums += block @ np.ones(block.shape[1], np.uint32)
    report(seconds=clock.seconds(), check=weigh(sums))


def read():
    clock = Clock()
    matrix = whole(a.source)
    report(seconds=clock.seconds(), entries=matrix.nnz, check=float(matrix.data.sum(dtype=np.uint64)))


def columns():
    """The same columns as for nnz, including opening but not importing."""
    cols = DirMatrix(a.source).shape[1]
    count = min(a.count, cols)
    stretch = cols // count
    chosen = [place * stretch + place * 7919 % stretch for place in range(count)]
    clock = Clock()
    matrix = DirMatrix(a.source)
    matrix.threads = a.threads
    found = matrix[:, chosen]
    total = int(found.data.sum(dtype=np.uint64))
    report(seconds=clock.seconds(), entries=found.nnz, check=float(total))


def written(clock, entries):
    seconds = clock.seconds()
    sync(a.target)
    report(seconds=seconds, synced_seconds=clock.seconds(), entries=entries)


def pack():
    """From arrays in memory, which are read untimed."""
    matrix = load(a.source)
    clock = Clock()
    DirMatrix.from_scipy_sparse(matrix, a.target)
    written(clock, matrix.nnz)


def transpose():
    clock = Clock()
    matrix = whole(a.source).T.tocsc()
    DirMatrix.from_scipy_sparse(matrix, a.target)
    written(clock, matrix.nnz)


def import_text():
    """Matrix Market with fast_matrix_market, then packed from memory."""
    import fast_matrix_market

    clock = Clock()
    matrix = fast_matrix_market.mmread(a.source, parallelism=a.threads)
    matrix = matrix.tocsc().astype(np.uint32)
    DirMatrix.from_scipy_sparse(matrix, a.target)
    written(clock, matrix.nnz)


def import_fragments():
    from bpcells.experimental import import_10x_fragments

    clock = Clock()
    import_10x_fragments(a.source, a.target)
    seconds = clock.seconds()
    sync(a.target)
    report(seconds=seconds, synced_seconds=clock.seconds())


{
    "col-sums": col_sums,
    "row-sums": row_sums,
    "read": read,
    "columns": columns,
    "pack": pack,
    "transpose": transpose,
    "import-text": import_text,
    "import-fragments": import_fragments,
}[a.call]()
