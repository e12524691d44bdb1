"""Writing some rows and columns of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import numpy as np

from . import _index, _nnz
from ._errors import ArgumentError
from ._guards import is_tuple
from ._matrix import Matrix
from ._options import ConvertOptions, PathLike, prepared, source_path
from ._progress import Progress, reporting
from ._reading import Reading, reading_among
from ._results import Summary, summary
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
        (``"CD3E,0:10"``, ``"cell_type=B"``, ``"@genes.txt"``) or a list of names; for `rows` and `cols` also a slice,
        a position, or a list of positions or booleans. A tuple combines several selections with AND.
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
        A position is outside of the matrix.
    nnz.ArgumentError
        A row or column is selected twice, a selection is invalid, or selections of an axis select nothing.
    nnz.Error
        As in `nnz.convert`.

    Examples
    --------
    >>> target = tmp / "part.bpcells"
    >>> nnz.slice("examples/pbmc_10x_v3_mtx", target, rows=["APP", "SOD1"], cols="0:100").shape
    (2, 100)
    """
    place, reading = source_path(source), reading_among(options)
    opened: List[Matrix] = []
    with storage(options.pop("storage_options", None)), reporting(progress) as report:
        selected = tuple(
            selections(given, axis, place, opened, reading)
            for given, axis in ((rows, 0), (cols, 1), (cells, None), (features, None))
        )
        made = _nnz.verbs.slice(place, os.fsdecode(target), selected, allow_empty, prepared(dict(options)), report)
    return summary(made)


def selections(
    given: Any, axis: Optional[int], place: str, opened: List[Matrix], reading: Optional[Reading] = None
) -> List[Any]:
    """Turn what is selected of an axis into what the compiled part takes."""
    if given is None:
        return []
    several: Tuple[Any, ...] = given if is_tuple(given) else (given,)
    return [_selection(one, axis, place, opened, reading) for one in several]


def _selection(given: Any, axis: Optional[int], place: str, opened: List[Matrix], reading: Optional[Reading]) -> Any:
    if isinstance(given, str):
        return given
    names = _names(given)
    if names is not None:
        return names
    if axis is None:
        raise ArgumentError(f"cells and features are selected by a string or a list of names, not by {given!r}")
    if not opened:
        options: Reading = reading or {}
        opened.append(Matrix(place, **options))
    length = opened[0].shape[axis]
    one = ("row", "column")[axis]
    found = _index.select(given, length, one, lambda: _index.NameIndex([], one, list))
    if found.repeated is not None:
        raise ArgumentError(f"a {one} is selected twice")
    return np.arange(length, dtype=np.uint64) if found.positions is None else found.positions


def _names(given: Any) -> Optional[List[str]]:
    """Return the names of a list, if it has names."""
    if isinstance(given, range):
        return None
    try:
        texts: List[Any] = list(given)
    except TypeError:
        return None
    names = [str(text) for text in texts if isinstance(text, str)]
    return names if names and len(names) == len(texts) else None
