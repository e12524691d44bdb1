"""Entries as (row, column, value), compared bit by bit."""

import numpy as np
import scipy.io
import scipy.sparse


class Triples:
    """Entries of a matrix, in their order."""

    def __init__(self, rows, cols, values):
        self.rows = np.asarray(rows, dtype=np.int64)
        self.cols = np.asarray(cols, dtype=np.int64)
        self.values = np.asarray(values)

    def __len__(self):
        return len(self.rows)

    def column_order(self):
        """Returns the entries sorted by column, then row."""
        return self.take(np.lexsort((self.rows, self.cols)))

    def row_order(self):
        """Returns the entries sorted by row, then column."""
        return self.take(np.lexsort((self.cols, self.rows)))

    def without_zeros(self):
        """Returns the entries whose value is not zero."""
        return self.take(np.flatnonzero(self.values != 0))

    def astype(self, dtype):
        """Returns the entries with values of another type, which must be exact."""
        cast = self.values.astype(dtype)
        assert np.array_equal(cast, self.values, equal_nan=cast.dtype.kind in "fc")
        return Triples(self.rows, self.cols, cast)

    def take(self, order):
        """Returns the entries at these positions, in this order."""
        return Triples(self.rows[order], self.cols[order], self.values[order])


def of(matrix):
    """Returns the stored entries of a scipy matrix, or all cells of a dense one."""
    if isinstance(matrix, np.ndarray):
        rows, cols = np.indices(matrix.shape)
        return Triples(rows.ravel(), cols.ravel(), matrix.ravel())
    coo = scipy.sparse.coo_matrix(matrix)
    return Triples(coo.row, coo.col, coo.data)


def from_cat(text, dtype):
    """Reads the output of `nnz cat`."""
    dtype = np.dtype(dtype)
    fields = [line.split("\t") for line in text.splitlines()]
    assert all(len(f) == (4 if dtype.kind == "c" else 3) for f in fields), fields[:3]
    if dtype.kind == "c":
        values = [complex(float(f[2]), float(f[3])) for f in fields]
    elif dtype.kind == "f":
        values = [float(f[2]) for f in fields]
    else:
        values = [int(f[2]) for f in fields]
    rows, cols = [int(f[0]) for f in fields], [int(f[1]) for f in fields]
    return Triples(rows, cols, np.array(values, dtype=dtype))


def from_golden(path):
    """Reads an `expected/CASE.coo.tsv` of unsigned integers."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    fields = [line.split("\t") for line in lines]
    fields = [f for f in fields if f[0].isdigit()]
    values = np.array([int(f[2]) for f in fields], dtype=np.uint32)
    return Triples([int(f[0]) for f in fields], [int(f[1]) for f in fields], values)


def from_mtx(path):
    """Reads a Matrix Market file with scipy."""
    return of(scipy.io.mmread(path))


def _bits(values):
    return np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)


def assert_same(actual, expected, ordered=False):
    """Compares two sets of entries, including types and the sign of zero."""
    if not ordered:
        actual, expected = actual.column_order(), expected.column_order()
    assert actual.values.dtype == expected.values.dtype
    assert len(actual) == len(expected)
    if len(actual) == 0:
        return
    differ = (
        (actual.rows != expected.rows)
        | (actual.cols != expected.cols)
        | (_bits(actual.values) != _bits(expected.values)).any(axis=1)
    )
    first = int(np.argmax(differ))
    assert not differ.any(), (
        f"{int(differ.sum())} entries differ, first at {first}: "
        f"{_show(actual, first)} is not {_show(expected, first)}"
    )


def _show(entries, at):
    return f"({entries.rows[at]}, {entries.cols[at]}, {entries.values[at]!r})"
