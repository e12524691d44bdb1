"""Fragments: nnz beside the real BPCells through its Python package."""

import gzip
import random

import numpy as np
import pytest


@pytest.fixture(scope="session")
def dir_fragments():
    """The real BPCells, or a skip where it has no wheel."""
    reason = "BPCells has no wheel for this Python or machine"
    return pytest.importorskip("bpcells.experimental", reason=reason).DirFragments


SIZES = {"chr1": 40_000, "chr2": 9_000, "chrX": 20_000}


@pytest.fixture(scope="module")
def listed():
    """Fragments in order: chromosome, start, end, cell."""
    rng = random.Random(31)
    fragments = []
    for name, size in SIZES.items():
        starts = sorted(rng.randrange(size - 800) for _ in range(2000))
        fragments += [(name, s, s + rng.randrange(1, 700), f"c{rng.randrange(40)}") for s in starts]
    return fragments


@pytest.fixture(scope="module")
def text(listed, tmp_path_factory):
    path = tmp_path_factory.mktemp("fragments") / "fragments.tsv.gz"
    with gzip.open(path, "wt") as out:
        out.writelines(f"{c}\t{s}\t{e}\t{cell}\t1\n" for c, s, e, cell in listed)
    return path


@pytest.fixture
def theirs(dir_fragments, text, tmp_path):
    store = tmp_path / "theirs"
    dir_fragments.from_10x(str(text), str(store))
    return store


def test_import_writes_the_same_bytes(nnz, theirs, text, tmp_path):
    ours = tmp_path / "ours"
    nnz.ok("fragments", "import", text, ours)
    names = sorted(path.name for path in theirs.iterdir())
    assert names == sorted(path.name for path in ours.iterdir())
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_cat_prints_what_bpcells_wrote(nnz, theirs, listed):
    lines = [line.split("\t") for line in nnz.ok("cat", theirs).splitlines()]
    assert [(c, int(s), int(e), cell) for c, s, e, cell in lines] == listed
    assert nnz.run("validate", theirs).returncode == 0


def test_insertions_in_peaks(nnz, dir_fragments, theirs, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    rng = random.Random(32)
    peaks = []
    for name, size in SIZES.items():
        for start in sorted(rng.sample(range(0, size - 700, 10), 60)):
            peaks.append((name, start, start + rng.randrange(1, 600)))
    # BPCells wants the regions of a chromosome by their ends.
    order = {name: number for number, name in enumerate(SIZES)}
    peaks.sort(key=lambda peak: (order[peak[0]], peak[2], peak[1]))
    bed = tmp_path / "peaks.bed"
    bed.write_text("".join(f"{c}\t{s}\t{e}\n" for c, s, e in peaks))
    counts = tmp_path / "counts.mtx"
    nnz.ok("fragments", "count", theirs, counts, "--peaks", bed)
    ours = scipy_io.mmread(counts).toarray()

    experimental = pytest.importorskip("bpcells.experimental")
    if not hasattr(experimental, "PeakMatrix"):
        # The wheel counts in no peaks: by hand, from what it wrote.
        fragments = [line.split("\t") for line in nnz.ok("cat", theirs).splitlines()]
        cells = nnz.names(theirs, "cells")
        expected = np.zeros((len(peaks), len(cells)), dtype=np.int64)
        column = {cell: number for number, cell in enumerate(cells)}
        for c, s, e, cell in fragments:
            for row, (name, start, end) in enumerate(peaks):
                if c == name:
                    hits = (start <= int(s) < end) + (start <= int(e) - 1 < end)
                    expected[row, column[cell]] += hits
        assert (ours == expected).all()
