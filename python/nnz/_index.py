"""Selections of users, as positions."""

from __future__ import annotations

import operator
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _nnz
from ._errors import MemoryLimitError, PositionError
from ._frames import is_missing
from ._guards import dtype_kind, is_list, is_tuple


class Selected(NamedTuple):
    """Positions along an axis.

    Attributes
    ----------
    positions : numpy.ndarray of uint64 or None
        Positions to read, each once; None for all.
    repeated : numpy.ndarray or None
        For each position that is wanted, where it is in `positions`; None if these are what is wanted.
    single : bool
        Whether one position was given by itself.
    """

    positions: Optional[npt.NDArray[np.uint64]]
    repeated: Optional[npt.NDArray[np.intp]]
    single: bool


Find = Callable[[List[str]], npt.NDArray[np.uint64]]
"""Finds the positions of names. A name that does not exist, or is not unique, is an error."""

UNCHECKED = 1 << 24
"""Positions that are listed without a look at the free memory."""

ALL = Selected(None, None, False)


def select(index: Any, length: int, one: str, find: Find) -> Selected:
    """Turn an index into positions.

    Parameters
    ----------
    index : int, slice, str, sequence or array
        A position, a slice, a name, or several: positions, names, or a boolean for each member of the axis.
    length : int
        How long the axis is.
    one : str
        The name of a member of the axis in messages.
    find : callable
        Finds the positions of names.
    """
    if index is Ellipsis or (isinstance(index, slice) and index == slice(None)):
        return ALL
    if isinstance(index, slice):
        try:
            taken = range(*index.indices(length))
        except TypeError:
            raise PositionError(f"a slice of {one}s takes integers, not {index}") from None
        except ValueError:
            raise PositionError(f"the step of a slice of {one}s is 0") from None
        if taken.step == 1 and taken.start == 0 and taken.stop == length:
            return ALL
        return Selected(_listed(taken, one), None, False)
    if isinstance(index, str):
        return Selected(find([index]), None, True)
    if not isinstance(index, (bool, np.bool_)):
        try:
            position = operator.index(index)
        except TypeError:
            pass
        else:
            return Selected(_positions(np.array([position]), length, one), None, True)
    return _several(index, length, one, find)


