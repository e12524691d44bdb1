"""Counts of fragments: a matrix that is made as it is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

from . import _nnz
from ._matrix import Matrix

if TYPE_CHECKING:
    from ._fragment_handle import FragmentHandle


class Counts(Matrix):
    """How often each cell was seen in each region: a matrix of regions by cells. Fragments are read as it is read."""

    __slots__ = ("_fragments", "_regions", "_mode")

    def __init__(
        self,
        fragments: FragmentHandle,
        regions: Any,
        mode: str,
        transposed: bool = False,
        source: Optional[_nnz.Source] = None,
    ) -> None:
        self._fragments = fragments
        self._regions = regions
        self._mode = mode
        if source is None:
            source = self._opened(transposed)
        super().__init__(source, fragments._path, fragments.path, fragments._memory, transposed)

    def _opened(self, transposed: bool) -> _nnz.Source:
        source = self._fragments._source.counts(self._regions, self._mode)
        return source.transposed() if transposed else source

    @property
    def _source(self) -> _nnz.Source:
        # As in a matrix of a file, a child process opens the fragments for itself.
        if self._pid != os.getpid():
            self._kept.append(self._open)
            self._open = self._opened(self._transposed)
            self._pid = os.getpid()
        return self._open

    def __reduce__(self) -> Tuple[Callable[..., Matrix], Tuple[Any, ...]]:
        return Counts, (self._fragments, self._regions, self._mode, self._transposed)

    @property
    def T(self) -> Matrix:
        """The matrix with rows and columns exchanged. Nothing is read."""
        source = self._source.transposed()
        return Counts(self._fragments, self._regions, self._mode, not self._transposed, source)
