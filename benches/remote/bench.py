#!/usr/bin/env python3
"""Reading over a network, compared with anndata: requests, bytes and seconds on a server with a delay for each request.

usage: bench.py DATA [--cells N] [--runs N] [--delay MS] [--only TEXT]

Each measurement is a separate process. The server counts what it is asked. Opening is measured, imports are not.
Scans are compared with the same scans of local files, and with goals. The last row has a delay of 100 ms, and 200 MB/s for each
connection; it is compared with a plain client that sends the same requests over as many connections as nnz had.
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


def run(*command, capture=False, text=None):
    """Run Python with a script of the repository, and with a text on standard input."""
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *map(str, command)]
    streams = {"stdout": subprocess.PIPE if capture else None, "input": text, "encoding": "utf-8"}
    return subprocess.run(command, env={**os.environ, **threads}, check=True, **streams).stdout


def make_inputs(data, cells):
    """Create counts of BPCells and of AnnData: with cells in order, and with genes in order."""
    bucket, raw = data / f"bucket-{cells}", data / f"counts-{cells}"
    bucket.mkdir(parents=True, exist_ok=True)
    if not (raw / "shape.json").exists():
        run(HERE.parent / "data" / "gen_counts.py", raw, "--cells", cells)
    for name in ("counts.bpcells", "cells.h5ad", "cells.zarr", "genes.h5ad", "genes.zarr", "plain.zarr", "chunks.zarr"):
        if not (bucket / name).exists():
            # It appears when it is complete.
            part = bucket.with_name(f"{bucket.name}-part-{name}")
            run(HERE / "calls.py", "make", raw, part, name, bucket)
            part.rename(bucket / name)
    return bucket


STORES = {
    "BPCells": "counts.bpcells",
    "Binsparse in Zarr": "plain.zarr",
    "AnnData in Zarr": "cells.zarr",
    "AnnData in HDF5": "cells.h5ad",
}
# Seconds more than for a local file, and requests more than chunks.
SCAN_GOAL = (0.4, 10)
# The delay in milliseconds, bytes a second of each connection, and the share of the speed of a plain client.
LINE, LINE_GOAL = (100, 200e6), 0.8
# Arrays that are not chunked are requested in pieces.
HEAD, PIECE = 4 << 10, 8 << 20

ROWS = {
    "opening, BPCells": {"nnz": ("nnz_open", "s3://data/counts.bpcells")},
    "one column, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "one")},
    "1000 neighbouring columns, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "near")},
    "1000 random columns, BPCells": {"nnz": ("nnz_cols", "s3://data/counts.bpcells", "random")},
    "sums of all columns, BPCells": {"nnz": ("nnz_sums", "s3://data/counts.bpcells")},
    **{
        f"{what}, AnnData in {container}": {
            "nnz": (f"nnz_{call}", f"{{web}}/{file}.{extension}"),
            "anndata": (f"anndata_{call}", f"{{web}}/{file}.{extension}"),
        }
        for container, extension in (("Zarr", "zarr"), ("HDF5", "h5ad"))
        for what, call, file in (("one gene", "gene", "genes"), ("1000 cells", "cells", "cells"))
    },
}
SCANS = {
    f"{verb}, {format}": {
        "nnz": (f"nnz_{call}", f"{{web}}/{file}", *([f"{{local}}/{file}"] if call == "diff" else [])),
        "local": (f"nnz_{call}", f"{{local}}/{file}", *([f"{{local}}/{file}"] if call == "diff" else [])),
    }
    for verb, call in (("sums", "row_sums"), ("conversion", "convert"), ("comparison", "diff"))
    for format, file in STORES.items()
}


def chunks(path):
    """Return the number of chunks of a store: files, chunks of HDF5, or pieces of arrays that are not chunked."""
    if (path / "version").exists():
        # Arrays of BPCells are opened with a request for their first bytes.
        sizes = [file.stat().st_size for file in path.iterdir()]
        return len(sizes) + sum(-(-size // PIECE) for size in sizes if size > HEAD)
    if path.is_dir():
        return sum(1 for file in path.rglob("*") if file.is_file())
    import h5py

    found = []
    with h5py.File(path, "r") as file:
        stored = lambda item: item.id.get_num_chunks() if item.chunks else 1  # noqa: E731
        file.visititems(lambda _, item: found.append(stored(item)) if isinstance(item, h5py.Dataset) else None)
    return sum(found)


def measure(server, contenders, runs):
    """Return the median seconds, requests and bytes of each contender."""
    found = {who: [] for who in contenders}
    checks = {}
    fill = {"web": f"{server.endpoint}/data", "local": server.directory}
    for _ in range(runs):
        for who, (call, place, *more) in contenders.items():
            server.reset()
            place, *more = (text.format(**fill) for text in (place, *more))
            done = json.loads(run(HERE / "calls.py", call, place, server.endpoint, *more, capture=True))
            found[who].append((done["seconds"], len(server.requests), server.bytes))
            checks[who] = done["check"]
    if len(set(checks.values())) > 1:
        raise SystemExit(f"they disagree: {checks}")
    return {who: [statistics.median(column) for column in zip(*each)] for who, each in found.items()}


def measure_line(server, place, runs):
    """Return the medians of nnz and of a plain client that sends the same requests over as many connections."""
    found = {"nnz": [], "plain client": []}
    place = place.format(web=f"{server.endpoint}/data")
    for _ in range(runs):
        server.reset()
        done = json.loads(run(HERE / "calls.py", "nnz_row_sums", place, server.endpoint, capture=True))
        requests, sent, most = server.requests, server.bytes, server.most_at_once
        found["nnz"].append((done["seconds"], len(requests), sent))
        server.reset()
        lines = [server.endpoint.partition("//")[2], *(f"{path}\t{wanted}" for _, path, wanted in requests)]
        done = json.loads(run(HERE / "calls.py", "fetch", most, capture=True, text="\n".join(lines)))
        found["plain client"].append((done["seconds"], len(server.requests), server.bytes))
    return most, {who: [statistics.median(column) for column in zip(*each)] for who, each in found.items()}


def show(name, medians):
    for who, (seconds, requests, count) in medians.items():
        print(f"{name:45} {who:12} {seconds:8.3f} {requests:9.0f} {count / 1e6:8.2f}", flush=True)
        name = ""


def goal(text, met):
    print(f"{'':45} {'goal':12} {text}: {'met' if met else 'missed'}", flush=True)


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
    print(f"{'':45} {'':12} {'seconds':>8} {'requests':>9} {'MB':>8}")
    with ObjectServer(bucket, delay=given.delay / 1000) as server:
        for name, contenders in ROWS.items():
            if given.only not in name:
                continue
            medians = measure(server, contenders, given.runs)
            show(name, medians)
            if "anndata" in medians:
                ratios = [other / max(own, 1e-9) for own, other in zip(medians["nnz"], medians["anndata"])]
                print("{:45} {:12} {:7.1f}x {:8.1f}x {:7.1f}x".format("", "ratio", *ratios))
        for name, contenders in SCANS.items():
            if given.only not in name:
                continue
            medians = measure(server, contenders, given.runs)
            show(name, medians)
            seconds = medians["local"][0] + SCAN_GOAL[0]
            most = chunks(bucket / contenders["nnz"][1].rpartition("/")[2]) + SCAN_GOAL[1]
            met = medians["nnz"][0] <= seconds and medians["nnz"][1] <= most
            goal(f"{seconds:.3f} s, {most} requests", met)
    name = "sums, 2000 chunks, 100 ms and 200 MB/s"
    if given.only in name:
        delay, rate = LINE
        with ObjectServer(bucket, delay=delay / 1000, rate=rate) as server:
            most, medians = measure_line(server, "{web}/chunks.zarr", given.runs)
        show(name, medians)
        share = medians["plain client"][0] / medians["nnz"][0]
        goal(f"{LINE_GOAL} of the plain client on {most} connections, found {share:.2f}", share >= LINE_GOAL)


if __name__ == "__main__":
    main()
