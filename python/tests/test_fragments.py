"""Fragments are read as by plain Python: golden stores and random ones."""

import json
import random

import numpy as np
import pytest
from fragment_texts import BASIC, SIZES, STORES, count, listed, overlapping, random_fragments, read_expected, write_text

import nnz

CASES = [entry for entry in json.loads((STORES / "manifest.json").read_text())["artifacts"] if entry["kind"] == "fragments"]
# Stores that BPCells creates from data frames have their own test.
PLACES = [
    (entry["path"], entry["case"])
    for entry in CASES
    if entry["backend"] in ("dir", "rds") and entry["case"] != "from_dataframe"
]
PLACES += [
    (f"fragments_h5/{path.name}::{group}", path.stem)
    for path in sorted((STORES / "fragments_h5").glob("*.h5"))
    for group in ("packed", "unpacked")
]


@pytest.fixture(scope="module", params=range(4))
def store(request, tmp_path_factory):
    """Random fragments, and a store of them."""
    fragments = random_fragments(request.param, count=(10, 400, 3000, 6000)[request.param])
    directory = tmp_path_factory.mktemp("fragments")
    write_text(directory / "f.tsv", fragments)
    nnz.import_fragments(directory / "f.tsv", directory / "f.fragments", chrom_sizes=list(SIZES))
    return fragments, nnz.open(directory / "f.fragments")


def test_all_golden_stores_exist():
    assert len(PLACES) > 60


@pytest.mark.parametrize("place, case", PLACES, ids=[place for place, _ in PLACES])
def test_golden_stores(place, case):
    fragments = nnz.open(f"{STORES}/{place}")
    assert isinstance(fragments, nnz.Fragments)
    expected = read_expected(case)
    assert len(fragments) == len(expected)
    assert listed(fragments.query()) == expected
    columns = (fragments.chr, fragments.start, fragments.end, fragments.cell)
    assert listed(nnz.FragmentArrays(*columns, fragments.chromosome_names, fragments.cell_names)) == expected
    counts = {name: sum(one[0] == name for one in expected) for name in fragments.chromosome_names}
    assert fragments.counts_by_chromosome() == counts
    rng = random.Random(place)
    for name in fragments.chromosome_names:
        start = rng.randrange(150_000)
        end = start + rng.randrange(1, 60_000)
        found = fragments.query((name, start, end))
        assert listed(found) == overlapping(expected, name, start, end)
    assert nnz.validate(f"{STORES}/{place}") == []


def test_queries_do_not_rely_on_wrong_bounds():
    """`end_max` of this store omits the last fragment of each chunk."""
    fragments = nnz.open(STORES / "fragments_rds" / "from_dataframe.unpacked.rds")
    lengths = [5000 if at in (127, 255) else 10 for at in range(300)]
    cells = fragments.cell_names
    expected = [("chr1", at + 1, at + 1 + length, cells[at % 3]) for at, length in enumerate(lengths)]
    assert listed(fragments.query()) == expected
    for start in range(0, 5400, 50):
        assert listed(fragments.query(("chr1", start, start + 40))) == overlapping(expected, "chr1", start, start + 40)


def test_names_of_golden_stores():
    for entry in CASES:
        if "chr_names" in entry:
            fragments = nnz.Fragments(f"{STORES}/{entry['path']}" + (f"::{entry['group']}" if "group" in entry else ""))
            assert fragments.chromosome_names.tolist() == entry["chr_names"]
            assert len(fragments.cell_names) == entry["n_cells"]
            assert fragments.info()["version"] == entry["version"]


def test_queries_return_overlapping_fragments(store):
    fragments, found = store
    rng = random.Random(7)
    assert listed(found.query()) == fragments
    for _ in range(60):
        name = rng.choice(list(SIZES))
        start = rng.randrange(SIZES[name])
        end = start + rng.choice((1, 2, 100, 5000, 2**32 - 1 - start))
        expected = overlapping(fragments, name, start, end)
        assert listed(found.query((name, start, end))) == expected
        assert listed(found.query(f"{name}:{start}-{end}")) == expected
        assert listed(found.query(f"{name}:{start:,}-{end:,}", threads=1)) == expected
        assert listed(found.query([(name, start, end), "chr2"])) == expected + [one for one in fragments if one[0] == "chr2"]
        cells = rng.sample(found.cell_names.tolist(), min(5, len(found.cell_names)))
        wanted = overlapping(fragments, name, start, end, cells)
        assert listed(found.query((name, start, end), cells=cells)) == wanted
        at = [found.cell_names.tolist().index(cell) for cell in cells]
        assert listed(found.query((name, start, end), cells=at)) == wanted
        assert listed(found.query((name, start, end), cells=np.isin(np.arange(len(found.cell_names)), at))) == wanted


def test_regions_without_an_end_or_bases(store):
    fragments, found = store
    of_chr1 = [one for one in fragments if one[0] == "chr1"]
    assert listed(found.query("chr1")) == listed(found.query(("chr1", None, None))) == of_chr1
    assert listed(found.query("chr1:0-")) == of_chr1
    assert listed(found.query(("chr1", 5000, None))) == overlapping(fragments, "chr1", 5000, 2**32)
    assert listed(found.query([])) == []


def test_regions_of_a_data_frame(store):
    pandas = pytest.importorskip("pandas")
    fragments, found = store
    frame = pandas.DataFrame({"chrom": ["chrX", "chr1"], "start": [100, 0], "end": [9000, 4000], "name": ["a", "b"]})
    expected = overlapping(fragments, "chrX", 100, 9000) + overlapping(fragments, "chr1", 0, 4000)
    assert listed(found.query(frame)) == expected


