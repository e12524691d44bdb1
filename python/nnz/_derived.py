"""Matrices that are made of another as they are read."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from . import _nnz
from ._handle import Memory
from ._matrix_handle import MatrixHandle
from ._storage import storage

Operation = Tuple[Any, ...]
"""``("steps", step, ...)``, ``("select", rows, cols)``, ``("transpose",)``, ``("kinds", pair)`` or ``(method, argument, ...)`` of what derives a matrix. It
can be pickled."""

DERIVING = ("ranks", "pearson_residuals", "regress_out")
"""Methods of the compiled part that derive a matrix from another, and take a limit of memory last."""


class DerivedHandle(MatrixHandle):
    """A matrix that is open, with an operation that is applied as it is read.

    Attributes
    ----------
    parent : MatrixHandle
        The operand of the operation.
    operation : tuple
        The operation.
    step : str
        How it is listed.
    """

    __slots__ = ("parent", "operation", "step")

    def __init__(
        self, parent: MatrixHandle, operation: Operation, step: str, source: Optional[_nnz.Source] = None
    ) -> None:
        self.parent = parent
        self.operation = operation
        self.step = step
        with storage(parent.storage_options):
            super().__init__(parent.path, parent.shown, parent.memory, source, parent.reading, parent.transposed)

    def opened(self) -> _nnz.Source:
        """Apply the operation."""
        return applied(self.parent.source, self.operation, self.parent.memory)

    def stored(self) -> _nnz.Source:
        """Apply the operation."""
        return self.opened()

    def flipped(self) -> DerivedHandle:
        """Exchange rows and columns."""
        made = DerivedHandle(self, ("transpose",), "T")
        made.transposed = not self.transposed
        return made

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self.parent, self.operation, self.step

    def steps(self) -> Tuple[str, ...]:
        """List the operations."""
        return (*self.parent.steps(), self.step)

    def __dask_tokenize__(self) -> Tuple[Any, ...]:
        return type(self).__name__, self.parent, self.operation


def stored_of(handle: MatrixHandle) -> MatrixHandle:
    """Return the matrix that others are made of."""
    while isinstance(handle, DerivedHandle):
        handle = handle.parent
    return handle


def applied(source: _nnz.Source, operation: Operation, memory: Memory = None) -> _nnz.Source:
    """Apply an operation to a matrix."""
    kind, *arguments = operation
    if kind in DERIVING:
        made: _nnz.Source = getattr(source, kind)(*arguments, memory)
        return made
    if kind == "steps":
        return source.computed(arguments)
    if kind == "kinds":
        return source.described([None, None], [None, None], list(arguments[0]))
    if kind == "select":
        rows, cols = (None if positions is None else np.asarray(positions, np.uint64) for positions in arguments)
        return source.select(rows, cols)
    return source.transposed()
