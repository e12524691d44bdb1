"""Writes the MAT-files of this directory and their manifest: with SciPy (version 5), with h5py in the layout of MATLAB
(version 7.3), and by hand. NumPy, SciPy and h5py are needed: `python make.py` in this directory."""

import hashlib
import json
import pathlib
import struct
import zlib

import h5py
import numpy as np
import scipy
import scipy.io as sio
import scipy.sparse as sp

HERE = pathlib.Path(__file__).parent
random = np.random.default_rng(20260301)
entries = []

REAL = sp.random(7, 5, density=0.3, random_state=1, format="csc")
INTEGERS = sp.csc_matrix(np.array([[0, 1, 0], [2, 0, 0], [0, 0, 300], [0, -70000, 0]], dtype="f8"))
COMPLEX = sp.csc_matrix(np.array([[0, 1 + 2j, 0], [2, 0, -1j]]))
LOGICAL = sp.csc_matrix(np.array([[0, 1, 0], [1, 1, 0]], dtype=bool))
DENSE = np.arange(12, dtype="f8").reshape(3, 4) * 0.5
EMPTY = sp.csc_matrix((3, 4))


def value(number):
    if isinstance(number, (complex, np.complexfloating)):
        return [value(number.real), value(number.imag)]
    if isinstance(number, (bool, np.bool_)):
        return int(number)
    if isinstance(number, np.integer):
        return int(number)
    return float(number)


def sparse(matrix, dtype):
    columns = np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.indptr))
    listed = [
        [int(row), int(col), value(number)]
        for row, col, number in zip(matrix.indices, columns, matrix.data, strict=True)
    ]
    return {"shape": list(matrix.shape), "dtype": dtype, "entries": listed}


def dense(array):
    cells = [[value(number) for number in row] for row in array]
    return {"shape": list(array.shape), "dtype": str(array.dtype), "cells": cells}


def add(name, producer, expected=None, place="", reason="", verdict=None):
    verdict = verdict or ("must_reject" if reason else "valid")
    digest = hashlib.sha256((HERE / name).read_bytes()).hexdigest()[:16]
    entries.append({
        "path": name, "place": place, "producer": producer, "verdict": verdict, "reason": reason,
        "expected": expected, "sha256_16": digest,
    })


# Version 5, by SciPy: uncompressed (as MATLAB with -v6) and compressed (-v7).
SCIPY = f"SciPy {scipy.__version__}"
for compressed in [False, True]:
    suffix = "z" if compressed else "u"
    def save(name, variables, compressed=compressed):
        sio.savemat(HERE / name, variables, do_compression=compressed, oned_as="column")
    for name, matrix, dtype in [
        ("real", REAL, "float64"), ("integers", INTEGERS, "float64"),
        ("complex", COMPLEX, "complex128"), ("logical", LOGICAL, "bool"), ("empty", EMPTY, "float64"),
    ]:
        save(f"v5_sparse_{name}_{suffix}.mat", {"A": matrix})
        add(f"v5_sparse_{name}_{suffix}.mat", SCIPY, sparse(matrix, dtype))
    save(f"v5_dense_{suffix}.mat", {"A": DENSE})
    add(f"v5_dense_{suffix}.mat", SCIPY, dense(DENSE))
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = np.eye(2), "text"
    problem = {"A": REAL, "b": np.arange(7.0), "name": "HB/x", "aux": {"C": INTEGERS}}
    name = f"v5_struct_{suffix}.mat"
    save(name, {"Problem": problem, "cells": cells, "text": "text", "cube": np.arange(24, dtype="i4").reshape(2, 3, 4)})
    add(name, SCIPY, sparse(REAL, "float64"), "::Problem/A")
    add(name, SCIPY, dense(np.arange(7.0).reshape(7, 1)), "::Problem/b")
    add(name, SCIPY, sparse(INTEGERS, "float64"), "::Problem/aux/C")
    add(name, SCIPY, None, "::Problem/name", "a text")
    add(name, SCIPY, None, "::cells", "a cell array")
    add(name, SCIPY, None, "::Problem/D", "no such variable")
    add(name, SCIPY, None, "", "several variables with numbers")
    save(f"v5_text_{suffix}.mat", {"text": "text"})
    add(f"v5_text_{suffix}.mat", SCIPY, None, "", "no variable with numbers")
