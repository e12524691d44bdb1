#!/usr/bin/env python3
"""Statistics, products and a pipeline, in multiples of the time that NumPy needs to add up the same entries in memory.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

Each measurement is a separate process, on one thread and on two; the median of the runs is reported. Goals are evaluated
at 100000 cells: CPU time on one thread, in multiples of `numpy.bincount` with weights, and wall time on two threads, as a
part of that on one.
"""

import json
import pathlib
import statistics
import sys

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
    "pipeline": 8.7,
}
"""CPU time, in multiples of `numpy.bincount`."""

TWO_THREADS = 0.6
"""Wall time on two threads, as a part of that on one."""


def measure(name, threads, places, runs):
    found = []
    for _ in range(runs):
        words = [HERE / "calls.py", name, threads, *places]
        found.append(json.loads(bench.run(*words, capture=True)))
    if len({json.dumps(one["check"]) for one in found}) > 1:
        raise SystemExit(f"{name}: runs disagree")
    return {key: statistics.median(one[key] for one in found) for key in ("cpu", "wall", "megabytes")}, found[0]["check"]


def main():
    options = bench.parse(__doc__.splitlines()[0])
    packed, _, _ = bench.make_inputs(options.data, options.cells)
    places = [packed, options.data / f"counts-{options.cells}"]
    names = [name for name in GOALS if options.only is None or options.only in name]
    print("| operation | CPU s | x bincount | goal | wall s | on two threads | of one | MB |")
    print("|---|---|---|---|---|---|---|---|")
    unit, _ = measure("bincount", 1, places, options.runs)
    print(f"| `numpy.bincount` in memory | {unit['cpu']:.3f} | 1 | | {unit['wall']:.3f} | | | |")
    missed = []
    for name in names:
        one, check = measure(name, 1, places, options.runs)
        two, same = measure(name, 2, places, options.runs)
        if check != same:
            raise SystemExit(f"{name}: one and two threads disagree: {check} and {same}")
        times, part = one["cpu"] / unit["cpu"], two["wall"] / one["wall"]
        print(
            f"| {name} | {one['cpu']:.3f} | {times:.2f} | {GOALS[name]} | {one['wall']:.3f} | {two['wall']:.3f} "
            f"| {part:.2f} | {max(one['megabytes'], two['megabytes']):.0f} |",
            flush=True,
        )
        if times > GOALS[name]:
            missed.append(f"{name}: {times:.2f} times bincount, goal {GOALS[name]}")
        if part > TWO_THREADS:
            missed.append(f"{name}: two threads take {part:.2f} of one, goal {TWO_THREADS}")
    if options.cells == bench.CELLS:
        print("\n".join(["", *(missed or ["all goals are met"])]))


if __name__ == "__main__":
    main()
