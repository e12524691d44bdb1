"""Ranges of a matrix that other processes read."""

from __future__ import annotations

import os
import pickle
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple

import numpy as np

from . import _convert, _matrix_handle, _nnz
from ._errors import ArgumentError, ChangedError, UnsupportedError
from ._handle import Handle

if TYPE_CHECKING:
    from ._external import Block

NBYTES = 1 << 27
"""The default size of a partition in memory."""

_KEPT = 4
"""How many matrices a process keeps open for partitions."""

Version = Optional[Tuple[int, int]]


class Partition:
    """A range of the rows or columns of a matrix, which can be read by another process. Returned by `Matrix.partitions`.

    Its pickle contains the path, and no data. A process that reads partitions opens the matrix at the first of them,
    and reads only the pointers (``indptr``) and entries of its ranges.

    Examples
    --------
    >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
    >>> m = nnz.open(tmp / "pbmc.bpcells")
    >>> part = m.partitions(n=2)[1]
    >>> part.axis, part.start, part.stop, part.nnz
    ('cols', 544, 1107, 11915)
    >>> part.read().shape
    (507, 563)
    """

    __slots__ = ("_pickled", "_version", "_shown", "_by_row", "_start", "_stop", "_across", "_nnz")

    def __init__(
        self, matrix: Tuple[bytes, Version, str], by_row: bool, span: Tuple[int, int], across: int, nnz: Optional[int]
    ) -> None:
        self._pickled, self._version, self._shown = matrix
        self._by_row = by_row
        self._start, self._stop = span
        self._across = across
        self._nnz = nnz

    @property
    def axis(self) -> str:
        """``"rows"`` or ``"cols"``: what the range is of, which is how the matrix is stored."""
        return "rows" if self._by_row else "cols"

    @property
    def start(self) -> int:
        """The first row or column."""
        return self._start

    @property
    def stop(self) -> int:
        """The end of the range, which is not part of it."""
        return self._stop

    @property
    def nnz(self) -> Optional[int]:
        """The number of entries; None if it is not known without reading them."""
        return self._nnz

    @property
    def shape(self) -> Tuple[int, int]:
        """The number of rows and columns of what `read` returns."""
        count = self._stop - self._start
        return (count, self._across) if self._by_row else (self._across, count)

    @property
    def path(self) -> str:
        """The path of the matrix; a URL without its query."""
        return self._shown

    def read(self) -> Block:
        """Read the entries of the range.

        Returns
        -------
        scipy.sparse.csr_array or scipy.sparse.csc_array
            Some rows and all columns, or all rows and some columns, as stored.

        Raises
        ------
        nnz.ChangedError
            The matrix has other entries than when the partitions were made.
        nnz.MemoryLimitError
            The entries need more memory than allowed.
        nnz.Error
            As in `nnz.open`.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> m = nnz.open(tmp / "pbmc.bpcells")
        >>> [part.read().shape for part in m.partitions(n=2)]
        [(507, 544), (507, 563)]
        """
        key = self._pickled, self._version
        handle, kept = _opened(key)
        try:
            return self._read(handle)
        except ChangedError:
            if not kept:
                raise
        # The path was replaced after this process had opened it.
        _forget(key)
        return self._read(_opened(key)[0])

    def _read(self, handle: Handle[_nnz.Source]) -> Block:
        source = handle.source
        length, across = source.shape if self._by_row else source.shape[::-1]
        if across != self._across or length < self._stop or (source.order == "row") != self._by_row:
            raise self._changed(f"it is {source.shape[0]} x {source.shape[1]} now")
        part = span(source, self._start, self._stop)
        if self._nnz is not None and part.nnz is not None and part.nnz != self._nnz:
            raise self._changed(f"{self!r} has {part.nnz} entries now")
        made: Block = _convert.read(part, handle.memory)
        return made

    def _changed(self, how: str) -> ChangedError:
        return ChangedError(f"{self._shown}: the matrix was replaced after it was partitioned: {how}", self._shown)

    def __reduce__(self) -> Tuple[Any, ...]:
        matrix = self._pickled, self._version, self._shown
        return Partition, (matrix, self._by_row, (self._start, self._stop), self._across, self._nnz)

    def __repr__(self) -> str:
        stored = "" if self._nnz is None else f" with {self._nnz} entries"
        axis = "rows" if self._by_row else "columns"
        return f"<nnz.Partition of {axis} {self._start}:{self._stop}{stored}: {self._shown!r}>"


