"""Writing matrices from memory."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _frames, _index, _nnz, _sources, _tables, _write_anndata
from ._alignment import AxisNames, check_mask
from ._base import BaseMatrix, left_out
from ._describe import Kinds, described
from ._errors import ArgumentError, UnknownNameError, UnsupportedError
from ._fragment_handle import FragmentReader
from ._fragment_verbs import write_fragments
from ._guards import package_of
from ._handle import handle_of
from ._options import WriteOptions, prepared
from ._progress import Progress, reporting
from ._results import Summary, outside, summary
from ._selections import selections
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack

KINDS = ("cells", "features")


def write(
    obj: Any,
    path: Union[str, bytes, os.PathLike[Any]],
    *,
    rows: Any = None,
    cols: Any = None,
    axis_kinds: Kinds = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write a matrix, tensor, table or fragments, in the format of the path's extension unless ``to=`` names one.

    The target is written atomically, and synced to disk.

    Parameters
    ----------
    obj : matrix, array, tensor or table
        Matrices and arrays of SciPy, NumPy, PyData ``sparse`` and PyTorch, with any number of dimensions that the
        format supports; an AnnData, with all elements to ``.h5ad`` and ``.zarr``, with what Loom has to ``.loom``, and with `X`,
        names and annotations to other formats (a `DroppedWarning` lists the rest); a `Matrix`, `Tensor`, `Table` or `Fragments` (with the options of `nnz.FragmentOptions`); and
        objects with ``__binsparse__``. A pandas data frame is written as a table to ``.dbdf`` and, if it has no names of rows,
        to ``.csv``, otherwise as a matrix. Objects with ``__arrow_c_stream__`` are written as tables.
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    rows, cols : pandas.DataFrame, or a selection, optional
        A data frame has the annotations of rows or columns, with a row for each; its index has their names. Anything else
        selects the rows or columns to write, as in `nnz.slice`: a list or array of positions or names, a boolean for
        each, a slice, or a string.
    axis_kinds : pair of {"cells", "features", None}, optional
        Kinds of rows and columns.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`. Here, ``row_names`` and ``col_names`` also take lists of names: of all rows or columns of the
        object, which are selected with them if it has none of its own, or of the selected ones. Index and columns of a data
        frame are names of all of its rows and columns, the levels of a ``MultiIndex`` joined by ``_``, and annotations, too; only the numbers from 0 of a ``RangeIndex(n)`` are no names.

    Returns
    -------
    nnz.Summary
        Of fragments a `nnz.FragmentSummary`. If the axis of cells of an object in memory is a guess, as a format has a fixed one
        and neither `axis_kinds` nor ``cell_axis`` states it, a `UserWarning` has the note of the summary.

    Raises
    ------
    nnz.ExistsError
        The target exists, and ``force`` is not set.
    nnz.CastError
        The type of the target cannot represent a value exactly.
    nnz.UnsupportedError
        The format cannot store the object; with ``strict=True`` also if it cannot store all of it.
    nnz.ArgumentError
        The arguments do not fit the object or the format.
    OSError
        Writing has failed. The target is unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> nnz.write(np.eye(3), tmp / "eye.mtx").entries
    3
    >>> nnz.write(np.eye(3), tmp / "part.mtx", rows=[True, False, True], cols=slice(2)).shape
    (2, 2)
    """
    given: Dict[str, Any] = dict(options)
    with storage(given.pop("storage_options", None)):
        return _written(obj, os.fsdecode(path), rows, cols, axis_kinds, progress, given)


def _written(
    obj: Any, target: str, rows: Any, cols: Any, axis_kinds: Any, progress: Progress, given: Dict[str, Any]
) -> Summary:
    if isinstance(obj, FragmentReader):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("fragments have neither rows nor columns")
        with storage(handle_of(obj).storage_options):
            return write_fragments(handle_of(obj).path, target, None, progress, given)
    dropped: List[str] = []
    if _is_anndata(obj):
        if _is_frame(rows) or _is_frame(cols) or axis_kinds is not None:
            raise ArgumentError("an AnnData has annotations, names and axes of its own")
        if rows is not None or cols is not None:
            obj, rows, cols = _some_of_anndata(obj, rows, cols), None, None
        if _extension(target) in ("h5ad", "zarr") and given.get("to") in (None, "anndata"):
            return _write_anndata.write(obj, target, given, progress)
        if obj.X is None:
            raise ArgumentError("the AnnData has no X; write one of its layers, or all of it to .h5ad or .zarr")
        if given.get("to", "loom") == "loom" and (_extension(target) == "loom" or "to" in given):
            return _write_anndata.write(obj, target, given, progress)
        dropped = _write_anndata.beside(obj)
        if dropped and given.get("strict"):
            raise UnsupportedError(f"{target}: only X is written, not {', '.join(dropped)}; `strict=` does not allow dropping data", target)
        rows, cols, axis_kinds, obj = obj.obs, obj.var, KINDS, obj.X
    if _tables.is_table(obj, target, given.get("to")):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("rows, cols and axis_kinds apply to matrices, not to tables")
        return _tables.write(obj, target, given, progress)
    frame = obj if _tables.is_frame(obj) else None
    if frame is not None:
        obj = _tables.matrix_of(obj, given)
    if isinstance(obj, BaseMatrix) and handle_of(obj).transposed:
        # Who asks for rows as columns gets them, wherever the format has its cells.
        given.setdefault("cell_axis", "as-is")
    if isinstance(obj, np.ndarray) and _is_embedding(target):
        # scanpy expects what an array is in memory.
        given.setdefault("dense", True)
    source = _sources.source_of(obj)
    if frame is not None and isinstance(source, _nnz.Source):
        source = _tables.with_levels(frame, source)
    if isinstance(obj, BaseMatrix):
        beside = left_out(obj)
        if beside and given.get("strict"):
            what = f"{obj.path}: only the main matrix is written; `nnz.convert` writes all of a file, such as {beside[0]}"
            raise UnsupportedError(what, obj.path)
    if isinstance(source, _nnz.Source):
        source, rows, cols = _selected(source, rows, cols, given)
        source = described(source, rows, cols, axis_kinds, given, dropped)
    elif any(part is not None for part in (rows, cols, axis_kinds)) or _names(given):
        raise ArgumentError("names, annotations and axis_kinds apply to matrices, not to tensors")
    with reporting(progress) as report:
        made = source.write(target, prepared(given), report)
    lost = [*made["dropped"], *dropped]
    # What a main matrix brings along is listed already, such as `raw` with `raw/X`.
    beside = left_out(obj) if isinstance(obj, BaseMatrix) else []
    made["dropped"] = lost + [name for name in beside if not any(f"{name}/".startswith(f"{one}/") for one in lost)]
    result = summary(made)
    if not isinstance(obj, BaseMatrix):
        _warn_of_axes(result.notes)
    return result