for dtype in ["f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "c8", "c16", "?"]:
    array = random.integers(0, 2 if dtype == "?" else 100, (2, 3)).astype(dtype)
    name = f"v5_dense_{array.dtype}.mat"
    sio.savemat(HERE / name, {"A": array})
    add(name, SCIPY, dense(array))
sio.savemat(HERE / "v5_dense_0x3.mat", {"A": np.zeros((0, 3))})
add("v5_dense_0x3.mat", SCIPY, dense(np.zeros((0, 3))))
sio.savemat(HERE / "v4.mat", {"A": DENSE}, format="4")
add("v4.mat", SCIPY, dense(DENSE))
unordered = sp.coo_matrix(REAL.tocsr())
several = {
    "real": REAL, "rows": unordered, "complex": COMPLEX, "empty": EMPTY, "dense": DENSE, "cdense": DENSE * (1 - 2j),
    "none": np.zeros((0, 3)), "short": np.arange(6, dtype="i2").reshape(2, 3), "text": "text",
}
sio.savemat(HERE / "v4_several.mat", several, format="4")
for name, matrix, dtype in [("real", REAL, "float64"), ("complex", COMPLEX, "complex128"), ("empty", EMPTY, "float64")]:
    add("v4_several.mat", SCIPY, sparse(matrix, dtype), f"::{name}")
for name, array in [("dense", DENSE), ("cdense", DENSE * (1 - 2j)), ("none", np.zeros((0, 3))), ("short", np.arange(6.0).reshape(2, 3))]:
    add("v4_several.mat", SCIPY, dense(array), f"::{name}")
add("v4_several.mat", SCIPY, None, "::text", "a text")
add("v4_several.mat", SCIPY, None, "", "several variables with numbers")


# Version 5 by hand, in either byte order. MATLAB stores doubles as integers if they fit.
class Writer:
    def __init__(self, order):
        self.order = order

    def element(self, kind, data):
        if len(data) <= 4:
            word = struct.pack(self.order + "I", len(data) << 16 | kind)
            return word + data.ljust(4, b"\0")
        return struct.pack(self.order + "II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    def numbers(self, kind, numbers):
        code = {1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "f", 9: "d"}[kind]
        return self.element(kind, struct.pack(f"{self.order}{len(numbers)}{code}", *numbers))

    def array(self, mx, flags, nzmax, shape, name, parts):
        data = self.numbers(6, [flags << 8 | mx, nzmax]) + self.numbers(5, shape)
        data += self.element(1, name) + b"".join(parts)
        return struct.pack(self.order + "II", 14, len(data)) + data

    def file(self, *elements, version=0x0100):
        text = b"MATLAB 5.0 MAT-file, by hand".ljust(116) + b"\0" * 8
        order = struct.pack(self.order + "H", version) + (b"IM" if self.order == "<" else b"MI")
        return text + order + b"".join(elements)

    def compressed(self, element):
        packed = zlib.compress(element)
        return struct.pack(self.order + "II", 15, len(packed)) + packed


def write(name, data, *args):
    (HERE / name).write_bytes(data)
    add(name, "by hand", *args)


def version_4(order, kind, rows, cols, numbers, name=b"A\0", complex=0, dtype="f8"):
    """A variable of version 4: the machine is 1 for big-endian numbers."""
    kind += 1000 if order == ">" else 0
    header = struct.pack(order + "5i", kind, rows, cols, complex, len(name))
    return header + name + np.asarray(numbers).astype(order + dtype).tobytes()


for order, suffix in [("<", "le"), (">", "be")]:
    for code, dtype in enumerate(["f8", "f4", "i4", "i2", "u2", "u1"]):
        stored = version_4(order, code * 10, 2, 3, [0, 1, 2, 3, 4, 5], dtype=dtype)
        write(f"hand_v4_{dtype}_{suffix}.mat", stored, dense(np.arange(6.0).reshape(3, 2).T))
    entries_4 = [1, 4, 2, 4, 1, 1, 3, 3, -1, 2.5, 7, 0]  # the rows, columns and values of three entries, and 4 x 3
    wanted = sp.csc_matrix(([-1, 2.5, 7], ([0, 3, 1], [0, 0, 2])), shape=(4, 3))
    write(f"hand_v4_sparse_{suffix}.mat", version_4(order, 2, 4, 3, entries_4), sparse(wanted, "float64"))
for name, reason, data in [
    ("header", "a header that is cut", version_4("<", 0, 2, 3, np.zeros(6)) + b"\0" * 7),
    ("cut", "elements that are cut", version_4("<", 0, 2, 3, np.zeros(5))),
    ("huge", "more elements than the file has", version_4("<", 0, 2**31 - 1, 2**31 - 1, np.zeros(5))),
    ("vax", "numbers of a VAX, after others", version_4("<", 0, 2, 3, np.zeros(6)) + version_4("<", 2000, 2, 3, np.zeros(6))),
    ("negative", "a negative shape, after another", version_4("<", 0, 2, 3, np.zeros(6)) + version_4("<", 0, -1, 3, np.zeros(6))),
    ("type", "an unknown type of numbers, after another", version_4("<", 0, 2, 3, np.zeros(6)) + version_4("<", 60, 2, 3, np.zeros(6))),
    ("index", "a row outside of the shape", version_4("<", 2, 2, 3, [5, 4, 1, 3, 1, 0])),
    ("zero", "a row of 0", version_4("<", 2, 2, 3, [0, 4, 1, 3, 1, 0])),
    ("half", "a row that is no integer", version_4("<", 2, 2, 3, [1.5, 4, 1, 3, 1, 0])),
    ("sides", "a number of rows that is no integer", version_4("<", 2, 2, 3, [1, 4.5, 1, 3, 1, 0])),
    ("columns", "a sparse matrix of two columns", version_4("<", 2, 2, 2, [1, 4, 1, 3])),
    ("no_rows", "a sparse matrix without its last row", version_4("<", 2, 0, 3, [])),
]:
    write(f"bad_v4_{name}.mat", data, None, "", reason)

# An entry that occurs twice, which reading does not refuse.
(HERE / "v4_twice.mat").write_bytes(version_4("<", 2, 3, 3, [1, 1, 4, 1, 1, 3, 1, 2, 0]))

for order, suffix in [("<", "le"), (">", "be")]:
    w = Writer(order)
    ir, jc = INTEGERS.indices.tolist(), INTEGERS.indptr.tolist()
    pr = [int(number) for number in INTEGERS.data]
    parts = [w.numbers(5, ir), w.numbers(5, jc), w.numbers(5, pr)]
    narrow = w.array(5, 0, 4, [4, 3], b"A", parts)
    write(f"hand_narrow_{suffix}.mat", w.file(narrow), sparse(INTEGERS, "float64"))
    write(f"hand_compressed_{suffix}.mat", w.file(w.compressed(narrow)), sparse(INTEGERS, "float64"))
    # Doubles as bytes, in a small element.
    small = w.array(6, 0, 0, [2, 2], b"longer_name", [w.numbers(2, [1, 2, 3, 4])])
    write(f"hand_small_{suffix}.mat", w.file(small), dense(np.array([[1.0, 3], [2, 4]])))
    # A logical sparse matrix as MATLAB stores it, with space for more entries.
    logical = w.array(5, 2, 3, [2, 3], b"L", [w.numbers(5, [1, 0, 1, 0]), w.numbers(5, [0, 1, 3, 3]), w.numbers(2, [1, 1, 1, 0])])
    write(f"hand_logical_{suffix}.mat", w.file(logical), sparse(LOGICAL, "bool"))
    halves = w.array(6, 8, 0, [1, 2], b"c", [w.numbers(1, [1, -2]), w.numbers(7, [0.5, -0.0])])
    write(f"hand_complex_{suffix}.mat", w.file(halves), dense(np.array([[1 + 0.5j, complex(-2, -0.0)]])))
w = Writer("<")
good = [w.numbers(5, [1, 0]), w.numbers(5, [0, 1, 2]), w.numbers(9, [1.0, 2.0])]
def bad(name, reason, *elements, version=0x0100):
    write(f"bad_{name}.mat", w.file(*elements, version=version), None, "", reason)
bad("index", "a row outside of the shape", w.array(5, 0, 2, [2, 2], b"A", [w.numbers(5, [1, 2])] + good[1:]))
bad("index_negative", "a negative row", w.array(5, 0, 2, [2, 2], b"A", [w.numbers(5, [1, -1])] + good[1:]))
bad("jc_decreases", "jc decreases", w.array(5, 0, 2, [2, 2], b"A", [good[0], w.numbers(5, [0, 2, 1]), good[2]]))
bad("jc_short", "one element of jc too few", w.array(5, 0, 2, [2, 2], b"A", [good[0], w.numbers(5, [0, 2]), good[2]]))
bad("no_pr", "no values", w.array(5, 0, 2, [2, 2], b"A", good[:2]))
bad("pr_text", "values that are no numbers", w.array(5, 0, 2, [2, 2], b"A", good[:2] + [w.element(16, b"text text")]))
bad("sparse_3d", "a sparse array of three dimensions", w.array(5, 0, 2, [2, 2, 2], b"A", good))
bad("shape", "fewer elements than the dimensions state", w.array(6, 0, 0, [3, 2], b"A", [w.numbers(9, [1.0, 2.0])]))
bad("shape_huge", "dimensions of 2^62 elements", w.array(6, 0, 0, [2**31 - 1, 2**31 - 1], b"A", [w.numbers(9, [1.0, 2.0])]))
bad("shape_negative", "a negative dimension", w.array(6, 0, 0, [-1, 2], b"A", [w.numbers(9, [1.0, 2.0])]))
bad("one_dimension", "one dimension", w.array(6, 0, 0, [2], b"A", [w.numbers(9, [1.0, 2.0])]))
bad("class", "an unknown class", w.array(19, 0, 0, [1, 2], b"A", [w.numbers(9, [1.0, 2.0])]))
bad("logical_2", "a logical value other than 0 and 1", w.array(9, 2, 0, [1, 2], b"A", [w.numbers(2, [1, 2])]))
bad("int8_300", "a value that the class cannot represent", w.array(8, 0, 0, [1, 2], b"A", [w.numbers(3, [1, 300])]))
bad("complex_int8", "complex integers", w.array(8, 8, 0, [1, 2], b"A", [w.numbers(1, [1, 3])] * 2))
bad("complex_no_imaginary", "no imaginary parts", w.array(6, 8, 0, [1, 2], b"A", [w.numbers(1, [1, 3])]))
bad("type", "an element that is no variable", w.numbers(9, [1.0, 2.0, 3.0]))
bad("size", "an element larger than the file", struct.pack("<II", 14, 4096) + bytes(64))
bad("tag_cut", "half a tag at the end", w.array(6, 0, 0, [1, 1], b"A", [w.numbers(2, [1])]), bytes(4))
bad("version", "version 0x0300", version=0x0300)
bad("zlib", "damaged compression", struct.pack("<II", 15, 16) + b"x" * 16)
whole = w.array(6, 0, 0, [1, 200], b"A", [w.numbers(9, list(range(200)))])
packed = zlib.compress(whole)
bad("zlib_cut", "compressed data that ends early", struct.pack("<II", 15, len(packed) - 9) + packed[:-9])
bad("zlib_more", "more data than the variable has", w.compressed(whole + bytes(8)))
bad("zlib_checksum", "a wrong checksum", struct.pack("<II", 15, len(packed)) + packed[:-1] + bytes([packed[-1] ^ 1]))
bad("zlib_bomb", "a size that the compressed data cannot have", w.compressed(struct.pack("<II", 14, 0xfffffff8) + bytes(64)))
deep = w.array(6, 0, 0, [1, 1], b"", [w.numbers(2, [1])])
for _ in range(200):
    deep = w.array(2, 0, 0, [1, 1], b"", [w.numbers(5, [2]), w.element(1, b"f\0"), deep])
deep = w.array(2, 0, 0, [1, 1], b"S", [w.numbers(5, [2]), w.element(1, b"f\0"), deep])
bad("deep", "no variable with numbers: structs are listed up to a depth of 32", deep)
(HERE / "bad_empty.mat").write_bytes(b"")
add("bad_empty.mat", "by hand", None, "", "an empty file")


# Version 7.3, by h5py in the layout of MATLAB.
H5PY = f"h5py {h5py.__version__}"


class File(h5py.File):
    def __init__(self, name, header=True):
        super().__init__(HERE / name, "w", userblock_size=512)
        self.header = header

    def close(self):
        path = self.filename
        super().close()
        if self.header:
            text = b"MATLAB 7.3 MAT-file, by h5py".ljust(116) + b"\0" * 8 + b"\x00\x02IM"
            with open(path, "r+b") as file:
                file.write(text)

    def __exit__(self, *error):
        self.close()


def described(target, kind):
    target.attrs.create("MATLAB_class", np.bytes_(kind))
    if kind == "logical":
        target.attrs.create("MATLAB_int_decode", np.int32(1))


def put_sparse(parent, name, matrix, kind="double"):
    group = parent.create_group(name)
    described(group, kind)
    group.attrs.create("MATLAB_sparse", np.uint64(matrix.shape[0]))
    group["jc"] = matrix.indptr.astype("u8")
    if matrix.nnz:
        data = matrix.data
        if np.iscomplexobj(data):
            data = data.view([("real", "f8"), ("imag", "f8")])
        group["data"] = data.astype("u1") if kind == "logical" else data
        group["ir"] = matrix.indices.astype("u8")


def put_dense(parent, name, array, kind="double", **options):
    data = np.ascontiguousarray(array.T)
    if np.iscomplexobj(data):
        part = "f4" if data.dtype == np.complex64 else "f8"
        data = data.view([("real", part), ("imag", part)])
    if array.size == 0:
        dataset = parent.create_dataset(name, data=np.array(array.shape, "u8"))
        dataset.attrs.create("MATLAB_empty", np.uint8(1))
    else:
        dataset = parent.create_dataset(name, data=data.astype("u1") if kind == "logical" else data, **options)
    described(dataset, kind)


for name, matrix, kind, dtype in [
    ("real", REAL, "double", "float64"), ("complex", COMPLEX, "double", "complex128"),
    ("logical", LOGICAL, "logical", "bool"), ("empty", EMPTY, "double", "float64"),
    ("single", REAL.astype("f4"), "single", "float32"),
]:
    with File(f"v73_sparse_{name}.mat") as file:
        put_sparse(file, "A", matrix, kind)
    add(f"v73_sparse_{name}.mat", H5PY, sparse(matrix, dtype))
for dtype, kind in [
    ("f8", "double"), ("f4", "single"), ("i1", "int8"), ("u2", "uint16"), ("i8", "int64"), ("c8", "single"),
    ("c16", "double"), ("?", "logical"),
]:
    array = random.integers(0, 2 if dtype == "?" else 100, (2, 3)).astype(dtype)
    with File(f"v73_dense_{array.dtype}.mat") as file:
        put_dense(file, "A", array, kind)
    add(f"v73_dense_{array.dtype}.mat", H5PY, dense(array))
chunked = random.integers(0, 1000, (37, 29)).astype("f8")
with File("v73_dense_chunked.mat") as file:
    put_dense(file, "A", chunked, chunks=(4, 9), compression="gzip", compression_opts=3)
add("v73_dense_chunked.mat", H5PY, dense(chunked))
with File("v73_dense_0x3.mat") as file:
    put_dense(file, "A", np.zeros((0, 3)))
add("v73_dense_0x3.mat", H5PY, dense(np.zeros((0, 3))))
with File("v73_struct.mat") as file:
    problem = file.create_group("Problem")
    described(problem, "struct")
    put_sparse(problem, "A", REAL)
    put_dense(problem, "b", np.arange(7.0).reshape(7, 1))
    aux = problem.create_group("aux")
    described(aux, "struct")
    put_sparse(aux, "C", INTEGERS)
    text = problem.create_dataset("name", data=np.array([[ord(c)] for c in "HB/x"], "u2"))
    described(text, "char")
    refs = file.create_group("#refs#")
    put_dense(refs, "a", np.eye(2))
    cells = file.create_dataset("cells", data=np.array([[refs["a"].ref]], dtype=h5py.ref_dtype))
    described(cells, "cell")
    put_dense(file, "cube", np.arange(24, dtype="i4").reshape(2, 3, 4), "int32")
add("v73_struct.mat", H5PY, sparse(REAL, "float64"), "::Problem/A")
add("v73_struct.mat", H5PY, dense(np.arange(7.0).reshape(7, 1)), "::Problem/b")
add("v73_struct.mat", H5PY, sparse(INTEGERS, "float64"), "::Problem/aux/C")
add("v73_struct.mat", H5PY, None, "::Problem/name", "a text")
add("v73_struct.mat", H5PY, None, "::Problem", "a struct")
add("v73_struct.mat", H5PY, None, "::cells", "a cell array")
add("v73_struct.mat", H5PY, None, "::#refs#/a", "data of a reference")
add("v73_struct.mat", H5PY, None, "", "several variables with numbers")
with File("v73_no_header.mat", header=False) as file:
    put_sparse(file, "A", REAL)
add("v73_no_header.mat", H5PY, sparse(REAL, "float64"))


def bad_73(name, reason, change):
    with File(f"bad_73_{name}.mat") as file:
        put_sparse(file, "A", REAL)
        change(file)
    add(f"bad_73_{name}.mat", H5PY, None, "", reason)


def replace(group, name, data):
    del group[name]
    group[name] = data


bad_73("index", "a row outside of the shape", lambda file: file["A/ir"].write_direct(np.full(len(file["A/ir"]), 7, "u8")))
bad_73("jc", "jc decreases", lambda file: file["A/jc"].write_direct(REAL.indptr[::-1].astype("u8")))
bad_73("no_jc", "no jc", lambda file: file["A"].__delitem__("jc"))
bad_73("jc_empty", "jc without elements", lambda file: replace(file["A"], "jc", np.zeros(0, "u8")))
bad_73("ir_short", "fewer rows than values", lambda file: replace(file["A"], "ir", np.zeros(2, "u8")))
bad_73("rows", "a number of rows that is a text", lambda file: file["A"].attrs.create("MATLAB_sparse", np.bytes_("x")))
bad_73("data", "values that are texts", lambda file: replace(file["A"], "data", np.array([b"x"] * REAL.nnz)))
with File("bad_73_empty_shape.mat") as file:
    put_dense(file, "A", np.zeros((0, 3)))
    file["A"][...] = [2, 3]
add("bad_73_empty_shape.mat", H5PY, None, "", "an empty array with elements")
with File("bad_73_cycle.mat") as file:
    group = file.create_group("S")
    group["again"] = group
add("bad_73_cycle.mat", H5PY, None, "", "no variable: a group that contains itself")

about = "MAT-files by SciPy, h5py and by hand, written by make.py"
text = json.dumps({"about": about, "entries": entries}, separators=(",", ":"))
(HERE / "manifest.json").write_text(text + "\n")
