"""Matrices that are open."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple

from . import _nnz
from ._errors import ChangedError
from ._handle import Handle, Memory
from ._reading import Reading
from ._storage import storage


Version = Optional[Tuple[int, int, int, int]]

_edited: Dict[Version, Version] = {}
"""Versions of files before and after edits of this process."""


class MatrixHandle(Handle[_nnz.Source]):
    """A matrix that is open, or its transpose.

    Attributes
    ----------
    transposed : bool
        Whether rows are the columns of the file.
    """

    __slots__ = ("transposed", "_version")

    def __init__(
        self,
        path: str,
        shown: str,
        memory: Memory = None,
        source: Optional[_nnz.Source] = None,
        reading: Optional[Reading] = None,
        transposed: bool = False,
    ) -> None:
        self.transposed = transposed
        super().__init__(path, shown, memory, source, reading)
        self._version = version_of(path)

    @property
    def source(self) -> _nnz.Source:
        """The open matrix. If this process has edited the file, it is opened again: entries are the same, annotations are new."""
        if self._version in _edited:
            version = self._version
            while version in _edited:
                version = _edited[version]
            # A file that was replaced since is another one.
            if version == version_of(self.path):
                self._open = self._opened_again()
            self._version = version
        return super().source

    def _opened_again(self) -> _nnz.Source:
        with storage(self.storage_options):
            source = self.opened()
        if source.shape != self._open.shape:
            raise ChangedError(f"{self.shown}: the file has changed; open it again", self.shown)
        return source

    def opened(self) -> _nnz.Source:
        """Open the matrix."""
        source = self.stored()
        return source.transposed() if self.transposed else source

    def stored(self) -> _nnz.Source:
        """Open the matrix as it is in the file."""
        return _nnz.Source.open(self.path, self.memory, self.reading)

    def flipped(self) -> MatrixHandle:
        """Exchange rows and columns."""
        source = self.source.transposed()
        with storage(self.storage_options):
            made = MatrixHandle(self.path, self.shown, self.memory, source, self.reading, not self.transposed)
        made._version = self._version
        return made

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self.path, self.shown, self.memory, None, self.reading, self.transposed

    def steps(self) -> Tuple[str, ...]:
        """List the operations that are applied as the matrix is read, in their order."""
        return ("T",) if self.transposed else ()


def version_of(path: str) -> Version:
    """Return what identifies a file or directory as it is now; None for a URL."""
    try:
        found = os.stat(path.partition("::")[0])
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def note_edit(before: Version, path: str) -> None:
    """Have open handles of a file open it again. A handle of a file that was replaced otherwise keeps the old one."""
    after = version_of(path)
    if before is not None and after is not None and after != before:
        _edited[before] = after
