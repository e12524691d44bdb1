"""The datasets that nnz-hdf5 finds in HDF5 files equal those that h5py finds."""

import json
from pathlib import Path

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")

import hdf5_datasets as datasets  # noqa: E402
import hdf5_objects as objects  # noqa: E402

SUITES = Path(__file__).resolve().parents[2] / "testdata/hdf5-suites"

# Files that h5py refuses for a reason that does not affect their objects.
READ_BY_US = {
    # The message of the superblock extension that it cannot decode is not needed.
    "cve_2020_10810.h5": ["/dset"],
    # A flag says that a writer, which is gone, has the file open.
    "h5clear_log_v3.h5": [],
    "h5clear_sec2_v3.h5": [],
    "latest_h5clear_log_v3.h5": [],
    "latest_h5clear_sec2_v3.h5": [],
    # The recorded end of the file is before its end. h5py does not list the root.
    "h5clear_fsm_persist_less.h5": ["/dset"],
    # 3 bits in 4 bytes, which h5py does not support as a type.
    "h5stat_filters.h5": ["/nbit"],
    "tfilters.h5": ["/nbit"],
    # The plugin of Blosc2 was not installed.
    "b2nd-no-chunkshape.h5": ["/data"],
}


def manifest():
    with open(SUITES / "manifest.json") as file:
        return json.load(file)


@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["file"])
def test_files_of_other_test_suites(nnz, entry):
    found, refused = objects.printed(nnz, SUITES / entry["file"])
    expected = {}
    for line in entry.get("objects", []):
        # h5_objects does not read other files, and follows only hard links.
        if line.get("virtual"):
            line["error"] = "virtual"
        if "link" not in line:
            expected[line.pop("path")] = line
    if entry["file"] in READ_BY_US:
        assert refused is None
        expected.pop("/", None)
        for path in READ_BY_US[entry["file"]]:
            assert "error" not in found[path]
            assert "error" in expected.pop(path, {"error": "not listed"})
            del found[path]
    elif entry["h5py"] != "reads":
        assert refused
        return
    assert refused is None
    assert not list(objects.differences(expected, found))


def compare(nnz, path):
    """Compares a file, and returns the number of datasets and of those that h5py cannot read."""
    expected = objects.expected(path)
    found, refused = objects.printed(nnz, path)
    assert refused is None
    different = list(objects.differences(expected, found))
    assert not different, f"{len(different)} of {len(expected)}: {different[:10]}"
    return len(expected), sum("error" in line for line in expected.values())


# Properties of whole files.
FILES = {
    "plain": {},
    "userblock": {"userblock": 1024, "btrees": 2},
    "sizes": {"sizes": (4, 8)},
    "pages": {"strategy": datasets.h5f.FSPACE_STRATEGY_PAGE},
    "free space": {"strategy": datasets.h5f.FSPACE_STRATEGY_FSM_AGGR},
}


@pytest.mark.parametrize("options", FILES)
@pytest.mark.parametrize("generation", datasets.GENERATIONS)
def test_random_datasets(nnz, tmp_path, generation, options):
    if "strategy" in FILES[options] and generation in ("v108", "v110"):
        pytest.skip("HDF5 writes no file space strategy of its own in this generation")
    rng = np.random.default_rng([*map(ord, generation + options)])
    path = tmp_path / "random.h5"
    types = datasets.types()
    written = 0
    with datasets.create(path, generation, **FILES[options]) as file:
        for at in range(4 * len(types)):
            name = list(types)[at % len(types)]
            group = file.require_group(name)
            written += datasets.random_dataset(group, f"{at}", rng, *types[name])
    count, failed = compare(nnz, path)
    # HDF5 refuses some of the random settings, more or fewer with other versions of NumPy and the plugins.
    assert count == written > 2 * len(types)
    # HDF5 2.0 cannot read all chunks of its own.
    assert failed < 12