def _warn_of_axes(notes: List[str]) -> None:
    """Warn if the axis of cells of an object in memory is a guess, which the compiled part notes if no argument states it."""
    for note in notes:
        if note.startswith("the source does not state which axis has cells"):
            warnings.warn(note, UserWarning, stacklevel=outside())


def _is_embedding(target: str) -> bool:
    """Return whether a target is a matrix with a row for each cell or gene of an AnnData file."""
    path, _, group = target.rpartition("::")
    return _extension(path) in ("h5ad", "zarr") and group.lstrip("/").startswith(("obsm/", "varm/", "raw/varm/"))


def _selected(source: _nnz.Source, rows: Any, cols: Any, given: Dict[str, Any]) -> Tuple[_nnz.Source, Any, Any]:
    """Select rows and columns, and return the annotations that are left."""
    chosen: Tuple[Any, Any] = (None if _is_frame(rows) else rows, None if _is_frame(cols) else cols)
    if all(given is None for given in chosen):
        return source, rows, cols
    source = _named(source, chosen, given)
    some = selections((chosen[0], chosen[1], None, None), "the matrix", lambda: source)
    return source.select_all(some, False), rows if _is_frame(rows) else None, cols if _is_frame(cols) else None


def _named(source: _nnz.Source, chosen: Tuple[Any, Any], given: Dict[str, Any]) -> _nnz.Source:
    """Give a source the names of all of its rows or columns, of which some are selected, and take them out of the options."""
    names: List[Optional[List[str]]] = [None, None]
    for axis, (option, selection) in enumerate(zip(("row_names", "col_names"), chosen)):
        listed = given.get(option)
        if selection is None or listed is None or isinstance(listed, str) or source.names(("rows", "cols")[axis]) is not None:
            continue
        given[option] = _frames.labels(option, listed)
        if len(given[option]) == source.shape[axis]:
            names[axis] = given.pop(option)
    return source if names == [None, None] else source.described(names, [None, None])


def _some_of_anndata(obj: Any, rows: Any, cols: Any) -> Any:
    """Select cells and features of an AnnData."""

    def find(index: Any, one: str) -> _index.Find:
        def positions(names: List[str]) -> npt.NDArray[np.uint64]:
            found: npt.NDArray[Any] = index.get_indexer(names)
            if (found < 0).any():
                raise UnknownNameError(f"no {one} is named {names[int(np.argmin(found))]!r}")
            return found.astype(np.uint64)

        return positions

    kept: List[Any] = []
    for given, frame, one in ((rows, obj.obs, "row"), (cols, obj.var, "column")):
        length, index = len(frame), frame.index
        shown = "adata.obs_names" if one == "row" else "adata.var_names"
        check_mask(given, AxisNames.of_frame(frame, shown), f"the selection of {one}s")
        chosen = _index.ALL if given is None else _index.select(given, length, one, find(index, one))
        if chosen.repeated is not None:
            raise ArgumentError(f"a {one} is selected twice")
        kept.append(slice(None) if chosen.positions is None else chosen.positions.astype(np.int64))
    return obj[kept[0], kept[1]]


def _is_frame(given: Any) -> bool:
    return hasattr(given, "columns")


def _is_anndata(obj: Any) -> bool:
    return package_of(obj) == "anndata" and hasattr(obj, "obs")


def _extension(target: str) -> str:
    return "" if "::" in target else os.path.splitext(target)[1][1:].lower()


def _names(given: Dict[str, Any]) -> bool:
    """Return whether names are given, and not a column that has them."""
    return any(given.get(option) is not None for option in ("row_names", "col_names"))


__all__: Sequence[str] = ["write"]
