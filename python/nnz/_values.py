"""Warnings of values that are not what is usually computed from."""

from __future__ import annotations

import warnings

from . import _nnz
from ._results import outside


def warn_unless_counts(source: _nnz.Source) -> None:
    """Warn of values that are not counts, for what is computed from counts."""
    kind = source.value_kind()
    if kind != "counts":
        why = "some are negative" if kind == "negative" else "some are not whole numbers"
        warnings.warn(f"values are not counts: {why}", UserWarning, stacklevel=outside())


def warn_of_types(source: _nnz.Source, cells: str) -> None:
    """Warn of features of several types, such as genes and antibodies, that are computed with together."""
    note = source.note_on_types(cells)
    if note is not None:
        warnings.warn(note, UserWarning, stacklevel=outside())


def warn_unless_logarithms(source: _nnz.Source, negative: bool = False) -> None:
    """Warn of values that are not logarithms of normalized counts, for what is computed from them.

    With `negative`, they may be scaled.
    """
    kind = source.value_kind()
    if kind == "counts" or (kind == "negative" and not negative):
        what = "values look like counts" if kind == "counts" else "values are negative"
        warnings.warn(f"{what}, not like logarithms of normalized counts", UserWarning, stacklevel=outside())


def warn_of_missing(count: int, where: str) -> None:
    """Warn of cells without a label, which are not where a user may expect them."""
    if count:
        cells = "cell" if count == 1 else "cells"
        warnings.warn(f"{count} {cells} without a label: {where}", UserWarning, stacklevel=outside())
