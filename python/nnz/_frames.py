"""Tables of annotations as data frames of pandas, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, cast

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError, UnsupportedError
from ._external import load
from ._guards import is_list

if TYPE_CHECKING:
    from ._external import pandas
    from ._nnz import Column

LONGEST = (1 << 63) - 1
"""The most rows of a data frame."""


def to_frame(names: Optional[Sequence[str]], columns: Sequence[Column], length: int) -> pandas.DataFrame:
    """Make a data frame of columns, with names as its index."""
    frames = load("pandas", "a data frame of annotations")
    if length > LONGEST:
        raise UnsupportedError(f"{length} rows: data frames of pandas have at most 2^63 - 1 rows")
    index = frames.RangeIndex(length) if names is None else frames.Index(list(names), dtype=object)
    made = {name: _series(frames, column) for name, *column in columns}
    frame: pandas.DataFrame = frames.DataFrame(made, index=frames.RangeIndex(length), columns=list(made))
    frame.index = index
    return frame


def _series(pandas: Any, column: Any) -> Any:
    kind, values, missing, categories, ordered = column
    if kind == "categorical":
        labels = pandas.Index(categories, dtype=object if isinstance(categories, list) else None)
        return pandas.Categorical.from_codes(values, categories=labels, ordered=ordered)
    if kind == "string":
        texts = np.array(values, dtype=object)
        if missing is not None:
            texts[missing] = None
        return texts
    if missing is None:
        return values
    if values.dtype == np.bool_:
        return pandas.arrays.BooleanArray(values, missing)
    if values.dtype.kind == "f":
        return pandas.arrays.FloatingArray(values, missing)
    if values.dtype.kind in "iu":
        return pandas.arrays.IntegerArray(values, missing)
    return pandas.Series(values).mask(missing)


def texts(columns: Sequence[Column]) -> List[Sequence[Optional[str]]]:
    """Return the columns of text and of categories that are text, with None for what is missing."""
    found: List[Sequence[Optional[str]]] = []
    for _, kind, values, missing, categories, _ in columns:
        if kind == "categorical" and is_list(categories):
            found.append([categories[code] if code >= 0 else None for code in values.tolist()])
        elif kind == "string":
            gone = missing if missing is not None else np.zeros(len(values), bool)
            found.append([None if absent else text for text, absent in zip(values, gone)])
    return found


def from_frame(frame: Any, dropped: Optional[List[str]] = None) -> Tuple[List[str], List[Column]]:
    """Return the names and the columns of a data frame.

    The levels of a `MultiIndex` are columns, and joined by ``_`` the names. Columns of a type that no file can have are an error,
    unless there is a list: it gets what is dropped.
    """
    if not is_multiple(frame.index):
        return labels("the index", frame.index), columns_of(frame, dropped)
    levels = load("pandas", "a data frame").DataFrame(
        {
            f"level_{at}" if name is None else str(name): frame.index.get_level_values(at)
            for at, name in enumerate(frame.index.names)
        }
    )
    known = {str(name) for name in frame.columns}
    own = columns_of(levels[[name for name in levels if name not in known]], dropped)
    return ["_".join(map(str, name)) for name in frame.index], own + columns_of(frame, dropped)


def is_multiple(index: Any) -> bool:
    """Return whether an index of pandas has several levels."""
    return getattr(index, "nlevels", 1) > 1


def columns_of(frame: Any, dropped: Optional[List[str]] = None) -> List[Column]:
    """Return the columns of a data frame, as `from_frame`."""
    columns: List[Column] = []
    for at, name in enumerate(frame.columns):
        series = frame.iloc[:, at]
        try:
            columns.append(_column(str(name), series))
        except ArgumentError:
            if dropped is None:
                raise
            dropped.append(f"column {str(name)!r} of type {series.dtype}")
    return columns


def labels(what: str, given: Any) -> List[str]:
    """Return names as texts. Bytes and missing values are no names."""
    try:
        names: List[Any] = list(given)
    except TypeError:
        raise ArgumentError(f"{what}: expected a list of names, not {type(given).__name__}") from None
    for at, name in enumerate(names):
        if not isinstance(name, str) and (isinstance(name, (bytes, bytearray)) or is_missing(name)):
            raise ArgumentError(f"{what}: {name!r} at position {at} is not a name")
    return [str(name) for name in names]


def is_numbered(index: Any) -> bool:
    """Return whether an index of pandas has the numbers from 0, which are no names. Those of a part of a data frame are names."""
    ranges = load("pandas", "a data frame").RangeIndex
    return isinstance(index, ranges) and bool(index.equals(ranges(len(index))))


def is_missing(value: Any) -> bool:
    """Return whether an object is None, not a number, or one for missing values of pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _column(name: str, series: Any) -> Column:
    pandas = load("pandas", "a data frame")
    missing = series.isna().to_numpy(dtype=bool)
    absent = missing if missing.any() else None
    if isinstance(series.dtype, pandas.CategoricalDtype):
        categories = series.cat.categories
        codes = np.ascontiguousarray(series.cat.codes.to_numpy(), dtype=np.int32)
        labels = _categories(name, categories)
        return name, "categorical", codes, None, labels, bool(series.cat.ordered)
    if series.dtype.kind in "biuf":
        return _numbers(name, series, absent)
    texts = series.to_numpy(dtype=object)
    if not all(isinstance(text, str) or gone for text, gone in zip(texts, missing)):
        raise ArgumentError(f"column {name!r}: values of type {series.dtype} cannot be written")
    return name, "string", ["" if gone else text for text, gone in zip(texts, missing)], absent, None, False


def _categories(name: str, categories: Any) -> Any:
    """Return categories as a list of texts, or as an array of numbers. Others, such as bytes and dates, are an error."""
    listed: List[Any] = list(categories)
    if all(isinstance(label, str) for label in listed):
        return [str(label) for label in listed]
    plain: Any = getattr(categories.dtype, "numpy_dtype", categories.dtype)
    if isinstance(plain, np.dtype) and plain.kind in "biuf" and plain != np.float16 and plain.itemsize <= 8:
        native: Any = cast(Any, plain).newbyteorder("=")
        numbers: npt.NDArray[Any] = np.ascontiguousarray(categories.to_numpy(dtype=native))
        return numbers
    kinds = ", ".join(sorted({type(label).__name__ for label in listed}))
    raise ArgumentError(f"column {name!r}: categories of type {kinds} cannot be written")


def _numbers(name: str, series: Any, absent: Any) -> Column:
    # The types of pandas for missing values, and for sparse columns, have one of NumPy.
    plain: np.dtype[Any] = getattr(series.dtype, "numpy_dtype", getattr(series.dtype, "subtype", series.dtype))
    values: npt.NDArray[Any]
    if isinstance(series.dtype, np.dtype):
        # In an array of NumPy, not a number is a value.
        values, absent = series.to_numpy(), None
    elif absent is None:
        values = series.to_numpy(dtype=plain)
    else:
        values = series.to_numpy(dtype=plain, na_value=plain.type(0))
    if plain == np.float16 or plain.itemsize > 8:
        raise ArgumentError(f"column {name!r}: values of type {plain} cannot be written")
    values = np.ascontiguousarray(values, dtype=plain.newbyteorder("="))
    return name, "number", values, absent, None, False
