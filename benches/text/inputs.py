"""The texts that the benchmark reads: two dense tables, an SVMlight file and a weighted list of edges, plain and gzipped."""

import gzip
import shutil

import numpy as np

COUNTS, FEATURES = 2000, 100
"""Columns of the two tables."""
ROW_ENTRIES = 100
"""Entries in each row of the SVMlight file."""
EDGES = 20
"""Edges of each node."""


def counts(rng, cells, out):
    """Write small integers, nine of ten zero, with names of rows and columns."""
    out.write("," + ",".join(f"cell{col}" for col in range(COUNTS)) + "\n")
    for row in range(cells // 20):
        values = rng.poisson(0.1, COUNTS)
        out.write(f"gene{row}," + ",".join(map(str, values)) + "\n")


def features(rng, cells, out):
    """Write floats with all of their digits."""
    out.write("id," + ",".join(f"f{col}" for col in range(FEATURES)) + "\n")
    for row in range(cells):
        out.write(f"r{row}," + ",".join(map(repr, rng.normal(size=FEATURES).tolist())) + "\n")


def svmlight(rng, cells, out):
    """Write labels and rows of floats with six digits."""
    for row in range(cells):
        cols = np.unique(rng.integers(1, 50_000, ROW_ENTRIES)).tolist()
        values = rng.random(len(cols)).tolist()
        entries = " ".join(f"{col}:{value:.6g}" for col, value in zip(cols, values))
        out.write(f"{row % 2 * 2 - 1} {entries}\n")


def edges(rng, cells, out):
    """Write distinct edges with weights."""
    for node in range(cells):
        ends = np.unique(rng.integers(0, cells, EDGES)).tolist()
        weights = rng.integers(1, 1000, len(ends)).tolist()
        out.writelines(f"{node} {end} {weight}\n" for end, weight in zip(ends, weights))


TEXTS = {"counts.csv": counts, "features.csv": features, "svmlight.svm": svmlight, "edges.wel": edges}


def make(data, cells):
    """Create what is missing, and return the directory."""
    folder = data / f"text-{cells}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in TEXTS.items():
        plain, packed = folder / name, folder / f"{name}.gz"
        part = folder / "part"
        if not plain.exists():
            with open(part, "w") as out:
                write(np.random.default_rng(1), cells, out)
            part.rename(plain)
        if not packed.exists():
            with open(plain, "rb") as source, gzip.open(part, "wb", compresslevel=6) as out:
                shutil.copyfileobj(source, out, 1 << 20)
            part.rename(packed)
    return folder
