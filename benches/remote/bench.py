#!/usr/bin/env python3
"""Reading over a network, compared with anndata: requests, bytes and seconds on a server with a delay for each request.

usage: bench.py DATA [--cells N] [--runs N] [--delay MS] [--only TEXT]

Each measurement is a separate process. The server counts what it is asked. Opening is measured, imports are not.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))
from object_server import ObjectServer  # noqa: E402


def run(*command, capture=False):
    """Run Python with a script of the repository."""
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *map(str, command)]
    done = subprocess.run(command, env={**os.environ, **threads}, check=True, capture_output=capture)
    return done.stdout


def make_inputs(data, cells):
    """Create counts of BPCells and of AnnData: with cells in order, and with genes in order."""
    bucket, raw = data / f"bucket-{cells}", data / f"counts-{cells}"
    bucket.mkdir(parents=True, exist_ok=True)
    if not (raw / "shape.json").exists():
        run(HERE.parent / "data" / "gen_counts.py", raw, "--cells", cells)
    for name in ("counts.bpcells", "cells.h5ad", "cells.zarr", "genes.h5ad", "genes.zarr", "plain.zarr"):
        if not (bucket / name).exists():
            # It appears when it is complete.
            part = bucket.with_name(f"{bucket.name}-part-{name}")
            run(HERE / "calls.py", "make", raw, part, name)
            part.rename(bucket / name)
    return bucket


ROWS = {
    "opening, BPCells": {"nnz": ("nnz_open", "s3://data/counts.bpcells")},
    "one column, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "one")},
    "1000 neighbouring columns, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "near")},
    "1000 random columns, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "random")},
    "sums of all columns, BPCells": {"nnz": ("nnz_sums", "s3://data/counts.bpcells")},
    "sums of all columns, Binsparse in Zarr, uncompressed": {"nnz": ("nnz_sums", "{web}/plain.zarr")},
    "sums of all columns, AnnData in Zarr": {"nnz": ("nnz_sums", "{web}/cells.zarr")},
    "sums of all columns, AnnData in HDF5": {"nnz": ("nnz_sums", "{web}/cells.h5ad")},
    **{
        f"{what}, AnnData in {container}": {
            "nnz": (f"nnz_{call}", f"{{web}}/{file}.{extension}"),
            "anndata": (f"anndata_{call}", f"{{web}}/{file}.{extension}"),
        }
        for container, extension in (("Zarr", "zarr"), ("HDF5", "h5ad"))
        for what, call, file in (("one gene", "gene", "genes"), ("1000 cells", "cells", "cells"))
    },
}


def measure(server, contenders, runs):
    """Return the median seconds, requests and bytes of each contender."""
    found = {who: [] for who in contenders}
    checks = {}
    for _ in range(runs):
        for who, (call, place, *more) in contenders.items():
            server.reset()
            place = place.format(web=f"{server.endpoint}/data")
            done = json.loads(run(HERE / "calls.py", call, place, server.endpoint, *more, capture=True))
            found[who].append((done["seconds"], len(server.requests), server.bytes))
            checks[who] = done["check"]
    if len(set(checks.values())) > 1:
        raise SystemExit(f"they disagree: {checks}")
    return {who: [statistics.median(column) for column in zip(*each)] for who, each in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--delay", type=float, default=30, help="milliseconds of each request")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    bucket = make_inputs(given.data, given.cells)
    print(f"{given.cells} cells, {given.delay:g} ms a request, median of {given.runs}\n")
    print(f"{'':45} {'':8} {'seconds':>8} {'requests':>9} {'MB':>8}")
    with ObjectServer(bucket, delay=given.delay / 1000) as server:
        for name, contenders in ROWS.items():
            if given.only not in name:
                continue
            medians = measure(server, contenders, given.runs)
            for who, (seconds, requests, count) in medians.items():
                print(f"{name:45} {who:8} {seconds:8.3f} {requests:9.0f} {count / 1e6:8.2f}", flush=True)
                name = ""
            if "anndata" in medians:
                ratios = [other / max(own, 1e-9) for own, other in zip(medians["nnz"], medians["anndata"])]
                print("{:45} {:8} {:7.1f}x {:8.1f}x {:7.1f}x".format("", "ratio", *ratios))


if __name__ == "__main__":
    main()
