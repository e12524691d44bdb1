"""Writing some rows and columns of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _nnz
from ._options import ConvertOptions, PathLike, prepared, source_path
from ._progress import Progress, reporting
from ._reading import reading_among
from ._results import Summary, summary
from ._selections import selections
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


def slice(
    source: PathLike,
    target: PathLike,
    *,
    rows: Any = None,
    cols: Any = None,
    cells: Any = None,
    features: Any = None,
    allow_empty: bool = False,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Write the selected rows and columns of a matrix, or of all elements of an AnnData file.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    rows, cols, cells, features : optional
        Rows and columns to write, in this order, each at most once: a string as in ``nnz slice``
        (``"CD3E,0:10"``, ``"cell_type=B"``, ``"@genes.txt"``), a slice, a position, or a list, array or pandas
        series of names, positions, or a boolean for each. A tuple combines several selections with AND. A condition on
        annotations never matches a missing value or NaN: ``"cell_type!=B"`` leaves out cells without a type, where ``!=`` of
        pandas is True.
    allow_empty : bool
        Whether nothing may be selected, as with an empty ``"@FILE"``. By default that is an error.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.ConvertOptions`.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    KeyError
        No row or column has the name.
    IndexError
        A position is outside of the matrix, or the number of booleans is not the number of rows or columns.
    nnz.ArgumentError
        A row or column is selected twice, a selection is invalid, or selections of an axis select nothing.
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> target = tmp / "part.bpcells"
    >>> nnz.slice("examples/pbmc_10x_v3_mtx", target, rows=["APP", "SOD1"], cols="0:100").shape
    (2, 100)
    >>> few = nnz.open("examples/pbmc_10x_v3_mtx").count_nonzero(axis=1) < 3
    >>> nnz.slice("examples/pbmc_10x_v3_mtx", tmp / "few.bpcells", features=few).shape
    (346, 1107)
    """
    place, reading = source_path(source), reading_among(options)
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        selected = selections((rows, cols, cells, features), place, lambda: _nnz.open_axes(place, reading))
        made = _nnz.verbs.slice(place, os.fsdecode(target), selected, allow_empty, prepared(dict(options)), report)
    return summary(made)
