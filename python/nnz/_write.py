"""Writing matrices from memory."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _convert, _frames, _nnz
from ._errors import ArgumentError
from ._fragment_handle import FragmentHandle
from ._fragment_verbs import write_fragments
from ._matrix import Matrix
from ._options import WriteOptions, prepared
from ._progress import Progress, reporting
from ._results import Summary, summary

if TYPE_CHECKING:
    from typing_extensions import Unpack

KINDS = ("cells", "features")


def write(
    obj: Any,
    path: Union[str, bytes, os.PathLike[Any]],
    *,
    rows: Any = None,
    cols: Any = None,
    axis_kinds: Optional[Tuple[Optional[str], Optional[str]]] = None,
    progress: Progress = None,
    **options: Unpack[WriteOptions],
) -> Summary:
    """Write a matrix, in the format of the path's extension unless ``to=`` names one, or genomic fragments.

    The target appears when it is complete and on disk, or not at all.

    Parameters
    ----------
    obj : scipy.sparse matrix or array, numpy.ndarray, anndata.AnnData, Matrix or Fragments
        What is written. Of an AnnData, all of it to ``.h5ad`` and ``.zarr``, and elsewhere X, names and annotations.
        Fragments take the options of `nnz.FragmentOptions`.
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    rows, cols : pandas.DataFrame, optional
        Annotations of rows and columns, with a row for each; the index has their names.
    axis_kinds : pair of {"cells", "features", None}, optional
        What rows and columns are.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`. Here, ``row_names`` and ``col_names`` also take lists of names.

    Returns
    -------
    nnz.Summary

    Examples
    --------
    >>> import numpy as np
    >>> nnz.write(np.eye(3), tmp / "eye.mtx").entries
    3
    """
    given: Dict[str, Any] = dict(options)
    target = os.fsdecode(path)
    if isinstance(obj, FragmentHandle):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("fragments have neither rows nor columns")
        return write_fragments(obj._path, target, None, progress, given)
    if _is_anndata(obj):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("an AnnData has annotations, names and axes of its own")
        if _extension(target) in ("h5ad", "zarr") and given.get("to") in (None, "anndata"):
            return _write_anndata(obj, target, given, progress)
        rows, cols, axis_kinds, obj = obj.obs, obj.var, KINDS, obj.X
    if isinstance(obj, Matrix) and obj._transposed:
        # Who asks for rows as columns gets them, wherever the format has its cells.
        given.setdefault("cell_axis", "as-is")
    source = _source(obj)
    names: List[Optional[List[str]]] = [None, None]
    tables: List[Any] = [None, None]
    for axis, (option, frame) in enumerate((("row_names", rows), ("col_names", cols))):
        if frame is not None:
            names[axis], tables[axis] = _frames.from_frame(frame)
        listed = given.get(option)
        if listed is not None and not isinstance(listed, str):
            names[axis] = [str(name) for name in given.pop(option)]
    for axis, name in enumerate(("rows", "cols")):
        if tables[axis] is not None:
            _check(len((rows, cols)[axis]), source.shape[axis], name)
    if any(part is not None for part in (*names, *tables, axis_kinds)):
        source = source.described(names, tables, None if axis_kinds is None else list(axis_kinds))
    with reporting(progress) as report:
        made = source.write(target, prepared(given), report)
    return summary(made)


def _check(found: int, expected: int, axis: str) -> None:
    if found != expected:
        raise ArgumentError(f"{found} annotations are given for {expected} {axis}")


def _is_anndata(obj: Any) -> bool:
    return type(obj).__module__.partition(".")[0] == "anndata" and hasattr(obj, "obs")


def _extension(target: str) -> str:
    return "" if "::" in target else os.path.splitext(target)[1][1:].lower()


def _write_anndata(obj: Any, target: str, options: Dict[str, Any], progress: Progress) -> Summary:
    """Have anndata write a file, and convert that with all that is in it."""
    directory = os.path.dirname(os.path.abspath(target))
    with tempfile.TemporaryDirectory(prefix=".nnz-", dir=directory) as temporary:
        between = os.path.join(temporary, "whole.h5ad")
        obj.write_h5ad(between)
        with reporting(progress) as report:
            made = _nnz.convert(between, target, prepared(options), report)
    return summary(made)


def _source(obj: Any) -> _nnz.Source:
    """Make a source of what is written."""
    if isinstance(obj, Matrix):
        return obj._source
    if hasattr(obj, "tocsr") and hasattr(obj, "getformat") or hasattr(obj, "format") and hasattr(obj, "tocsr"):
        block = obj if obj.format in ("csr", "csc") else obj.tocsr()
    else:
        array = np.asarray(obj)
        if array.ndim != 2:
            raise ArgumentError(f"a matrix has 2 dimensions, not {array.ndim}")
        block = _convert.dense_to_sparse(array)
    if block.ndim != 2:
        raise ArgumentError(f"a matrix has 2 dimensions, not {block.ndim}")
    order = "row" if block.format == "csr" else "col"
    indptr = np.ascontiguousarray(block.indptr, np.int64)
    wide = block.indices.dtype.itemsize > 4
    indices = np.ascontiguousarray(block.indices, np.int64 if wide else np.int32)
    return _nnz.Source.from_arrays(block.shape, order, indptr, indices, _native(block.data))


def _native(data: Any) -> Any:
    return np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))


__all__: Sequence[str] = ["write"]
