#!/usr/bin/env python3
"""The Python package compared with others, each measurement in a separate process with two threads.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

The contenders of a row alternate, and the median is reported. Goals are evaluated at 100000 cells.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CELLS = 100_000


def run(*command, capture=False):
    """Run Python with a script of the repository."""
    threads = {"RAYON_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    # Threads of OpenBLAS, which nothing here uses, are busy for a while after NumPy and SciPy are imported.
    environment = {**os.environ, **threads, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *map(str, command)], env=environment, check=True, capture_output=capture)
    return done.stdout


def make_inputs(data, cells):
    """Creates counts, as stored by BPCells and as an h5ad, and a store of a million columns."""
    import numpy as np
    import scipy.sparse as sparse

    import nnz

    sys.path.insert(0, str(HERE.parent / "peers"))
    from common import raw_counts

    raw, packed, h5ad = data / f"counts-{cells}", data / f"counts-{cells}.bpcells", data / f"counts-{cells}.h5ad"
    wide = data / "million.bpcells"
    if not (raw / "shape.json").exists():
        run(HERE.parent / "data" / "gen_counts.py", raw, "--cells", cells)
    if not packed.exists():
        counts = raw_counts(raw)
        names = [f"G{row}" for row in range(counts.shape[0])], [f"C{col}" for col in range(counts.shape[1])]
        nnz.write(counts, packed, row_names=names[0], col_names=names[1])
    if not h5ad.exists():
        # It appears when it is complete.
        run(HERE.parent / "peers" / "anndata_peer.py", "make-h5ad", raw, h5ad.with_suffix(".part"))
        h5ad.with_suffix(".part").rename(h5ad)
    if not wide.exists():
        cols = 1_000_000
        rng = np.random.default_rng(1)
        indptr = np.arange(cols + 1, dtype=np.int64) * 5
        matrix = sparse.csc_array((rng.integers(1, 9, 5 * cols), rng.integers(0, 1000, 5 * cols), indptr), (1000, cols))
        matrix.sum_duplicates()
        nnz.write(matrix.astype(np.uint32), wide, col_names=[f"C{col}" for col in range(cols)])
    return packed, f"{h5ad}::X", wide


class Row:
    """Contenders with the same task, and the goals of the first."""

    def __init__(self, name, contenders, goals=()):
        self.name, self.contenders, self.goals = name, contenders, goals

    def measure(self, runs):
        times = {who: [] for who in self.contenders}
        checks = {}
        self.megabytes = {}
        for _ in range(runs):
            for who, words in self.contenders.items():
                found = json.loads(run(*words, capture=True))
                times[who].append(found["seconds"])
                checks[who] = found.get("entries"), found.get("check")
                self.megabytes[who] = found.get("megabytes")
        known = {check for check in checks.values() if check[1] is not None}
        if len(known) > 1:
            raise SystemExit(f"{self.name}: they disagree: {checks}")
        return {who: statistics.median(found) for who, found in times.items()}


def over(peer, times):
    """At least that many times as fast as another."""

    def judge(own, all_of, _):
        ratio = all_of[peer] / own
        return ratio >= times, f"{ratio:.2f} times {peer} (goal {times})"

    return judge


def memory_below(peer, times):
    """At most that part of the peak memory of another."""

    def judge(_, __, megabytes):
        ratio = megabytes[peer] / megabytes["nnz"]
        return ratio >= times, f"{megabytes['nnz']:.0f} MB, 1/{ratio:.1f} of {peer} (goal 1/{times})"

    return judge


def below(seconds):
    def judge(own, *_):
        return own < seconds, f"{own * 1000:.1f} ms (goal {seconds * 1000:.0f} ms)"

    return judge


def rows(packed, h5ad, wide):
    call = lambda name, path, *more: [HERE / "calls.py", name, path, *more]
    return [
        Row(
            "whole matrix to SciPy, BPCells",
            {
                "nnz": call("nnz_whole", packed),
                "copy": call("copy_whole", packed),
                "bpcells": call("bpcells_whole", packed),
            },
            [over("copy", 0.7), over("bpcells", 1)],
        ),
        Row(
            "whole matrix to SciPy, h5ad",
            {
                "nnz": call("nnz_whole", h5ad),
                "anndata": call("anndata_whole", h5ad),
                "anndata backed": call("anndata_backed_whole", h5ad),
                "h5py": call("h5py_whole", h5ad),
            },
            [over("anndata", 1), over("anndata backed", 1), over("h5py", 1)],
        ),
        Row(
            "1000 random columns, BPCells; anndata backed has an h5ad",
            {
                "nnz": call("nnz_some", packed, 1000),
                "bpcells": call("bpcells_some", packed, 1000),
                "anndata backed": call("anndata_backed_some", h5ad, 1000),
            },
            [over("bpcells", 10), over("anndata backed", 10)],
        ),
        Row(
            "1000 random cells, h5ad",
            {
                "nnz": call("nnz_some", h5ad, 1000),
                "anndata backed": call("anndata_backed_some", h5ad, 1000),
            },
            [over("anndata backed", 1)],
        ),
        Row(
            "open a store of a million columns",
            {"nnz": call("nnz_open", wide), "bpcells": call("bpcells_open", wide)},
            [below(0.005)],
        ),
        Row(
            "import",
            {
                "nnz": [HERE / "imports.py", "nnz", "open"],
                "numpy": [HERE / "imports.py", "numpy"],
                "anndata": [HERE / "imports.py", "anndata"],
            },
            [below(0.150)],
        ),
    ]


def parse(description):
    """Parses the arguments of a benchmark."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=CELLS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    return options


def report(rows, options):
    """Measures rows, and prints times, memory if it is measured, and goals."""
    judged = options.cells == CELLS
    missed = 0
    for row in rows:
        if options.only not in row.name:
            continue
        times = row.measure(options.runs)
        print(row.name)
        for who, seconds in times.items():
            memory = row.megabytes[who]
            print(f"  {who:16} {seconds * 1000:10.1f} ms" + (f"  {memory:7.0f} MB" if memory else ""))
        for goal in row.goals:
            met, text = goal(times["nnz"], times, row.megabytes)
            missed += not met and judged
            print(f"  {'met' if met else 'MISSED'}: {text}" if judged else f"  not evaluated: {text}")
        print(flush=True)
    print(f"{missed} goals missed" if judged else "goals not evaluated")


def main():
    options = parse(__doc__.splitlines()[0])
    report(rows(*make_inputs(options.data, options.cells)), options)


if __name__ == "__main__":
    main()
