"""Writing the rows and columns of a file that meet conditions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional

from . import _nnz
from ._options import ConvertOptions, PathLike, prepared, source_path
from ._progress import Progress, reporting
from ._reading import reading_among
from ._results import Summary, summary
from ._selections import selections
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


def filter(
    source: PathLike,
    target: PathLike,
    *,
    rows: Any = None,
    cols: Any = None,
    cells: Any = None,
    features: Any = None,
    allow_empty: bool = False,
    by_layer: Optional[str] = None,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Write the rows and columns of a matrix that meet conditions, or of all elements of an AnnData file.

    Measures of both axes are computed on the whole source, and its order is kept. `Matrix.filter` does the same without
    writing.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    rows, cols, cells, features : optional
        A condition as in ``nnz filter``: ``"nnz>=200"``, ``"sum(features=^MT-)/sum<0.2"``; or what `nnz.slice` takes:
        ``"batch=A"``, ``"@barcodes.txt"``, or a list or array of names, positions, or a boolean for each. A tuple
        combines several with AND. A missing value or NaN never matches, also with ``!=``, as in `nnz.slice`.
    allow_empty : bool
        Whether nothing may be kept, as with an empty ``"@FILE"``. By default that is an error.
    by_layer : str, optional
        The layer that is measured, such as ``"counts"``, by default the main matrix. The whole file is filtered.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.ConvertOptions`.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    nnz.ArgumentError
        A condition is invalid, no name matches a regular expression, or nothing meets the conditions.
    nnz.Error
        As in `nnz.slice`.

    Examples
    --------
    >>> target = tmp / "kept.bpcells"
    >>> nnz.filter("examples/pbmc_10x_v3_mtx", target, rows="nnz>=3", cols=("nnz>=40", "sum<=500")).shape
    (161, 50)
    """
    place, reading = source_path(source), reading_among(options)
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        conditions = selections((rows, cols, cells, features), place, lambda: _nnz.open_axes(place, reading))
        to, given = os.fsdecode(target), prepared(dict(options))
        made = _nnz.verbs.filter(place, to, conditions, allow_empty, by_layer, given, report)
    return summary(made)
