"""Fragments: nnz compared with BPCells through its Python package."""

import gzip
import random

import numpy as np
import pytest
import scipy.io


@pytest.fixture(scope="session")
def bpcells():
    """BPCells, or a skip if it has no wheel."""
    reason = "BPCells has no wheel for this Python or machine"
    return pytest.importorskip("bpcells.experimental", reason=reason)


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
def theirs(bpcells, text, tmp_path):
    store = tmp_path / "theirs"
    bpcells.import_10x_fragments(str(text), str(store))
    return store


def test_import_writes_the_same_bytes(nnz, theirs, text, tmp_path):
    ours = tmp_path / "ours"
    nnz.ok("fragments", "import", text, ours)
    names = sorted(path.name for path in theirs.iterdir())
    assert names == sorted(path.name for path in ours.iterdir())
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_cat_prints_stores_of_bpcells(nnz, theirs, listed):
    lines = [line.split("\t") for line in nnz.ok("cat", theirs).splitlines()]
    assert [(c, int(s), int(e), cell) for c, s, e, cell in lines] == listed
    assert nnz.run("validate", theirs).returncode == 0


def test_insertions_in_peaks(nnz, bpcells, theirs, tmp_path):
    """The wheel counts groups of cells in regions of one width; here, a cell is a group."""
    pandas = pytest.importorskip("pandas")
    rng = random.Random(32)
    width = 400
    regions = [(name, start) for name, size in SIZES.items()
               for start in sorted(rng.sample(range(3, size - width, 410), 15))]
    bed = tmp_path / "peaks.bed"
    bed.write_text("".join(f"{name}\t{start}\t{start + width}\n" for name, start in regions))
    counts = tmp_path / "counts.mtx"
    nnz.ok("fragments", "count", theirs, counts, "--peaks", bed)
    ours = scipy.io.mmread(counts).toarray()

    names, starts = zip(*regions)
    frame = pandas.DataFrame({"chrom": names, "start": starts, "end": np.add(starts, width)})
    cells = nnz.names(theirs, "cells")
    groups = bpcells.build_cell_groups(str(theirs), cells, cells, cells)
    expected = bpcells.pseudobulk_insertion_counts(str(theirs), frame, groups, width)
    assert (ours == np.asarray(expected).reshape(len(regions), len(cells))).all()


def test_selected_cells_match_bpcells(nnz, bpcells, text, tmp_path):
    wanted = [f"c{number}" for number in range(0, 40, 3)]
    (tmp_path / "cells").write_text("".join(f"{cell}\n" for cell in wanted))
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    bpcells.import_10x_fragments(str(text), str(theirs), keeper_cells=wanted)
    nnz.ok("fragments", "import", text, ours, "--cells", tmp_path / "cells")
    assert nnz.ok("cat", ours) == nnz.ok("cat", theirs)
