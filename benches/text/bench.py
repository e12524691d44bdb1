#!/usr/bin/env python3
"""Reading text into memory, compared with pandas, scikit-learn and networkx.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

Each measurement is a process with two threads. The contenders of a row alternate, and the median is reported. Goals are
evaluated at 100000 cells.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import bench  # noqa: E402
import inputs  # noqa: E402

GOALS = {
    "counts.csv": ("table", {"pandas": "pandas_table", "pandas, exact": "pandas_exact_table"}, 3),
    "features.csv": ("table", {"pandas": "pandas_table", "pandas, exact": "pandas_exact_table"}, 3),
    "svmlight.svm": ("svmlight", {"scikit-learn": "sklearn_svmlight"}, 4),
    "edges.wel": ("edges", {"networkx": "networkx_edges"}, 5),
}
"""The task of each text, the calls of other programs, and how many times as fast as the first nnz has to be."""


def rows(folder):
    for name, (task, peers, times) in GOALS.items():
        for path in (folder / name, folder / f"{name}.gz"):
            calls = {"nnz": f"nnz_{task}", **peers}
            contenders = {who: [HERE / "calls.py", call, path] for who, call in calls.items()}
            megabytes = path.stat().st_size / 1e6
            yield bench.Row(f"{path.name}, {megabytes:.0f} MB", contenders, [bench.over(next(iter(peers)), times)])


def main():
    options = bench.parse(__doc__.splitlines()[0])
    bench.report(list(rows(inputs.make(options.data, options.cells))), options)


if __name__ == "__main__":
    main()
