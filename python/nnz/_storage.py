"""Options of URLs, such as credentials: `storage_options`."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import Any, Dict, Generator, Mapping, Optional, Tuple

from . import _nnz
from ._errors import ArgumentError

StorageOptions = Optional[Mapping[str, Any]]
"""Options of URLs by name, such as ``{"anon": True}``."""

Given = Tuple[Tuple[str, str], ...]


class _Entered(threading.local):
    options: Optional[Given] = None


_entered = _Entered()


def entered() -> Optional[Given]:
    """Return the options of the present `storage` block, which handles keep to be opened again."""
    return _entered.options


@contextmanager
def storage(options: Any) -> Generator[None, None, None]:
    """Use options for the URLs that are opened in a `with` block. None keeps the options of an outer block."""
    if options is None:
        yield
        return
    given, before = _pairs(options), _entered.options
    with _nnz.Storage(list(given)):
        _entered.options = given
        try:
            yield
        finally:
            _entered.options = before


def _pairs(options: Any) -> Given:
    """Return options as strings, as the command takes them."""
    try:
        # A handle has pairs.
        given: Dict[Any, Any] = dict(options)
    except (TypeError, ValueError):
        raise ArgumentError('storage_options: expected a mapping, such as {"anon": True}') from None
    pairs = ((str(name), value) for name, value in given.items() if value is not None)
    return tuple((name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in pairs)


def set_storage_options(options: StorageOptions) -> None:
    """Set the options of all URLs of the process that are opened from now on, as ``nnz --storage-option``.

    Without options, credentials come from the environment and configuration files. They are not pickled with handles:
    a worker process sets its own, or takes them from the environment.

    Parameters
    ----------
    options : mapping of str to value, or None
        Such as ``{"region": "eu-west-1"}``. None removes all. ``docs/remote.md`` lists the options.

    Examples
    --------
    >>> nnz.set_storage_options({"anon": True})
    >>> nnz.set_storage_options(None)
    """
    _nnz.set_storage_options(list(_pairs({} if options is None else options)))
