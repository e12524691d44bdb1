#!/usr/bin/env python3
"""Statistics, products and a pipeline, in multiples of the time that NumPy needs to add up the same entries in memory.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT] [--large]

Each measurement is a separate process; the median of the runs is reported. nnz runs on one thread and on two, BPCells (if R
has its package) and scanpy on one, except for what scanpy compiles with OpenMP or numba. Goals are evaluated at 100000 cells:
CPU time on one thread, in multiples of `numpy.bincount` with weights, and wall time on two threads, as a part of that on one.
`--large` adds the pipeline on these cells 14 times.
"""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import bench  # noqa: E402

GOALS = {
    "sums of cells": 0.8,
    "sums of genes": 0.8,
    "variance of genes": 1.0,
    "maximum of genes": 0.8,
    "normalized, sums of genes": 1.05,
    "normalized, variance of genes": 1.1,
    "normalized, log1p, sums of genes": 1.1,
    "normalized, log1p, variance of genes": 1.35,
    "matrix x vector": 0.75,
    "normalized matrix x vector": 0.75,
    "normalized, log1p, matrix x vector": 1.1,
    "matrix x 32 columns": 3.2,
    "storage order on disk": 5.9,
    "pipeline": 8.7,
}
"""CPU time, in multiples of `numpy.bincount`."""

OTHERS = {"pipeline, all components precise": {}, "markers of 10 groups": {"BPCells": 4, "scanpy": 10}}
"""Operations whose goal is a ratio to a peer: the wall time of the peer on one thread, in multiples of that of nnz on two."""

TWO_THREADS = 0.6
"""Wall time on two threads, as a part of that on one."""

TIMES = 14
"""How often the cells are repeated for the large pipeline, which has as many times the CPU time as its goal."""

TOLERANCES = {"pipeline": 0.01, "pipeline, all components precise": 0.01}
"""Relative differences of results that are accepted; 0.1 % of others, which are sums of `f32` and `f64`."""


def measure(program, name, threads, places, runs):
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(dir=places[0].parent) as scratch:
            if program == "BPCells":
                words = ["taskset", "-c", "0", "Rscript", HERE / "calls.R", name, places[0], scratch]
                done = subprocess.run(list(map(str, words)), check=True, capture_output=True).stdout
            else:
                words = [HERE / "calls.py", program, name, threads, *places, scratch]
                done = bench.run(*words, capture=True)
            found.append(json.loads(done))
    if len({json.dumps(one["check"]) for one in found}) > 1 and program == "nnz":
        raise SystemExit(f"{name}: runs disagree")
    return {key: statistics.median(one[key] for one in found) for key in ("cpu", "wall", "megabytes")}, found[0]["check"]


def has_bpcells():
    if shutil.which("Rscript") is None or shutil.which("taskset") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(BPCells)"], capture_output=True).returncode == 0


def agree(name, own, other):
    allowed = TOLERANCES.get(name, 0.001)
    return all(abs(a - b) <= allowed * abs(a) for a, b in zip(own, other))


def row(name, *numbers):
    print("|", " | ".join([name, *numbers]), "|", flush=True)


def main():
    large = "--large" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--large"]
    options = bench.parse(__doc__.splitlines()[0])
    packed, _, _ = bench.make_inputs(options.data, options.cells)
    places = [packed, options.data / f"counts-{options.cells}"]
    names = [name for name in (*GOALS, *OTHERS) if options.only is None or options.only in name]
    peers = [*(["BPCells"] if has_bpcells() else []), "scanpy"]
    heads = ["operation", "CPU s", "x bincount", "goal", "two threads, of the wall time of one", "MB"]
    row(*heads, *(f"{peer}: CPU s, MB" for peer in peers))
    row(*["---"] * (len(heads) + len(peers)))
    unit, _ = measure("numpy", "bincount", 1, places, options.runs)
    row("`numpy.bincount` in memory", f"{unit['cpu']:.2f}", "1", "", "", "", *[""] * len(peers))
    missed = []
    pipeline = None

    def judge(name, found, allowed, what):
        if found > allowed:
            missed.append(f"{name}: {found:.2f} {what}, goal {allowed}")

    for name in names:
        one, check = measure("nnz", name, 1, places, options.runs)
        two, same = measure("nnz", name, 2, places, options.runs)
        if check != same:
            raise SystemExit(f"{name}: one and two threads disagree: {check} and {same}")
        others = []
        for peer in peers:
            # They take minutes.
            runs = 1 if name in OTHERS or name == "pipeline" else options.runs
            other, found = measure(peer, name, 1, places, runs)
            least = OTHERS.get(name, {}).get(peer)
            if least is not None and other["wall"] < least * two["wall"]:
                missed.append(f"{name}: {other['wall'] / two['wall']:.1f} times as fast as {peer}, goal {least}")
            # BPCells states another number of digits, and finds singular values by another method.
            compared = peer != "BPCells" or name != "markers of 10 groups"
            said = "" if not compared or agree(name, check, found) else f" (finds {found[0]:.6g}, nnz {check[0]:.6g})"
            others.append(f"{other['cpu']:.2f}, {other['megabytes']:.0f}{said}")
        times, part = one["cpu"] / unit["cpu"], two["wall"] / one["wall"]
        megabytes = max(one["megabytes"], two["megabytes"])
        row(name, f"{one['cpu']:.2f}", f"{times:.2f}", str(GOALS.get(name, "")), f"{part:.2f}", f"{megabytes:.0f}", *others)
        if name in GOALS:
            judge(name, times, GOALS[name], "times bincount")
            judge(name, part, TWO_THREADS, "of the time of one thread on two")
        if name == "pipeline":
            pipeline = one["cpu"]
            judge(name, megabytes, 300, "MB")
    if large and pipeline is not None:
        import nnz

        repeated = options.data / f"repeated-{options.cells}.bpcells"
        if not repeated.exists():
            nnz.concat([packed] * TIMES, repeated, axis="cols")
        name = f"pipeline, {TIMES} times the cells"
        one, _ = measure("nnz", name, 1, [repeated, places[1]], 1)
        two, _ = measure("nnz", name, 2, [repeated, places[1]], 1)
        times, part = one["cpu"] / unit["cpu"], two["wall"] / one["wall"]
        megabytes = max(one["megabytes"], two["megabytes"])
        row(name, f"{one['cpu']:.1f}", f"{times:.0f}", "", f"{part:.2f}", f"{megabytes:.0f}", *[""] * len(peers))
        judge(name, one["cpu"] / pipeline, TIMES, "times the pipeline")
        judge(name, megabytes, 400, "MB")
    if options.cells == bench.CELLS:
        print("\n".join(["", *(missed or ["all goals are met"])]))


if __name__ == "__main__":
    main()
