"""Binsparse in npz, HDF5 and Zarr, written and read without nnz."""

import json

import h5py
import numpy as np

from matrix import Matrix

ELEMENT = []
FORMATS = {
    "DMATR": ([("dense", 1), ("dense", 1)], False),
    "DMATC": ([("dense", 1), ("dense", 1)], True),
    "DMAT": ([("dense", 1), ("dense", 1)], False),
    "CSR": ([("dense", 1), ("sparse", 1)], False),
    "CSC": ([("dense", 1), ("sparse", 1)], True),
    "DCSR": ([("sparse", 1), ("sparse", 1)], False),
    "DCSC": ([("sparse", 1), ("sparse", 1)], True),
    "COOR": ([("sparse", 2)], False),
    "COO": ([("sparse", 2)], False),
    "COOC": ([("sparse", 2)], True),
}
TYPES = {"bool": "bint8", "complex64": "complex[float32]", "complex128": "complex[float64]"}


def named(dtype):
    return TYPES.get(str(dtype), str(dtype))


def describe(rng, matrix, name):
    """Returns the descriptor and the arrays of a matrix in a format."""
    levels, by_column = FORMATS[name]
    outer, inner = (matrix.cols, matrix.rows) if by_column else (matrix.rows, matrix.cols)
    lengths = matrix.shape[::-1] if by_column else matrix.shape
    order = np.lexsort((inner, outer))
    outer, inner, values = outer[order], inner[order], matrix.values[order]
    index = str(rng.choice(["uint16", "int32", "uint32", "int64", "uint64"]))
    arrays = {}
    if levels == [("sparse", 2)]:
        arrays = {"indices_0": outer.astype(index), "indices_1": inner.astype(index)}
    elif levels[1] == ("sparse", 1):
        if levels[0][0] == "dense":
            counts = np.bincount(outer, minlength=lengths[0])
        else:
            there, counts = np.unique(outer, return_counts=True)
            arrays["indices_0"] = there.astype(index)
        arrays["pointers_to_1"] = np.concatenate([[0], np.cumsum(counts)]).astype("uint64")
        arrays["indices_1"] = inner.astype(index)
    else:
        cells = np.zeros(lengths[0] * lengths[1], dtype=values.dtype)
        cells[outer * lengths[1] + inner] = values
        values = cells
    types = {key: str(array.dtype) for key, array in arrays.items()}
    types["values"] = named(values.dtype)
    count = len(values)
    if levels[-1][0] == "sparse" and count and rng.random() < 0.2 and (values == values[0]).all() \
            and not np.signbit(values.real).any():
        values, types["values"] = values[:1], f"iso[{types['values']}]"
    arrays["values"] = plain(values)
    header = {"version": "0.1", "format": name, "shape": list(matrix.shape),
              "number_of_stored_values": count, "data_types": types}
    return {"binsparse": header}, arrays


def plain(values):
    """Values as they are stored: complex numbers as pairs, booleans as bytes."""
    if values.dtype.kind == "c":
        return np.ascontiguousarray(values).view("f4" if values.dtype.itemsize == 8 else "f8")
    return values.astype(np.uint8) if values.dtype.kind == "b" else values


def write_npz(rng, path, matrix, name):
    header, arrays = describe(rng, matrix, name)
    save = np.savez_compressed if rng.random() < 0.3 else np.savez
    save(path, binsparse=np.array(json.dumps(header)), **arrays)


def write_hdf5(rng, path, group, matrix, name):
    header, arrays = describe(rng, matrix, name)
    options = {}
    with h5py.File(path, "a") as file:
        there = file.require_group(group) if group else file
        there.attrs["binsparse"] = json.dumps(header)
        for key, array in arrays.items():
            if len(array) and rng.random() < 0.5:
                options = {"chunks": (min(len(array), int(rng.choice([7, 1000]))),), "shuffle": bool(rng.random() < 0.5),
                           "compression": rng.choice([None, "gzip", "lzf"])}
            there.create_dataset(key, data=array, **options)
            options = {}


def read_npz(path):
    with np.load(path, allow_pickle=False) as archive:
        return assembled(json.loads(str(archive["binsparse"].item())), lambda name: archive[name])


def read_hdf5(path, group):
    with h5py.File(path, "r") as file:
        there = file[group] if group else file
        return assembled(json.loads(there.attrs["binsparse"]), lambda name: there[name][()])


def levels_of(header):
    """The levels from the outermost to the elements, and whether columns are outermost."""
    if "custom" not in header:
        return FORMATS[header["format"]]
    level, levels = header["custom"]["level"], []
    while level["level_desc"] != "element":
        levels.append((level["level_desc"], level.get("rank", 1)))
        level = level["level"]
    return levels, header["custom"].get("transpose") == [1, 0]


def assembled(header, array):
    """Creates a matrix from a descriptor and its arrays."""
    header = header["binsparse"]
    assert "fill" not in header, header
    levels, by_column = levels_of(header)
    lengths = header["shape"][::-1] if by_column else header["shape"]
    at, dimension = np.zeros((1, 0), dtype=np.int64), 0
    for kind, rank in levels:
        own = lengths[dimension:dimension + rank]
        if kind == "dense":
            cells = np.indices(own).reshape(rank, -1).T
            at = np.hstack([np.repeat(at, len(cells), axis=0), np.tile(cells, (len(at), 1))])
        else:
            if dimension:
                counts = np.diff(array(f"pointers_to_{dimension}").astype(np.int64))
                at = np.repeat(at, counts, axis=0)
            own = [array(f"indices_{dimension + d}").astype(np.int64) for d in range(rank)]
            if not dimension:
                at = np.repeat(at, len(own[0]), axis=0)
            at = np.hstack([at, np.array(own).T.reshape(len(at), rank)])
        dimension += rank
    stated = header["data_types"]["values"]
    values = array("values")
    if "complex" in stated:
        values = values.view("c8" if values.dtype.itemsize == 4 else "c16")
    elif "bint8" in stated:
        values = values.astype(bool)
    if stated.startswith("iso["):
        values = np.repeat(values, len(at)) if len(values) else np.zeros(0, dtype=values.dtype)
    assert len(values) == len(at), (len(values), len(at), header)
    outer, inner = at[:, 0], at[:, 1]
    rows, cols = (inner, outer) if by_column else (outer, inner)
    rows, cols, values = mirrored(header.get("structure"), rows, cols, values)
    exact = levels[-1][0] == "sparse"
    return Matrix(header["shape"], rows, cols, values, exact)


def mirrored(structure, rows, cols, values):
    """Adds the entries that follow from a structure."""
    if structure is None:
        return rows, cols, values
    kind = structure.split("_")[0]
    off = rows != cols
    follow = values[off]
    if kind == "skew":
        follow = -follow
    elif kind == "hermitian":
        follow = follow.conj()
    return (np.concatenate([rows, cols[off]]), np.concatenate([cols, rows[off]]),
            np.concatenate([values, follow]))
