"""Stores and texts of fragments are written as by plain Python and the command."""

import gzip
import os
import random

import pytest
from fragment_texts import BASIC, SIZES, STORES, listed, random_fragments, read_expected, read_text, write_text

import nnz

FORMS = ["f.fragments", "f.h5", "f.h5::atac/fragments", "f.rds"]


@pytest.fixture
def made(tmp_path):
    """Random fragments, and a store of them."""
    fragments = random_fragments(11)
    write_text(tmp_path / "made.tsv.gz", fragments)
    nnz.import_fragments(tmp_path / "made.tsv.gz", tmp_path / "made.fragments")
    return fragments, nnz.open(tmp_path / "made.fragments")


@pytest.mark.parametrize("name", sorted(os.listdir(STORES / "interop" / "fragments_tsv")))
def test_golden_texts(name, tmp_path):
    text = STORES / "interop" / "fragments_tsv" / name
    done = nnz.import_fragments(text, tmp_path / "f")
    expected = read_text(text)
    case = name.split(".")[0].removeprefix("frag_")
    assert listed(nnz.open(tmp_path / "f").query()) == expected
    assert sorted(expected) == sorted(read_expected(case))
    assert done.fragments == done.entries == len(expected)
    assert done.cells == len({one[3] for one in expected})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"unpacked": True}, {"format_version": 1, "unpacked": True}, {"threads": 1}])
def test_all_containers_are_equal(made, form, options, tmp_path):
    fragments, store = made
    done = store.write(f"{tmp_path}/{form}", **options)
    written = nnz.Fragments(f"{tmp_path}/{form}")
    assert listed(written.query()) == fragments
    assert (done.fragments, done.cells, done.chromosomes) == (len(fragments), len(store.cell_names), 3)
    version = f"{'unpacked' if options.get('unpacked') else 'packed'}-fragments-v{options.get('format_version', 2)}"
    assert written.info()["version"] == version
    assert nnz.diff(store.path, f"{tmp_path}/{form}") == []


def test_compressed_arrays(made, tmp_path):
    fragments, store = made
    store.write(tmp_path / "plain.h5", unpacked=True)
    store.write(tmp_path / "small.h5", unpacked=True, compress="gzip:6")
    assert os.path.getsize(tmp_path / "small.h5") < os.path.getsize(tmp_path / "plain.h5") / 1.5
    assert listed(nnz.open(tmp_path / "small.h5").query()) == fragments


@pytest.mark.parametrize("name", ["f.tsv", "f.bed", "f.tsv.gz", "f.bed.gz", "f.bed.bgz"])
def test_text_round_trips(made, name, tmp_path):
    fragments, store = made
    assert store.export(tmp_path / name).fragments == len(fragments)
    compressed = name.endswith("gz")
    text = (gzip.decompress if compressed else bytes)((tmp_path / name).read_bytes()).decode()
    more = "\t1" if ".tsv" in name else ""
    assert text == "".join(f"{c}\t{s}\t{e}\t{cell}{more}\n" for c, s, e, cell in fragments)
    assert os.path.exists(f"{tmp_path / name}.tbi") == compressed
    if compressed:
        # A block of bgzip has its length.
        assert (tmp_path / name).read_bytes()[12:14] == b"BC"
    nnz.import_fragments(tmp_path / name, tmp_path / "again")
    assert listed(nnz.open(tmp_path / "again").query()) == fragments


def test_export_writes_text_only(made, tmp_path):
    with pytest.raises(nnz.ArgumentError, match="expected the extension .tsv, .txt or .bed"):
        made[1].export(tmp_path / "f.fragments")


def test_unsorted_text_is_sorted(made, tmp_path):
    fragments, _ = made
    mixed = list(fragments)
    random.Random(5).shuffle(mixed)
    write_text(tmp_path / "mixed.tsv", mixed)
    with pytest.raises(nnz.CorruptFileError) as raised:
        nnz.import_fragments(tmp_path / "mixed.tsv", tmp_path / "f")
    kind, line, column = raised.value.position
    assert kind == "line" and line > 1 and column >= 1 and raised.value.path == str(tmp_path / "mixed.tsv")
    assert not (tmp_path / "f").exists()
    nnz.import_fragments(tmp_path / "mixed.tsv", tmp_path / "f", sort=True, memory="20M", chrom_sizes=list(SIZES))
    found = listed(nnz.open(tmp_path / "f").query())
    assert [one[:2] for one in found] == [one[:2] for one in fragments]
    assert sorted(found) == sorted(fragments)


