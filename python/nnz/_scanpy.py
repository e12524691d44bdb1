"""10x matrices as AnnData, as scanpy presents them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._errors import ArgumentError, CastError
from ._external import load

if TYPE_CHECKING:
    from ._base import BaseMatrix
    from ._external import pandas

IDS = "gene_ids"
SYMBOLS = "gene_symbols"


class TenxOptions:
    """How a 10x matrix becomes an AnnData: by which names, and of which type."""

    def __init__(self, var_names: Optional[str] = None, dtype: Any = None) -> None:
        if var_names not in (None, IDS, SYMBOLS):
            raise ArgumentError(f"var_names {var_names!r}: expected {SYMBOLS!r} or {IDS!r}")
        self._ids = var_names == IDS
        self._dtype: Optional[np.dtype[Any]] = None if dtype is None else np.dtype(dtype)
        self._given = "var_names" if var_names is not None else "dtype" if dtype is not None else None

    def check_unused(self, path: str) -> None:
        """Check that no option is given, for a file of another format."""
        if self._given is not None:
            raise ArgumentError(f"{path}: {self._given} only applies to 10x matrices", path)

    def dtype(self, matrix: BaseMatrix) -> np.dtype[Any]:
        """Return the type of the values: float32 for integers, unless a type is given."""
        if self._dtype is not None:
            return self._dtype
        return np.dtype(np.float32) if matrix.dtype.kind in "iu" else matrix.dtype

    def named(self, var: pandas.DataFrame) -> pandas.DataFrame:
        """Give the columns of features the names that they have in scanpy, and features their symbols."""
        frame: Any = var.rename(columns={"feature_type": "feature_types"})
        if "name" not in frame:
            return frame
        if self._ids:
            return frame.rename(columns={"name": SYMBOLS})
        symbols: Any = frame.pop("name").astype(str).to_numpy()
        frame.insert(0, IDS, frame.index.to_numpy())
        frame.index = load("anndata.utils", "read_anndata").make_index_unique(load("pandas", "read_anndata").Index(symbols))
        return frame


def is_tenx(matrix: BaseMatrix) -> bool:
    return matrix.format.startswith("10x")


def cast(entries: Any, dtype: np.dtype[Any]) -> Any:
    """Return a matrix of SciPy, or an array, with values of a type that has all of them exactly."""
    values = entries.data if hasattr(entries, "indptr") else entries
    if values.dtype == dtype:
        return entries
    with np.errstate(invalid="ignore", over="ignore"):
        found = values.astype(dtype)
        rounded = values[found.astype(values.dtype) != values] if values.dtype.kind in "iu" else values[:0]
    if rounded.size:
        raise CastError(f"{rounded[0]} cannot be stored exactly as {dtype}; dtype={values.dtype.name!r} keeps all values")
    if not hasattr(entries, "indptr"):
        return found
    made = type(entries)((found, entries.indices, entries.indptr), shape=entries.shape, copy=False)
    made.has_sorted_indices = entries.has_sorted_indices
    return made