def test_batches_are_bounded_and_complete(store):
    fragments, found = store
    for nbytes in (1, 16, 1000, 4096, 10**6):
        if nbytes < 1000 and len(fragments) > 1000:
            continue
        batches = list(found.iter_batches(nbytes=nbytes))
        assert all(0 < len(batch) * 16 <= max(nbytes, 16) for batch in batches)
        assert sum((listed(batch) for batch in batches), []) == fragments
    regions, cells = ["chr1:100-9,000", "chrX", "chr1:0-50"], found.cell_names[::2].tolist()
    batches = list(found.iter_batches(regions, cells=cells, nbytes=2000))
    assert all(0 < len(batch) * 16 <= 2000 for batch in batches)
    assert sum((listed(batch) for batch in batches), []) == listed(found.query(regions, cells=cells))


def test_data_frames_have_names(store):
    pandas = pytest.importorskip("pandas")
    fragments, found = store
    frame = found.to_pandas()
    assert list(frame.itertuples(index=False, name=None)) == fragments
    assert isinstance(frame["cell"].dtype, pandas.CategoricalDtype)
    assert len(found.to_pandas("chr2", cells=found.cell_names[0])) == len(found.query("chr2", cells=0))


@pytest.mark.filterwarnings("ignore::nnz.DroppedWarning", "ignore:.*no fragments on .chrUn.")
@pytest.mark.parametrize("mode", ["insertions", "overlaps"])
def test_counts_of_peaks(store, mode, tmp_path):
    fragments, found = store
    rng = random.Random(3)
    regions = [(name, start, start + rng.choice((1, 90, 4000))) for name in SIZES for start in rng.sample(range(8000), 12)]
    rng.shuffle(regions)
    regions += [regions[0], ("chrUn", 5, 10)]
    expected = count(fragments, regions, found.cell_names, mode)
    counts = found.count_peaks(regions, mode=mode)
    assert isinstance(counts, nnz.LazyMatrix) and counts.axis_kinds == ("features", "cells")
    np.testing.assert_array_equal(counts.to_numpy(), expected)
    np.testing.assert_array_equal(counts[3:9, [0, -1]].to_numpy(), expected[3:9][:, [0, -1]])
    np.testing.assert_array_equal(counts.T.to_numpy(), expected.T)
    assert counts.row_names.tolist() == [f"{name}:{start}-{end}" for name, start, end in regions]
    assert counts.col_names.tolist() == found.cell_names.tolist()
    bed = tmp_path / "peaks.bed"
    bed.write_text("".join(f"{name}\t{start}\t{end}\n" for name, start, end in regions))
    texts = [f"{name}:{start:,}-{end:,}" for name, start, end in regions]
    for same in (bed, str(bed), texts):
        np.testing.assert_array_equal(found.count_peaks(same, mode=mode).to_numpy(), expected)
    for name in ("counts.bpcells", "counts.h5ad", "counts.npz"):
        assert found.count_peaks(bed, tmp_path / name, mode=mode).entries == np.count_nonzero(expected)
        written = nnz.open(tmp_path / name).to_numpy()
        np.testing.assert_array_equal(written.T if name == "counts.h5ad" else written, expected)


@pytest.mark.parametrize("sizes", [SIZES, {"chrX": 5000, "chr1": 100}, None])
def test_counts_of_tiles(store, sizes, tmp_path):
    fragments, found = store
    reach = {name: max((one[2] for one in fragments if one[0] == name), default=0) for name in SIZES}
    lengths = reach if sizes is None else sizes
    regions = [(name, at, min(at + 700, size)) for name, size in lengths.items() for at in range(0, size, 700)]
    expected = count(fragments, regions, found.cell_names, "insertions")
    counts = found.count_tiles(700, chrom_sizes=sizes)
    assert counts.row_names.tolist() == [f"{name}:{start}-{end}" for name, start, end in regions]
    np.testing.assert_array_equal(counts.to_numpy(), expected)
    if sizes is not None:
        listed_sizes = tmp_path / "chrom.sizes"
        listed_sizes.write_text("".join(f"{name}\t{size}\n" for name, size in sizes.items()))
        np.testing.assert_array_equal(found.count_tiles(700, chrom_sizes=listed_sizes).to_numpy(), expected)
    assert found.count_tiles(700, tmp_path / "tiles.h5ad", cell_axis="as-is", chrom_sizes=sizes).shape == expected.shape


def test_warnings_point_to_the_caller(tmp_path):
    with pytest.warns(nnz.DroppedWarning) as caught:
        nnz.open(BASIC).count_tiles(50_000, tmp_path / "tiles.npz")
    assert [warning.filename for warning in caught] == [__file__]


def test_counts_are_converted_to_anndata(store):
    pytest.importorskip("anndata")
    fragments, found = store
    adata = found.count_peaks([("chr1", 0, 30_000), ("chrX", 0, 30_000)]).to_anndata()
    assert adata.obs_names.tolist() == found.cell_names.tolist()
    assert adata.var_names.tolist() == ["chr1:0-30000", "chrX:0-30000"]


def test_representations_in_notebooks():
    fragments = nnz.open(BASIC)
    assert "1100 fragments of 25 cells on 3 chromosomes" in repr(fragments)
    assert "<td>1,100</td>" in fragments._repr_html_() and "basic.packed" in fragments._repr_html_()
    assert repr(fragments.query("chr1:0-100")) == "<nnz.FragmentArrays of 2 fragments>"
    info = fragments.info()
    assert {"cell_data", "start_data", "end_data", "end_max", "chr_ptr"} <= {array["name"] for array in info["arrays"]}


def test_files_with_groups():
    file = nnz.open(STORES / "fragments_h5" / "basic.h5")
    assert isinstance(file, nnz.File) and list(file) == ["packed", "unpacked"]
    assert isinstance(file["packed"], nnz.Fragments) and len(file["unpacked"]) == 1100
