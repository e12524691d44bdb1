"""Arrays of dask: matrices that workers read, and arrays whose parts workers write."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import numpy as np

from . import _convert, _exact, _nnz
from ._describe import Kinds
from ._errors import ArgumentError, UnsupportedError
from ._external import load
from ._handle import Handle
from ._matrix import Matrix
from ._options import PathLike, TargetOptions
from ._partitions import Partition, partitions
from ._results import Summary
from ._write import write
from ._writer import Writer, writer

if TYPE_CHECKING:
    from typing_extensions import Unpack


def to_dask(handle: Handle[_nnz.Source], nbytes: Optional[int], matrix: bool) -> Any:
    """Make an array of dask of a matrix."""
    array, base = (load(module, "to_dask") for module in ("dask.array", "dask.base"))
    parts = partitions(handle, nbytes, None)
    by_row = parts[0].axis == "rows"
    sizes = tuple(part.stop - part.start for part in parts)
    shape = handle.source.shape
    chunks: Tuple[Any, ...] = (sizes, (shape[1],)) if by_row else ((shape[0],), sizes)
    # Of the parts of one matrix, these are all that differs.
    name = f"nnz-{base.tokenize(parts[0], sizes, matrix)}"
    graph: Dict[Tuple[Any, ...], Any] = {}
    for number, part in enumerate(parts):
        graph[(name, number, 0) if by_row else (name, 0, number)] = (_read, part, matrix)
    dtype = np.dtype(handle.source.dtype)
    empty = _convert.kind_of(by_row, matrix)((0, 0), dtype=dtype)
    meta = empty if matrix else _chunk(empty)
    return array.Array(graph, name, chunks, dtype=dtype, meta=meta)


def _read(part: Partition, matrix: bool) -> Any:
    block: Any = part.read()
    if not matrix:
        return _chunk(block)
    return _convert.block(block.data, block.indices, block.indptr, block.shape, part.axis == "rows", True)


def _chunk(block: Any) -> Any:
    # It imports SciPy, which this package does only where it is used.
    from ._chunks import chunk

    return chunk(block)


def from_dask(
    array: Any,
    path: PathLike,
    *,
    order: Optional[str] = None,
    temporary: Optional[PathLike] = None,
    rows: Any = None,
    cols: Any = None,
    axis_kinds: Kinds = None,
    **options: Unpack[TargetOptions],
) -> Summary:
    """Compute a dask array, and write it as a matrix.

    The workers of dask, in this process or others, compute the chunks and write each to a file in a temporary
    directory. This process then writes the target from these files, one after the other. The target is written
    atomically, and the temporary directory, in which chunks are not compressed, is removed, also after an error.

    Parameters
    ----------
    array : dask.array.Array
        Two-dimensional, with known chunks: sparse matrices and arrays of SciPy, NumPy arrays, or arrays of PyData
        ``sparse``. A chunk has to fit into the memory of a worker and of this process.
    path : str or os.PathLike
        A path, or ``PATH::GROUP``; its format as in `nnz.write`.
    order : {"row", "col"}, optional
        Whether the parts have rows or columns. The target is stored in this order unless its format is stored the other
        way. By default as the array is divided; an array that is divided along both axes is divided by rows.
    temporary : str or os.PathLike, optional
        Where the temporary directory is made: a directory that all workers reach by the same path. By default the
        directory of the target. Required for a URL.
    rows, cols : pandas.DataFrame, optional
        Annotations of rows and columns, as in `nnz.write`.
    axis_kinds : pair of {"cells", "features", None}, optional
        Kinds of rows and columns.
    **options
        As in `nnz.WriteOptions`, but for ``order``. ``row_names`` and ``col_names`` also take lists of names.

    Returns
    -------
    nnz.Summary

    Raises
    ------
    nnz.ArgumentError
        The array does not have two dimensions, or the lengths of its chunks are not known.
    nnz.CastError
        A chunk has values of another type than the array, which may not fit into it.
    nnz.UnsupportedError
        The target is a URL, and `temporary` is not given.
    nnz.ExistsError
        The target exists, and ``force`` is not set. Nothing is computed.
    OSError
        Writing has failed. The target is unchanged.
    ImportError
        dask is not installed.

    Examples
    --------
    >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
    >>> doubled = nnz.open(tmp / "pbmc.bpcells").to_dask(nbytes=50_000) * 2
    >>> nnz.from_dask(doubled, tmp / "doubled.h5ad", axis_kinds=("features", "cells")).entries
    23866
    """
    dask = load("dask", "from_dask")
    array, order = _divided(array, order)
    shown = os.fsdecode(path)
    if temporary is None and _nnz.is_url(shown):
        url = _nnz.without_secrets(shown)
        raise UnsupportedError(f"{url}: a target at a URL needs temporary=, a directory that all workers have")
    given: Dict[str, Any] = dict(options)
    dtype = array.dtype
    # Before anything is computed: it may not be possible to write the target.
    made = writer(path, array.shape, order, dtype=dtype, rows=rows, cols=cols, axis_kinds=axis_kinds, **given)
    try:
        within = _directory(shown) if temporary is None else os.path.abspath(os.fsdecode(temporary))
        directory = tempfile.mkdtemp(prefix=".nnz-", dir=within)
        try:
            parts = _written(dask, array, order, directory)
            _stitch(made, parts, array, order)
        finally:
            _remove(directory)
        return made.close()
    finally:
        made.abort()


def _divided(array: Any, order: Optional[str]) -> Tuple[Any, str]:
    """Divide an array along one axis only."""
    if not (hasattr(array, "to_delayed") and hasattr(array, "numblocks")):
        raise ArgumentError(f"from_dask writes arrays of dask, not {type(array).__name__}: use nnz.write")
    if array.ndim != 2:
        raise ArgumentError(f"a matrix has 2 dimensions, not {array.ndim}")
    if any(np.isnan(length) for lengths in array.chunks for length in lengths):
        raise ArgumentError("the lengths of the chunks are not known: array.compute_chunk_sizes() computes them")
    if order is None:
        order = "col" if array.numblocks[0] == 1 < array.numblocks[1] or _is_csc(array) else "row"
    if order not in ("row", "col"):
        raise ArgumentError(f'order {order!r}: expected "row" or "col"')
    across = 1 if order == "row" else 0
    return (array.rechunk({across: -1}) if array.numblocks[across] > 1 else array), order


def _is_csc(array: Any) -> bool:
    return array.numblocks[0] == 1 and getattr(array._meta, "format", "") == "csc"


def _directory(target: str) -> str:
    """Return the directory of a target."""
    return os.path.dirname(os.path.abspath(target.partition("::")[0]))


def _written(dask: Any, array: Any, order: str, directory: str) -> List[str]:
    """Have workers write the chunks of an array to files, and return their paths in order."""
    delayed = dask.delayed(_write_part, pure=False)
    blocks: List[Any] = array.to_delayed().ravel().tolist()
    lengths = array.chunks[0 if order == "row" else 1]
    across = array.shape[1 if order == "row" else 0]
    tasks: List[Any] = []
    for number, (block, length) in enumerate(zip(blocks, lengths)):
        shape = (length, across) if order == "row" else (across, length)
        tasks.append(delayed(block, shape, array.dtype.str, order, os.path.join(directory, f"{number:08}")))
    # The scheduler of dask: the client of distributed if there is one, and threads if nothing else is set.
    found: Tuple[str, ...] = dask.compute(*tasks, scheduler=_scheduler(array))
    return list(found)


def _scheduler(array: Any) -> Any:
    """Return the scheduler that arrays have, where delayed functions have it, too."""
    return load("dask.base", "from_dask").get_scheduler(collections=[array])


def _write_part(block: Any, shape: Tuple[int, int], dtype: str, order: str, path: str) -> str:
    """Write a chunk, which a worker does; a scheduler may have several workers do it."""
    if tuple(block.shape) != tuple(shape):
        raise ArgumentError(f"a chunk has the shape {tuple(block.shape)}, but dask expects {tuple(shape)}")
    expected = np.dtype(dtype)
    if block.dtype != expected:
        values: Any = block.data if hasattr(block, "tocsr") else block
        _exact.check_cast(np.asarray(values), expected, "a chunk of another type than the array of dask")
        block = block.astype(expected)
    path = f"{path}-{uuid.uuid4().hex}.npz"
    write(block, path, order=order, compress="none", no_sync=True)
    return path


def _stitch(made: Writer, parts: List[str], array: Any, order: str) -> None:
    for path in parts:
        made.write(Matrix(path).to_scipy(order))
        os.remove(path)


def _remove(directory: str) -> None:
    """Remove a directory, in which workers may still be writing after an error in another."""
    gone = f"{directory}-{uuid.uuid4().hex}"
    try:
        # Then they find no directory to write to.
        os.rename(directory, gone)
    except OSError:
        gone = directory
    shutil.rmtree(gone, ignore_errors=True)
