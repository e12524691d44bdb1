"""Sources that are open at a path, in any process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Generic, List, Optional, Tuple, TypeVar, Union

from . import _nnz
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
        return type(self).of, (self._handle,)

    @property
    def path(self) -> str:
        """The path it was opened with; a URL without its query."""
        return self._handle.shown


def handle_of(opened: Opened[H]) -> H:
    """Return the handle, which is for modules of this package only."""
    return opened._handle  # pyright: ignore[reportPrivateUsage]


def absolute(path: str) -> str:
    """Return a path that holds in any working directory."""
    return path if os.path.isabs(path) or _nnz.is_url(path) else os.path.join(os.getcwd(), path)
