"""PyPI's binsparse, h5py, NetCDF4 and Zarr read our Binsparse files, and we read those of binsparse.

The three tools of the official compliance protocol are compared with those of the package.
"""

import itertools
import json
import random
import subprocess

import numpy as np
import pytest

reason = "binsparse has no wheel for this Python"
binsparse = pytest.importorskip("binsparse", reason=reason)
zarr = pytest.importorskip("zarr", reason=reason)
netCDF4 = pytest.importorskip("netCDF4", reason="NetCDF4 has no wheel for this Python")
h5py = pytest.importorskip("h5py")

from binsparse.io import load_binsparse  # noqa: E402
from reference_cli import converters  # noqa: E402

ENDINGS = [".npz", ".zarr", ".h5"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = {name: np.dtype(name) for name in [*INTEGERS, "float32", "float64"]} | {
    "bint8": np.dtype(bool),
    "complex[float32]": np.dtype("complex64"),
    "complex[float64]": np.dtype("complex128"),
}
ELEMENT = {"level_desc": "element"}


def level(kind, rank, inner):
    return {"level_desc": kind, "rank": rank, "level": inner}


FORMATS = {
    "DVEC": (level("dense", 1, ELEMENT), None),
    "CVEC": (level("sparse", 1, ELEMENT), None),
    "DMATR": (level("dense", 1, level("dense", 1, ELEMENT)), None),
    "DMATC": (level("dense", 1, level("dense", 1, ELEMENT)), (1, 0)),
    "CSR": (level("dense", 1, level("sparse", 1, ELEMENT)), None),
    "CSC": (level("dense", 1, level("sparse", 1, ELEMENT)), (1, 0)),
    "DCSR": (level("sparse", 1, level("sparse", 1, ELEMENT)), None),
    "DCSC": (level("sparse", 1, level("sparse", 1, ELEMENT)), (1, 0)),
    "COOR": (level("sparse", 2, ELEMENT), None),
    "COOC": (level("sparse", 2, ELEMENT), (1, 0)),
}
SPELLED = {"DMAT": "DMATR", "COO": "COOR"}
FORMATS |= {"DMAT": FORMATS["DMATR"], "COO": FORMATS["COOR"]}


def random_tree(rng, rank):
    if rank == 0:
        return ELEMENT
    here = rng.randint(1, rank)
    return level(rng.choice(["dense", "sparse"]), here, random_tree(rng, rank - here))


def stored_cells(rng, tree, shape):
    """Draws coordinates that a level tree can store, in the order of its dimensions."""
    if tree is ELEMENT:
        return [()]
    rank = tree["rank"]
    slices = itertools.product(*map(range, shape[:rank]))
    if tree["level_desc"] == "sparse":
        slices = [at for at in slices if rng.random() < 0.6]
    return [
        at + inner for at in slices for inner in stored_cells(rng, tree["level"], shape[rank:])
    ]


def random_value(rng, name):
    dtype = DTYPES[name]
    if dtype.kind == "b":
        return dtype.type(rng.random() < 0.5)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return dtype.type(rng.choice([limits.min, limits.max, 0, 1, rng.randint(2, 100)]))
    real = lambda: rng.choice([rng.uniform(-9, 9), 0.0, -0.0, np.inf, 0.1])  # noqa: E731
    if dtype.kind == "f":
        return dtype.type(real())
    return dtype.type(complex(real(), real()))


class Case:
    """A random tensor: all cells, a mask of the stored ones, the fill value, and its format."""

    def __init__(self, seed, name=None):
        rng = random.Random(seed)
        value_type = rng.choice(list(DTYPES))
        if name is None:
            rank = seed % 7
            tree, transpose = random_tree(rng, rank), None
            if rng.random() < 0.5:
                transpose = tuple(rng.sample(range(rank), rank))
        else:
            (tree, transpose) = FORMATS[name]
            rank = 1 if name.endswith("VEC") else 2
        longest = 4 if rank < 5 else 3
        shape = tuple(rng.randint(0 if rng.random() < 0.2 else 1, longest) for _ in range(rank))
        order = transpose or tuple(range(rank))
        places = stored_cells(rng, tree, tuple(shape[d] for d in order))
        iso = bool(places) and rng.random() < 0.3
        fill = random_value(rng, value_type)
        self.tensor = np.full(shape, fill, dtype=DTYPES[value_type])
        self.pattern = np.zeros(shape, dtype=bool)
        shared = random_value(rng, value_type)
        for place in places:
            at = tuple(place[order.index(d)] for d in range(rank))
            self.tensor[at] = shared if iso else random_value(rng, value_type)
            self.pattern[at] = True
        self.fill = np.asarray(fill)
        types = {"values": f"iso[{value_type}]" if iso else value_type, "fill_value": value_type}
        types |= {array: rng.choice(INTEGERS) for array in arrays(tree)}
        self.header = {
            "version": "0.1.0",
            "format": name or "custom",
            "shape": list(shape),
            "number_of_stored_values": len(places),
            "fill": True,
            "data_types": types,
        }
        if name is None:
            self.header["custom"] = {"level": tree}
            if transpose is not None:
                self.header["custom"]["transpose"] = list(transpose)

    def write(self, folder):
        """Writes the files that the tools read, and returns their paths."""
        paths = [folder / name for name in ("tensor.npy", "pattern.npy", "fill.npy", "header.json")]
        for path, array in zip(paths, (self.tensor, self.pattern, self.fill), strict=False):
            np.save(path, array)
        paths[3].write_text(json.dumps(self.header))
        return [str(path) for path in paths]


def arrays(tree, depth=0):
    if tree is ELEMENT:
        return []
    own = []
    if tree["level_desc"] == "sparse":
        own = [f"indices_{depth + d}" for d in range(tree["rank"])]
        own += [f"pointers_to_{depth}"] if depth else []
    return own + arrays(tree["level"], depth + tree["rank"])


class Tools:
    """The tools that are built with the nnz command."""

    def __init__(self, nnz):
        self.nnz = nnz

    def __call__(self, name, *arguments):
        command = [self.nnz.tool(name), "--no-sync", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, timeout=120)
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stderr.decode()}"
        return done.stdout.decode()