def _count(positions: range) -> int:
    """Return the length of a range, which may be too large for `len`."""
    step = positions.step
    return max(0, (positions.stop - positions.start + step - (1 if step > 0 else -1)) // step)


def _listed(positions: range, one: str) -> npt.NDArray[np.uint64]:
    """List positions that are not negative."""
    count = _count(positions)
    if count > UNCHECKED:
        # Eight bytes for each, and about all memory that is free.
        allowed = 4 * _nnz.verbs.default_memory()
        if count * 8 > allowed:
            raise MemoryLimitError(f"{count} {one}s: their positions need {count * 8} bytes of memory, {allowed} are allowed")
    if not count:
        return np.empty(0, np.uint64)
    first = np.uint64(positions[0])
    if count == 1:
        return np.array([first])
    distances = np.arange(count, dtype=np.uint64) * np.uint64(abs(positions.step))
    return first + distances if positions.step > 0 else first - distances


def _of_range(given: range, length: int, one: str) -> Union[Selected, npt.NDArray[Any]]:
    """Check the positions of a range; an array if only some of them are negative."""
    if not given:
        return Selected(np.empty(0, np.uint64), None, False)
    ends = given[0], given[-1]
    for end in ends:
        if not -length <= end < length:
            raise PositionError(f"{one} {end} is outside of {length} {one}s")
    if (ends[0] < 0) != (ends[1] < 0):
        return np.arange(given.start, given.stop, given.step)
    shift = length if ends[0] < 0 else 0
    return Selected(_listed(range(given.start + shift, given.stop + shift, given.step), one), None, False)


def _several(index: Any, length: int, one: str, find: Find) -> Selected:
    if isinstance(index, range):
        index = _of_range(index, length, one)
        if isinstance(index, Selected):
            return index
    given: Any = of_pandas(booleans(index, one), one)
    if isinstance(index, np.ma.MaskedArray) and bool(np.any(given.mask)):
        raise PositionError(f"{one}s cannot be selected by an array with masked values: remove them by compressed()")
    array: npt.NDArray[Any] = np.asarray(given)
    if array.ndim != 1:
        flat = f": numpy.ravel() makes one of the shape {array.shape}" if array.ndim == 2 and 1 in array.shape else ""
        raise PositionError(f"{one}s are selected by a position, a slice, a name, or a list of one dimension{flat}")
    if array.dtype == np.bool_:
        if len(array) != length:
            raise PositionError(f"{len(array)} booleans for {length} {one}s")
        return Selected(np.flatnonzero(array).astype(np.uint64), None, False)
    if array.size == 0:
        return Selected(np.empty(0, np.uint64), None, False)
    if array.dtype.kind in "iu":
        return _unique(_positions(array, length, one))
    # NumPy makes texts of numbers beside texts.
    texts: Sequence[Any] = given if is_list(given) or is_tuple(given) else array.tolist()
    if all(isinstance(text, str) for text in texts):
        return _unique(find([str(text) for text in texts]))
    if array.dtype.kind != "f" and any(map(is_missing, texts)):
        missing = next(filter(is_missing, texts))
        raise PositionError(f"{one}s cannot be selected by missing values, such as {missing!r}: remove them by dropna()")
    if any(isinstance(text, str) for text in texts):
        raise PositionError(f"{one}s are selected by integers, booleans or names, not by a mixture")
    raise PositionError(f"{one}s are selected by integers, booleans or names, not by {array.dtype}")


def booleans(index: Any, one: str) -> Any:
    """Return booleans of the type object, as pandas has them after `reindex`, as an array; anything else as it is."""
    given: Any = index
    if dtype_kind(index) != "O" or isinstance(index, np.ma.MaskedArray):
        return given
    objects: List[Any] = list(given)
    known = [value for value in objects if not is_missing(value)]
    if not known or not all(isinstance(value, (bool, np.bool_)) for value in known):
        return given
    if len(known) < len(objects):
        raise PositionError(f"{one}s cannot be selected by missing values: fill them by fillna(False)")
    return np.array(objects, np.bool_)


def of_pandas(index: Any, one: str) -> Any:
    """Return integers and booleans of pandas, whose types may have missing values, as an array."""
    kind = dtype_kind(index)
    if kind not in ("b", "i", "u") or not hasattr(index, "to_numpy"):
        return index
    if bool(np.any(index.isna())):
        raise PositionError(f"{one}s cannot be selected by missing values: fill them by fillna({'False' if kind == 'b' else ''})")
    return index.to_numpy(dtype={"b": np.bool_, "i": np.int64, "u": np.uint64}[kind])


def _positions(given: npt.NDArray[Any], length: int, one: str) -> npt.NDArray[np.uint64]:
    if given.dtype.itemsize < 8:
        # The length may not fit a narrow type.
        given = given.astype(np.int64)
    outside = (given >= length) if given.dtype.kind == "u" else (given < -length) | (given >= length)
    if outside.any():
        first = given[outside][0]
        raise PositionError(f"{one} {first} is outside of {length} {one}s")
    if given.dtype.kind == "u":
        return given.astype(np.uint64)
    # Modulo 2^64, so that it holds for lengths of 2^63 and more, too.
    made = given.astype(np.int64).astype(np.uint64)
    made[given < 0] += np.uint64(length)
    return made


def _unique(positions: npt.NDArray[np.uint64]) -> Selected:
    if (positions[1:] > positions[:-1]).all():
        return Selected(positions, None, False)
    unique, inverse = np.unique(positions, return_inverse=True)
    if len(unique) == len(positions):
        return Selected(positions, None, False)
    return Selected(unique, inverse.reshape(-1), False)
