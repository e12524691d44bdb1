"""Whether objects of pandas and AnnData have the order of a matrix."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set

import numpy as np
import numpy.typing as npt

from . import _frames, _nnz
from ._errors import ArgumentError
from ._external import load
from ._guards import dtype_kind

Positions = npt.NDArray[np.intp]


SECOND_NAMES = ("name", "gene_ids", "gene_name", "gene_names", "gene_symbols", "feature_name")
"""Annotations with other names of features: symbols, or ids where the names are symbols."""


class AxisNames:
    """The names of an axis, and the annotations that have other names. Each is read when it is needed.

    Parameters
    ----------
    names : callable
        Returns the names, None if there are none.
    others : callable, optional
        Returns the annotations of text, which may be other names, by their label.
    shown : str
        The names as a user writes them, in messages.
    """

    __slots__ = ("names", "others", "shown")

    def __init__(
        self,
        names: Callable[[], Optional[Iterable[str]]],
        others: Callable[[], Dict[str, Sequence[Optional[str]]]] = dict,
        shown: str = "names",
    ) -> None:
        self.names = names
        self.others = others
        self.shown = shown

    @classmethod
    def of(cls, source: _nnz.Source, axis: str) -> AxisNames:
        """Return the names of an axis of a matrix."""

        def others() -> Dict[str, Sequence[Optional[str]]]:
            known = [name for name, kind in source.annotation_types(axis) if kind in ("string", "categorical")]
            found: Dict[str, Sequence[Optional[str]]] = {}
            for column in source.annotations(axis, known):
                # Categories may be numbers.
                found.update((column[0], texts) for texts in _frames.texts([column]))
            return found

        kind = source.axis_kinds[("rows", "cols").index(axis)]
        # Only what is opened of these has the properties of AnnData.
        of_anndata = kind is not None and source.about()[0] in ("AnnData", "Loom")
        shown = ("m.obs_names" if kind == "cells" else "m.var_names") if of_anndata else "names"
        return cls(lambda: source.names(axis), others, shown)

    @classmethod
    def of_frame(cls, frame: Any, shown: str) -> AxisNames:
        """Return the names of an annotation of AnnData, such as `var`."""
        return cls(lambda: frame.index, lambda: {str(name): list(frame[name]) for name in frame if _is_text(frame[name])}, shown)


def check_mask(given: Any, names: AxisNames, what: str) -> None:
    """Refuse booleans of pandas as `check_order`. Positions and names mean the same in any order."""
    if _is_mask(given):
        check_order(given, names, what)


def check_order(given: Any, names: AxisNames, what: str, renames: bool = False) -> None:
    """Refuse an object of pandas whose index has names of a matrix in another order, or names of only some of it.

    Values are used by position, which would be wrong for them. An index without any name of the matrix is compared with the
    annotations of text, and without the suffixes that anndata appends to names.

    Parameters
    ----------
    given : object
        Any object; those without an index of names are accepted. If the lengths differ, and the index has no name of the matrix,
        the caller reports it.
    names : AxisNames
        The names of the axis.
    what : str
        The object in messages, such as ``labels``.
    renames : bool
        Whether the index may have new names, if the others are in their places.
    """
    if getattr(getattr(given, "index", None), "inferred_type", None) not in ("string", "categorical", "mixed"):
        return
    index: List[Any] = list(given.index)
    found = names.names()
    own: List[Any] = [] if found is None else list(found)
    if index == own:
        return
    shared = set(own).intersection(index)
    if shared:
        if len(own) == len(index) and _in_place(index, own, shared if renames else None):
            return
        raise ArgumentError(_misaligned(given, index, own, shared, names.shown, what))
    if len(own) == len(index) and _without_suffix(index) != own and sorted(_without_suffix(index)) == sorted(own):
        raise ArgumentError(f"{what}: the index has the names of the matrix with a suffix, in another order")
    misplaced: Optional[str] = None
    for label, column in names.others().items():
        shared = set(column).intersection(index)
        # Other columns have categories, too, of which an index may have some by chance.
        least = 1 if label in SECOND_NAMES else len(index) / 2
        if len(column) != len(index) or len(shared) < max(least, 1) or (least > 1 and not given.index.is_unique):
            continue
        if _in_place(index, column, shared):
            return
        misplaced = label
    if misplaced is not None:
        raise ArgumentError(
            f"{what}: the index has values of the annotation {misplaced!r} in another order; .loc[names] changes it, "
            "with the values of this annotation as names"
        )


def _misaligned(given: Any, index: List[Any], own: List[Any], shared: Set[Any], shown: str, what: str) -> str:
    """Return the error of an index that has names of the matrix."""
    if len(shared) == len(set(own)):
        if shared.issuperset(index) and len(own) == len(index):
            return f"{what}: the index has the names of the matrix in another order; .loc[{shown}] changes it"
        return f"{what}: {len(index)} for the {len(own)} names of the matrix, which the index has; .loc[{shown}] aligns it"
    other = next((name for name in index if name not in shared), None)
    missing = "" if other is None else f", and {other!r}, which is not one"
    # Without a value, booleans would become objects.
    fill = ", fill_value=False" if _is_mask(given) else ""
    return (
        f"{what}: the index has {len(shared)} of the {len(own)} names of the matrix{missing}; .reindex({shown}{fill}) aligns it "
        "with the matrix"
    )


def _without_suffix(names: List[Any]) -> List[str]:
    """Return names without the last suffix, such as ``-1``, which `anndata.concat` appends."""
    return [str(name).rpartition("-")[0] for name in names]


def _is_mask(given: Any) -> bool:
    """Return whether an object has booleans, also beside missing values."""
    kind = dtype_kind(given)
    return kind == "b" or (kind == "O" and any(isinstance(value, (bool, np.bool_)) for value in given))


def _is_text(column: Any) -> bool:
    """Return whether a column of pandas has texts, or categories that are."""
    return dtype_kind(column) == "O"


def _in_place(index: List[Any], own: Sequence[Any], shared: Optional[Set[Any]]) -> bool:
    """Return whether each name of an index is that of the same position, or is not shared, if `shared` is given.

    A name with a suffix is the same name: AnnData makes names unique so.
    """
    return all(
        one == name or (shared is not None and one not in shared) or (isinstance(one, str) and one.startswith(f"{name}-"))
        for one, name in zip(index, own)
    )


def positions_of_cells(names: Optional[npt.NDArray[np.object_]], adata: Any, what: str) -> Positions:
    """Return the position in the matrix of each cell of an AnnData object, found by its name.

    Cells are used by position only if one of the two has no names of cells, or has the positions as names.

    Parameters
    ----------
    names : numpy.ndarray or None
        The names of the cells of the matrix.
    adata : anndata.AnnData
        With as many cells.
    what : str
        The result in messages, such as ``components``.
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
        The result in messages, such as ``markers``.
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
