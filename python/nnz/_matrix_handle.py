"""Matrices that are open."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _nnz
from ._handle import Handle, Memory
from ._reading import Reading
from ._storage import storage


class MatrixHandle(Handle[_nnz.Source]):
    """A matrix that is open, or its transpose.

    Attributes
    ----------
    transposed : bool
        Whether rows are the columns of the file.
    """

    __slots__ = ("transposed",)

    def __init__(
        self,
        path: str,
        shown: str,
        memory: Memory = None,
        source: Optional[_nnz.Source] = None,
        reading: Optional[Reading] = None,
        transposed: bool = False,
    ) -> None:
        self.transposed = transposed
        super().__init__(path, shown, memory, source, reading)

    def opened(self) -> _nnz.Source:
        """Open the matrix."""
        source = self.stored()
        return source.transposed() if self.transposed else source

    def stored(self) -> _nnz.Source:
        """Open the matrix as it is in the file."""
        return _nnz.Source.open(self.path, self.memory, self.reading)

    def flipped(self) -> MatrixHandle:
        """Exchange rows and columns."""
        source = self.source.transposed()
        with storage(self.storage_options):
            return MatrixHandle(self.path, self.shown, self.memory, source, self.reading, not self.transposed)

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self.path, self.shown, self.memory, None, self.reading, self.transposed

    def steps(self) -> Tuple[str, ...]:
        """List the operations that are applied as the matrix is read, in their order."""
        return ("T",) if self.transposed else ()
