"""A file with several matrices, tensors or fragments, such as one of AnnData."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Callable, Dict, Iterable, Iterator, Tuple, Union

from . import _nnz, _show
from ._dataset import Dataset, open_dataset
from ._errors import ArgumentError, FormatError
from ._handle import absolute
from ._storage import StorageOptions, entered, storage


class File(Mapping[str, Dataset]):
    """A file with several matrices, tensors or fragments: a mapping from their paths in it, such as ``"layers/counts"``.

    Parameters
    ----------
    path : str or os.PathLike
        The file. Opening it lists its members; an index opens one of them.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.FormatError
        The file has no members with paths.

    Examples
    --------
    >>> file = nnz.File("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad")
    >>> "X" in file, file["X"].axis_kinds
    (True, ('cells', 'features'))
    """

    def __init__(
        self, path: Union[str, bytes, os.PathLike[Any]], *, storage_options: StorageOptions = None
    ) -> None:
        given = os.fsdecode(path)
        with storage(storage_options):
            self._set(given, matrices(given))
        if not self._members:
            raise FormatError(f"{self._shown}: expected a container of matrices", self._shown)

    @classmethod
    def of(cls, path: str, members: Dict[str, Tuple[int, ...]]) -> File:
        """Return a file whose members were listed, in the present `storage` block."""
        made = cls.__new__(cls)
        made._set(path, members)
        return made

    def _set(self, path: str, members: Dict[str, Tuple[int, ...]]) -> None:
        self._shown = _nnz.without_secrets(path)
        self._path = absolute(path)
        self._options = entered()
        self._members = members

    @property
    def path(self) -> str:
        """The path it was opened with; a URL without its query."""
        return self._shown

    def __getitem__(self, key: str) -> Any:
        if key not in self._members:
            raise KeyError(key)
        with storage(self._options):
            return open_dataset(_nnz.within(self._path, key), shown=f"{self._shown}::{key}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __reduce__(self) -> Tuple[Callable[..., File], Tuple[Any, ...]]:
        return _created, (self._path, self._options)

    def _repr_html_(self) -> str:
        shapes = ((name, " x ".join(map(str, shape))) for name, shape in self._members.items())
        return _show.table("nnz.File", [("path", self._shown), *shapes])

    def __repr__(self) -> str:
        return f"<nnz.File {self._shown!r}: {', '.join(self._members)}>"


def _created(path: str, options: Any) -> File:
    with storage(options):
        return File(path)


def matrices(path: str) -> Dict[str, Tuple[int, ...]]:
    """List the matrices of a file by their paths, with their shapes where they are listed."""
    return listed(path) or {group: () for group in _nnz.verbs.groups(path)}


def listed(path: str) -> Dict[str, Tuple[int, ...]]:
    """List the matrices of a file of a format with several."""
    try:
        members = _nnz.verbs.members(path)
    except ArgumentError:
        # It has groups, of which none is named.
        return {}
    return matrices_among(members)


def matrices_among(members: Iterable[Tuple[str, Any, str, str]]) -> Dict[str, Tuple[int, ...]]:
    """Return the members that are matrices, with their shapes."""
    return {member[0]: tuple(member[1]) for member in members if _is_matrix(member)}


def _is_matrix(member: Tuple[str, Any, str, str]) -> bool:
    _, shape, kind, value_type = member
    return len(shape) == 2 and value_type not in ("string", "categorical") and "frame" not in kind
