"""The verbs of the command that write, from files to files."""

from __future__ import annotations

import os
from builtins import slice as builtin_slice
from typing import TYPE_CHECKING, Any, List, Optional, Sequence

import numpy as np

from . import _index, _nnz
from ._errors import ArgumentError, UnsupportedError
from ._fragment_verbs import holds_fragments, write_fragments
from ._matrix import Matrix, open_matrix
from ._options import PathLike, WriteOptions, prepared
from ._progress import Progress, reporting
from ._results import RepairSummary, SplitSummary, Summary, summary

if TYPE_CHECKING:
    from typing_extensions import Unpack


def convert(source: PathLike, target: PathLike, *, progress: Progress = None, **options: Unpack[WriteOptions]) -> Summary:
    """Convert a matrix, fragments, or a file of AnnData with all that is in it, to another format.

    The target appears when it is complete and on disk, or not at all.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    progress : bool or callable, optional
        True shows a bar of tqdm where it is installed; a callable is called with a word for the work, the number
        of entries done, and their number or None.
    **options
        As in `nnz.WriteOptions`.

    Returns
    -------
    nnz.Summary
        Of fragments a `nnz.FragmentSummary`.

    Raises
    ------
    nnz.Error
        The source is broken, the target exists and ``force`` is not set, or a value does not fit.

    Examples
    --------
    >>> nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", strict=False).entries
    23866
    """
    try:
        with reporting(progress) as report:
            made = _nnz.convert(os.fsdecode(source), os.fsdecode(target), prepared(dict(options)), report)
    except (ArgumentError, UnsupportedError):
        if not holds_fragments(source):
            raise
        return write_fragments(source, target, None, progress, dict(options))
    return summary(made)


def transpose(source: PathLike, target: PathLike, *, progress: Progress = None, **options: Unpack[WriteOptions]) -> Summary:
    """Write a matrix with rows and columns exchanged. Options are those of `nnz.convert`."""
    given = {**prepared(dict(options)), "transpose": True}
    with reporting(progress) as report:
        made = _nnz.convert(os.fsdecode(source), os.fsdecode(target), given, report)
    return summary(made)


def slice(
    source: PathLike,
    target: PathLike,
    *,
    rows: Any = None,
    cols: Any = None,
    cells: Any = None,
    features: Any = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write some rows and columns of a matrix; of a file of AnnData, all that belongs to them.

    Parameters
    ----------
    source, target : str or os.PathLike
        Paths, or ``PATH::GROUP``.
    rows, cols, cells, features : optional
        What is selected, each once, in this order: a text as in ``nnz slice`` (``"CD3E,0:10"``, ``"cell_type=B"``,
        ``"@genes.txt"``), a list of names, or, of rows and columns, a slice, positions or truth values. A tuple has
        several of these, which all have to hold.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.

    Examples
    --------
    >>> target = tmp / "part.bpcells"
    >>> nnz.slice("examples/pbmc_10x_v3_mtx", target, rows=["APP", "SOD1"], cols="0:100").shape
    (2, 100)
    """
    place = os.fsdecode(source)
    opened: List[Matrix] = []
    selected = tuple(
        selections(given, axis, place, opened)
        for given, axis in ((rows, 0), (cols, 1), (cells, None), (features, None))
    )
    with reporting(progress) as report:
        made = _nnz.slice(place, os.fsdecode(target), selected, prepared(dict(options)), report)
    return summary(made)


def selections(given: Any, axis: Optional[int], place: str, opened: List[Matrix]) -> List[Any]:
    """Turn what is selected of an axis into what the compiled part takes."""
    if given is None:
        return []
    several = given if isinstance(given, tuple) else (given,)
    return [_selection(one, axis, place, opened) for one in several]


def _selection(given: Any, axis: Optional[int], place: str, opened: List[Matrix]) -> Any:
    if isinstance(given, str):
        return given
    if not isinstance(given, builtin_slice):
        texts = list(given)
        if texts and all(isinstance(text, str) for text in texts):
            return [str(text) for text in texts]
    if axis is None:
        raise TypeError("cells and features are selected by texts and names")
    if not opened:
        opened.append(open_matrix(place))
    length = opened[0].shape[axis]
    one = ("row", "column")[axis]
    found = _index.select(given, length, one, lambda: _index.NameIndex([], one, list))
    if found.repeated is not None:
        raise ArgumentError(f"a {one} is selected twice")
    return np.arange(length, dtype=np.uint64) if found.positions is None else found.positions


def concat(
    sources: Sequence[PathLike],
    target: PathLike,
    axis: str,
    *,
    ignore_names: bool = False,
    join: Optional[str] = None,
    label: Optional[str] = None,
    index_unique: Optional[str] = None,
    fill: Optional[float] = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write matrices one behind the other.

    Parameters
    ----------
    sources : sequence of str or os.PathLike
        What comes first to last.
    target : str or os.PathLike
        Where they are written.
    axis : {"rows", "cols", "cells", "features"}
        The axis they are put together along.
    ignore_names : bool
        Takes the names of the other axis from the first that has any.
    join, label, index_unique, fill : optional
        Of files of AnnData, as in ``nnz concat``.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    paths = [os.fsdecode(source) for source in sources]
    files = (join, label, index_unique, fill)
    with reporting(progress) as report:
        made = _nnz.concat(paths, os.fsdecode(target), axis, ignore_names, files, prepared(dict(options)), report)
    return summary(made)


def split(
    source: PathLike,
    directory: PathLike,
    by: str,
    *,
    extension: str = "h5ad",
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> SplitSummary:
    """Write the cells of a file of AnnData that share a value of a column of obs to a file each.

    Parameters
    ----------
    source : str or os.PathLike
        The file.
    directory : str or os.PathLike
        Where the files go, each named by its value.
    by : str
        The column of obs.
    extension : {"h5ad", "zarr"}
        What the files are.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    given = prepared(dict(options))
    with reporting(progress) as report:
        made, missing = _nnz.split(os.fsdecode(source), os.fsdecode(directory), by, extension, given, report)
    return SplitSummary({path: summary(one) for path, one in made}, missing)


def repair(
    source: PathLike,
    target: PathLike,
    *,
    complete: bool = False,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> RepairSummary:
    """Write a broken file as it was meant to be, where that is certain.

    Parameters
    ----------
    source, target : str or os.PathLike
        The file, and where it is written.
    complete : bool
        Takes a text with fewer entries than its header states for complete.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`.
    """
    with reporting(progress) as report:
        repairs, made = _nnz.repair(
            os.fsdecode(source), os.fsdecode(target), complete, prepared(dict(options)), report
        )
    return RepairSummary(repairs, None if made is None else summary(made))
