"""Names and annotations of what is written."""

from __future__ import annotations

from functools import partial
from typing import Any, Dict, List, Optional, Tuple

from . import _frames, _nnz
from ._alignment import AxisNames, check_order
from ._errors import ArgumentError, UnsupportedError
from ._guards import is_list, is_tuple

Kinds = Optional[Tuple[Optional[str], Optional[str]]]


def described(
    source: _nnz.Source, rows: Any, cols: Any, axis_kinds: Kinds, given: Dict[str, Any], dropped: List[str]
) -> _nnz.Source:
    """Give a source names and annotations. Lists of names are taken out of the options.

    Columns that cannot be written are an error with the option ``strict``, otherwise `dropped` lists them.
    """
    kinds = _kinds(axis_kinds)
    names: List[Optional[List[str]]] = [None, None]
    tables: List[Any] = [None, None]
    for axis, (option, frame) in enumerate((("row_names", rows), ("col_names", cols))):
        if frame is not None:
            if not hasattr(frame, "columns"):
                raise ArgumentError(f"{('rows', 'cols')[axis]}: expected a data frame, not {type(frame).__name__}")
            if len(frame) != source.shape[axis]:
                what = ("rows", "columns")[axis]
                raise ArgumentError(f"{len(frame)} annotations are given for {source.shape[axis]} {what}")
            own = source.names(("rows", "cols")[axis])
            other = given.get(option)
            if own is None and other is not None and not isinstance(other, str):
                own = list(other)
            if own is not None:
                check_order(frame, AxisNames(partial(iter, own)), ("rows", "cols")[axis], renames=True)
            names[axis], tables[axis] = _frames.from_frame(frame, dropped)
            if own is not None and type(frame.index).__name__ == "RangeIndex":
                # Its index has no names, and the matrix has some.
                names[axis] = None
        listed = given.get(option)
        if listed is not None and not isinstance(listed, str):
            names[axis] = _frames.labels(option, given.pop(option))
    if dropped and given.get("strict"):
        raise UnsupportedError(f"values that cannot be written: {', '.join(dropped)}")
    if any(part is not None for part in (*names, *tables, kinds)):
        source = source.described(names, tables, kinds)
    return source


def _kinds(given: Any) -> Optional[List[Optional[str]]]:
    """Return the kinds of both axes; any other name is an error."""
    if given is None:
        return None
    pair: List[Any] = list(given) if is_list(given) or is_tuple(given) else []
    if len(pair) != 2 or any(kind not in ("cells", "features", None) for kind in pair):
        raise ArgumentError(f'axis_kinds {given!r}: expected a pair of "cells", "features" or None')
    return pair
