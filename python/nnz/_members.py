"""The members of a file: matrices, tensors, tables and fragments by their paths in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

from . import _nnz
from ._errors import ClosedError, UnknownNameError

Shapes = Dict[str, Tuple[int, ...]]
"""Members by their paths, with their shapes where they are listed."""

MOST_LISTED = 10
"""Members that a message lists."""


class Members(Mapping[str, Any]):
    """The members of a group of a file by their names, such as the layers of an AnnData. An index opens one."""

    def __init__(
        self, group: str, names: Iterable[str], opened: Callable[[str], Any], check_open: Callable[[], None]
    ) -> None:
        start = f"{group}/"
        self._group = group
        self._check_open = check_open
        self._names = {name[len(start) :]: name for name in names if name.startswith(start)}
        self._opened = opened

    def __getitem__(self, key: str) -> Any:
        self._check_open()
        if key not in self._names:
            raise UnknownNameError(f"no member of {self._group} is named {key!r}; it has {listed(self._names)}")
        return self._opened(self._names[key])

    def __iter__(self) -> Iterator[str]:
        self._check_open()
        return iter(self._names)

    def __len__(self) -> int:
        self._check_open()
        return len(self._names)

    def __repr__(self) -> str:
        try:
            self._check_open()
        except ClosedError:
            return f"<closed members of {self._group}>"
        return f"<members of {self._group}: {', '.join(self._names)}>"


def listed(names: Iterable[str]) -> str:
    """Return the first names for a message."""
    known = list(names)
    return ", ".join(known[:MOST_LISTED]) + (", ..." if len(known) > MOST_LISTED else "") or "none"


def matrices_among(members: Iterable[Tuple[str, Any, str, str]]) -> Shapes:
    """Return the members that are matrices, with their shapes."""
    return {member[0]: tuple(member[1]) for member in members if _is_matrix(member)}


def datasets_among(members: Iterable[Tuple[str, Any, str, str]]) -> Shapes:
    """Return the parts of a file of several that can be opened, or whose fault is an error then, with their shapes."""
    return {path: tuple(shape) for path, shape, kind, dtype in members if dtype or kind in ("fragments", "invalid")}


def beside_main(path: str, reading: Any) -> List[str]:
    """Return the elements of a file of AnnData or Loom that its main matrix has neither as entries nor as annotations."""
    _, members, _ = _nnz.open_listed(path, None, reading)
    annotations = ("obs", "var", "row_attrs", "col_attrs")
    names = (name for name, _, kind, _ in members if not (kind == "column" and name.split("/")[0] in annotations) and name not in ("X", "matrix"))
    # Of `raw`, and of what is nested in `uns`, only the whole.
    return list(dict.fromkeys("raw" if name.startswith("raw/") else "/".join(name.split("/")[:2]) for name in names))


def _is_matrix(member: Tuple[str, Any, str, str]) -> bool:
    _, shape, kind, value_type = member
    return len(shape) == 2 and value_type not in ("string", "categorical") and "frame" not in kind


def divided(path: str) -> Tuple[str, Any]:
    """Divide a path into the path of the file, and the group in it or None."""
    return (path, None) if not _nnz.is_url(path) and os.path.exists(path) else _nnz.group_of(path)


def inside(path: str, name: str) -> str:
    """Return the path of a member of a file, or of a group in one."""
    file, group = divided(path)
    return _nnz.within(file, f"{group}/{name}" if group else name)
