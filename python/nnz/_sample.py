"""Writing random rows and columns of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional

from . import _nnz
from ._options import ConvertOptions, PathLike, prepared, source_path
from ._positions import sampled
from ._progress import Progress, reporting
from ._reading import reading_among
from ._results import Summary, summary
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


def sample(
    source: PathLike,
    target: PathLike,
    *,
    rows: Optional[int] = None,
    cols: Optional[int] = None,
    cells: Optional[int] = None,
    features: Optional[int] = None,
    seed: int = 0,
    allow_empty: bool = False,
    progress: Progress = None,
    **options: Unpack[ConvertOptions],
) -> Summary:
    """Write random rows and columns of a matrix, or of all elements of an AnnData file, in the order of the source.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    rows, cols, cells, features : int, optional
        How many; by default all.
    seed : int
        Determines which, whatever the format: the same as ``nnz sample --seed`` and `Matrix.sample`.
    allow_empty : bool
        Whether 0 may be given. By default that is an error.
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
        There are fewer rows or columns, two numbers are given for an axis, or the file does not state which axis has cells or features.
    nnz.Error
        As in `nnz.slice`.

    Examples
    --------
    >>> nnz.sample("examples/pbmc_10x_v3_mtx", tmp / "small.bpcells", cells=100, seed=1).shape
    (507, 100)
    """
    place = source_path(source)
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        # Of a file without a main matrix, such as one of MuData, rows and columns are those of its tables.
        axes = _nnz.open_axes(place, reading_among(options))
        found = sampled(axes, (rows, cols, cells, features), seed, allow_empty)
        selected = tuple([] if positions is None else [positions] for positions in (*found, None, None))
        made = _nnz.verbs.slice(place, os.fsdecode(target), selected, True, prepared(dict(options)), report)
    return summary(made)