# Shapes, maximum shapes and chunks, so that an index has many levels, blocks or pages.
INDEXES = {
    "single": ((70, 50), (70, 50), (70, 50)),
    "single, may grow": ((70, 50), (None, 50), (70, 50)),
    "fixed array": ((40, 30), (40, 30), (9, 7)),
    "fixed array, pages": ((2500,), (2500,), (2,)),
    "fixed array, may grow": ((40, 100), (90, 100), (3, 4)),
    "extensible array": ((60, 40), (None, 40), (9, 7)),
    "extensible array, second dimension": ((10, 500), (10, None), (7, 4)),
    "extensible array, third dimension": ((3, 2, 900), (3, 2, None), (2, 2, 5)),
    "B-tree": ((60, 60), (None, None), (7, 5)),
    "B-tree, deep": ((120, 130), (None, None), (4, 3)),
    "B-tree, four dimensions": ((9, 8, 10, 12), (None, 8, None, None), (2, 3, 4, 5)),
}

# Too many chunks to write all of them: an extensible array has pages after 131,000. Older files have no arrays.
SPARSE = {
    "fixed array, many pages": ((9000,), (9000,), (2,)),
    "extensible array, pages": ((150_000,), (None,), (1,)),
}

FILTERS = {
    "early": {},
    "none": {"fillvalue": 7},
    "gzip": {"compression": 1, "fillvalue": -1},
    "checksum": {"fletcher32": True, "shuffle": True},
}


