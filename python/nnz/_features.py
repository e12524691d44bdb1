"""The annotations of the features of a file, which are also its variance."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable

from ._external import load

if TYPE_CHECKING:
    from ._external import pandas


def features(frame: pandas.DataFrame, variance: Callable[..., Any]) -> Any:
    """Return a data frame that computes the variance if it is called.

    AnnData has the annotations of features as ``var``, and NumPy and `Matrix` have a method with this name.
    """
    made = _kind()(frame)
    object.__setattr__(made, "_variance", variance)
    return made


def _unpickled(frame: Any) -> Any:
    return frame


@lru_cache(maxsize=None)
def _kind() -> Any:
    frame: Any = load("pandas", "var").DataFrame

    class Features(frame):  # type: ignore[misc]
        """A data frame. What is made of it is one of pandas."""

        _internal_names = [*frame._internal_names, "_variance"]
        _internal_names_set = {*_internal_names}

        @property
        def _constructor(self) -> Any:
            return frame

        def __call__(self, *axis: Any, **options: Any) -> Any:
            return self._variance(*axis, **options)

        def __reduce_ex__(self, protocol: Any) -> Any:
            # The method keeps the file open, and is not pickled.
            return _unpickled, (frame(self),)

    return Features
