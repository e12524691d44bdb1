"""Random positions of rows and columns."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _nnz
from ._arguments import integer

Positions = Optional[npt.NDArray[np.uint64]]


def sampled(
    source: _nnz.Source, given: Tuple[Any, Any, Any, Any], seed: Any, allow_empty: bool = True
) -> Tuple[Positions, Positions]:
    """Return random positions of rows and of columns, None for all."""
    names = ("rows", "cols", "cells", "features")
    counts: List[Optional[int]] = [
        None if count is None else integer(name, count, 0) for name, count in zip(names, given)
    ]
    rows, cols, cells, features = counts
    found_rows, found_cols, _ = source.sample((rows, cols, cells, features), integer("seed", seed, 0), allow_empty)
    return found_rows, found_cols
