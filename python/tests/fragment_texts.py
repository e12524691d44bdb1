"""Fragments as text, read and written in plain Python, for comparison with the package."""

import gzip
import random

import numpy as np
from conftest import TESTDATA

STORES = TESTDATA / "bpcells"
BASIC = STORES / "fragments_dir" / "basic.packed"
SIZES = {"chr1": 60_000, "chr2": 9_000, "chrX": 20_000}


def read_text(path):
    """Return chromosome, start, end and cell of each line of a text."""
    opened = gzip.open(path, "rt") if str(path).endswith("gz") else open(path)
    with opened as text:
        lines = [line.rstrip("\n").split("\t") for line in text if not line.startswith("#")]
    return [(line[0], int(line[1]), int(line[2]), line[3]) for line in lines]


def read_expected(case):
    """Return the content of a golden store, in storage order, with the codes of cells."""
    lines = (STORES / "expected" / f"frag_{case}.tsv").read_text().splitlines()
    lines = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(chr, int(start), int(end), name) for chr, start, end, _, name in lines]


def random_fragments(seed, count=3000, cells=40, sizes=SIZES):
    """Return sorted fragments: by chromosome, then by start."""
    rng = random.Random(seed)
    made = []
    for name, size in sizes.items():
        starts = sorted(rng.randrange(size - 800) for _ in range(rng.randrange(count)))
        made += [(name, s, s + rng.choice((1, 50, 147, 700)), f"c{rng.randrange(cells)}") for s in starts]
    return made


def write_text(path, fragments):
    """Write fragments as in 10x files."""
    opened = gzip.open(path, "wt") if str(path).endswith("gz") else open(path, "w")
    with opened as out:
        out.writelines(f"{c}\t{s}\t{e}\t{cell}\t1\n" for c, s, e, cell in fragments)


def listed(arrays):
    """Return fragments as tuples with names."""
    for column in (arrays.chr, arrays.start, arrays.end, arrays.cell):
        assert column.dtype == np.uint32 and len(column) == len(arrays)
    chromosomes, cells = arrays.chromosome_names[arrays.chr], arrays.cell_names[arrays.cell]
    return list(zip(chromosomes.tolist(), arrays.start.tolist(), arrays.end.tolist(), cells.tolist()))


def overlapping(fragments, chromosome, start, end, cells=None):
    """Return the fragments that overlap a region, of some cells."""
    return [
        one
        for one in fragments
        if one[0] == chromosome and one[1] < end and one[2] > start and (cells is None or one[3] in cells)
    ]


def count(fragments, regions, cells, mode):
    """Count insertions or overlaps of each cell in each region."""
    made = np.zeros((len(regions), len(cells)), np.uint32)
    at = {cell: number for number, cell in enumerate(cells)}
    for row, (chromosome, first, last) in enumerate(regions):
        for _, start, end, cell in overlapping(fragments, chromosome, first, last):
            inside = [first <= base < last for base in (start, end - 1)]
            made[row, at[cell]] += sum(inside) if mode == "insertions" else 1
    return made
