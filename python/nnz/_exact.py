"""Integers that a conversion to floats would round."""

from __future__ import annotations

import operator
from typing import Any, List, Optional

import numpy as np
import numpy.typing as npt

from ._errors import CastError
from ._guards import is_array, is_list, is_tuple


def inexact(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> Optional[int]:
    """Return an integer that a float type rounds, although NumPy converts it without an error."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or dtype.kind not in "fc":
        return None
    exact = 1 << 53
    large = values[values > exact] if values.dtype.kind == "u" else values[(values > exact) | (values < -exact)]
    return next((number for number in large.tolist() if int(float(number)) != number), None)


def check_cast(values: npt.NDArray[Any], dtype: np.dtype[Any], what: str, path: Optional[str] = None) -> None:
    """Check that a type has all values of the type of an array, and integers exactly."""
    if values.dtype != dtype and not np.can_cast(values.dtype, dtype, "safe"):
        raise CastError(f"{what}: values of {values.dtype} may not fit into {dtype}", path)
    rounded = inexact(values, dtype)
    if rounded is not None:
        raise CastError(f"{what}: {rounded} cannot be stored exactly as {dtype}", path)


def inexact_in_list(numbers: Any, dtype: np.dtype[Any]) -> Optional[int]:
    """Return an integer in nested lists that the type of their array rounds."""
    if dtype.kind not in "fc":
        return None
    pending: List[Any] = [numbers]
    while pending:
        found = pending.pop()
        if is_list(found) or is_tuple(found):
            pending.extend(found)
        elif is_array(found):
            large = inexact(found.reshape(-1), dtype)
            if large is not None:
                return large
        elif hasattr(found, "__index__"):
            number = operator.index(found)
            if abs(number) > 1 << 53 and int(float(number)) != number:
                return number
    return None