def test_imports_accept_lists(made, tmp_path):
    fragments, store = made
    text, wanted = tmp_path / "made.tsv.gz", ["c3", "c1", "c30"]
    kept = [one for one in fragments if one[3] in wanted]
    (tmp_path / "cells.txt").write_text("\n".join(wanted))
    (tmp_path / "sizes").write_text("".join(f"{name}\t{size}\n" for name, size in reversed(SIZES.items())))
    for number, cells in enumerate((wanted, tmp_path / "cells.txt", tuple(wanted))):
        nnz.import_fragments(text, tmp_path / f"cells{number}", cells=cells)
        assert listed(nnz.open(tmp_path / f"cells{number}").query()) == kept
    backwards = dict(reversed(SIZES.items()))
    for number, sizes in enumerate((backwards, list(backwards), tmp_path / "sizes", dict.fromkeys(backwards))):
        nnz.import_fragments(text, tmp_path / f"sizes{number}", chrom_sizes=sizes)
        found = nnz.open(tmp_path / f"sizes{number}")
        assert found.chromosome_names.tolist() == list(backwards)
        assert listed(found.query(list(SIZES))) == fragments
    for sizes, error in (({"chr1": 100, "chr2": 10**6, "chrX": 10**6}, nnz.CorruptFileError), ({"chr1": 10**6}, nnz.CorruptFileError)):
        with pytest.raises(error):
            nnz.import_fragments(text, tmp_path / "refused", chrom_sizes=sizes)
    with pytest.raises(nnz.ArgumentError, match="twice"):
        nnz.import_fragments(text, tmp_path / "refused", chrom_sizes=["chr1", "chr1"])
    with pytest.raises(nnz.ArgumentError, match="outside of 0"):
        nnz.import_fragments(text, tmp_path / "refused", chrom_sizes={"chr1": -1})
    assert not (tmp_path / "refused").exists()


def test_inclusive_ends(made, tmp_path):
    fragments, _ = made
    nnz.import_fragments(tmp_path / "made.tsv.gz", tmp_path / "f", end_inclusive=True)
    assert listed(nnz.open(tmp_path / "f").query()) == [(c, s, e + 1, cell) for c, s, e, cell in fragments]


def test_selections(made, tmp_path):
    fragments, store = made
    wanted = ["c7", "c2"]
    kept = [one for one in fragments if one[3] in wanted]
    (tmp_path / "wanted.txt").write_text("c7\nc2\n")
    at = [store.cell_names.tolist().index(cell) for cell in wanted]
    for number, cells in enumerate((wanted, "c7,c2", f"@{tmp_path}/wanted.txt", at, tuple(wanted))):
        done = store.select(tmp_path / f"cells{number}", cells=cells)
        found = nnz.open(tmp_path / f"cells{number}")
        assert listed(found.query()) == kept and done.fragments == len(kept)
        assert found.cell_names.tolist() == wanted
    store.select(tmp_path / "mask.h5", cells=[cell in wanted for cell in store.cell_names])
    assert listed(nnz.open(tmp_path / "mask.h5").query()) == kept
    store.select(tmp_path / "chromosomes", chromosomes=["chrX", "chr1"])
    expected = [one for name in ("chrX", "chr1") for one in fragments if one[0] == name]
    assert listed(nnz.open(tmp_path / "chromosomes").query(["chrX", "chr1"])) == expected
    store.select(tmp_path / "short.tsv", min_length=50, max_length=147)
    assert read_text(tmp_path / "short.tsv") == [one for one in fragments if 50 <= one[2] - one[1] <= 147]
    store.select(tmp_path / "none", cells=[])
    assert len(nnz.open(tmp_path / "none")) == 0


def test_selections_that_are_refused(made, tmp_path):
    _, store = made
    (tmp_path / "empty.txt").write_text("")
    for error, selected in [
        (nnz.ArgumentError, {"cells": ["nobody"]}),
        (nnz.ArgumentError, {"cells": ["c1", "c1"]}),
        (IndexError, {"cells": [10_000]}),
        (nnz.ArgumentError, {"cells": [1, 1]}),
        (nnz.ArgumentError, {"chromosomes": "chrUn"}),
        (nnz.ArgumentError, {"min_length": 5, "max_length": 4}),
        (nnz.ArgumentError, {"min_length": -1}),
        (nnz.ArgumentError, {"cells": f"@{tmp_path}/empty.txt"}),
        (FileNotFoundError, {"cells": f"@{tmp_path}/missing.txt"}),
    ]:
        with pytest.raises(error) as raised:
            store.select(tmp_path / "refused", **selected)
        assert isinstance(raised.value, nnz.Error)
    assert not (tmp_path / "refused").exists()
    store.select(tmp_path / "nothing", cells=f"@{tmp_path}/empty.txt", allow_empty=True)
    assert len(nnz.open(tmp_path / "nothing")) == 0


