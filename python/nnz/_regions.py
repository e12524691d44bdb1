"""Regions of a genome, as users give them."""

from __future__ import annotations

import operator
import os
import re
from typing import Any, Iterator, List, Optional, Sequence, Tuple, Union

from ._errors import ArgumentError
from ._guards import is_path, is_tuple

LAST = (1 << 32) - 1
"""The end of a region without an end."""

Region = Union[str, Tuple[str, int, int]]
"""A text, or the name of a chromosome, the first base, and the base behind the last one."""

Regions = Tuple[List[str], List[int], List[int]]
"""Chromosomes, starts and ends."""

Sizes = Union[str, Tuple[List[str], List[Optional[int]]]]
"""The path of a list of chromosomes, or their names and sizes."""

TEXT = re.compile(r"(.+):([0-9][0-9,]*)-([0-9][0-9,]*)", re.DOTALL)


def to_query(given: Any) -> List[Region]:
    """Return the regions of a query: texts of the command, tuples, or the first columns of a data frame."""
    if isinstance(given, str):
        return [given]
    if _is_one(given) or hasattr(given, "columns"):
        return [*_rows(given)]
    return [one if isinstance(one, str) else _one(one) for one in _several(given)]


def to_peaks(given: Any) -> Union[str, Regions]:
    """Return the path of a BED file, or regions by the names of their chromosomes."""
    if is_path(given):
        return _absolute(given)
    rows = _rows(given)
    return [name for name, _, _ in rows], [start for _, start, _ in rows], [end for _, _, end in rows]


def to_sizes(given: Any) -> Optional[Sizes]:
    """Return the path of a list of chromosomes, or names and sizes."""
    if given is None:
        return None
    if is_path(given):
        return _absolute(given)
    if hasattr(given, "items"):
        pairs = [(str(name), None if size is None else to_base(size)) for name, size in given.items()]
        return [name for name, _ in pairs], [size for _, size in pairs]
    sizes: List[Optional[int]] = [None for _ in given]
    return [_name(name) for name in given], sizes


def _absolute(path: Any) -> str:
    return os.path.join(os.getcwd(), os.fsdecode(path))


def _is_one(given: Any) -> bool:
    return is_tuple(given) and len(given) > 1 and not isinstance(given[1], (str, tuple, list))


def _rows(given: Any) -> Sequence[Tuple[str, int, int]]:
    if hasattr(given, "columns"):
        if len(given.columns) < 3:
            raise ArgumentError("a data frame of regions has chromosome, start and end in its first three columns")
        columns = [given[name] for name in list(given.columns)[:3]]
        return [_checked(*one) for one in zip(*columns)]
    if _is_one(given):
        return [_one(given)]
    return [_named(one) if isinstance(one, str) else _one(one) for one in _several(given)]


def _several(given: Any) -> Iterator[Any]:
    try:
        return iter(given)
    except TypeError:
        raise ArgumentError(f"a region is a string or (chromosome, start, end), not {given!r}") from None


def _one(given: Any) -> Tuple[str, int, int]:
    try:
        chromosome, *bases = given
    except (TypeError, ValueError):
        raise ArgumentError(f"a region is a string or (chromosome, start, end), not {given!r}") from None
    start, end = (*bases, None, None)[:2]
    if len(bases) > 2:
        raise ArgumentError(f"a region is a string or (chromosome, start, end), not {given!r}")
    return _checked(chromosome, 0 if start is None else start, LAST if end is None else end)


def _checked(chromosome: Any, start: Any, end: Any) -> Tuple[str, int, int]:
    first, last = to_base(start), to_base(end)
    if first >= last:
        raise ArgumentError(f"empty region from {first} to {last}")
    return _name(chromosome), first, last


def _name(chromosome: Any) -> str:
    if not isinstance(chromosome, str):
        raise ArgumentError(f"the name of a chromosome is a string, not {chromosome!r}")
    return chromosome


def to_base(given: Any) -> int:
    try:
        base = operator.index(given)
    except TypeError:
        raise ArgumentError(f"bases are integers, not {given!r}") from None
    if not 0 <= base <= LAST:
        raise ArgumentError(f"base {base} is outside of 0 to {LAST}")
    return base


def _named(text: str) -> Tuple[str, int, int]:
    found = TEXT.fullmatch(text)
    if found is None:
        raise ArgumentError(f"found {text!r}, expected a region such as 'chr1:10,000-20,000'")
    name, start, end = found.groups()
    return _checked(name, int(start.replace(",", "")), int(end.replace(",", "")))
