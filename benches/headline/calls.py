"""One measurement in a separate process: the call, its CPU and wall time, its peak memory, and what it found.

usage: calls.py CALL THREADS PATH RAW

Imports, and reading into memory what NumPy adds up, are not timed. Opening a file on disk is.
"""

import json
import os
import pathlib
import resource
import sys
import time

import numpy as np

TARGET = 1e4
GENES = 2000
COMPONENTS = 50


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak():
    """The peak memory in MB, without that of the process that started this one."""
    try:
        status = pathlib.Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work, describe):
    wall, cpu = time.perf_counter(), used()
    found = work()
    wall, cpu = time.perf_counter() - wall, used() - cpu
    return {"cpu": cpu, "wall": wall, "megabytes": peak(), "check": describe(found)}


def rough(values):
    """A sum that does not depend on the order of additions, to the digits shown."""
    return float(f"{np.asarray(values, np.float64).sum():.4g}")


def with_matrix(path, work):
    import nnz

    return timed(lambda: work(nnz.open(path)), rough)


def normalized(matrix, totals):
    return matrix.scale_cols(TARGET / totals)


def with_totals(path, work):
    """Normalised values, where the sums of the cells are known."""
    import nnz

    totals = nnz.open(path).sum(axis=0).astype(np.float64)
    return timed(lambda: work(normalized(nnz.open(path), totals)), rough)


def ones(matrix, width=None):
    return np.ones(matrix.shape[1] if width is None else (matrix.shape[1], width))


CALLS = {
    "sums of cells": lambda path: with_matrix(path, lambda m: m.sum(axis=0)),
    "sums of genes": lambda path: with_matrix(path, lambda m: m.sum(axis=1)),
    "variance of genes": lambda path: with_matrix(path, lambda m: m.var(axis=1, ddof=1)),
    "maximum of genes": lambda path: with_matrix(path, lambda m: m.max(axis=1)),
    "normalized, sums of genes": lambda path: with_totals(path, lambda m: m.sum(axis=1)),
    "normalized, variance of genes": lambda path: with_totals(path, lambda m: m.var(axis=1, ddof=1)),
    "normalized, log1p, sums of genes": lambda path: with_totals(path, lambda m: m.log1p().sum(axis=1)),
    "normalized, log1p, variance of genes": lambda path: with_totals(path, lambda m: m.log1p().var(axis=1, ddof=1)),
    "matrix x vector": lambda path: with_matrix(path, lambda m: m @ ones(m)),
    "normalized matrix x vector": lambda path: with_totals(path, lambda m: m @ ones(m)),
    "normalized, log1p, matrix x vector": lambda path: with_totals(path, lambda m: m.log1p() @ ones(m)),
    "matrix x 32 columns": lambda path: with_matrix(path, lambda m: m @ ones(m, 32)),
}


def pipeline(path):
    """Normalises, selects the most variable genes, and computes components of their scaled logarithms."""
    import nnz

    def work():
        matrix = nnz.open(path)
        values = matrix.normalize_total(TARGET)
        moments = values.stats(axis=1, measures="variance")
        genes = np.sort(np.argsort(moments["variance"])[-GENES:])
        logarithms = values[genes].log1p()
        scale = 1 / np.sqrt(logarithms.var(axis=1, ddof=1))
        return nnz.pca(logarithms.scale_rows(scale), n_components=COMPONENTS).singular_values

    return timed(work, lambda found: [float(f"{value:.4g}") for value in found[:20]])


def bincount(raw):
    """NumPy adds up the same entries in memory: what goals are multiples of."""
    raw = pathlib.Path(raw)
    genes = json.loads((raw / "shape.json").read_text())["genes"]
    indices = np.fromfile(raw / "indices.u32", "<u4").astype(np.intp)
    values = np.fromfile(raw / "data.u32", "<u4").astype(np.float64)
    return timed(lambda: np.bincount(indices, values, genes), rough)


if __name__ == "__main__":
    name, threads, path, raw = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    if name == "bincount":
        found = bincount(raw)
    else:
        found = pipeline(path) if name == "pipeline" else CALLS[name](path)
    print(json.dumps(found))
