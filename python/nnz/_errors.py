"""Errors: one family, with the place of what is wrong."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Type, Union

Position = Union[Tuple[str, int], Tuple[str, int, int]]


class Error(Exception):
    """An operation failed.

    Attributes
    ----------
    path : str or None
        The file or directory, with ``::GROUP`` if it is a group in one.
    array : str or None
        The name of the array.
    position : tuple or None
        Where in the array or text: ``("byte", n)`` and ``("element", n)`` count from 0, ``("line", line, column)``
        from 1; ``("entry", row, col)`` is an entry of a matrix, counted from 0.
    """

    path: Optional[str]
    array: Optional[str]
    position: Optional[Position]

    def __init__(
        self,
        message: str,
        path: Optional[str] = None,
        array: Optional[str] = None,
        position: Optional[Position] = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.array = array
        self.position = position

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> Tuple[Type[Error], Tuple[Any, ...]]:
        return type(self), (self.args[0], self.path, self.array, self.position)


class FormatError(Error, ValueError):
    """The content is of no format that is read."""


class CorruptFileError(Error, ValueError):
    """A file breaks its format, is cut short or damaged."""


class UnsupportedError(Error, ValueError):
    """The content is known, and not handled."""


class CastError(Error, ValueError):
    """A value does not survive a change of type."""


class DuplicateError(Error, ValueError):
    """Two entries share a place where only one may be."""


class ArgumentError(Error, ValueError):
    """An argument makes no sense."""


class UnknownNameError(ArgumentError, KeyError):
    """No row or column has the name."""


class PositionError(ArgumentError, IndexError):
    """A position is outside of the matrix."""


class MemoryLimitError(Error, MemoryError):
    """It would take more memory than allowed."""


class CancelledError(Error):
    """The operation was cancelled."""


class StorageError(Error, OSError):
    """The operating system refused. ``errno`` and ``strerror`` are those of the system."""

    def __init__(
        self,
        message: str,
        path: Optional[str] = None,
        array: Optional[str] = None,
        position: Optional[Position] = None,
    ) -> None:
        super().__init__(message, path, array, position)
        self.filename = path

    def __reduce__(self) -> Tuple[Any, ...]:
        return (*super().__reduce__(), {"errno": self.errno, "strerror": self.strerror})

    def __setstate__(self, state: Any) -> None:
        self.errno = state["errno"]
        self.strerror = state["strerror"]


class MissingFileError(StorageError, FileNotFoundError):
    """There is nothing of that name."""


class AccessError(StorageError, PermissionError):
    """The system denies access."""


class ExistsError(StorageError, FileExistsError):
    """The target is there already; ``force=True`` replaces it."""


class ChangedError(StorageError):
    """Another program changed a source or target in the meantime."""


class DroppedWarning(UserWarning):
    """The target of a conversion does not hold all of the source; ``strict=True`` refuses that."""
