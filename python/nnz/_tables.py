"""Writing tables from memory."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _exact, _frames, _nnz
from ._errors import CastError, UnsupportedError
from ._external import load
from ._guards import package_of
from ._handle import handle_of
from ._options import prepared
from ._progress import Progress, reporting
from ._results import Summary, summary
from ._table import Table

EXTENSIONS = (".csv", ".dbdf")
"""Extensions of the formats that hold tables."""


def is_frame(obj: Any) -> bool:
    """Return whether an object is a data frame of pandas, without importing it."""
    return package_of(obj) == "pandas" and hasattr(obj, "dtypes") and getattr(obj, "ndim", 0) == 2


def is_table(obj: Any, target: str, to: Optional[str]) -> bool:
    """Return whether an object is written as a table. A data frame is one where the format holds tables, and its names."""
    if isinstance(obj, Table):
        return True
    if is_frame(obj):
        extension = os.path.splitext(target)[1].lower() if to is None else ""
        # Of the two kinds of text, tables have no names of rows.
        return to in ("daphne", "dbdf") or (extension in EXTENSIONS and not (extension == ".csv" and _has_row_names(obj)))
    return hasattr(obj, "__arrow_c_stream__")


def _has_row_names(frame: Any) -> bool:
    return not _frames.is_numbered(frame.index)


def matrix_of(frame: Any, options: Dict[str, Any]) -> Any:
    """Return the cells of a data frame, and put its labels into the options where it has any."""
    pandas = load("pandas", "a data frame")
    for option, index in (("row_names", frame.index), ("col_names", frame.columns)):
        if not _frames.is_numbered(index) and not _frames.is_multiple(index):
            options.setdefault(option, _frames.labels(option, index))
    dtypes = list(frame.dtypes)
    # Cells that a sparse column does not store may have any value.
    sparse = bool(dtypes) and all(isinstance(dtype, pandas.SparseDtype) and dtype.fill_value == 0 for dtype in dtypes)
    cells = frame.sparse.to_coo() if sparse else frame.to_numpy()
    for at, name in enumerate(frame.columns if cells.dtype.kind in "fc" else ()):
        array = frame.iloc[:, at].array
        values = np.asarray(array.sp_values if isinstance(dtypes[at], pandas.SparseDtype) else array)
        rounded = _exact.inexact(values, cells.dtype)
        if rounded is not None:
            raise CastError(f"column {str(name)!r}: {rounded} cannot be stored exactly as {cells.dtype}")
    return cells


def with_levels(frame: Any, source: _nnz.Source) -> _nnz.Source:
    """Give the matrix of a data frame the levels of each `MultiIndex` as names and annotations."""
    plain = load("pandas", "a data frame").DataFrame
    names: List[Optional[List[str]]] = [None, None]
    tables: List[Any] = [None, None]
    for axis, index in enumerate((frame.index, frame.columns)):
        if _frames.is_multiple(index):
            names[axis], tables[axis] = _frames.from_frame(plain(index=index))
    return source if names == [None, None] else source.described(names, tables)


def write(obj: Any, target: str, options: Dict[str, Any], progress: Progress) -> Summary:
    """Write a table, a data frame, or what offers a stream of Arrow."""
    dropped: List[str] = []
    given = prepared(options)
    with reporting(progress) as report:
        if is_frame(obj):
            columns, rows, dropped = _columns(obj)
            if dropped and given.get("strict"):
                raise UnsupportedError(f"cannot store {', '.join(dropped)}; the option `strict` does not allow dropping data")
            made = _nnz.write_table(columns, rows, target, given, report)
        elif isinstance(obj, Table) and handle_of(obj).is_whole():
            # It need not be in memory.
            made = handle_of(obj).source.write(target, given, report)
        else:
            # Rows and columns of a table are a stream, too, which is written batch by batch.
            made = _nnz.write_stream(obj.__arrow_c_stream__(), target, given, report)
    made["dropped"] = dropped
    return summary(made)


def _columns(frame: Any) -> Tuple[List[Tuple[str, Any]], int, List[str]]:
    """Return the columns of a data frame, the number of its rows, and what is not written."""
    columns: List[Tuple[str, Any]] = []
    for name, kind, values, missing, _, _ in _frames.columns_of(frame):
        if kind != "number":
            raise UnsupportedError(f"column {name!r}: tables hold numbers, not values of the kind {kind}")
        if missing is not None:
            row = int(np.flatnonzero(missing)[0])
            raise UnsupportedError(f"column {name!r}: row {row} is missing; tables hold a number in every cell")
        columns.append((name, values))
    return columns, len(frame), [] if _frames.is_numbered(frame.index) else ["the index"]
