#!/usr/bin/env python3
"""A Seurat object of 60 million entries, converted to AnnData, beside `readRDS` alone.

usage: bench.py DATA [--cells N] [--runs N] [--only TEXT]

The object has one layer of counts with 1,200 entries a cell, and a table of the cells; it is stored uncompressed and
with gzip, as by `saveRDS`. The AnnData is uncompressed. Each measurement is a process; contenders alternate. Printed
are medians of seconds, the largest memory, and both in multiples of those of R, which are to be at most 0.5.
"""

import argparse
import gzip
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import sys

import numpy as np

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"
NNZ = pathlib.Path(sys.executable).with_name("nnz")
GENES, PER_CELL = 30_000, 1_200
NULL = struct.pack(">i", 254)
GOAL = 0.5


class Stream:
    """R's serialization, version 3, of what a Seurat object consists of."""

    def __init__(self, out):
        self.out, self.symbols = out, {}
        out.write(b"X\n" + struct.pack(">4i", 3, 0x40400, 0x30500, 5) + b"UTF-8")

    def ints(self, *numbers):
        self.out.write(struct.pack(f">{len(numbers)}i", *numbers))

    def text(self, text):
        self.ints(0x40009, len(text))
        self.out.write(text.encode())

    def tag(self, name):
        self.ints(0x402)
        if name in self.symbols:
            self.ints(self.symbols[name] << 8 | 255)
            return
        self.symbols[name] = len(self.symbols) + 1
        self.ints(1)
        self.text(name)

    def attributes(self, attributes):
        for name, write in attributes.items():
            self.tag(name)
            write()
        self.out.write(NULL)

    def vector(self, code, count, attributes, s4=False):
        flags = (0x200 if attributes else 0) | (0x100 if "class" in attributes else 0) | (0x10000 if s4 else 0)
        self.ints(code | flags, count)

    def numbers(self, values, attributes={}, code=None, s4=False):
        code = code or (14 if values.dtype == np.float64 else 13)
        self.vector(code, len(values), attributes, s4)
        self.out.write(values.astype(">f8" if code == 14 else ">i4").tobytes())
        if attributes:
            self.attributes(attributes)

    def texts(self, texts, attributes={}):
        self.vector(16, len(texts), attributes)
        for text in texts:
            self.text(text)
        if attributes:
            self.attributes(attributes)

    def list(self, members={}, attributes={}):
        if members:
            attributes = {"names": lambda: self.texts(list(members))} | attributes
        self.vector(19, len(members), attributes)
        for write in members.values():
            write()
        if attributes:
            self.attributes(attributes)

    def s4(self, name, package, slots):
        self.ints(0x10319)
        named = {"package": lambda: self.texts([package])}
        self.attributes(slots | {"class": lambda: self.texts([name], named)})


