#!/usr/bin/env python3
"""Whole commands on counts of 1.4 million cells and 2.6 billion entries, and `cp` of the same bytes.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

The counts are 14 times those of gen_counts.py, concatenated: 4.6 GB packed. Each measurement is a process on two
threads, without fsync; the commands of all rows alternate. Printed are medians of seconds, and the largest memory, and
goals in multiples of other rows.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"
sys.path.insert(0, str(PEERS))
NNZ = pathlib.Path(sys.executable).with_name("nnz")
THREADS = "2"
COPIES = 14
GENES = 300

GOALS = {
    "300 genes": (1.2, {"column sums": 1}),
    "concat": (1.3, {"cp of the same bytes": 1}),
    "transpose, 1 GB of memory": (2.5, {"cp of the same bytes": 2, "every entry decoded and encoded": 1}),
}
"""Seconds, in multiples of those of other rows: the greatest multiple, and how often each of them counts."""


def run(*words):
    """Run a command; return what `child.py` prints of its process."""
    done = subprocess.run([sys.executable, PEERS / "child.py", *words], stdout=subprocess.PIPE, check=True, text=True)
    measured = json.loads(done.stdout.splitlines()[-1])
    if measured["status"] != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit status {measured['status']}")
    return measured


def nnz(verb, *words):
    return [NNZ, verb, "--quiet", "--threads", THREADS, *words]


def stats(large, axis, measures):
    words = nnz("stats", large, "--axis", axis, "--measures", measures, "--csv")
    return ["sh", "-c", 'exec "$0" "$@" >/dev/null', *words]


def inputs(data, cells):
    """Create what is missing; return the packed counts, their concatenation, and a list of genes."""
    from common import generated, raw_counts

    raw = generated(data, cells)
    packed, large = (data / f"{name}-{cells}.bpcells" for name in ("packed", "large"))
    if not packed.exists():
        import nnz as package

        package.write(raw_counts(raw), str(packed), axis_kinds=("features", "cells"))
    if not large.exists():
        run(*nnz("concat", "--axis", "cols", *[packed] * COPIES, large))
    rows = json.loads((raw / "shape.json").read_text())["genes"]
    genes = data / f"genes-{rows}.txt"
    genes.write_text("".join(f"{at}\n" for at in range(0, rows, max(1, rows // GENES))))
    return packed, large, genes


def commands(packed, large, genes, scratch, cells):
    """Return the rows: a name, and the words of a command. Commands write to `scratch`."""
    out = scratch / "out.bpcells"
    copies = [packed] * COPIES
    sample = ["--cols", str(min(1000, cells)), "--seed", "1"]
    return [
        ("column sums", stats(large, "cols", "sums")),
        ("row sums", stats(large, "rows", "sums")),
        ("all measures of every gene", stats(large, "rows", "all")),
        ("validate", nnz("validate", large)),
        ("1,000 random cells", nnz("sample", large, out, "--no-sync", *sample)),
        ("300 genes", nnz("slice", large, out, "--no-sync", "--rows", f"@{genes}")),
        ("concat", nnz("concat", "--axis", "cols", "--no-sync", *copies, out)),
        ("cp of the same bytes", ["cp", "-r", large, out]),
        ("every entry decoded and encoded", nnz("convert", large, out, "--no-sync")),
        ("transpose, 1 GB of memory", nnz("transpose", large, out, "--no-sync", "--memory", "1G", "--temp-dir", scratch)),
        ("transpose a 14th, in memory", nnz("transpose", packed, out, "--no-sync")),
        ("order of frequency, a 14th", nnz("convert", packed, out, "--no-sync", "--reorder", "rows=frequency")),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    packed, large, genes = inputs(given.data, given.cells)
    scratch = given.data / "large-scratch"
    rows = [row for row in commands(packed, large, genes, scratch, given.cells) if given.only in row[0]]
    # All rows read from the page cache.
    subprocess.run(["cat", *packed.iterdir(), *large.iterdir()], stdout=subprocess.DEVNULL, check=True)
    measured = {name: [] for name, _ in rows}
    for _ in range(given.runs):
        for name, words in rows:
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            measured[name].append(run(*words))
    shutil.rmtree(scratch, ignore_errors=True)
    size = sum(file.stat().st_size for file in large.iterdir())
    print(f"\n{COPIES * given.cells} cells, {size / 1e9:.2f} GB packed, median of {given.runs}\n")
    print("| | seconds | CPU seconds | peak memory |\n|---|---|---|---|")
    seconds = {}
    for name, all_ in measured.items():
        wall, cpu = (statistics.median(one[key] for one in all_) for key in ("wall", "cpu"))
        peak = max(one["peak_rss"] for one in all_)
        seconds[name] = wall
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {peak / 1e6:.0f} MB |")
    print()
    for name, (most, limits) in GOALS.items():
        if name in seconds and limits.keys() <= seconds.keys():
            times = seconds[name] / sum(seconds[limit] * count for limit, count in limits.items())
            print(f"{name}: {times:.2f} times its limit, goal {most}{'' if times <= most else ', missed'}")


if __name__ == "__main__":
    main()