def test_merges(made, tmp_path):
    first, store = made
    second = random_fragments(12, cells=7)
    write_text(tmp_path / "second.tsv", second)
    nnz.import_fragments(tmp_path / "second.tsv", tmp_path / "second")
    with pytest.raises(nnz.ArgumentError, match="c"):
        store.merge(tmp_path / "second", tmp_path / "refused")
    expected = [(c, s, e, "a_" + cell) for c, s, e, cell in first] + [(c, s, e, "b_" + cell) for c, s, e, cell in second]
    expected.sort(key=lambda one: (list(SIZES).index(one[0]), one[1]))
    other = nnz.open(tmp_path / "second")
    calls = [
        lambda target: store.merge(other, target, prefix=["a_", "b_"]),
        lambda target: nnz.merge_fragments([store.path, tmp_path / "second"], target, prefix="a_,b_"),
        lambda target: nnz.merge_fragments((store, other), target, prefix=("a_", "b_"), unpacked=True),
    ]
    for number, merge in enumerate(calls):
        assert merge(tmp_path / f"all{number}").fragments == len(expected)
        assert listed(nnz.open(tmp_path / f"all{number}").query()) == expected
    with pytest.raises(nnz.ArgumentError, match="prefixes"):
        store.merge([other], tmp_path / "refused", prefix=["a"])
    with pytest.raises(nnz.ArgumentError, match="list"):
        nnz.merge_fragments(store.path, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()


def test_verbs_for_matrices_accept_fragments(made, tmp_path):
    fragments, store = made
    done = nnz.convert(store.path, tmp_path / "f.tsv")
    assert isinstance(done, nnz.FragmentSummary) and read_text(tmp_path / "f.tsv") == fragments
    nnz.convert(store.path, tmp_path / "f.h5", unpacked=True, force=False)
    assert nnz.open(tmp_path / "f.h5").info()["version"] == "unpacked-fragments-v2"
    with pytest.raises(nnz.ArgumentError, match="order"):
        nnz.convert(store.path, tmp_path / "g.fragments", order="row")
    assert nnz.validate(store.path) == []
    assert nnz.write(store, tmp_path / "g.tsv").entries == len(fragments) and read_text(tmp_path / "g.tsv") == fragments
    with pytest.raises(nnz.ArgumentError, match="neither rows"):
        nnz.write(store, tmp_path / "h.fragments", axis_kinds=("cells", "features"))
    changed = [("chr1", 1, 2, "c0"), *fragments]
    write_text(tmp_path / "changed.tsv", changed)
    nnz.import_fragments(tmp_path / "changed.tsv", tmp_path / "changed", chrom_sizes=store.chromosome_names)
    [names, *rest] = nnz.diff(store.path, tmp_path / "changed", max_diffs=3)
    assert {"cells", "fragment"} & {names.kind} and any(one.kind == "fragment" and one.element == "chr1" for one in [names, *rest])
    with pytest.raises(nnz.UnsupportedError):
        nnz.diff(store.path, STORES / "matrix_dir" / "basic_double.packed.col")


def test_targets_that_exist(made, tmp_path):
    fragments, store = made
    target = tmp_path / "there.fragments"
    store.select(target, cells=["c1"])
    for write in (store.write, store.select, lambda *a, **k: store.merge([store], *a, prefix="a_,b_", **k)):
        with pytest.raises(FileExistsError):
            write(target)
    store.write(target, force=True)
    assert listed(nnz.open(target).query()) == fragments


def test_invalid_options(made, tmp_path):
    _, store = made
    for options in ({"format_version": 3}, {"compress": "zip"}, {"memory": "much"}, {"order": "row"}):
        with pytest.raises(nnz.ArgumentError):
            store.write(tmp_path / "f.h5", **options)
    with pytest.raises(nnz.ArgumentError):
        store.write(tmp_path / "f.tsv", unpacked=True)
    with pytest.raises(nnz.ArgumentError, match="nothing is written"):
        store.count_tiles(500, force=True)
    with pytest.raises(nnz.ArgumentError, match="`nnz.Fragments.count_peaks` counts them"):
        store.write(tmp_path / "f.mtx")
    with pytest.raises(nnz.FormatError, match="`nnz.import_fragments` converts them"):
        nnz.open(tmp_path / "made.tsv.gz")


def test_bpcells_reads_written_stores(made, tmp_path):
    """The wheel counts groups of cells in regions of one width; here, a cell is a group."""
    bpcells = pytest.importorskip("bpcells.experimental", reason="BPCells has no wheel for this Python or machine")
    pandas = pytest.importorskip("pandas")
    fragments, store = made
    theirs = tmp_path / "theirs"
    bpcells.import_10x_fragments(str(tmp_path / "made.tsv.gz"), str(theirs))
    assert sorted(os.listdir(theirs)) == sorted(os.listdir(store.path))
    for name in os.listdir(theirs):
        assert (theirs / name).read_bytes() == open(os.path.join(store.path, name), "rb").read(), name
    assert listed(nnz.open(theirs).query()) == fragments
    wanted = ["c2", "c9"]
    bpcells.import_10x_fragments(str(tmp_path / "made.tsv.gz"), str(tmp_path / "kept"), keeper_cells=wanted)
    assert listed(nnz.open(tmp_path / "kept").query()) == [one for one in fragments if one[3] in wanted]

    store.select(tmp_path / "selected", cells=wanted)
    for place in (theirs, tmp_path / "selected"):
        cells = nnz.open(place).cell_names.tolist()
        starts = [3, 900, 4000, 7000]
        frame = pandas.DataFrame({"chrom": ["chr1", "chr1", "chr2", "chrX"], "start": starts, "end": [s + 400 for s in starts]})
        groups = bpcells.build_cell_groups(str(place), cells, cells, cells)
        expected = bpcells.pseudobulk_insertion_counts(str(place), frame, groups, 400)
        assert (nnz.open(place).count_peaks(frame).to_numpy() == expected.reshape(4, len(cells))).all()
