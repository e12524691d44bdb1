"""Fragments that are open, in whichever process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _index, _nnz, _regions
from ._fragment_arrays import Column, FragmentArrays, Names
from ._matrix import absolute
from ._options import PathLike

if TYPE_CHECKING:
    from typing_extensions import Self

ALL = (True, True, True, True)


class FragmentHandle:
    """Opens fragments, again in child processes, and reads columns and names."""

    __slots__ = ("_path", "_shown", "_memory", "_open", "_pid", "_kept", "_names", "_found", "__weakref__")

    def __init__(self, path: PathLike, *, memory: Union[int, str, None] = None) -> None:
        shown = os.fsdecode(path)
        self._start(_nnz.FragmentSource.open(shown, memory), shown, absolute(shown), memory)

    @classmethod
    def of(cls, source: _nnz.FragmentSource, path: str, shown: str, memory: Any) -> Self:
        """Take what is open."""
        made = cls.__new__(cls)
        made._start(source, shown, path, memory)
        return made

    def _start(self, source: _nnz.FragmentSource, shown: str, path: str, memory: Any) -> None:
        self._open = source
        self._shown = shown
        self._path = path
        self._memory = memory
        self._pid = os.getpid()
        self._kept: List[_nnz.FragmentSource] = []
        self._names: Dict[str, Names] = {}
        self._found: Dict[str, _index.NameIndex] = {}

    @property
    def _source(self) -> _nnz.FragmentSource:
        # What a parent process has opened may be in use there, so that a child opens its own.
        if self._pid != os.getpid():
            self._kept.append(self._open)
            self._open = _nnz.FragmentSource.open(self._path, self._memory)
            self._pid = os.getpid()
        return self._open

    def __reduce__(self) -> Tuple[Callable[..., FragmentHandle], Tuple[Any, ...]]:
        return reopen, (type(self), self._shown, self._path, self._memory)

    def __len__(self) -> int:
        return self._source.count

    @property
    def path(self) -> str:
        """The path it was opened with."""
        return self._shown

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
        names = self._names.get(one)
        if names is None:
            source = self._source
            names = np.array(source.cell_names() if one == "cell" else source.chromosome_names(), dtype=object)
            names.flags.writeable = False
            self._names[one] = names
        return names

    def _name_index(self, one: str) -> _index.NameIndex:
        found = self._found.get(one)
        if found is None:
            found = self._found[one] = _index.NameIndex(self._named(one).tolist(), one, list)
        return found

    def _column(self, at: int) -> Column:
        columns = (at == 0, at == 1, at == 2, at == 3)
        column = self._source.read(self._parts(None), columns, None, self._memory)[at]
        assert column is not None
        return column

    def _arrays(self, parts: Sequence[_nnz.Part], cells: Any, threads: Optional[int]) -> FragmentArrays:
        columns: Any = self._source.read(parts, ALL, cells, self._memory, threads)
        chromosomes, starts, ends, found = columns
        return FragmentArrays(chromosomes, starts, ends, found, self.chromosome_names, self.cell_names)

    def _parts(self, regions: Any) -> List[_nnz.Part]:
        if regions is None:
            return [(0, len(self), None)]
        return self._source.find(_regions.to_query(regions, lambda: self._name_index("chromosome")))

    def _wanted(self, cells: Any) -> Any:
        if cells is None:
            return None
        found = _index.select(cells, len(self.cell_names), "cell", lambda: self._name_index("cell"))
        if found.positions is None:
            return None
        wanted = np.zeros(len(self.cell_names), np.bool_)
        wanted[found.positions] = True
        return wanted


def reopen(kind: Type[FragmentHandle], shown: str, path: str, memory: Any) -> FragmentHandle:
    """Open fragments that were pickled."""
    made = kind.__new__(kind)
    made._start(_nnz.FragmentSource.open(path, memory), shown, path, memory)
    return made