@pytest.mark.parametrize("generation", datasets.GENERATIONS)
def test_chunk_indexes(nnz, tmp_path, generation):
    path = tmp_path / "indexes.h5"
    rng = np.random.default_rng(5)
    written = 0
    indexes = INDEXES | (SPARSE if generation in ("v112", "v114", "v200") else {})
    # Small nodes make B-trees deep.
    with datasets.create(path, generation, btrees=3) as file:
        for name, (shape, limit, chunk) in indexes.items():
            data = rng.integers(0, 9, shape, "<i4")
            for how, options in FILTERS.items():
                plist = datasets.h5p.create(datasets.h5p.DATASET_CREATE)
                if name in SPARSE and how in ("early", "checksum"):
                    continue
                if how == "early":
                    plist.set_alloc_time(datasets.h5d.ALLOC_TIME_EARLY)
                form = {"shape": shape, "maxshape": limit, "chunks": chunk, "dtype": "<i4", **options}

                def create(path):
                    nonlocal written
                    written += 1
                    return file.create_dataset(f"{name}/{how}/{path}", dcpl=plist.copy(), **form)

                if name not in SPARSE:
                    create("all")[...] = data
                    create("last")[tuple(length - 1 for length in shape)] = 1
                # Some chunks, in any order.
                some = create("some")
                some[tuple(length - 1 for length in shape)] = 1
                for _ in range(40):
                    at = tuple(int(rng.integers(0, length)) for length in shape)
                    some[at] = data[at]
                if None in limit and name not in SPARSE:
                    axis = limit.index(None)
                    changed = create("changed")
                    for length in (shape[axis] * 3, shape[axis] // 2, shape[axis] + 1):
                        changed.resize(length, axis)
                        changed[(slice(None),) * axis + (slice(length - 2, length),)] = 5
    count, failed = compare(nnz, path)
    assert count == written > 140 and not failed


def various(file):
    """Writes datasets of types whose elements h5_objects does not sum, and null dataspaces."""
    h5t = datasets.h5t
    pair = np.dtype([("a", "<i4"), ("b", ">f8", (2, 3)), ("c", "S5")])
    nested = np.dtype({"names": ["x", "y"], "formats": [pair, "<u2"], "offsets": [8, 70], "itemsize": 96})
    plain = {
        "compound": np.zeros(3, pair),
        "nested": np.zeros((2, 2), nested),
        "complex64": np.ones(4, "<c8"),
        "complex128": np.ones(4, ">c16"),
        "long double": np.ones(3, np.longdouble),
        "array": np.zeros(2, np.dtype([("v", "<i2", (4,))])),
        "scalar": np.float16(1.5),
        "opaque": np.array([b"abc", b""], "V7"),
    }
    for name, data in plain.items():
        file[name] = data
        file.create_dataset(f"chunked/{name}", data=np.resize(data, 7), chunks=(2,), compression="gzip")
    file.create_dataset("sequences", data=[np.arange(2), np.arange(3)], dtype=h5py.vlen_dtype("<i4"))
    file.create_dataset("sequences of text", (2,), h5py.vlen_dtype(h5py.string_dtype()))
    file["text"] = ["eins", "", "é" * 300]
    file["ascii"] = np.array(["a", "b"], h5py.string_dtype("ascii"))
    file.create_dataset("references", data=[file.ref, file["text"].ref], dtype=h5py.ref_dtype)
    file.create_dataset("regions", data=[file["text"].regionref[:2]], dtype=h5py.regionref_dtype)
    for dtype in ("<i4", "S3", pair):
        file[f"null/{np.dtype(dtype).str}{len(np.dtype(dtype).names or '')}"] = h5py.Empty(dtype)
    array = h5t.array_create(h5t.STD_I16BE, (2, 3))
    datasets.h5d.create(file.id, b"elements are arrays", array, datasets.h5s.create_simple((3,)))
    for name, dtype in {"int": np.dtype(">i2"), "compound": pair, "bool": np.dtype(bool)}.items():
        file[f"types/{name}"] = dtype
        data = np.zeros(5, dtype)
        file.create_dataset(f"typed/{name}", data=data, dtype=file[f"types/{name}"])
    return len(plain) * 2 + 6 + 3 + 1 + 3


def groups(file):
    """Writes groups of all numbers of members, and datasets with attributes in all kinds of storage."""
    written = 0
    for order in (False, True):
        for count in (0, 1, 8, 9, 40, 300):
            group = file.create_group(f"order {order}/{count}", track_order=order)
            for at in range(count):
                # Long names need more room in heaps.
                group[f"{at:03}" + "né" * (at % 50)] = np.uint8(at % 256)
            for name in list(group)[: count // 3]:
                # What is left has gaps.
                del group[name]
            written += len(group)
        for count in (1, 8, 9, 60):
            dataset = file.create_dataset(f"attributes {order}/{count}", data=np.arange(count), track_order=order)
            for at in range(count):
                dataset.attrs[f"{at}"] = "x" * (at * 40)
            dataset.attrs["type"] = file[f"attributes {order}/{count}"].ref
            written += 1
    file["soft"] = h5py.SoftLink("/order True")
    file["external"] = h5py.ExternalLink("other.h5", "/")
    file["again"] = file["order True/9"]
    file["order False/9/root"] = file["/"]
    return written


@pytest.mark.parametrize("write", [various, groups])
@pytest.mark.parametrize("generation", datasets.GENERATIONS)
def test_types_and_groups(nnz, tmp_path, generation, write):
    path = tmp_path / "objects.h5"
    # Shared messages are first in a list, then in a B-tree.
    shared = {"shared": 2 if write == groups else 40}
    with datasets.create(path, generation, **shared) as file:
        written = write(file)
    count, failed = compare(nnz, path)
    assert (count, failed) == (written, 0)


@pytest.mark.parametrize("generation", ["v108", "v200"])
def test_soft_links_that_lead_to_many_others_end(nnz, tmp_path, generation):
    # Each leads to the one before a thousand times: 10^27 steps, if only the depth were limited.
    path = tmp_path / "links.h5"
    with datasets.create(path, generation) as file:
        file["l0"] = h5py.SoftLink("/")
        for at in range(1, 10):
            file[f"l{at}"] = h5py.SoftLink(f"/l{at - 1}" * 1000)
        file["data"] = [1, 2]
    found, refused = objects.printed(nnz, path)
    assert refused is None and list(found) == ["/data"]
    assert "broken soft link" in nnz.refuses("cat", f"{path}::l9")
