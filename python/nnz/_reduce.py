"""Sums, means, variances and extremes."""

from __future__ import annotations

import operator
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _nnz
from ._errors import ArgumentError
from ._guards import is_list

SUM, MEAN, VARIANCE, MIN, MAX, NNZ = range(6)

Reduced = Any
"""A value of NumPy for the whole, an array of one dimension for rows or columns."""


def check_unset(**arguments: Any) -> None:
    """Refuse arguments that functions of NumPy pass on, and that matrices have no use for."""
    for name, value in arguments.items():
        if value is not None:
            raise ArgumentError(f"{name}={value!r}: expected None, as a matrix on disk does not support {name}")


def total(source: _nnz.Source, axis: Optional[int], memory: Any) -> Reduced:
    """Add up values."""
    kind = np.dtype(source.dtype).kind
    if kind == "c":
        return _complex(*(total(part, axis, memory) for part in _parts(source)))
    dtype: Any = np.float64 if kind == "f" else np.uint64 if kind == "u" else np.int64
    sums = _stats(source, axis, "sums", memory)[SUM]
    if is_list(sums) and dtype is not np.float64:
        # One of them does not fit signed 64 bits.
        limits = np.iinfo(dtype)
        outside = [value for value in sums if not limits.min <= value <= limits.max]
        if outside:
            raise OverflowError(f"the sum {outside[0]} does not fit {np.dtype(dtype)}")
    return _shaped(sums, axis, dtype)


def mean(source: _nnz.Source, axis: Optional[int], memory: Any) -> Reduced:
    """Compute means."""
    if _is_complex(source):
        return _complex(*(mean(part, axis, memory) for part in _parts(source)))
    return _shaped(_stats(source, axis, "sums", memory)[MEAN], axis, np.float64)


def var(source: _nnz.Source, axis: Optional[int], ddof: int, memory: Any) -> Reduced:
    """Compute variances; for complex numbers, of the distances from the mean."""
    try:
        ddof = operator.index(ddof)
    except TypeError:
        raise ArgumentError(f"ddof {ddof!r}: expected an integer") from None
    if _is_complex(source):
        real, imaginary = (var(part, axis, ddof, memory) for part in _parts(source))
        return real + imaginary
    found = _stats(source, axis, "variance", memory)
    elements = _elements(source, axis)
    variances = found[VARIANCE]
    if ddof != 1:
        if elements == 1:
            # The sum of squares of one value is zero, if it is a number.
            squares = np.where(np.isfinite(found[MEAN]), 0.0, np.nan)
        else:
            squares = variances * (elements - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            variances = squares / np.float64(max(elements - ddof, 0))
    return variances if axis is not None else variances[0]


def extreme(source: _nnz.Source, axis: Optional[int], greatest: bool, memory: Any) -> Reduced:
    """Find the minimum or maximum."""
    values = _stats(source, axis, "extremes", memory)[MAX if greatest else MIN]
    if is_list(values) and any(value is None for value in values):
        raise ArgumentError(f"the {'maximum' if greatest else 'minimum'} of no elements is not defined")
    return _shaped(values, axis, np.dtype(source.dtype))


def count_nonzero(source: _nnz.Source, axis: Optional[int], memory: Any) -> Reduced:
    """Count entries that are not zero."""
    found = _stats(source, axis, "nonzero", memory)
    return _shaped(found[NNZ], axis, np.int64)


def measured(source: _nnz.Source, axis: Optional[int], measures: str, memory: Any) -> Dict[str, Any]:
    """Compute several statistics in one pass."""
    return named(_stats(source, axis, measures, memory), measures, axis is None)


def named(found: List[Any], measures: str, is_whole: bool) -> Dict[str, Any]:
    """Name the requested statistics."""
    names: Tuple[Tuple[str, int], ...] = (("nnz", NNZ),)
    if measures in ("sums", "nonzero sums", "variance", "all"):
        names += (("sum", SUM), ("mean", MEAN))
    if measures in ("variance", "all"):
        names += (("variance", VARIANCE),)
    if measures in ("extremes", "all"):
        names += (("min", MIN), ("max", MAX))
    return {name: found[at][0] if is_whole else _array(found[at]) for name, at in names}


def _array(column: Any) -> npt.NDArray[Any]:
    """Make an array of numbers, without rounding integers that no integer type has together."""
    if not is_list(column):
        return np.asarray(column)
    fits = all(isinstance(number, int) and 0 <= number < 1 << 64 for number in column)
    return np.array(column, dtype=np.uint64 if fits else object)


def _is_complex(source: _nnz.Source) -> bool:
    return np.dtype(source.dtype).kind == "c"


def _parts(source: _nnz.Source) -> Tuple[_nnz.Source, _nnz.Source]:
    return source.part("real"), source.part("imag")


def _complex(real: Reduced, imaginary: Reduced) -> Reduced:
    # Not a sum of products: infinity times i has no real part.
    made = np.empty(np.shape(real), np.complex128)
    made.real, made.imag = real, imaginary
    return made if made.ndim else made[()]


def along(axis: Optional[int]) -> Optional[str]:
    """Return what is computed for each of: what lies along the other axis is taken together."""
    if axis is None:
        return None
    try:
        number = None if isinstance(axis, bool) else operator.index(axis)
    except TypeError:
        number = None
    if number in (0, -2):
        return "cols"
    if number in (1, -1):
        return "rows"
    raise ArgumentError(f"axis {axis!r}: expected 0, 1 or None")


def _elements(source: _nnz.Source, axis: Optional[int]) -> int:
    rows, cols = source.shape
    each = along(axis)
    return rows * cols if each is None else rows if each == "cols" else cols


def _stats(source: _nnz.Source, axis: Optional[int], measures: str, memory: Any) -> List[Any]:
    return source.stats(along(axis), measures, memory)


def _shaped(values: Any, axis: Optional[int], dtype: Any) -> Reduced:
    made = np.array(values, dtype=dtype)
    return made if axis is not None else made[0]
