"""Counts of fragments: a matrix that is made as it is read."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _nnz
from ._fragment_handle import FragmentHandle
from ._matrix_handle import MatrixHandle


class CountsHandle(MatrixHandle):
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
        super().__init__(fragments.path, fragments.shown, fragments.memory, source, transposed=transposed)

    def stored(self) -> _nnz.Source:
        """Count the fragments."""
        return self._fragments.source.counts(self._regions, self._mode)

    def flipped(self) -> CountsHandle:
        """Exchange rows and columns."""
        source = self.source.transposed()
        return CountsHandle(self._fragments, self._regions, self._mode, not self.transposed, source)

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self._fragments, self._regions, self._mode, self.transposed
