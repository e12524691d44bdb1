"""Options of what writes fragments, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, TypedDict, Union

from ._results import Summary


class FragmentOptions(TypedDict, total=False):
    """Options of all functions that write fragments.

    ``unpacked``
        Whether numbers are stored as they are, not bit-packed.
    ``format_version``
        The version of the format: 1 or 2, the default.
    ``compress``
        How arrays in HDF5 and R are compressed: ``"none"``, ``"gzip:6"``, ``"zstd:3"``.
    ``force``
        Whether a target that exists is replaced.
    ``no_sync``
        Whether not to wait until the data is on disk.
    ``threads``
        Number of threads; by default that of the cores.
    ``memory``
        Bytes of memory for sorting, or a string such as ``"2G"``; by default a quarter of what is free.

    The first three do not apply to text.
    """

    unpacked: bool
    format_version: Union[int, str]
    compress: Optional[str]
    force: bool
    no_sync: bool
    threads: Optional[int]
    memory: Union[int, str, None]


@dataclass(frozen=True)
class FragmentSummary(Summary):
    """The result of what writes fragments.

    Attributes
    ----------
    shape : tuple of int
        The number of fragments.
    entries : int
        The number of fragments.
    chromosomes, cells : int
        The numbers of chromosomes and cells that have names there.
    bytes_before, bytes_after, disk, seconds, notes
        As in `nnz.Summary`.
    """

    chromosomes: int
    cells: int

    @property
    def fragments(self) -> int:
        """The number of fragments."""
        return self.entries


def fragment_summary(made: Dict[str, Any]) -> FragmentSummary:
    """Make a summary."""
    fragments = made.pop("fragments")
    return FragmentSummary(shape=(fragments,), entries=fragments, dropped=[], left_out=[], **made)
