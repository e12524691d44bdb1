"""Numbers of cells that a regression takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Tuple

import numpy as np
import numpy.typing as npt

from ._alignment import AxisNames, check_order
from ._computing import source_and_memory
from ._errors import ArgumentError
from ._external import load
from ._guards import is_list
from ._metrics import column, groups

if TYPE_CHECKING:
    from ._base import BaseMatrix

Floats = npt.NDArray[np.float64]


def covariates_of(matrix: BaseMatrix, given: Any) -> Tuple[List[Floats], str]:
    """Return covariates of the rows of a matrix, and how they are shown. Each label of a text or category becomes one."""
    columns: Dict[str, Any] = {}
    if isinstance(given, str):
        given = [given]
    if is_list(given) and given and all(isinstance(name, str) for name in given) and len(given) != matrix.shape[0]:
        columns.update((name, column(matrix, name)) for name in given)
        shown = ", ".join(map(repr, columns))
    else:
        check_order(given, AxisNames.of(source_and_memory(matrix)[0], "rows"), "covariates")
        columns.update(_several(given))
        shown = "..."
    frames = load("pandas", "regress_out")
    found: List[Floats] = []
    for name, values in columns.items():
        if len(values) != matrix.shape[0]:
            raise ArgumentError(f"{name}: {len(values)} numbers for {matrix.shape[0]} cells")
        if frames.api.types.is_numeric_dtype(values):
            numbers = np.ascontiguousarray(values, np.float64)
            if not np.isfinite(numbers).all():
                raise ArgumentError(f"{name}: a number is missing or not finite")
            found.append(numbers)
            continue
        codes, labels = groups(frames, values, matrix.shape[0])
        if np.any(codes < 0):
            raise ArgumentError(f"{name}: a label is missing")
        found.extend((codes == code).astype(np.float64) for code in range(len(labels)))
    return found, shown


def _several(given: Any) -> Dict[str, Any]:
    """Return the columns of a data frame, or of an array."""
    if hasattr(given, "columns"):
        return {f"covariate {str(name)!r}": given[name] for name in given.columns}
    array: npt.NDArray[Any] = np.asarray(given)
    if array.ndim == 1:
        return {"the covariate": given if hasattr(given, "dtype") else array}
    if array.ndim == 2:
        return {f"covariate {at}": array[:, at] for at in range(array.shape[1])}
    raise ArgumentError(f"covariates of {array.ndim} dimensions: expected 1 or 2")
