"""Whether objects of pandas have the order of a matrix."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional

from ._errors import ArgumentError

Names = Callable[[], Optional[Iterable[str]]]
"""Returns the names of an axis, if it has any."""


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
