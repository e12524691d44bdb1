"""Warnings of values that are not what is usually computed from."""

from __future__ import annotations

import warnings
from typing import Sequence

from . import _nnz
from ._results import outside


def warn_unless_counts(source: _nnz.Source) -> None:
    """Warn of values that are not counts, for what is computed from counts."""
    kind = source.value_kind()
    if kind != "counts":
        why = "some are negative" if kind == "negative" else "some are not whole numbers"
        warnings.warn(f"values are not counts: {why}", UserWarning, stacklevel=outside())


def warn_of_log1p(source: _nnz.Source) -> None:
    """Warn of values that are logarithms already, before logarithms of them are taken."""
    note = source.note_on_log1p()
    if note is not None:
        warnings.warn(note, UserWarning, stacklevel=outside())


def warn_of_types(source: _nnz.Source, cells: str) -> None:
    """Warn of features of several types, such as genes and antibodies, that are computed with together."""
    note = source.note_on_types(cells)
    if note is not None:
        warnings.warn(note, UserWarning, stacklevel=outside())


NOT_LOGARITHMS = {"counts": "values look like counts", "negative": "values are negative", "large": "values are too large"}


def warn_unless_logarithms(source: _nnz.Source, steps: Sequence[str], negative: bool = False) -> None:
    """Warn of values that are not logarithms of normalized counts, for what is computed from them.

    `steps` are the operations that compute them. With `negative`, they may be scaled.
    """
    kind = source.value_kind()
    computed = [step for step in steps if step.endswith(")")]
    if kind in ("fractions", "large") and computed and computed[-1].startswith("normalize_total("):
        what = "values are scaled, but are not logarithms, which log1p takes"
        warnings.warn(what, UserWarning, stacklevel=outside())
    elif kind in NOT_LOGARITHMS and not (kind == "negative" and negative):
        what = f"{NOT_LOGARITHMS[kind]}, not like logarithms of normalized counts"
        warnings.warn(what, UserWarning, stacklevel=outside())


def warn_of_variable(source: _nnz.Source, cells: str) -> None:
    """Warn of variable features that are known, if all features are used."""
    note = source.note_on_variable(cells)
    if note is not None:
        features = "cols" if cells == "rows" else "rows"
        what = note.replace("features highly_variable=True uses", f"m.select({features}=m.var.highly_variable) has")
        warnings.warn(what, UserWarning, stacklevel=outside())


def warn_of_missing(count: int, where: str) -> None:
    """Warn of cells without a label, which are not where a user may expect them."""
    if count:
        cells = "cell" if count == 1 else "cells"
        warnings.warn(f"{count} {cells} without a label: {where}", UserWarning, stacklevel=outside())
