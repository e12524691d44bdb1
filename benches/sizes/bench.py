#!/usr/bin/env python3
"""Bytes for each entry, and seconds to write and to read, for formats, compressions and profiles.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

Two sets of counts: generated ones, and those of 559 cells in the package celltypist, which is downloaded. Writing is
from a packed BPCells directory; reading is the sum of all values, for which no positions are decoded, and the whole
matrix in memory. Other programs write from memory. All on two threads, without fsync.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
import zipfile

import numpy as np
import scipy.sparse as sp

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))
THREADS = 2
REAL = "celltypist==1.7.1"


def real_counts(data):
    """Return the counts of 559 cells, genes by cells, with their names."""
    folder = data / "celltypist"
    if not folder.exists():
        part = folder.with_name("celltypist-part")
        command = ["pip", "download", "--quiet", "--no-deps", "--dest", part, REAL]
        subprocess.run([sys.executable, "-m", *command], check=True)
        part.rename(folder)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        text = wheel.read("celltypist/data/samples/sample_cell_by_gene.csv").decode()
    lines = csv.reader(text.splitlines())
    genes = next(lines)[1:]
    cells, rows = zip(*((line[0], np.array(line[1:], dtype=np.float32)) for line in lines))
    return sp.csr_matrix(np.array(rows)).T.tocsc().astype(np.uint32), genes, list(cells)


def generated_counts(data, cells):
    """Return generated counts, genes by cells, with names."""
    from common import generated, raw_counts

    matrix = raw_counts(generated(data, cells))
    names = [[f"{kind}{at}" for at in range(count)] for kind, count in zip(("gene", "cell"), matrix.shape)]
    return matrix, *names


def size(path):
    """Return the bytes of a file or of all files in a directory."""
    path = pathlib.Path(path)
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def remove(path):
    shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else pathlib.Path(path).unlink(missing_ok=True)


def timed(call):
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


class Nnz:
    """A target of nnz and its options."""

    def __init__(self, name, **options):
        self.name, self.options = name, options

    def write(self, source, matrix, path):
        import nnz

        nnz.convert(source, path, force=True, no_sync=True, threads=THREADS, **self.options)

    def sum(self, path):
        import nnz

        return nnz.open(path).sum()

    def read(self, path):
        import nnz

        return nnz.open(path).to_scipy()


class AnnDataPeer:
    """anndata, from memory."""

    def __init__(self, name, write, read):
        self.name, self._write, self._read = name, write, read

    def write(self, source, matrix, path):
        remove(path)
        self._write(matrix, path)

    def sum(self, path):
        return self._read(path).X.sum(dtype=np.float64)

    def read(self, path):
        return self._read(path)


class BPCellsPeer:
    """BPCells, from memory."""

    name = "counts.bpcells"

    def write(self, source, matrix, path):
        import bpcells.experimental as bp

        remove(path)
        bp.DirMatrix.from_scipy_sparse(matrix.X.T.tocsc(), path)

    def read(self, path):
        import bpcells.experimental as bp

        return bp.DirMatrix(path)[:, :]

    def sum(self, path):
        return self.read(path).sum()


def contenders():
    import anndata

    small = "zstd:9+delta+shuffle"
    order = {"reorder": {"rows": "frequency"}}
    ours = [
        ("BPCells", Nnz("counts.bpcells")),
        ("BPCells, fast", Nnz("counts.bpcells", profile="fast")),
        ("AnnData in Zarr, fast", Nnz("counts.zarr", to="anndata", profile="fast")),
        ("AnnData in Zarr, zstd:3", Nnz("counts.zarr", to="anndata", compress="zstd:3")),
        ("AnnData in Zarr, blosc", Nnz("counts.zarr", to="anndata", compress="blosc")),
        (f"AnnData in Zarr, {small}", Nnz("counts.zarr", to="anndata", compress=small)),
        ("AnnData in Zarr, small", Nnz("counts.zarr", to="anndata", profile="small")),
        ("AnnData in Zarr, pcodec:8", Nnz("counts.zarr", to="anndata", compress="pcodec:8")),
        ("AnnData in Zarr, pcodec:8, ordered", Nnz("counts.zarr", to="anndata", compress="pcodec:8", **order)),
        ("AnnData in Zarr, share", Nnz("counts.zarr", to="anndata", profile="share")),
        ("AnnData in HDF5, fast", Nnz("counts.h5ad", profile="fast")),
        ("AnnData in HDF5, small", Nnz("counts.h5ad", profile="small")),
        ("AnnData in HDF5, share", Nnz("counts.h5ad", profile="share")),
        ("10x in HDF5", Nnz("counts.h5", to="10x")),
        ("10x in HDF5, small", Nnz("counts.h5", to="10x", profile="small")),
        ("Binsparse in Zarr, small", Nnz("counts.bsp.zarr", to="binsparse", profile="small")),
        ("SciPy npz, small", Nnz("counts.npz", profile="small")),
        ("Matrix Market, gzip", Nnz("counts.mtx.gz")),
    ]
    peers = [
        ("BPCells", BPCellsPeer()),
        (
            "AnnData in HDF5, gzip",
            AnnDataPeer("counts.h5ad", lambda m, path: m.write_h5ad(path, compression="gzip"), anndata.read_h5ad),
        ),
        ("AnnData in Zarr", AnnDataPeer("counts.zarr", lambda m, path: m.write_zarr(path), anndata.read_zarr)),
    ]
    return [(name, "nnz", one) for name, one in ours] + [(name, "its own program", one) for name, one in peers]


def measure(one, source, matrix, expected, scratch, runs):
    """Return bytes, and the median seconds of writing, of sums and of reading."""
    path = str(scratch / one.name)
    times = {"write": [], "sum": [], "read": []}
    for _ in range(runs):
        remove(path)
        times["write"].append(timed(lambda: one.write(source, matrix, path))[0])
        seconds, found = timed(lambda: one.sum(path))
        times["sum"].append(seconds)
        if int(found) != expected:
            raise SystemExit(f"{one.name}: the sum is {found}, not {expected}")
        times["read"].append(timed(lambda: one.read(path))[0])
    bytes_ = size(path)
    remove(path)
    return bytes_, {name: statistics.median(all_) for name, all_ in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    import anndata
    import nnz

    given.data.mkdir(parents=True, exist_ok=True)
    scratch = given.data / "sizes"
    scratch.mkdir(exist_ok=True)
    sets = {"real": lambda: real_counts(given.data), "generated": lambda: generated_counts(given.data, given.cells)}
    for name, load in sets.items():
        counts, genes, cells = load()
        expected, entries = int(counts.sum()), counts.nnz
        source = str(scratch / "source.bpcells")
        nnz.write(counts, source, row_names=genes, col_names=cells, axis_kinds=("features", "cells"), force=True)
        matrix = anndata.AnnData(counts.T.tocsr())
        matrix.var_names, matrix.obs_names = genes, cells
        print(f"\n{name}: {counts.shape[0]} genes, {counts.shape[1]} cells, {entries} entries, median of {given.runs}\n")
        print("| | written by | bytes per entry | written | sum | read |\n|---|---|---|---|---|---|")
        for what, who, one in contenders():
            if given.only not in what:
                continue
            bytes_, seconds = measure(one, source, matrix, expected, scratch, given.runs)
            shown = " | ".join(f"{seconds[each]:.3f} s" for each in ("write", "sum", "read"))
            print(f"| {what} | {who} | {bytes_ / entries:.2f} | {shown} |", flush=True)
        remove(source)


if __name__ == "__main__":
    main()
