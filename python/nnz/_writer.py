"""A matrix that is written part by part."""

from __future__ import annotations

import operator
import os
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Type, Union

import numpy as np

from . import _convert, _exact, _nnz
from ._describe import Kinds, described
from ._errors import ArgumentError
from ._handle import absolute
from ._options import TargetOptions, prepared
from ._results import Summary, summary
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class Writer:
    """A matrix that is written in batches. Returned by `nnz.writer`.

    At the end of a ``with`` statement the matrix is completed, or removed after an exception. Until then an
    existing target is unchanged. Blocks that several threads write are appended in the order of the calls; a child
    process cannot write.

    Examples
    --------
    >>> import numpy as np
    >>> parts = nnz.writer(tmp / "rows.mtx", (4, 3))
    >>> parts.write(np.eye(2, 3))
    >>> parts.write(np.eye(2, 3))
    >>> parts.close().entries
    4
    """

    def __init__(
        self, path: str, shape: Tuple[int, int], order: str, dtype: Any, tables: Tuple[Any, Any, Kinds], given: Dict[str, Any]
    ) -> None:
        if order not in ("row", "col"):
            raise ArgumentError(f'order {order!r}: expected "row" or "col"')
        self._path = path
        # The working directory may change before the end.
        self._target = absolute(path)
        self._shape = shape
        self._order = order
        self._dtype: Optional[np.dtype[Any]] = None if dtype is None else np.dtype(dtype)
        self._tables = tables
        self._options = given.pop("storage_options", None)
        self._given = given
        self._compiled: Optional[_nnz.PartsWriter] = None
        self._summary: Optional[Summary] = None
        self._ended = False
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._dropped: List[str] = []
        # Invalid arguments are errors now, not at the first block.
        if self._dtype is not None:
            self._start(self._dtype)
        else:
            self._check()

    def __repr__(self) -> str:
        rows, cols = self._shape
        state = "ended" if self._ended else "open"
        return f"<nnz.Writer {rows} x {cols}, by {'row' if self._order == 'row' else 'column'}: {self._path!r}, {state}>"

    @property
    def summary(self) -> Optional[Summary]:
        """The result; None before the end."""
        return self._summary

    def write(self, block: Any) -> None:
        """Write the next rows or columns.

        Parameters
        ----------
        block : scipy.sparse matrix or array, or numpy.ndarray
            Some rows and all columns where the order is ``"row"``, else all rows and some columns. Its values have
            the type of the matrix, or one that fits into it without loss.

        Raises
        ------
        ValueError
            The shapes of block and matrix do not match, or there are more rows or columns than the matrix has.
        nnz.CastError
            The type of the matrix cannot represent all values of that type.
        OSError
            Writing has failed. The output is removed.

        Examples
        --------
        >>> import numpy as np
        >>> with nnz.writer(tmp / "cols.bpcells", (2, 2), "col", dtype="uint32") as parts:
        ...     parts.write(np.array([[1], [0]], np.uint32))
        ...     parts.write(np.array([[0], [2]], np.uint32))
        >>> nnz.open(tmp / "cols.bpcells").to_numpy().tolist()
        [[1, 0], [0, 2]]
        """
        with self._lock:
            self._write(block)

    def _write(self, block: Any) -> None:
        self._check_open()
        by_row = self._order == "row"
        matrix = _convert.compressed(block, self._order)
        across = self._shape[1] if by_row else self._shape[0]
        width = matrix.shape[1] if by_row else matrix.shape[0]
        if width != across:
            what = "columns" if by_row else "rows"
            raise ArgumentError(f"{self._path}: a block has {width} {what}, the matrix {across}", self._path)
        dtype: np.dtype[Any] = matrix.dtype.newbyteorder("=") if self._dtype is None else self._dtype
        if self._compiled is None:
            self._dtype = dtype
            self._start(dtype)
        _exact.check_cast(matrix.data, dtype, self._path, self._path)
        arrays = _convert.native_arrays(matrix, dtype)
        assert self._compiled is not None
        try:
            self._compiled.push(*arrays)
        except BaseException:
            self.abort()
            raise

    def close(self) -> Summary:
        """Complete the matrix and move it to its path. A second call returns the same result.

        Returns
        -------
        nnz.Summary

        Raises
        ------
        nnz.ArgumentError
            There were fewer rows or columns than the matrix has. The output is removed.
        OSError
            Writing has failed. The output is removed.

        Examples
        --------
        >>> parts = nnz.writer(tmp / "none.mtx", (0, 3))
        >>> parts.close().shape
        (0, 3)
        """
        if self._summary is not None:
            return self._summary
        self._check_open()
        if self._compiled is None:
            self._start(np.dtype(np.float64))
        assert self._compiled is not None
        self._ended = True
        made = self._compiled.finish()
        made["dropped"] = [*made["dropped"], *self._dropped]
        self._summary = summary(made)
        return self._summary

    def abort(self) -> None:
        """Remove the output. An existing target is unchanged.

        Examples
        --------
        >>> parts = nnz.writer(tmp / "aborted.mtx", (4, 3))
        >>> parts.abort()
        >>> (tmp / "aborted.mtx").exists()
        False
        """
        if not self._ended:
            self._ended = True
            # The file of a parent process is left to it: its thread is not in this one.
            if self._compiled is not None and self._pid == os.getpid():
                self._compiled.abort()

    def _check_open(self) -> None:
        if self._ended:
            raise ArgumentError(f"{self._path}: writing has ended", self._path)
        if self._pid != os.getpid():
            raise ArgumentError(f"{self._path}: another process is writing it", self._path)

    def _check(self) -> None:
        """Check the options and the target, whatever the type of values will be."""
        compiled, source, given = self._described(np.dtype(np.float64))
        with storage(self._options):
            compiled.check(source, prepared(given))

    def _start(self, dtype: np.dtype[Any]) -> None:
        compiled, source, given = self._described(dtype)
        with storage(self._options):
            compiled.start(source, prepared(given))
        self._compiled = compiled

    def _described(self, dtype: np.dtype[Any]) -> Tuple[_nnz.PartsWriter, _nnz.Source, Dict[str, Any]]:
        compiled = _nnz.PartsWriter(self._target, self._shape, self._order, dtype.name)
        given, self._dropped = dict(self._given), []
        rows, cols, kinds = self._tables
        return compiled, described(compiled.source(), rows, cols, kinds, given, self._dropped), given

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], _: Optional[BaseException], __: Optional[TracebackType]
    ) -> None:
        if kind is not None:
            self.abort()
        elif not self._ended:
            self.close()

    def __del__(self) -> None:
        # Where __init__ has raised there is nothing yet.
        if getattr(self, "_compiled", None) is not None:
            self.abort()


