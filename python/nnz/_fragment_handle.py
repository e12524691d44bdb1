"""Fragments that are open, and what is read of them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _index, _nnz, _regions
from ._fragment_arrays import Column, FragmentArrays, Names
from ._handle import Handle, Memory, Opened, absolute
from ._options import PathLike
from ._storage import StorageOptions, storage

ALL = (True, True, True, True)


class FragmentHandle(Handle[_nnz.FragmentSource]):
    """Fragments that are open."""

    __slots__ = ()

    def opened(self) -> _nnz.FragmentSource:
        """Open the fragments."""
        return _nnz.FragmentSource.open(self.path, self.memory)


class FragmentReader(Opened[FragmentHandle]):
    """Reads columns and names of fragments."""

    __slots__ = ("_names",)

    def __init__(
        self, path: PathLike, *, memory: Memory = None, storage_options: StorageOptions = None
    ) -> None:
        shown = os.fsdecode(path)
        with storage(storage_options):
            source = _nnz.FragmentSource.open(shown, memory)
            self._start(FragmentHandle(absolute(shown), shown, memory, source))

    def _start(self, handle: FragmentHandle) -> None:
        super()._start(handle)
        self._names: Dict[str, Names] = {}

    @property
    def _source(self) -> _nnz.FragmentSource:
        return self._handle.source

    def __len__(self) -> int:
        return self._source.count

    @property
    def format(self) -> str:
        """The format, such as ``"BPCells fragments"``."""
        return str(self._source.about()["format"])

    @property
    def chromosome_names(self) -> Names:
        """The names of the chromosomes, a read-only array."""
        return self._named("chromosome")

    @property
    def cell_names(self) -> Names:
        """The names of the cells, a read-only array."""
        return self._named("cell")

    def _named(self, one: str) -> Names:
        source = self._source
        names = self._names.get(one)
        if names is None:
            names = np.array(source.cell_names() if one == "cell" else source.chromosome_names(), dtype=object)
            names.flags.writeable = False
            self._names[one] = names
        return names

    def _column(self, at: int) -> Column:
        columns = (at == 0, at == 1, at == 2, at == 3)
        column = self._source.read(self._parts(None), columns, None, self._handle.memory)[at]
        assert column is not None
        return column

    def _arrays(self, parts: Sequence[_nnz.Part], cells: Any, threads: Optional[int]) -> FragmentArrays:
        columns: Any = self._source.read(parts, ALL, cells, self._handle.memory, threads)
        chromosomes, starts, ends, found = columns
        return FragmentArrays(chromosomes, starts, ends, found, self.chromosome_names, self.cell_names)

    def _parts(self, regions: Any) -> List[_nnz.Part]:
        if regions is None:
            return [(0, len(self), None)]
        return self._source.find(_regions.to_query(regions))

    def _finder(self, one: str) -> _index.Find:
        return lambda names: self._source.find_names(one, names)

    def _wanted(self, cells: Any) -> Any:
        if cells is None:
            return None
        found = _index.select(cells, len(self.cell_names), "cell", self._finder("cell"))
        if found.positions is None:
            return None
        wanted = np.zeros(len(self.cell_names), np.bool_)
        wanted[found.positions] = True
        return wanted
