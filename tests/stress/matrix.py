"""Matrices of SciPy and NumPy, with which nnz is compared."""

import numpy as np
import scipy.sparse as sp

NAMES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64",
         "complex64", "complex128", "bool"]
LENGTHS = [0, 1, 2, 3, 7, 40, 129, 600, 3000]


class Matrix:
    """Stored entries of a matrix, at unique positions."""

    def __init__(self, shape, rows, cols, values, exact=True):
        self.shape = tuple(int(length) for length in shape)
        self.rows = np.asarray(rows, dtype=np.int64)
        self.cols = np.asarray(cols, dtype=np.int64)
        self.values = np.asarray(values)
        # Whether stored zeros are known: not after a format that stores all cells.
        self.exact = exact and not self.is_full()

    def is_full(self):
        """Whether all cells are stored, so that it can be written as a dense matrix."""
        return len(self.rows) == self.shape[0] * self.shape[1] and len(self.rows) > 0

    def dense(self):
        """The same after a format that stores all cells."""
        return Matrix(self.shape, self.rows, self.cols, self.values, exact=False)

    def transposed(self):
        return Matrix(self.shape[::-1], self.cols, self.rows, self.values, self.exact)

    def places(self):
        """A SciPy matrix with the number of each entry, from 1, as its value."""
        numbers = np.arange(1, len(self.rows) + 1)
        return sp.csr_matrix((numbers, (self.rows, self.cols)), shape=self.shape)

    def taken(self, places):
        """The entries of a SciPy matrix made of `places`."""
        coo = places.tocoo()
        return Matrix(coo.shape, coo.row, coo.col, self.values[coo.data - 1], self.exact)

    def sliced(self, rows, cols):
        """The rows and columns at these positions, in that order."""
        places = self.places()
        # SciPy cannot index a matrix without rows with an empty list.
        if rows is not None:
            places = places[np.asarray(rows, dtype=np.int64), :]
        if cols is not None:
            places = places.tocsc()[:, np.asarray(cols, dtype=np.int64)]
        return self.taken(places)

    def sorted(self):
        """Rows, columns and values by column, then row; without zeros unless these are known."""
        kept = np.arange(len(self.rows))
        if not self.exact:
            kept = np.flatnonzero(~plain_zeros(self.values))
        order = kept[np.lexsort((self.rows[kept], self.cols[kept]))]
        return self.rows[order], self.cols[order], self.values[order]


def concatenated(parts, axis):
    """Matrices concatenated along an axis; values are lists of those of all, with their types."""
    stacked = sp.vstack if axis == "rows" else sp.hstack
    start, places = 0, []
    for part in parts:
        own = part.places()
        own.data = own.data + start
        places.append(own)
        start += len(part.rows)
    values = [value for part in parts for value in part.values]
    held = np.empty(len(values), dtype=object)
    held[:] = values
    coo = stacked(places, format="coo")
    # The common type of SciPy may round: 64-bit integers and floats.
    dtype = np.result_type(*[part.values.dtype for part in parts])
    values = held[coo.data - 1]
    cast = np.array([dtype.type(value) for value in values], dtype=dtype)
    exact = all(part.exact for part in parts)
    return Matrix(coo.shape, coo.row, coo.col, cast, exact)


def plain_zeros(values):
    """Which values are zeros with all bits zero."""
    if len(values) == 0:
        return np.zeros(0, dtype=bool)
    return ~bits(values).any(axis=1)


def bits(values):
    """The bytes of each value; NaNs with the same sign are equal."""
    values = np.ascontiguousarray(values)
    return values.view(np.uint8).reshape(len(values), values.dtype.itemsize)


def holds(dtype, values):
    """Whether a type holds all values exactly, including the sign of zero."""
    dtype = np.dtype(dtype)
    return all(holds_one(dtype, value) for value in values)


def holds_one(dtype, value):
    if value.dtype.kind == "c":
        if dtype.kind == "c":
            part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
            return holds_one(part, value.real) and holds_one(part, value.imag)
        return False
    if value.dtype.kind in "biu":
        whole = int(value)
        if dtype.kind == "b":
            return whole in (0, 1)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return limits.min <= whole <= limits.max
        part = dtype if dtype.kind == "f" else np.dtype("f4" if dtype.itemsize == 8 else "f8")
        mantissa = 24 if part.itemsize == 4 else 53
        while whole and whole % 2 == 0:
            whole //= 2
        return abs(whole) < 1 << mantissa
    if dtype.kind == "b" or dtype.kind in "iu":
        if not np.isfinite(value) or value != np.floor(value) or (value == 0 and np.signbit(value)):
            return False
        return holds_one(dtype, _Whole(int(value)))
    part = dtype if dtype.kind == "f" else np.dtype("f4" if dtype.itemsize == 8 else "f8")
    if part.itemsize == 8 or value.dtype.itemsize == 4 or np.isnan(value):
        return True
    with np.errstate(over="ignore"):
        return np.float64(np.float32(value)) == value


class _Whole:
    """An integer that can be larger than any type of NumPy."""

    dtype = np.dtype("i8")

    def __init__(self, number):
        self.number = number

    def __int__(self):
        return self.number


def cast(values, dtype):
    """Values in another type that holds them exactly."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values).astype(dtype)


def random_matrix(rng):
    """Draws a matrix: shape, positions, type and values."""
    shape = (int(rng.choice(LENGTHS)), int(rng.choice(LENGTHS)))
    cells = shape[0] * shape[1]
    density = rng.choice([0, 0.001, 0.02, 0.3, 1], p=[0.05, 0.3, 0.35, 0.25, 0.05])
    count = min(int(cells * density), 6000)
    places = rng.choice(cells, count, replace=False) if cells < 1 << 22 else \
        np.unique(rng.integers(0, cells, count))
    rows, cols = np.divmod(np.sort(places), max(shape[1], 1))
    if rng.random() < 0.3 and count:
        # Some rows and columns without entries, some with most of them.
        kept = (rows % 3 != 0) & (cols % 5 != 1)
        rows, cols = rows[kept], cols[kept]
    dtype = np.dtype(str(rng.choice(NAMES)))
    return Matrix(shape, rows, cols, random_values(rng, dtype, len(rows)))


def random_values(rng, dtype, count):
    """Draws values of a type, sometimes unusual ones."""
    odd = rng.random() < 0.4
    if dtype.kind == "b":
        return np.ones(count, dtype=bool) if rng.random() < 0.5 else rng.random(count) < 0.8
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not odd:
            return rng.integers(0 if dtype.kind == "u" else -3, 100, count).astype(dtype)
        values = rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        ends = np.array([limits.min, limits.max, 0], dtype=dtype)
        return np.where(rng.random(count) < 0.2, rng.choice(ends, count), values).astype(dtype)
    if dtype.kind == "c":
        part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
        pairs = np.empty((count, 2), dtype=part)
        pairs[:, 0], pairs[:, 1] = random_values(rng, part, count), random_values(rng, part, count)
        return pairs.view(dtype).reshape(count)
    if not odd:
        return rng.integers(-50, 1000, count).astype(dtype) / dtype.type(rng.choice([1, 8]))
    raw = rng.integers(0, 256, (count, dtype.itemsize), dtype=np.uint8).view(dtype).reshape(count)
    # Text keeps the sign of a NaN, but not its payload.
    raw = np.where(np.isnan(raw), np.copysign(dtype.type(np.nan), raw), raw)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 1.0, np.finfo(dtype).tiny, np.finfo(dtype).max])
    picked = rng.choice(special.astype(dtype), count)
    return np.where(rng.random(count) < 0.3, picked, raw).astype(dtype)