def writer(
    path: Union[str, bytes, os.PathLike[Any]],
    shape: Tuple[int, int],
    order: str = "row",
    *,
    dtype: Any = None,
    rows: Any = None,
    cols: Any = None,
    axis_kinds: Kinds = None,
    **options: Unpack[TargetOptions],
) -> Writer:
    """Write a matrix in batches, such as one that does not fit into memory.

    Parameters
    ----------
    path : str or os.PathLike
        A path, or ``PATH::GROUP``; its format as in `nnz.write`.
    shape : pair of int
        The number of rows and columns of the whole matrix.
    order : {"row", "col"}
        Whether batches have rows or columns. The target is stored in this order unless its
        format is stored the other way; then entries are sorted, in bounded memory.
    dtype : numpy.dtype, optional
        The type of values; by default the type of the first batch.
    rows, cols : pandas.DataFrame, optional
        Annotations of rows and columns, as in `nnz.write`.
    axis_kinds : pair of {"cells", "features", None}, optional
        Kinds of rows and columns.
    **options
        As in `nnz.WriteOptions`, but for ``order``. ``row_names`` and ``col_names`` also take lists of names.

    Returns
    -------
    Writer

    Raises
    ------
    nnz.ExistsError
        The target exists, and ``force`` is not set.
    nnz.ArgumentError
        The arguments do not fit each other or the format.
    OSError
        The target cannot be written.

    Examples
    --------
    >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
    >>> with nnz.writer(tmp / "parts.bpcells", m.shape, m.order, row_names=m.row_names) as parts:
    ...     for batch in m.iter_batches(nbytes=50_000):
    ...         parts.write(batch)
    >>> parts.summary.entries
    23866
    """
    given: Dict[str, Any] = dict(options)
    lengths = [operator.index(length) for length in shape]
    if len(lengths) != 2 or min(lengths) < 0 or max(lengths) >= 1 << 63:
        raise ArgumentError(f"shape {shape}: expected a number of rows and of columns, each from 0 to 2^63 - 1")
    return Writer(os.fsdecode(path), (lengths[0], lengths[1]), order, dtype, (rows, cols, axis_kinds), given)

