"""Chunks of dask arrays: sparse arrays of SciPy that have what dask needs for sums and products."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np
import scipy.sparse as sparse  # pyright: ignore[reportMissingTypeStubs]

OPERATORS: Dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.matmul: operator.matmul,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}
"""Operators of SciPy, which has no functions of NumPy of two arrays."""


class Chunk:
    """What SciPy's arrays lack. dask calls `numpy.sum` and `numpy.matmul`."""

    __slots__ = ()

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """Add up elements, as `numpy.sum` does."""
        found = plain(self).sum(axis=_axis(axis), dtype=dtype, out=out)
        if not keepdims:
            return found
        rows, cols = _kept(axis)
        shape: Tuple[int, int] = self.shape  # type: ignore[attr-defined]
        return np.reshape(found, (shape[0] if rows else 1, shape[1] if cols else 1))

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Exchange rows and columns."""
        return chunk(plain(self).transpose(axes, copy))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [plain(one) for one in inputs]
        if method == "__call__" and ufunc in OPERATORS and not options:
            return OPERATORS[ufunc](*arrays)
        return getattr(ufunc, method)(*arrays, **options)


class CsrChunk(Chunk, sparse.csr_array):  # type: ignore[misc]
    """A chunk that is stored by row."""


class CscChunk(Chunk, sparse.csc_array):  # type: ignore[misc]
    """A chunk that is stored by column."""


def chunk(block: Any) -> Any:
    """Make a chunk of an array, without a copy."""
    return _as(CsrChunk if block.format == "csr" else CscChunk, block)


def plain(given: Any) -> Any:
    """Return a chunk as an array of SciPy, without a copy, and anything else as it is."""
    if not isinstance(given, Chunk):
        return given
    return _as(sparse.csr_array if isinstance(given, CsrChunk) else sparse.csc_array, given)


def _as(kind: Any, given: Any) -> Any:
    made = kind(given.shape, dtype=given.dtype)
    made.data, made.indices, made.indptr = given.data, given.indices, given.indptr
    return made


def _axis(axis: Any) -> Optional[int]:
    """Return an axis as SciPy takes it: dask passes tuples."""
    if not isinstance(axis, tuple):
        return axis
    several: Tuple[int, ...] = axis
    return several[0] if len(several) == 1 else None


def _kept(axis: Any) -> Tuple[bool, bool]:
    """Return whether rows and columns remain."""
    if axis is None:
        return False, False
    axes: Union[int, Tuple[int, ...]] = axis
    gone = {one % 2 for one in (axes if isinstance(axes, tuple) else (axes,))}
    return 0 not in gone, 1 not in gone
