"""Matrix Market and DAPHNE files, written and read without nnz."""

import gzip
import struct

import numpy as np
import scipy.io
import scipy.sparse as sp

from binsparse_files import mirrored
from matrix import Matrix

FIELDS = {"b": "integer", "i": "integer", "u": "integer", "f": "real", "c": "complex"}
DAPHNE = {"u1": 1, "u2": 2, "u4": 3, "u8": 4, "i1": 5, "i2": 6, "i4": 7, "i8": 8, "f4": 9, "f8": 10}


def number(value):
    """Formats a number so that it reads back as the same."""
    if value.dtype.kind == "c":
        return f"{number(value.real)} {number(value.imag)}"
    if value.dtype.kind in "biu":
        return str(int(value))
    if np.isnan(value):
        return "-nan" if np.signbit(value) else "nan"
    return repr(float(value))


def write_mtx(rng, path, matrix, symmetry="general", stored=None):
    """Writes a coordinate file in random order; of `stored`, if one triangle is written."""
    stored = stored or matrix
    field = FIELDS[stored.values.dtype.kind]
    if stored.values.dtype == np.dtype("u8") and rng.random() < 0.5:
        field = "unsigned-integer"
    if symmetry == "general" and len(matrix.rows) and rng.random() < 0.2 and np.isfinite(matrix.values).all() \
            and matrix.values.dtype.str[1:] in ("i8", "f8"):
        coo = sp.coo_matrix((matrix.values, (matrix.rows, matrix.cols)), shape=matrix.shape)
        scipy.io.mmwrite(path, coo, precision=17, symmetry="general")
        return
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}"]
    if rng.random() < 0.3:
        lines += ["% a comment", "%"]
    lines.append(f"{stored.shape[0]} {stored.shape[1]} {len(stored.rows)}")
    order = np.arange(len(stored.rows))
    if rng.random() < 0.5:
        rng.shuffle(order)
    end = "\r\n" if rng.random() < 0.1 else "\n"
    lines += [f"{stored.rows[at] + 1} {stored.cols[at] + 1} {number(stored.values[at])}" for at in order]
    save(path, end.join(lines) + end)


def write_array(path, matrix):
    """Writes all cells, by column."""
    cells = np.zeros((matrix.shape[1], matrix.shape[0]), dtype=matrix.values.dtype)
    cells[matrix.cols, matrix.rows] = matrix.values
    lines = [f"%%MatrixMarket matrix array {FIELDS[cells.dtype.kind]} general"]
    lines.append(f"{matrix.shape[0]} {matrix.shape[1]}")
    lines += [number(value) for value in cells.ravel()]
    save(path, "\n".join(lines) + "\n")


def write_pattern(path, matrix):
    lines = ["%%MatrixMarket matrix coordinate pattern general"]
    lines.append(f"{matrix.shape[0]} {matrix.shape[1]} {len(matrix.rows)}")
    lines += [f"{row + 1}\t{col + 1}" for row, col in zip(matrix.rows, matrix.cols, strict=True)]
    save(path, "\n".join(lines) + "\n")


def save(path, text):
    with (gzip.open(path, "wb") if str(path).endswith(".gz") else open(path, "wb")) as file:
        file.write(text.encode())


def read_mtx(path):
    """Reads a file of nnz line by line, as SciPy drops the sign of a NaN."""
    with (gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)) as file:
        banner = file.readline().lower().split()
        _, _, layout, field, symmetry = banner
        lines = [line for line in file if not line.startswith("%") and line.strip()]
    dtype = {"integer": "i8", "unsigned-integer": "u8", "real": "f8", "complex": "c16",
             "pattern": "bool"}[field]
    sizes = [int(word) for word in lines[0].split()]
    shape, fields = sizes[:2], [line.split() for line in lines[1:]]
    if layout == "array":
        rows, cols = np.indices(shape)
        rows, cols, first = rows.T.ravel(), cols.T.ravel(), 0
        if symmetry != "general":
            stored = rows > cols if symmetry == "skew-symmetric" else rows >= cols
            rows, cols = rows[stored], cols[stored]
    else:
        rows = np.array([int(words[0]) - 1 for words in fields], dtype=np.int64)
        cols = np.array([int(words[1]) - 1 for words in fields], dtype=np.int64)
        first = 2
        assert len(fields) == sizes[2]
    if dtype == "bool":
        values = np.ones(len(fields), dtype=bool)
    elif dtype == "c16":
        pairs = [(float(words[first]), float(words[first + 1])) for words in fields]
        values = np.array(pairs, dtype="f8").reshape(len(pairs), 2).view("c16").reshape(len(pairs))
    else:
        parse = float if dtype == "f8" else int
        values = np.array([parse(words[first]) for words in fields], dtype=dtype)
    if symmetry != "general":
        rows, cols, values = mirrored(symmetry.replace("-", "_"), rows, cols, values)
        if layout == "array":
            # The counterpart of a zero is a zero.
            image = {"skew-symmetric": -np.zeros(1, values.dtype), "symmetric": None,
                     "hermitian": np.conj(np.zeros(1, values.dtype))}[symmetry]
            if image is not None and values.dtype.kind in "fc":
                width = values.dtype.itemsize
                same = values.view(f"V{width}") == image.view(f"V{width}")
                values[same & (rows < cols)] = 0
    return Matrix(shape, rows, cols, values, layout != "array")


def write_dbdf(rng, path, matrix):
    """Writes a sparse matrix in the dialect of the specification, in bands of rows."""
    code = DAPHNE[matrix.values.dtype.str[1:]]
    rows, cols = matrix.shape
    order = np.lexsort((matrix.cols, matrix.rows))
    row, col, values = matrix.rows[order], matrix.cols[order], matrix.values[order]
    out = [struct.pack("<BBQQB", 1, 2, rows, cols, code)]
    band = max(1, rows // int(rng.integers(1, 4))) if rows else 0
    for start in range(0, rows if cols else 0, max(band, 1)):
        end = min(start + band, rows)
        inside = (row >= start) & (row < end)
        out.append(struct.pack("<QQIIB", start, 0, end - start, cols, 2))
        out.append(struct.pack("<B", code))
        out.append(struct.pack("<Q", int(inside.sum())))
        for at in range(start, end):
            here = np.flatnonzero(row == at)
            out.append(struct.pack("<I", len(here)))
            for place in here:
                out.append(struct.pack("<I", col[place]) + values[place].tobytes())
    path.write_bytes(b"".join(out))
