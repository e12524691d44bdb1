"""Reports of progress."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

Callback = Callable[[str, int, Optional[int]], Any]
"""Is called with a word for the work, the entries done, and their number if it is known."""

Progress = Union[bool, Callback, None]


class Bar:
    """A bar of tqdm for each part of the work."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._what: Optional[str] = None

    def __call__(self, what: str, done: int, total: Optional[int]) -> None:
        bar = self._bar
        if bar is None or what != self._what or done < bar.n:
            self.close()
            bar = self._bar = self._tqdm(total=total, desc=what, unit=" entries", unit_scale=True, leave=False)
            self._what = what
        bar.update(done - bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def reporter(progress: Progress) -> Optional[Callback]:
    """Return what is called: for True a bar of tqdm where it is installed."""
    if progress is None or progress is False:
        return None
    if progress is True:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return None
        return Bar(tqdm)
    return progress


class reporting:
    """A context with a callback, whose bar goes at the end."""

    def __init__(self, progress: Progress) -> None:
        self._callback = reporter(progress)

    def __enter__(self) -> Optional[Callback]:
        return self._callback

    def __exit__(self, *_: object) -> None:
        if isinstance(self._callback, Bar):
            self._callback.close()
