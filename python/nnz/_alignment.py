"""Whether objects of pandas and AnnData have the order of a matrix."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError
from ._external import load

Names = Callable[[], Optional[Iterable[str]]]
"""Returns the names of an axis, if it has any."""

Positions = npt.NDArray[np.intp]


def check_mask(given: Any, names: Names, what: str) -> None:
    """Refuse booleans of pandas as `check_order`. Positions and names mean the same in any order."""
    if getattr(getattr(given, "dtype", None), "kind", None) == "b":
        check_order(given, names, what)


def check_order(given: Any, names: Names, what: str) -> None:
    """Refuse an object of pandas whose index has the names of a matrix in another order.

    Values are used by position, which would be wrong for them.
    """
    if getattr(getattr(given, "index", None), "inferred_type", None) not in ("string", "categorical"):
        return
    found = names()
    own: List[Any] = [] if found is None else list(found)
    index: List[Any] = list(given.index)
    if found is None or index == own:
        return
    if len(own) == len(index) and set(own) == set(index):
        raise ArgumentError(f"{what}: the index has the names of the matrix in another order; .loc[names] changes it")


def positions_of_cells(names: Optional[npt.NDArray[np.object_]], adata: Any, what: str) -> Positions:
    """Return the position in the matrix of each cell of an AnnData object, found by its name.

    Only if one of them has no names, or numbers that stand for positions, are the cells taken as they are.

    Parameters
    ----------
    names : numpy.ndarray or None
        The names of the cells of the matrix.
    adata : anndata.AnnData
        With as many cells.
    what : str
        What is of the cells, in messages.
    """
    wanted: Any = adata.obs_names
    all_of_them = np.arange(len(wanted))
    if names is None or np.array_equal(names, wanted):
        return all_of_them
    own: Any = load("pandas", "add_to").Index(names)
    known: npt.NDArray[np.bool_] = np.asarray(wanted.isin(own))
    if not known.any():
        if _is_numbered(own) or _is_numbered(wanted):
            return all_of_them
        raise ArgumentError(f"the {what} are of other cells: {names[0]!r} is the first, {wanted[0]!r} that of the AnnData object")
    if not known.all():
        raise ArgumentError(f"the {what} are not of cell {wanted[int(np.argmin(known))]!r}")
    if not own.is_unique or not wanted.is_unique:
        raise ArgumentError("names of cells occur more than once, and the AnnData object has another order of names")
    return np.asarray(own.get_indexer(wanted), np.intp)


def positions_of_features(names: Optional[npt.NDArray[np.object_]], count: int, adata: Any, what: str) -> Positions:
    """Return the position in an AnnData object of each feature of a matrix, found by its name.

    In an AnnData object of a 10x matrix, whose features are named by their symbols, they are found by their ids.

    Parameters
    ----------
    names : numpy.ndarray or None
        The names of the features. Without names, they have to be those of the object in the same order.
    count : int
        How many features there are.
    adata : anndata.AnnData or anndata.Raw
        With these features, or more.
    what : str
        What is of the features, in messages.
    """
    own: Any = adata.var_names
    if names is not None and "gene_ids" in adata.var and not own.isin(names).any():
        own = load("pandas", "add_to").Index(adata.var["gene_ids"])
    if count == len(own) and (names is None or np.array_equal(own, names)):
        return np.arange(count)
    if names is None or count > len(own):
        raise ArgumentError(f"{what} of {count} features: the AnnData object has {len(own)}")
    positions: Positions = np.asarray(own.get_indexer_for(names), np.intp)
    if len(positions) == count and np.any(positions < 0):
        raise ArgumentError(f"the AnnData object has no feature {names[int(np.argmax(positions < 0))]!r}, of which the {what} are")
    if len(positions) != count or len(np.unique(positions)) != count:
        raise ArgumentError("names of features occur more than once in the AnnData object")
    return positions


def _is_numbered(names: Any) -> bool:
    """Return whether names are the positions, as AnnData names cells without names."""
    return np.array_equal(names, np.arange(len(names)).astype(str))
