"""Errors of fragments have a reason and a place."""

import os
import random
import shutil
import warnings

import pytest
from fragment_texts import BASIC, STORES, listed, random_fragments, write_text

import nnz


def test_invalid_arguments_are_errors():
    fragments = nnz.open(BASIC)
    for error, call in [
        (KeyError, lambda: fragments.query("chrUn")),
        (KeyError, lambda: fragments.query("chrUn:1-2")),
        (KeyError, lambda: fragments.query(("chrUn", 1, 2))),
        (KeyError, lambda: fragments.query("chr1", cells=["nobody"])),
        (IndexError, lambda: fragments.query("chr1", cells=25)),
        (nnz.ArgumentError, lambda: fragments.query("chr1:5-5")),
        (nnz.ArgumentError, lambda: fragments.query("chr1:9-5")),
        (nnz.ArgumentError, lambda: fragments.query("chr1:a-b")),
        (nnz.ArgumentError, lambda: fragments.query(("chr1", 9, 5))),
        (nnz.ArgumentError, lambda: fragments.query(("chr1", -1, 5))),
        (nnz.ArgumentError, lambda: fragments.query(("chr1", 0, 2**32))),
        (nnz.ArgumentError, lambda: fragments.query(("chr1", 0.5, 2))),
        (nnz.ArgumentError, lambda: fragments.query([("chr1", 0, 5, 7)])),
        (nnz.ArgumentError, lambda: fragments.query([7])),
        (nnz.ArgumentError, lambda: fragments.query(7)),
        (nnz.ArgumentError, lambda: fragments.iter_batches(nbytes=0)),
        (nnz.ArgumentError, lambda: fragments.count_peaks(["chr1"])),
        (nnz.ArgumentError, lambda: fragments.count_peaks([("chr1", 5, 5)])),
        (nnz.ArgumentError, lambda: fragments.count_peaks([("chr1", 5, 9)], mode="all")),
        (nnz.ArgumentError, lambda: fragments.count_tiles(0)),
        (nnz.ArgumentError, lambda: fragments.count_tiles(-5)),
        (nnz.ArgumentError, lambda: fragments.count_tiles(5, chrom_sizes=["chr1"])),
        (FileNotFoundError, lambda: fragments.count_peaks("missing.bed")),
        (FileNotFoundError, lambda: nnz.Fragments("missing.fragments")),
        (nnz.UnsupportedError, lambda: nnz.Fragments(STORES / "matrix_dir" / "basic_double.packed.col")),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert isinstance(raised.value, nnz.Error)


def test_broken_lists_have_a_line(tmp_path):
    bed = tmp_path / "peaks.bed"
    bed.write_text("chr1\t1\t5\nchr1\t9\t5\n")
    with pytest.raises(nnz.CorruptFileError) as raised:
        nnz.open(BASIC).count_peaks(bed)
    assert raised.value.path == str(bed) and raised.value.position[:2] == ("line", 2)


def read_all(path):
    """Read everything, in all ways."""
    fragments = nnz.open(path)
    repr(fragments), fragments.cell_names, fragments.counts_by_chromosome(), fragments.info()
    listed(fragments.query())
    for name in fragments.chromosome_names:
        fragments.query((name, 30_000, 90_000))
    fragments.count_tiles(10_000).to_scipy()
    return fragments


def test_damaged_stores_are_errors_with_their_place(tmp_path):
    """A cell without a name, descending starts, an end before its start, and truncated arrays."""
    source = STORES / "fragments_dir" / "basic.unpacked"
    header = (source / "cell").stat().st_size - 4 * 1100

    def put(name, at, value):
        path = tmp_path / "f" / name
        content = bytearray(path.read_bytes())
        content[header + 4 * at : header + 4 * at + 4] = value.to_bytes(4, "little")
        path.write_bytes(content)

    for name, at, value in [("cell", 700, 25), ("start", 300, 0), ("end", 400, 1)]:
        shutil.copytree(source, tmp_path / "f", dirs_exist_ok=True)
        put(name, at, value)
        fragments = nnz.open(tmp_path / "f")
        for read in (fragments.query, lambda: list(fragments.iter_batches(nbytes=3000)), lambda: fragments.query("chr1")):
            with pytest.raises(nnz.CorruptFileError) as raised:
                read()
            error = raised.value
            assert error.path == str(tmp_path / "f") and error.array == name and error.position == ("element", at)
        assert [finding.array for finding in nnz.validate(tmp_path / "f")][0] == name
    for name in sorted(os.listdir(source)):
        shutil.rmtree(tmp_path / "f")
        shutil.copytree(source, tmp_path / "f")
        with open(tmp_path / "f" / name, "r+b") as file:
            file.truncate(file.seek(0, os.SEEK_END) // 2)
        if name == "chr_ptr":
            # The remaining chromosomes are complete, and further data is allowed.
            assert read_all(tmp_path / "f").counts_by_chromosome()["chr1"] == 722
            assert nnz.validate(tmp_path / "f") != []
        else:
            with pytest.raises(nnz.Error) as raised:
                read_all(tmp_path / "f")
            assert str(raised.value) and raised.value.path.startswith(str(tmp_path / "f")), name
        (tmp_path / "f" / name).unlink()
        with pytest.raises(nnz.Error):
            read_all(tmp_path / "f")


@pytest.mark.parametrize("case", ["fragments_dir/basic.packed", "fragments_dir/basic.unpacked", "fragments_rds/manychr.packed.rds"])
def test_any_damage_is_an_error_or_harmless(case, tmp_path):
    rng = random.Random(case)
    refused = 0
    for _ in range(150):
        broken = tmp_path / ("f.rds" if case.endswith("rds") else "f")
        if broken.is_dir():
            shutil.rmtree(broken)
        if broken.suffix == ".rds":
            shutil.copy(STORES / case, broken)
            file = broken
        else:
            shutil.copytree(STORES / case, broken)
            file = rng.choice(sorted(broken.iterdir()))
        content = bytearray(file.read_bytes())
        for _ in range(rng.randrange(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        file.write_bytes(content)
        try:
            read_all(broken)
        except nnz.Error as error:
            refused += 1
            assert str(error)
    assert refused > 20


def test_names_that_occur_twice(tmp_path):
    fragments = random_fragments(1, count=300, cells=3)
    write_text(tmp_path / "f.tsv", fragments)
    nnz.import_fragments(tmp_path / "f.tsv", tmp_path / "f", unpacked=True)
    names = tmp_path / "f" / "cell_names"
    first, second, *_ = names.read_text().split("\n")
    names.write_text(names.read_text().replace(second, first))
    found = nnz.open(tmp_path / "f")
    assert len(found.query(cells=[1])) + len(found.query(cells=[0, 2])) == len(fragments)
    with pytest.raises(nnz.ArgumentError, match='the name "c0" is not unique'):
        found.query(cells=first)
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert frame["cell"].dtype == object and frame["cell"].tolist() == found.cell_names[found.cell].tolist()


@pytest.mark.filterwarnings("ignore::nnz.DroppedWarning")
def test_regions_on_other_chromosomes_warn(tmp_path):
    fragments = nnz.open(BASIC)
    with pytest.warns(UserWarning, match="no fragments on .zz.: the counts are zero") as warned:
        counts = fragments.count_peaks(["zz:0-5", "chr1:0-50,000"])
    assert warned[0].filename == __file__
    assert counts.sum(axis=1).tolist() == [0, 356]
    with pytest.warns(UserWarning, match="no fragments on .1., .2.: the counts are zero") as warned:
        done = fragments.count_peaks(["1:0-5", "2:0-5"], tmp_path / "m.npz")
    assert len([one for one in warned if "no fragments" in str(one.message)]) == 1
    assert done.entries == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fragments.count_peaks(["chr1:0-50,000"])
