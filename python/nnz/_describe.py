"""Names and annotations of what is written."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from . import _frames, _nnz
from ._errors import ArgumentError, UnsupportedError

Kinds = Optional[Tuple[Optional[str], Optional[str]]]


def described(
    source: _nnz.Source, rows: Any, cols: Any, axis_kinds: Kinds, given: Dict[str, Any], dropped: List[str]
) -> _nnz.Source:
    """Give a source names and annotations. Lists of names are taken out of the options.

    Columns that cannot be written are an error with the option ``strict``, otherwise `dropped` lists them.
    """
    names: List[Optional[List[str]]] = [None, None]
    tables: List[Any] = [None, None]
    for axis, (option, frame) in enumerate((("row_names", rows), ("col_names", cols))):
        if frame is not None:
            if len(frame) != source.shape[axis]:
                what = ("rows", "columns")[axis]
                raise ArgumentError(f"{len(frame)} annotations are given for {source.shape[axis]} {what}")
            names[axis], tables[axis] = _frames.from_frame(frame, dropped)
        listed = given.get(option)
        if listed is not None and not isinstance(listed, str):
            names[axis] = [str(name) for name in given.pop(option)]
    if dropped and given.get("strict"):
        raise UnsupportedError(f"values that cannot be written: {', '.join(dropped)}")
    if any(part is not None for part in (*names, *tables, axis_kinds)):
        source = source.described(names, tables, None if axis_kinds is None else list(axis_kinds))
    return source
