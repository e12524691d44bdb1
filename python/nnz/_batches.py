"""A matrix in blocks of a bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import _convert, _nnz
from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._external import Block


def batches(source: _nnz.Source, memory: Any, nbytes: int) -> Iterator[Block]:
    """Read blocks of rows or columns, whichever a source is stored by."""
    if nbytes < 1:
        raise ArgumentError(f"nbytes {nbytes}: expected 1 or more")
    return _blocks(source, memory, nbytes)


def _blocks(source: _nnz.Source, memory: Any, nbytes: int) -> Iterator[Block]:
    by_row = source.order == "row"
    length, across = source.shape if by_row else source.shape[::-1]
    if not source.random_access or (source.nnz is not None and source.stored_before(length) is None):
        # Such as a text, or half of a symmetric matrix, whose entries are sorted first, on disk where need be; or one
        # whose rows have their lengths beside them.
        yield from _sorted(source, memory, nbytes)
        return
    counts = _Stored(source, length, across)
    for start, end in _cuts(counts, length, nbytes, _entry_bytes(source)):
        positions = np.arange(start, end, dtype=np.uint64)
        part = source.select(positions, None) if by_row else source.select(None, positions)
        yield _convert.read(part, memory)


def _sorted(source: _nnz.Source, memory: Any, nbytes: int) -> Iterator[Block]:
    reader = _nnz.BlockReader(source, nbytes, memory)
    by_row, across = source.order == "row", source.shape[1 if source.order == "row" else 0]
    while True:
        arrays = reader.next()
        if arrays is None:
            return
        indptr, indices, data = arrays
        count = len(indptr) - 1
        yield _convert.block(data, indices, indptr, (count, across) if by_row else (across, count), by_row)


def _entry_bytes(source: _nnz.Source) -> int:
    return 4 + np.dtype(source.dtype).itemsize


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