def span(source: _nnz.Source, start: int, stop: int) -> _nnz.Source:
    """Select a range of the rows or columns that a source is stored by."""
    positions = np.arange(start, stop, dtype=np.uint64)
    return source.select(positions, None) if source.order == "row" else source.select(None, positions)


def check_random_access(source: _nnz.Source, shown: str, what: str) -> None:
    """Refuse a matrix whose rows or columns cannot be read one by one."""
    if not source.random_access:
        raise UnsupportedError(
            f"{shown}: {what} need a format whose rows or columns can be read in any order; nnz.convert writes one, such "
            "as .h5ad or .bpcells",
            shown,
        )


def version_of(path: str) -> Version:
    """Return what changes if a file or directory is replaced; None for a URL."""
    found = _matrix_handle.version_of(path)
    # Device and inode are numbers of one machine.
    return None if found is None else found[2:]


def partitions(handle: Handle[_nnz.Source], nbytes: Optional[int], n: Optional[int]) -> List[Partition]:
    """Divide a matrix into ranges of what it is stored by."""
    if nbytes is not None and n is not None:
        raise ArgumentError("nbytes and n cannot be used together")
    for name, value in (("nbytes", nbytes), ("n", n)):
        if value is not None and value < 1:
            raise ArgumentError(f"{name} {value}: expected 1 or more")
    source = handle.source
    check_random_access(source, handle.shown, "partitions")
    by_row = source.order == "row"
    length, across = source.shape if by_row else source.shape[::-1]
    known = source.stored_before(length) is not None

    def before(major: int) -> int:
        found = source.stored_before(major) if known else None
        return major * across if found is None else found

    each = 4 + np.dtype(source.dtype).itemsize
    cuts = _equal(before, length, n) if n is not None else _bounded(before, length, nbytes or NBYTES, each)
    matrix = pickle.dumps(handle), version_of(handle.path), handle.shown
    made: List[Partition] = []
    for start, stop in cuts:
        nnz = before(stop) - before(start) if known else None
        made.append(Partition(matrix, by_row, (start, stop), across, nnz))
    return made


def _bounded(before: Callable[[int], int], length: int, nbytes: int, each: int) -> Iterator[Tuple[int, int]]:
    """Cut ranges of at most this many bytes, or one row or column.

    A range may be up to a 64th shorter than possible, so that few pointers are read.
    """
    start, guess = 0, max(1, nbytes * length // max(1, before(length) * each + length * 8))
    while start < length:
        base = before(start)

        def fits(stop: int, start: int = start, base: int = base) -> bool:
            return (before(stop) - base) * each + (stop - start) * 8 <= nbytes

        low, reach = start + 1, guess
        while low < length and fits(min(low + reach, length)):
            low = min(low + reach, length)
            reach *= 2
        high = min(low + reach, length + 1)
        while high - low > max(1, (low - start) // 64) and low < length:
            middle = (low + high) // 2
            if fits(middle):
                low = middle
            else:
                high = middle
        yield start, low
        guess = max(1, (low - start) // 2)
        start = low
    if not length:
        yield 0, 0


def _equal(before: Callable[[int], int], length: int, n: int) -> Iterator[Tuple[int, int]]:
    """Cut at most `n` ranges with about the same number of entries."""
    total, start = before(length), 0
    # Each range has at least one row or column.
    n = min(n, max(length, 1))
    for part in range(1, n + 1):
        low, high = start, length
        # The first end with this many entries before it; without entries, as many rows or columns in each.
        while low < high:
            middle = (low + high) // 2
            reached = before(middle) * n >= total * part if total else middle * n >= length * part
            if reached:
                high = middle
            else:
                low = middle + 1
        stop = length if part == n else low
        if stop > start or (not length and part == n):
            yield start, stop
        start = stop


_handles: OrderedDict[Tuple[bytes, Version], Handle[_nnz.Source]] = OrderedDict()
_lock = threading.Lock()


def _opened(key: Tuple[bytes, Version]) -> Tuple[Handle[_nnz.Source], bool]:
    """Open a matrix, or return one that is open already, and whether it was."""
    with _lock:
        found = _handles.get(key)
        if found is not None:
            _handles.move_to_end(key)
            return found, True
    # Only what this package pickled, for a partition that was unpickled already.
    handle: Handle[_nnz.Source] = pickle.loads(key[0])
    with _lock:
        _handles[key] = handle
        while len(_handles) > _KEPT:
            _handles.popitem(last=False)
    return handle, False


def _forget(key: Tuple[bytes, Version]) -> None:
    with _lock:
        _handles.pop(key, None)


def _after_fork() -> None:
    """Release the lock in a child process: a thread of the parent may have held it."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
