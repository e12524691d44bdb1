import os
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

__version__: str

_Path = Union[str, bytes, os.PathLike[Any]]
_Memory = Union[int, str, None]
_Progress = Optional[Callable[[str, int, Optional[int]], Any]]
_Selected = Union[str, Sequence[str], npt.NDArray[np.uint64], None]
_Found = list[Any]

Column = tuple[str, str, Any, Any, Any, bool]

class Source:
    @staticmethod
    def open(path: _Path, memory_limit: _Memory = None) -> Source: ...
    @staticmethod
    def from_arrays(
        shape: tuple[int, int],
        by: str,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[Any],
        data: npt.NDArray[Any],
    ) -> Source: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def nnz(self) -> Optional[int]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def axis_kinds(self) -> tuple[Optional[str], Optional[str]]: ...
    @property
    def structure(self) -> Optional[str]: ...
    @property
    def random_access(self) -> bool: ...
    def about(self) -> tuple[str, str, Optional[str], Optional[int]]: ...
    def names(self, axis: str) -> Optional[list[str]]: ...
    def annotation_types(self, axis: str) -> list[tuple[str, str]]: ...
    def annotations(self, axis: str) -> list[Column]: ...
    def transposed(self) -> Source: ...
    def select(self, rows: _Selected = None, cols: _Selected = None) -> Source: ...
    def described(
        self,
        names: Sequence[Optional[Sequence[str]]],
        tables: Sequence[Optional[Sequence[Column]]],
        kinds: Optional[Sequence[Optional[str]]] = None,
    ) -> Source: ...
    def stored_before(self, major: int) -> Optional[int]: ...
    def read(
        self,
        by: Optional[str] = None,
        duplicates: Optional[str] = None,
        memory_limit: _Memory = None,
        workers: Optional[int] = None,
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], str]: ...
    def read_dense(
        self, by: Optional[str] = None, memory_limit: _Memory = None, workers: Optional[int] = None
    ) -> tuple[npt.NDArray[Any], str]: ...
    def stats(
        self,
        axis: Optional[str] = None,
        measures: str = "all",
        nonzero: bool = False,
        memory_limit: _Memory = None,
        workers: Optional[int] = None,
    ) -> _Found: ...
    def write(self, path: _Path, given: dict[str, Any], progress: _Progress = None) -> dict[str, Any]: ...

Part = tuple[int, int, Optional[tuple[int, int]]]
_Region = Union[str, tuple[int, int, int]]
_Names = Union[str, Sequence[str], None]
_Sizes = Union[str, tuple[Sequence[str], Sequence[Optional[int]]], None]
_Selection = tuple[Optional[Sequence[str]], Optional[Sequence[str]], int, int]

class FragmentSource:
    @staticmethod
    def open(path: _Path, memory_limit: _Memory = None) -> FragmentSource: ...
    @property
    def count(self) -> int: ...
    def cell_count(self) -> int: ...
    def chromosome_names(self) -> list[str]: ...
    def cell_names(self) -> list[str]: ...
    def segments(self) -> list[tuple[int, int, int]]: ...
    def about(self) -> dict[str, Any]: ...
    def find(self, regions: Sequence[_Region]) -> list[Part]: ...
    def read(
        self,
        parts: Sequence[Part],
        columns: tuple[bool, bool, bool, bool],
        cells: Optional[npt.NDArray[np.bool_]] = None,
        memory_limit: _Memory = None,
        workers: Optional[int] = None,
    ) -> list[Optional[npt.NDArray[np.uint32]]]: ...
    def furthest(self) -> list[int]: ...
    def counts(self, counted: Any, mode: str) -> Source: ...

def holds_fragments(path: _Path) -> bool: ...
def becomes_text(path: _Path) -> bool: ...
def read_names(path: _Path) -> list[str]: ...
def import_fragments(
    source: _Path,
    target: _Path,
    sort: bool,
    end_inclusive: bool,
    lists: tuple[_Names, _Sizes],
    given: dict[str, Any],
    progress: _Progress = None,
) -> dict[str, Any]: ...
def write_fragments(
    source: _Path,
    target: _Path,
    selected: Optional[_Selection],
    given: dict[str, Any],
    progress: _Progress = None,
) -> dict[str, Any]: ...
def merge_fragments(
    sources: Sequence[_Path],
    target: _Path,
    prefixes: Sequence[str],
    given: dict[str, Any],
    progress: _Progress = None,
) -> dict[str, Any]: ...
def diff_fragments(first: _Path, second: _Path, most: int) -> list[dict[str, Any]]: ...
def convert(source: _Path, target: _Path, given: dict[str, Any], progress: _Progress = None) -> dict[str, Any]: ...
def slice(
    source: _Path,
    target: _Path,
    selected: Sequence[Sequence[Any]],
    given: dict[str, Any],
    progress: _Progress = None,
) -> dict[str, Any]: ...
def concat(
    sources: Sequence[_Path],
    target: _Path,
    axis: str,
    ignore_names: bool,
    files: tuple[Optional[str], Optional[str], Optional[str], Optional[float]],
    given: dict[str, Any],
    progress: _Progress = None,
) -> dict[str, Any]: ...
def split(
    source: _Path,
    directory: _Path,
    by: str,
    extension: str,
    given: dict[str, Any],
    progress: _Progress = None,
) -> tuple[list[tuple[str, dict[str, Any]]], int]: ...
def repair(
    source: _Path, target: _Path, complete: bool, given: dict[str, Any], progress: _Progress = None
) -> tuple[list[str], Optional[dict[str, Any]]]: ...
def validate(
    path: _Path,
    from_format: Optional[str] = None,
    memory_limit: _Memory = None,
    workers: Optional[int] = None,
) -> list[dict[str, Any]]: ...
def diff(
    first: _Path,
    second: _Path,
    stored: bool = False,
    most: int = 10,
    memory_limit: _Memory = None,
    workers: Optional[int] = None,
) -> list[dict[str, Any]]: ...
def formats() -> list[dict[str, Any]]: ...
def members(path: _Path) -> list[tuple[str, list[int], str, str]]: ...
def groups(path: _Path) -> list[str]: ...
def default_memory() -> int: ...
def run_command(arguments: list[str]) -> int: ...
