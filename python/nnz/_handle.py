"""Sources that are open at a path, in any process."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any, Callable, Generic, List, Optional, Tuple, TypeVar, Union, cast

from . import _nnz
from ._errors import ClosedError, Error
from ._reading import Reading
from ._storage import entered, storage

if TYPE_CHECKING:
    from typing_extensions import Self

# Before any array is created: a signal during loading would be a panic later.
_nnz.load_numpy()

Memory = Union[int, str, None]
"""Bytes that reading may take, such as ``"4G"``; None for what is free."""

S = TypeVar("S")


class Handle(Generic[S]):
    """A source that is open, and how it is opened again: by a child process, or where it was pickled.

    Attributes
    ----------
    path : str
        The path, which holds in any working directory.
    shown : str
        The path as it was given, for messages.
    memory : int, str or None
        Bytes that reading may take.
    reading : dict
        The options of reading.
    storage_options : tuple of pairs, or None
        The options of URLs that were given when it was opened.
    """

    __slots__ = ("path", "shown", "memory", "reading", "storage_options", "_open", "_pid", "_kept")

    def __init__(
        self,
        path: str,
        shown: str,
        memory: Memory = None,
        source: Optional[S] = None,
        reading: Optional[Reading] = None,
    ) -> None:
        self.path = path
        self.shown = _nnz.without_secrets(shown)
        self.memory = memory
        self.reading = reading or {}
        self.storage_options = entered()
        self._open: S = self.opened() if source is None else source
        self._pid = os.getpid()
        self._kept: List[S] = []

    @property
    def source(self) -> S:
        """The open source."""
        # A source of a parent process may be in use there, so a child opens its own.
        if self._pid != os.getpid():
            self._kept.append(self._open)
            with storage(self.storage_options):
                self._open = self.opened()
            self._pid = os.getpid()
        return self._open

    def opened(self) -> S:
        """Open the source."""
        raise NotImplementedError

    def arguments(self) -> Tuple[Any, ...]:
        """Return the arguments that create it again."""
        return self.path, self.shown, self.memory, None, self.reading

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        return _created, (type(self), self.storage_options, self.arguments())


def _created(kind: Callable[..., Any], options: Any, arguments: Tuple[Any, ...]) -> Any:
    with storage(options):
        return kind(*arguments)


class NoHandle:
    """Takes the place of a handle: any use is an error."""

    def __init__(self, shown: str, error: Error) -> None:
        self.shown = shown
        self._error = error

    def error(self) -> Error:
        """Return a new error."""
        return type(self._error)(str(self._error), self._error.path)

    def __getattr__(self, name: str) -> Any:
        raise self.error()


class ClosedHandle(NoHandle):
    """Takes the place of a handle that was closed."""

    def __init__(self, shown: str) -> None:
        super().__init__(shown, ClosedError(f"{shown}: the file is closed", shown))


H = TypeVar("H", bound=Handle[Any])


class Opened(Generic[H]):
    """Base class of the public objects of a handle."""

    __slots__ = ("_handle", "__weakref__")

    _handle: H

    @classmethod
    def of(cls, handle: H) -> Self:
        """Wrap an open handle."""
        made = cls.__new__(cls)
        made._start(handle)
        return made

    def _start(self, handle: H) -> None:
        self._handle = handle

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        self._check_open()
        return type(self).of, (self._handle,)

    @property
    def path(self) -> str:
        """The path it was opened with; a URL without its query."""
        return self._handle.shown

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return isinstance(cast(object, self._handle), ClosedHandle)

    def close(self) -> None:
        """Close it: any further use raises `nnz.ClosedError`. A ``with`` block closes it at its end.

        The file itself is closed when nothing that was made of it is open any more, such as a `LazyMatrix`.

        Examples
        --------
        >>> m = nnz.open("examples/pbmc_10x_v3_mtx")
        >>> m.close()
        >>> m.closed, m
        (True, <closed nnz.Matrix: 'examples/pbmc_10x_v3_mtx'>)
        """
        if not self.closed:
            self._handle = cast(Any, ClosedHandle(self._handle.shown))

    def _check_open(self) -> None:
        """Raise an error if it is closed."""
        handle = cast(object, self._handle)
        if isinstance(handle, ClosedHandle):
            raise handle.error()

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _text(self) -> str:
        """Describe it in a line."""
        raise NotImplementedError

    def _html(self) -> str:
        """Describe it as a table."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<closed nnz.{type(self).__name__}: {self.path!r}>" if self.closed else self._text()

    def _repr_html_(self) -> str:
        return escape(repr(self)) if self.closed else self._html()


def handle_of(opened: Opened[H]) -> H:
    """Return the handle, which is for modules of this package only."""
    return opened._handle  # pyright: ignore[reportPrivateUsage]


def absolute(path: str) -> str:
    """Return a path that holds in any working directory."""
    return path if os.path.isabs(path) or _nnz.is_url(path) else os.path.join(os.getcwd(), path)
