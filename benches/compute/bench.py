#!/usr/bin/env python3
"""Computing on disk, compared with programs that compute in memory, each measurement in a separate process.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

Two threads, except where a row states another number. The contenders of a row alternate, and the median is reported.
Goals are evaluated at 100000 cells. What is read into memory before the task is not timed.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import bench  # noqa: E402

ENTRIES = 186.9e6
"""Entries of the counts of 100000 cells."""


def at_least(rate, entries):
    """At least that many entries per second."""

    def judge(own, *_):
        found = entries / own
        return found >= rate, f"{found / 1e6:.0f} M entries/s (goal {rate / 1e6:.0f})"

    return judge


def rows(packed, h5ad, cells, scratch):
    def call(name, path, *more):
        return [HERE / "calls.py", name, path, *more]

    entries = ENTRIES * cells / bench.CELLS
    return [
        bench.Row(
            "matrix @ 32 columns of float32; SciPy in memory on one thread",
            {"nnz": call("nnz_product", packed), "scipy": call("scipy_product", packed)},
            [at_least(250e6, entries), bench.over("scipy", 1)],
        ),
        bench.Row(
            "transposed matrix @ 32 columns of float32; SciPy in memory on one thread",
            {"nnz": call("nnz_product_t", packed), "scipy": call("scipy_product_t", packed)},
            [at_least(250e6, entries), bench.over("scipy", 1)],
        ),
        bench.Row(
            "normalize, log1p and 50 components; scanpy in memory",
            {"nnz": call("nnz_pca", packed), "scanpy": call("scanpy_pca", h5ad)},
            [bench.over("scanpy", 1), bench.memory_below("scanpy", 10)],
        ),
        bench.Row(
            "shuffled batches of 256 cells, cells per second as time for 20000 cells",
            {
                "nnz": call("nnz_batches", packed, 20_000),
                "annbatch": call("annbatch_batches", h5ad, 20_000, scratch),
                "anndata backed": call("anndata_batches", h5ad, 20_000),
            },
            [bench.over("anndata backed", 10)],
        ),
        bench.Row(
            "bootstrap of gene sums, two dask workers with one thread each",
            {"nnz": call("dask_two", packed), "one worker": call("dask_one", packed)},
            [bench.over("one worker", 1.8)],
        ),
    ]


def main():
    options = bench.parse(__doc__.splitlines()[0])
    packed, h5ad, _ = bench.make_inputs(options.data, options.cells)
    bench.report(rows(packed, h5ad, options.cells, options.data), options)


if __name__ == "__main__":
    main()
