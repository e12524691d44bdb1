"""One measurement in a separate process: the call, its CPU and wall time, its peak memory, and what it found.

usage: calls.py PROGRAM CALL THREADS PATH RAW SCRATCH

Imports, and reading into memory what NumPy and scanpy compute with, are not timed. Opening a file on disk is.
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
GROUPS = 10
PRECISE = "pipeline, all components precise"
MARKERS = "markers of 10 groups"


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


def total(values):
    return [float(np.asarray(values, np.float64).sum())]


def with_matrix(path, work):
    import nnz

    return timed(lambda: work(nnz.open(path)), total)


def normalized(matrix, totals):
    return matrix.scale_cols(TARGET / totals)


def with_totals(path, work):
    """Normalised values, where the sums of the cells are known."""
    import nnz

    totals = nnz.open(path).sum(axis=0).astype(np.float64)
    return timed(lambda: work(normalized(nnz.open(path), totals)), total)


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


def reordered(path, scratch):
    import nnz

    def work():
        nnz.convert(path, pathlib.Path(scratch) / "by_gene.bpcells", order="row")
        return 0

    return timed(work, total)


def groups(cells):
    return np.array([f"group {number}" for number in range(GROUPS)])[np.arange(cells) % GROUPS]


def markers(path):
    """Compares logarithms in groups of cells with all others, from a matrix that is stored by gene."""
    import nnz

    by_gene = pathlib.Path(f"{path.removesuffix('.bpcells')}-by-gene.bpcells")
    if not by_gene.exists():
        nnz.convert(path, by_gene, order="row")
    # Sums of the cells are known.
    totals = nnz.open(path).sum(axis=0).astype(np.float64)
    matrix = normalized(nnz.open(by_gene), totals).log1p()
    return timed(lambda: nnz.markers(matrix, groups(matrix.shape[1]), axis="cols"), lambda found: total(np.abs(found.scores)))


def pipeline(path, memory=None, iterations=2):
    """Normalises, selects the most variable genes, and computes components of their scaled logarithms.

    Two iterations make the first 20 components precise to 1 %. By default, all are.
    """
    import nnz

    def work():
        matrix = nnz.open(path, memory=memory)
        values = matrix.normalize_total(TARGET)
        moments = values.stats(axis=1, measures="variance")
        genes = np.sort(np.argsort(moments["variance"])[-GENES:])
        logarithms = values[genes].log1p()
        scale = 1 / np.sqrt(logarithms.var(axis=1, ddof=1))
        return nnz.pca(logarithms.scale_rows(scale), n_components=COMPONENTS, iterations=iterations).singular_values

    return timed(work, leading)


def leading(values):
    return [float(value) for value in values[:20]]


def nnz_call(name, path, scratch):
    if name == "storage order on disk":
        return reordered(path, scratch)
    if name == MARKERS:
        return markers(path)
    if name in ("pipeline", PRECISE):
        return pipeline(path, iterations=2 if name == "pipeline" else None)
    if name == "pipeline, 14 times the cells":
        return pipeline(path, memory="300 MB")
    return CALLS[name](path)


def bincount(raw):
    """NumPy adds up the same entries in memory: what goals are multiples of."""
    raw = pathlib.Path(raw)
    genes = json.loads((raw / "shape.json").read_text())["genes"]
    indices = np.fromfile(raw / "indices.u32", "<u4").astype(np.intp)
    values = np.fromfile(raw / "data.u32", "<u4").astype(np.float64)
    return timed(lambda: np.bincount(indices, values, genes), total)


def scanpy_call(name, raw):
    """scanpy and SciPy compute in memory, with values of float32."""
    import anndata
    import scanpy

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
    from common import raw_counts

    data = anndata.AnnData(raw_counts(raw).T.tocsr().astype(np.float32))

    def values():
        if name.startswith("normalized"):
            scanpy.pp.normalize_total(data, target_sum=TARGET)
        if "log1p" in name:
            scanpy.pp.log1p(data)
        return data.X

    def variance(x):
        from sklearn.utils.sparsefuncs import mean_variance_axis

        return mean_variance_axis(x, axis=0)[1] * (x.shape[0] / (x.shape[0] - 1))

    def components():
        scanpy.pp.normalize_total(data, target_sum=TARGET)
        genes = np.sort(np.argsort(variance(data.X))[-GENES:])
        found = data[:, genes].copy()
        scanpy.pp.log1p(found)
        scanpy.pp.scale(found, zero_center=False)
        scanpy.pp.pca(found, n_comps=COMPONENTS)
        return np.sqrt(found.uns["pca"]["variance"] * (data.n_obs - 1))

    if name == MARKERS:
        scanpy.pp.normalize_total(data, target_sum=TARGET)
        scanpy.pp.log1p(data)
        data.obs["group"] = groups(data.n_obs)

        def ranked():
            scanpy.tl.rank_genes_groups(data, "group", method="wilcoxon", tie_correct=True)
            found = data.uns["rank_genes_groups"]["scores"]
            return [np.abs(found[name].astype(np.float64)).sum() for name in found.dtype.names]

        return timed(ranked, total)
    if name in ("pipeline", PRECISE):
        return timed(components, leading)
    end = name.rpartition(", ")[2].removeprefix("normalized ")
    works = {
        "sums of cells": lambda: values().sum(axis=1),
        "sums of genes": lambda: values().sum(axis=0),
        "variance of genes": lambda: variance(values()),
        "maximum of genes": lambda: values().max(axis=0).toarray(),
        "matrix x vector": lambda: values().T @ np.ones(data.n_obs),
        "matrix x 32 columns": lambda: values().T @ np.ones((data.n_obs, 32)),
        "storage order on disk": lambda: values().tocsc().nnz * 0,
    }
    return timed(works[end], total)


if __name__ == "__main__":
    program, name, threads, path, raw, scratch = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    if program == "numpy":
        found = bincount(raw)
    elif program == "scanpy":
        found = scanpy_call(name, raw)
    else:
        found = nnz_call(name, path, scratch)
    print(json.dumps(found))