def generate(path, cells):
    """Write a Seurat object of version 5."""
    random = np.random.default_rng(1)
    index = np.arange(PER_CELL) + np.sort(random.integers(0, GENES - PER_CELL, (cells, PER_CELL)), axis=1)
    index = index.astype(np.int32).ravel()
    counts = np.minimum(random.geometric(0.5, cells * PER_CELL), 50).astype(np.float64)
    pointers = (np.arange(cells + 1) * PER_CELL).astype(np.int32)
    barcodes = [f"{''.join(random.choice(list('ACGT'), 16))}-{at}" for at in range(cells)]
    genes = [f"Gene-{at}" for at in range(GENES)]
    with open(path, "wb") as out:
        to = Stream(out)
        one = np.array([1], dtype=np.int32)

        def map_of(names):
            dims = np.array([len(names), 1], dtype=np.int32)
            both = lambda: (to.vector(19, 2, {}), to.texts(names), to.texts(["counts"]))
            named = {"package": lambda: to.texts(["SeuratObject"])}
            what = {"dim": lambda: to.numbers(dims), "dimnames": both, "class": lambda: to.texts(["LogMap"], named)}
            return lambda: to.numbers(np.ones(len(names), dtype=np.int32), what, code=10, s4=True)

        def factor(codes, levels, more={}):
            what = {"levels": lambda: to.texts(levels), "class": lambda: to.texts(["factor"])} | more
            return lambda: to.numbers(codes.astype(np.int32), what)

        def frame(columns, rows):
            return lambda: to.list(columns, {"class": lambda: to.texts(["data.frame"]), "row.names": rows})

        def matrix():
            nothing = lambda: (to.vector(19, 2, {}), out.write(NULL), out.write(NULL))
            shape = np.array([GENES, cells], dtype=np.int32)
            slots = {"i": lambda: to.numbers(index), "p": lambda: to.numbers(pointers), "Dim": lambda: to.numbers(shape)}
            slots |= {"Dimnames": nothing, "x": lambda: to.numbers(counts), "factors": to.list}
            to.s4("dgCMatrix", "Matrix", slots)

        def assay():
            short = np.array([-2147483648, -GENES], dtype=np.int32)
            slots = {"layers": lambda: to.list({"counts": matrix}), "cells": map_of(barcodes), "features": map_of(genes)}
            slots |= {"default": lambda: to.numbers(one), "assay.orig": lambda: to.texts([])}
            slots |= {"meta.data": frame({}, lambda: to.numbers(short)), "misc": to.list, "key": lambda: to.texts(["rna_"])}
            to.s4("Assay5", "SeuratObject", slots)

        clusters = random.integers(1, 21, cells)
        table = {
            "orig.ident": factor(np.ones(cells), ["study"]),
            "nCount_RNA": lambda: to.numbers(np.add.reduceat(counts, pointers[:-1])),
            "nFeature_RNA": lambda: to.numbers(np.full(cells, PER_CELL, dtype=np.int32)),
            "percent.mt": lambda: to.numbers(random.random(cells)),
            "donor": lambda: to.texts([f"d{at % 7}" for at in range(cells)]),
            "seurat_clusters": factor(clusters, [str(at) for at in range(20)]),
        }
        idents = factor(clusters, [str(at) for at in range(20)], {"names": lambda: to.texts(barcodes)})
        version = lambda: (to.vector(19, 1, {"class": 0}), to.numbers(np.array([5, 0, 2], dtype=np.int32)))
        slots = {"assays": lambda: to.list({"RNA": assay}), "meta.data": frame(table, lambda: to.texts(barcodes))}
        slots |= {"active.assay": lambda: to.texts(["RNA"]), "active.ident": idents}
        slots |= {name: to.list for name in ("graphs", "neighbors", "reductions", "images")}
        slots |= {"project.name": lambda: to.texts(["study"]), "misc": to.list}
        classes = {"class": lambda: to.texts(["package_version", "numeric_version"])}
        slots |= {"version": lambda: (version(), to.attributes(classes)), "commands": to.list, "tools": to.list}
        to.s4("Seurat", "SeuratObject", slots)


def inputs(data, cells):
    """Create what is missing; return the uncompressed object and the gzipped one."""
    plain, zipped = (data / f"seurat-{cells}-{name}.rds" for name in ("plain", "gzip"))
    part = data / "seurat-part.rds"
    if not plain.exists():
        generate(part, cells)
        part.rename(plain)
    if not zipped.exists():
        with open(plain, "rb") as source, gzip.open(part, "wb", compresslevel=6) as out:
            shutil.copyfileobj(source, out, 1 << 20)
        part.rename(zipped)
    return plain, zipped


def run(*words):
    """Run a command; return what `child.py` prints of its process."""
    done = subprocess.run([sys.executable, PEERS / "child.py", *words], stdout=subprocess.PIPE, check=True, text=True)
    measured = json.loads(done.stdout.splitlines()[-1])
    if measured["status"] != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit status {measured['status']}")
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--cells", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    if shutil.which("Rscript") is None:
        raise SystemExit("Rscript, which is compared with, is not installed")
    given.data.mkdir(parents=True, exist_ok=True)
    out = given.data / "seurat-out.h5ad"
    print("| object | nnz: s, MB | readRDS: s, MB | seconds of R | memory of R | goal |")
    print("|---|---|---|---|---|---|")
    for name, path in zip(("uncompressed", "gzip"), inputs(given.data, given.cells)):
        if given.only not in name:
            continue
        # Both read from the page cache.
        subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True)
        ours, theirs = [], []
        for _ in range(given.runs):
            out.unlink(missing_ok=True)
            ours.append(run(NNZ, "convert", "--quiet", "--no-sync", "--compress", "none", path, out))
            theirs.append(run("Rscript", "--vanilla", "-e", f"x <- readRDS('{path}')"))
        out.unlink(missing_ok=True)
        median = lambda all, key: statistics.median(one[key] for one in all)
        cells = []
        for all in (ours, theirs):
            cells.append(f"{median(all, 'wall'):.2f}, {max(one['peak_rss'] for one in all) / 1e6:.0f}")
        ratios = [median(ours, key) / median(theirs, key) for key in ("wall", "peak_rss")]
        verdict = "met" if max(ratios) <= GOAL else "missed"
        print(f"| {name} | {' | '.join(cells)} | {ratios[0]:.2f} | {ratios[1]:.2f} | {GOAL}, {verdict} |")


if __name__ == "__main__":
    main()
