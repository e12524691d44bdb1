"""Random rounds of genomic fragments, compared with brute force."""

import gzip

import numpy as np

from matrix import Matrix

CHROMOSOMES = ["chr1", "chr2", "chrX", "a b"]


def random_fragments(rng):
    """Draws fragments in order: chromosome, start, end, cell."""
    count = int(rng.choice([1, 5, 300, 3000]))
    chromosomes = CHROMOSOMES[:int(rng.integers(1, 5))]
    reach = int(rng.choice([50, 5000, 2**31 - 1000]))
    rows = []
    for chromosome in chromosomes:
        starts = np.sort(rng.integers(0, reach, count // len(chromosomes) + 1))
        lengths = rng.integers(0, int(rng.choice([2, 700])), len(starts))
        cells = rng.integers(0, int(rng.choice([1, 40])), len(starts))
        rows += [(chromosome, int(s), int(s + n), f"cell{c}")
                 for s, n, c in zip(starts, lengths, cells, strict=True)]
    return rows


def lines(rows):
    return "".join(f"{c}\t{s}\t{e}\t{cell}\n" for c, s, e, cell in rows)


class Fragments:
    """One round: a text of fragments, and operations on it."""

    def __init__(self, pipeline):
        self.pipeline, self.rng = pipeline, pipeline.rng

    def store(self, rows):
        """Imports fragments from text, sorted or to be sorted."""
        words, given = [], list(rows)
        if self.pipeline.chance(0.4):
            # Sorted by start only: the sort is stable.
            self.rng.shuffle(given)
            given = [tuple(row) for row in given]
            given = [(str(c), int(s), int(e), str(cell)) for c, s, e, cell in given]
            words.append("--sort")
        text = self.pipeline.fresh(self.pipeline.pick(["tsv", "tsv.gz"]))
        with (gzip.open(text, "wt") if text.suffix == ".gz" else open(text, "w")) as file:
            file.write(lines(given))
        return self.made("import", [text], words), rows

    def made(self, verb, sources, words=()):
        ending, group = self.pipeline.pick([("fragments", ""), ("h5", "::f/g"), ("rds", "")])
        path = self.pipeline.fresh(ending)
        words = [*words, *(["--threads", self.pipeline.pick(["1", "2", "7"])])]
        words += ["--memory", "1M"] if self.pipeline.chance(0.5) and ending != "rds" else []
        words += ["--unpacked"] if self.pipeline.chance(0.3) else []
        done = self.pipeline.run("fragments", verb, "-q", "--no-sync", *words, *sources, f"{path}{group}")
        self.expect(done.returncode == 0, "fragments are refused", done.stderr.decode())
        self.pipeline.valid(f"{path}{group}")
        return f"{path}{group}"

    def expect(self, holds, kind, detail):
        self.pipeline.checks += 1
        if not holds:
            self.pipeline.fail(kind, detail)

    def check(self, text, rows, who):
        """Compares printed fragments with the expected ones, in any order of equal starts."""
        # Exported fragments have a fifth column.
        found = [line.split("\t")[:4] for line in text.splitlines()]
        found = [(c, int(s), int(e), cell) for c, s, e, cell in found]
        starts, wanted = [row[:2] for row in found], [row[:2] for row in rows]
        order = {name: at for at, name in reversed(list(enumerate(row[0] for row in found)))}
        wanted.sort(key=lambda row: (order.get(row[0], -1), row[1]))
        self.expect(sorted(found) == sorted(rows), f"{who} finds other fragments",
                    f"{len(found)} and {len(rows)}")
        self.expect(starts == wanted, f"{who} finds fragments out of order", str(starts[:5]))

    def go(self):
        place, rows = self.store(random_fragments(self.rng))
        for _ in range(int(self.rng.integers(1, 4))):
            place, rows = self.pipeline.pick([self.select, self.merge, self.convert])(place, rows)
        self.check(self.pipeline.run("cat", place).stdout.decode(), rows, "cat")
        self.export(place, rows)
        self.query(place, rows)
        self.count(place, rows)

    def select(self, place, rows):
        words = []
        if self.pipeline.chance(0.5):
            cells = sorted({row[3] for row in rows})
            kept = [cell for cell in cells if self.pipeline.chance(0.5)] or cells[:1]
            if not kept:
                return place, rows
            rows = [row for row in rows if row[3] in kept]
            words += ["--cells", ",".join(kept)]
        least, most = sorted(self.rng.integers(0, 800, 2).tolist())
        rows = [row for row in rows if least <= row[2] - row[1] <= most]
        words += ["--min-length", str(least), "--max-length", str(most)]
        return self.made("select", [place], words), rows

    def merge(self, place, rows):
        other, more = self.store(random_fragments(self.rng))
        rows = [(c, s, e, f"x{cell}") for c, s, e, cell in rows]
        rows += [(c, s, e, f"y{cell}") for c, s, e, cell in more]
        return self.made("merge", [place, other], ["--prefix", "x,y"]), rows

    def convert(self, place, rows):
        target = self.pipeline.fresh("fragments")
        done = self.pipeline.run("convert", "-q", "--no-sync", "--to", "bpcells", place, target)
        self.expect(done.returncode == 0, "fragments are refused", done.stderr.decode())
        self.pipeline.valid(target)
        return target, rows

    def export(self, place, rows):
        text = self.pipeline.fresh("tsv.gz")
        done = self.pipeline.run("fragments", "export", "-q", "--no-sync", place, text)
        if done.returncode:
            # The index supports up to 2^29 bases.
            reach = max((row[2] for row in rows), default=0)
            self.expect(reach > 1 << 29, "fragments are not exported", done.stderr.decode())
            return
        with gzip.open(text, "rt") as file:
            self.check(file.read(), rows, "export")

    def regions(self, rows):
        names = sorted({row[0] for row in rows})
        reach = max((row[2] for row in rows), default=10)
        regions = set()
        for _ in range(int(self.rng.integers(1, 9)) if names else 0):
            start, end = sorted(self.rng.integers(0, reach + 2, 2).tolist())
            regions.add((self.pipeline.pick(names), start, end + 1))
        return sorted(regions)

    def query(self, place, rows):
        for name, start, end in self.regions(rows)[:3]:
            done = self.pipeline.run("fragments", "query", place, f"{name}:{start}-{end}")
            inside = [row for row in rows if row[0] == name and overlaps(row, start, end)]
            self.check(done.stdout.decode(), inside, "query")

    def count(self, place, rows):
        regions = self.regions(rows)
        if not regions:
            return
        peaks, target = self.pipeline.fresh("bed"), self.pipeline.fresh("bsp.npz")
        peaks.write_text("".join(f"{c}\t{s}\t{e}\n" for c, s, e in regions))
        mode = self.pipeline.pick(["insertions", "overlaps"])
        done = self.pipeline.run("fragments", "count", "-q", "--no-sync", "--mode", mode, "--peaks", peaks,
                                 place, target)
        self.expect(done.returncode == 0, "regions are not counted", done.stderr.decode())
        cells = self.pipeline.run("names", place, "cells").stdout.decode().splitlines()
        counts = np.zeros((len(regions), len(cells)), dtype=np.int64)
        columns = {cell: at for at, cell in enumerate(cells)}
        for at, (name, start, end) in enumerate(regions):
            for row in rows:
                if row[0] != name:
                    continue
                if mode == "overlaps":
                    counts[at, columns[row[3]]] += overlaps(row, start, end)
                elif row[2] > row[1]:
                    counts[at, columns[row[3]]] += (start <= row[1] < end) + (start <= row[2] - 1 < end)
        found = np.nonzero(counts)
        self.pipeline.compare(self.pipeline.listed(target), Matrix(counts.shape, *found, counts[found], False),
                              "count")


def overlaps(row, start, end):
    """Whether a fragment overlaps a region; an empty one if it is inside."""
    _, first, last, _ = row
    if first == last:
        return start < first < end
    return first < end and last > start
