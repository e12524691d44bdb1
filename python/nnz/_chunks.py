"""Chunks of dask arrays: sparse arrays of SciPy that have what dask needs for sums and products."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np
import scipy.sparse as sparse  # pyright: ignore[reportMissingTypeStubs]

# The types of these functions are known in part only.
_operators: Any = operator
_sparse: Any = sparse
_arrays: Any = np

OPERATORS: Dict[Any, Callable[[Any, Any], Any]] = {
    np.add: _operators.add,
    np.subtract: _operators.sub,
    np.multiply: _operators.mul,
    np.true_divide: _operators.truediv,
    np.matmul: _operators.matmul,
    np.equal: _operators.eq,
    np.not_equal: _operators.ne,
    np.less: _operators.lt,
    np.less_equal: _operators.le,
    np.greater: _operators.gt,
    np.greater_equal: _operators.ge,
}
"""Operators of SciPy, which has no functions of NumPy of two arrays."""


class Chunk:
    """Functions missing in arrays of SciPy. dask calls `numpy.sum` and `numpy.matmul`."""

    __slots__ = ()

    def sum(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """Add up elements, as `numpy.sum` does."""
        array = plain(self)
        found: Any = array.sum(axis=_axis(axis), dtype=dtype, out=out)
        if not keepdims:
            return found
        rows, cols = _kept(axis)
        whole: Tuple[int, int] = array.shape
        return _arrays.reshape(found, (whole[0] if rows else 1, whole[1] if cols else 1))

    def __getitem__(self, key: Any) -> Any:
        found = plain(self)[key]
        if not _sparse.issparse(found):
            return found
        # One row or column: dask would stack sparse ones.
        return chunk(found) if found.ndim == 2 else found.toarray()

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


def _axes(axis: Any) -> List[int]:
    """Return axes as a list: dask passes tuples."""
    if axis is None:
        return [0, 1]
    return [int(one) % 2 for one in _arrays.atleast_1d(axis)]


def _axis(axis: Any) -> Optional[int]:
    """Return an axis as SciPy takes it."""
    axes = _axes(axis)
    return axes[0] if len(axes) == 1 else None


def _kept(axis: Any) -> Tuple[bool, bool]:
    """Return whether rows and columns remain."""
    axes = _axes(axis)
    return 0 not in axes, 1 not in axes