@pytest.fixture(scope="session")
def tools(nnz):
    return Tools(nnz)


def content(path):
    """The descriptor and arrays of a file, read without nnz and binsparse."""
    suffix = path.suffix
    if suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            header = json.loads(str(archive["binsparse"].item()))["binsparse"]
            return header, {name: archive[name] for name in header["data_types"]}
    if suffix == ".zarr":
        group = zarr.open_group(str(path), mode="r")
        header = group.attrs["binsparse"]
        header = json.loads(header) if isinstance(header, str) else header
        header = header["binsparse"]
        return header, {name: np.asarray(group[name]) for name in header["data_types"]}
    if suffix == ".nc":
        with netCDF4.Dataset(path) as group:
            header = json.loads(group.getncattr("binsparse"))["binsparse"]
            group.set_auto_maskandscale(False)
            return header, {name: np.asarray(group[name][:]) for name in header["data_types"]}
    with h5py.File(path, "r") as file:
        header = json.loads(file.attrs["binsparse"])["binsparse"]
        return header, {name: np.asarray(file[name]) for name in header["data_types"]}


def same_array(a, b):
    """Whether arrays are equal, bit by bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def assert_same_files(actual, expected, spelled=None):
    (header, found), (wanted, known) = content(actual), content(expected)
    assert header == wanted | {"format": spelled or wanted["format"]}
    for name, data_type in wanted["data_types"].items():
        ours, theirs = found[name], known[name]
        if "bint8" in data_type:
            ours, theirs = ours.astype(bool), theirs.astype(bool)
        assert same_array(ours, theirs), (name, ours, theirs, header)


def assert_same_arrays(actual, expected):
    for ours, theirs in zip(actual, expected, strict=True):
        ours, theirs = np.load(ours), np.load(theirs)
        assert same_array(ours, theirs), (ours, theirs)


CUSTOM = [(seed, None) for seed in range(84)]
NAMED = [(1000 + number, name) for number, name in enumerate(sorted(FORMATS) * 3)]


@pytest.mark.parametrize(("seed", "name"), CUSTOM + NAMED)
def test_the_tools_match_those_of_the_package(tools, tmp_path, seed, name):
    case = Case(seed, name)
    inputs = case.write(tmp_path)
    ending = ENDINGS[seed // 7 % 3]
    ours, theirs = tmp_path / f"ours{ending}", tmp_path / f"theirs{ending}"
    assert converters.npy_to_binsparse_main([*inputs, str(theirs)]) == 0
    tools("npy_to_binsparse", *inputs, ours)
    assert_same_files(ours, theirs)

    plain = {who: [str(tmp_path / f"{who}{n}.npy") for n in range(3)] for who in ("our", "their")}
    assert converters.binsparse_to_npy_main([str(theirs), *plain["their"]]) == 0
    tools("binsparse_to_npy", theirs, *plain["our"])
    assert_same_arrays(plain["our"], plain["their"])
    assert converters.binsparse_to_npy_main([str(ours), *plain["their"]]) == 0
    assert_same_arrays(plain["our"], plain["their"])

    again = {who: tmp_path / f"{who}_again{ending}" for who in ("our", "their")}
    assert converters.binsparse_to_binsparse_main([str(theirs), str(again["their"])]) == 0
    tools("binsparse_to_binsparse", theirs, again["our"])
    assert_same_files(again["our"], again["their"])


def entries(text):
    """The sorted output of `nnz cat`."""
    return sorted(text.splitlines())


@pytest.mark.parametrize(("seed", "name"), CUSTOM[::3] + NAMED[::2])
def test_files_round_trip(nnz, tools, tmp_path, seed, name):
    case = Case(seed, name)
    inputs = case.write(tmp_path)
    theirs = tmp_path / "theirs.h5"
    assert converters.npy_to_binsparse_main([*inputs, str(theirs)]) == 0
    printed = nnz.ok("cat", theirs)
    assert len(printed.splitlines()) == case.pattern.sum()
    fields = [line.split("\t")[: case.tensor.ndim] for line in printed.splitlines()]
    places = [tuple(map(int, indices)) for indices in fields]
    assert sorted(places) == sorted(map(tuple, np.argwhere(case.pattern)))
    for ending in [*ENDINGS, ".nc"]:
        ours = tmp_path / f"ours{ending}"
        tools("binsparse_to_binsparse", theirs, ours)
        assert entries(nnz.ok("cat", ours)) == entries(printed)
        assert_same_files(ours, theirs, SPELLED.get(name))
        if ending != ".nc":
            load_binsparse(ours, alias=False)


@pytest.mark.parametrize("ending", [*ENDINGS, ".nc"])
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_converted_files_are_read(nnz, tmp_path, name, ending):
    seed = sorted(FORMATS).index(name)
    inputs = Case(2000 + seed, name).write(tmp_path)
    theirs, ours = tmp_path / "theirs.npz", tmp_path / f"ours{ending}"
    assert converters.npy_to_binsparse_main([*inputs, str(theirs)]) == 0
    version = ("--binsparse-version", "0.1.0")
    nnz.convert(theirs, ours, "--quiet", "--no-sync", "--to", name, *version)
    (header, found), (wanted, known) = content(ours), content(theirs)
    for key in ("version", "shape", "number_of_stored_values"):
        assert header[key] == wanted[key]
    bare = lambda header: header["data_types"]["values"].replace("iso[", "").rstrip("]")  # noqa: E731
    assert bare(header) == bare(wanted)
    for array in known:
        if array.startswith(("indices", "pointers")):
            assert np.array_equal(found[array], known[array])
    if ending != ".nc":
        load_binsparse(ours)


def test_files_with_a_user_block_are_read(nnz, tmp_path):
    """As in MATLAB files; groups can be added to such a file."""
    text = tmp_path / "a.mtx"
    text.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 5\n")
    for size in (512, 1024, 4096):
        path = tmp_path / f"{size}.h5"
        with h5py.File(path, "w", userblock_size=size) as file:
            file["other"] = [1]
        nnz.convert(text, f"{path}::g", "--to", "CSR")
        assert nnz.ok("cat", path) == nnz.ok("cat", f"{path}::g") == "1\t0\t5\n"
        with h5py.File(path) as file:
            assert file["other"][0] == 1 and file["g/values"][0] == 5 and file.userblock_size == size
