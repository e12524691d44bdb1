"""A matrix in blocks of a bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import _convert, _nnz
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._convert import Block


def batches(source: _nnz.Source, memory: Any, nbytes: int) -> Iterator[Block]:
    """Read blocks of rows or columns, whichever a source is stored by."""
    if nbytes < 1:
        raise ArgumentError(f"nbytes {nbytes}: expected 1 or more")
    return _blocks(source, memory, nbytes)


def _blocks(source: _nnz.Source, memory: Any, nbytes: int) -> Iterator[Block]:
    if not source.random_access:
        # A text, or half of a symmetric matrix, is read as a whole, in the order it is asked for.
        whole = _convert.read(source, memory)
        by_row = whole.format == "csr"
        for start, end in _cuts(_Counted(whole.indptr), whole.shape[0 if by_row else 1], nbytes, _entry_bytes(source)):
            yield whole[start:end, :] if by_row else whole[:, start:end]
        return
    by_row = source.order == "row"
    length, across = source.shape if by_row else source.shape[::-1]
    counts = _Stored(source, length, across)
    for start, end in _cuts(counts, length, nbytes, _entry_bytes(source)):
        positions = np.arange(start, end, dtype=np.uint64)
        part = source.select(positions, None) if by_row else source.select(None, positions)
        yield _convert.read(part, memory)


def _entry_bytes(source: _nnz.Source) -> int:
    return 4 + np.dtype(source.dtype).itemsize


class _Counted:
    """Entries before a row or column, from `indptr`."""

    def __init__(self, indptr: Any) -> None:
        self._indptr = indptr

    def __call__(self, major: int) -> int:
        return int(self._indptr[major])


class _Stored:
    """Entries before a row or column, as the file has them; as many as there can be where it does not say."""

    def __init__(self, source: _nnz.Source, length: int, across: int) -> None:
        self._source = source
        self._known = source.stored_before(length) is not None
        self._across = across

    def __call__(self, major: int) -> int:
        found = self._source.stored_before(major) if self._known else None
        return major * self._across if found is None else found


def _cuts(before: Any, length: int, nbytes: int, each: int) -> Iterator[Any]:
    start = 0
    while start < length:
        base = before(start)
        low, high = start + 1, length
        # The furthest end whose block fits, and one row or column at the least.
        while low < high:
            middle = (low + high + 1) // 2
            if (before(middle) - base) * each + (middle - start) * 4 <= nbytes:
                low = middle
            else:
                high = middle - 1
        yield start, low
        start = low
