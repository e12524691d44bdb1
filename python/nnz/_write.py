"""Writing matrices from memory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Union

from . import _nnz, _sources, _tables, _write_anndata
from ._describe import Kinds, described
from ._errors import ArgumentError
from ._fragment_handle import FragmentReader
from ._fragment_verbs import write_fragments
from ._guards import package_of
from ._handle import handle_of
from ._matrix import Matrix
from ._options import WriteOptions, prepared
from ._progress import Progress, reporting
from ._results import Summary, summary
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
        format supports; an AnnData, with all elements to ``.h5ad`` and ``.zarr``, and with `X`, names and annotations
        to other formats; a `Matrix`, `Tensor`, `Table` or `Fragments` (with the options of `nnz.FragmentOptions`); and
        objects with ``__binsparse__``. A pandas data frame is written as a table if the format has tables, otherwise
        as a matrix. Objects with ``__arrow_c_stream__`` are written as tables.
    path : str or os.PathLike
        A path, or ``PATH::GROUP``.
    rows, cols : pandas.DataFrame, optional
        Annotations of rows and columns, with a row for each; the index has their names.
    axis_kinds : pair of {"cells", "features", None}, optional
        Kinds of rows and columns.
    progress : bool or callable, optional
        As in `nnz.convert`.
    **options
        As in `nnz.WriteOptions`. Here, ``row_names`` and ``col_names`` also take lists of names.

    Returns
    -------
    nnz.Summary
        Of fragments a `nnz.FragmentSummary`.

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
    if _is_anndata(obj):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("an AnnData has annotations, names and axes of its own")
        if _extension(target) in ("h5ad", "zarr") and given.get("to") in (None, "anndata"):
            return _write_anndata.write(obj, target, given, progress)
        if obj.X is None:
            raise ArgumentError("the AnnData has no X; write one of its layers, or all of it to .h5ad or .zarr")
        rows, cols, axis_kinds, obj = obj.obs, obj.var, KINDS, obj.X
    if _tables.is_table(obj, target, given.get("to")):
        if rows is not None or cols is not None or axis_kinds is not None:
            raise ArgumentError("rows, cols and axis_kinds apply to matrices, not to tables")
        return _tables.write(obj, target, given, progress)
    if _tables.is_frame(obj):
        obj = _tables.matrix_of(obj, given)
    if isinstance(obj, Matrix) and handle_of(obj).transposed:
        # Who asks for rows as columns gets them, wherever the format has its cells.
        given.setdefault("cell_axis", "as-is")
    source = _sources.source_of(obj)
    dropped: List[str] = []
    if isinstance(source, _nnz.Source):
        source = described(source, rows, cols, axis_kinds, given, dropped)
    elif any(part is not None for part in (rows, cols, axis_kinds)) or _names(given):
        raise ArgumentError("names, annotations and axis_kinds apply to matrices, not to tensors")
    with reporting(progress) as report:
        made = source.write(target, prepared(given), report)
    made["dropped"] = [*made["dropped"], *dropped]
    return summary(made)


def _is_anndata(obj: Any) -> bool:
    return package_of(obj) == "anndata" and hasattr(obj, "obs")


def _extension(target: str) -> str:
    return "" if "::" in target else os.path.splitext(target)[1][1:].lower()


def _names(given: Dict[str, Any]) -> bool:
    """Return whether names are given, and not a column that has them."""
    return any(given.get(option) is not None for option in ("row_names", "col_names"))


__all__: Sequence[str] = ["write"]
