"""Selections of rows, columns, cells and features, as the compiled part takes them."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from . import _index, _nnz
from ._alignment import AxisNames, check_mask
from ._arguments import cell_axis
from ._errors import ArgumentError, UnknownNameError
from ._guards import dtype_kind, is_tuple

AXES = ("rows", "cols", "cells", "features")

Selections = Tuple[List[Any], List[Any], List[Any], List[Any]]


def selections(given: Tuple[Any, Any, Any, Any], shown: str, axes: Callable[[], _nnz.Source]) -> Selections:
    """Turn what is selected of rows, columns, cells and features into strings, lists of names and positions.

    Parameters
    ----------
    given : tuple
        For each a selection, None for all, or a tuple of several that are combined.
    shown : str
        The path in messages.
    axes : callable
        Returns what has the lengths and kinds of both axes. It is called for positions, slices and booleans.
    """
    rows, cols, cells, features = (_several(one, axis, shown, axes) for one, axis in zip(given, AXES))
    return rows, cols, cells, features


def _several(given: Any, axis: str, shown: str, axes: Callable[[], _nnz.Source]) -> List[Any]:
    if given is None:
        return []
    several: Tuple[Any, ...] = given if is_tuple(given) else (given,)
    return [_selection(one, axis, shown, axes) for one in several]


def _selection(given: Any, axis: str, shown: str, axes: Callable[[], _nnz.Source]) -> Any:
    if isinstance(given, str):
        return given
    names = _names(given)
    if names is not None:
        return names
    source = axes()
    at = ("rows", "cols").index(cell_axis(source, axis, shown))
    one = ("row", "column", "cell", "feature")[AXES.index(axis)]
    check_mask(given, AxisNames.of(source, ("rows", "cols")[at]), f"the selection of {one}s")
    found = _index.select(given, source.shape[at], one, _no_names)
    if found.repeated is not None:
        raise ArgumentError(f"a {one} is selected twice")
    return ":" if found.positions is None else found.positions


def _names(given: Any) -> Optional[List[str]]:
    """Return the names of a list, if it has names."""
    if isinstance(given, (range, slice)) or dtype_kind(given) in ("b", "i", "u", "f"):
        return None
    try:
        texts: List[Any] = list(given)
    except TypeError:
        return None
    names = [str(text) for text in texts if isinstance(text, str)]
    return names if names and len(names) == len(texts) else None


def _no_names(names: List[str]) -> Any:
    # Lists of names are not turned into positions here.
    raise UnknownNameError(f"no name {names[0]!r}")
