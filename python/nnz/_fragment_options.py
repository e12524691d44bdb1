"""Options of what writes fragments, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, TypedDict, Union

from ._results import Summary
from ._storage import StorageOptions


class FragmentOptions(TypedDict, total=False):
    """Options of all functions that write fragments.

    ``unpacked``
        Whether to disable bit packing.
    ``format_version``
        The version of the format: 1 or 2, the default.
    ``compress``
        How arrays in HDF5 and R are compressed: ``"none"``, ``"gzip:6"``, ``"zstd:3"``.
    ``force``
        Whether an existing target is replaced.
    ``no_sync``
        Whether to skip syncing to disk (fsync).
    ``threads``
        Number of threads; by default the number of cores.
    ``memory``
        Memory limit for sorting, in bytes or such as ``"2G"``; by default a quarter of the free memory.

    The first three do not apply to text.
    """

    unpacked: bool
    format_version: Union[int, str]
    compress: Optional[str]
    force: bool
    no_sync: bool
    threads: Optional[int]
    memory: Union[int, str, None]
    storage_options: StorageOptions


@dataclass(frozen=True)
class FragmentSummary(Summary):
    """The result of functions that write fragments.

    Attributes
    ----------
    shape : tuple of int
        The number of fragments.
    entries : int
        The number of fragments.
    chromosomes, cells : int
        The number of named chromosomes and cells.
    bytes_before, bytes_after, disk, seconds, dropped, notes
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
    return FragmentSummary(shape=(fragments,), entries=fragments, left_out=[], **made)
