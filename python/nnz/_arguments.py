"""Arguments that several functions take."""

from __future__ import annotations

import operator
import warnings
from typing import Any, Optional

from . import _nnz
from ._errors import ArgumentError
from ._results import outside


AXES_OF_ANNDATA = {"obs": "cells", "var": "features"}
"""Names of axes in AnnData, which are accepted as well."""


def integer(name: str, value: Any, least: int) -> int:
    """Check an argument that is an integer of 64 bits."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} {value!r}: expected an integer") from None
    if not least <= found < 1 << 63:
        raise ArgumentError(f"{name} {found}: expected {least} or more" if found < least else f"{name}: {found} is too large")
    return found


FEATURES_BY_CELLS = ("R matrix",)
"""Formats that state no axes, and whose columns are usually cells, as `nnz.convert` takes them."""


def cell_axis(
    source: _nnz.Source, axis: Optional[str], shown: str, transposed: bool = False, other: Optional[str] = 'axis="{}"'
) -> str:
    """Return which of rows and columns are cells. By default as the file states it, otherwise as usual in its format.

    A `UserWarning` says so if it is a guess.

    Parameters
    ----------
    source : Source
        The matrix.
    axis : str or None
        The axis that was given.
    shown : str
        The path in messages.
    transposed : bool
        Whether rows are the columns of the file.
    other : str, optional
        The argument that takes the other axis, as the warning shows it, with ``{}`` for the axis. None does not warn.
    """
    kinds = source.axis_kinds
    if axis is None:
        if not any(kinds):
            usual = source.about()[0] in FEATURES_BY_CELLS
            return _guessed("cols" if usual and not transposed else "rows", shown, other, usual)
        return "cols" if kinds[1] == "cells" or kinds[0] == "features" else "rows"
    axis = AXES_OF_ANNDATA.get(axis, axis)
    if axis in ("rows", "cols"):
        return axis
    if axis not in ("cells", "features"):
        raise ArgumentError(f'axis {axis!r}: expected "rows", "cols", "cells" or "features"')
    if axis not in kinds:
        raise ArgumentError(f"{shown}: the file does not state which axis has {axis}; use rows or cols", shown)
    return ("rows", "cols")[kinds.index(axis)]


def _guessed(axis: str, shown: str, other: Optional[str], usual: bool) -> str:
    """Return the axis of cells that the file does not state, and warn of it."""
    if other is not None:
        names = {"rows": "rows", "cols": "columns"}
        rest = "cols" if axis == "rows" else "rows"
        why = ", as usual in its format" if usual else ""
        what = f"{shown}: the file does not state which axis has cells: {names[axis]} are taken for cells{why}"
        warnings.warn(f"{what}; {other.format(rest)} takes the {names[rest]}", UserWarning, stacklevel=outside())
    return axis
