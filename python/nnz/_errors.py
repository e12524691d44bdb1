"""Errors: one family, with the place of what is wrong."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Type, Union

Position = Union[Tuple[str, int], Tuple[str, int, int]]


class Error(Exception):
    """Base class of the exceptions of the package. The message names the path and the position of the error.

    Attributes
    ----------
    path : str or None
        The file or directory, with ``::GROUP`` if it is a group in one.
    array : str or None
        The name of the array.
    position : tuple or None
        Position in the array or text: ``("byte", n)`` and ``("element", n)`` count from 0, ``("line", line, column)``
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
    """The content matches no supported format."""


class CorruptFileError(Error, ValueError):
    """A file violates its format: it is truncated, damaged or inconsistent."""


class UnsupportedError(Error, ValueError):
    """The content or the operation is known, but not supported."""


class CastError(Error, ValueError):
    """The target type cannot represent a value exactly."""


class DuplicateError(Error, ValueError):
    """Two entries have the same position where only one is allowed."""


class ArgumentError(Error, ValueError):
    """An argument is invalid."""


class UnknownNameError(ArgumentError, KeyError):
    """No row or column has the name."""


class PositionError(ArgumentError, IndexError):
    """A position is outside of the matrix."""


class ClosedError(Error, ValueError):
    """The file is closed: `close` was called, or its ``with`` block has ended."""


class MemoryLimitError(Error, MemoryError):
    """The operation needs more memory than allowed."""


class CancelledError(Error):
    """The operation was cancelled before its end."""


class StorageError(Error, OSError):
    """The operating system reported an error. ``errno`` and ``strerror`` are set by the system."""

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
    """The path does not exist."""


class AccessError(StorageError, PermissionError):
    """Access is denied."""


class ExistsError(StorageError, FileExistsError):
    """The target exists; ``force=True`` replaces it."""


class ChangedError(StorageError):
    """Another program changed a source or target during the operation."""


class DroppedWarning(UserWarning):
    """The target format cannot store all of the source; ``strict=True`` makes this an error."""
