"""Type guards of arguments: ``isinstance`` does not check the elements of a list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Dict, List, Optional, Tuple, TypeGuard, Union

import numpy as np
import numpy.typing as npt


def is_array(obj: Any) -> TypeGuard[npt.NDArray[Any]]:
    """Return whether an object is an array of NumPy."""
    return isinstance(obj, np.ndarray)


def is_dict(obj: Any) -> TypeGuard[Dict[Any, Any]]:
    """Return whether an object is a dict."""
    return isinstance(obj, dict)


def is_list(obj: Any) -> TypeGuard[List[Any]]:
    """Return whether an object is a list."""
    return isinstance(obj, list)


def is_path(obj: Any) -> TypeGuard[Union[str, bytes, os.PathLike[Any]]]:
    """Return whether an object is a path, or a text."""
    return isinstance(obj, (str, bytes, os.PathLike))


def is_sequence(obj: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether an object is a sequence by its type, such as a list, a tuple or a range."""
    return isinstance(obj, Sequence)


def is_slice(obj: Any) -> TypeGuard[slice]:
    """Return whether an object is a slice."""
    return isinstance(obj, slice)


def is_tuple(obj: Any) -> TypeGuard[Tuple[Any, ...]]:
    """Return whether an object is a tuple."""
    return isinstance(obj, tuple)


def package_of(obj: Any) -> str:
    """Return the package that the type of an object is from, which need not be imported for that."""
    return type(obj).__module__.partition(".")[0]


def dtype_kind(obj: Any) -> Optional[str]:
    """Return the kind of the type of values of an array or a series, such as ``"b"``; None for other objects."""
    return getattr(getattr(obj, "dtype", None), "kind", None)
