"""The parts of a file, under the names that they have in AnnData."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, List, Tuple, cast

from . import _frames, _nnz
from ._arguments import cell_axis
from ._errors import ArgumentError
from ._external import load
from ._features import features
from ._handle import Memory, NoHandle
from ._matrix import Matrix
from ._members import Members, Shapes
from ._reading import Reading
from ._storage import storage

if TYPE_CHECKING:
    from ._external import pandas

MAIN = ("X", "matrix")
"""The main matrix of AnnData, and of Loom."""


class FileParts(Matrix):
    """The main matrix of a file, its annotations, and its members by group."""

    __slots__ = ("_location", "_memory", "_reading", "_options", "_members")

    _location: str
    _memory: Memory
    _reading: Reading
    _options: Any
    _members: Shapes

    def _member(self, key: str) -> Any:
        """Open a member."""
        raise NotImplementedError

    @property
    def _has_main(self) -> bool:
        return not isinstance(cast(object, self._handle), NoHandle)

    @property
    def X(self) -> Matrix:
        """The main matrix."""
        handle = cast(object, self._handle)
        if isinstance(handle, NoHandle):
            raise handle.error()
        return Matrix.of(self._handle)

    @property
    def obs(self) -> pandas.DataFrame:
        """The annotations of cells, with their names as the index. Requires pandas. Each access reads a new data frame.
        Changes to it change neither the file nor this object: `nnz.edit` adds columns to a file, ``nnz.write(f, target, rows=frame)``
        writes a matrix with others, and ``f.to_anndata()`` has them in memory."""
        return self._annotated(False)

    @property
    def var(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The annotations of features, a data frame with their names as the index. It can also be called:
        ``f.var(axis=0)`` is the variance, as of a `Matrix`. Requires pandas. Each access reads a new data frame, as of `obs`."""
        return features(self._annotated(True), super().var)

    @property
    def obs_names(self) -> Any:
        """The names of cells, an index of pandas."""
        return self._index(False)

    @property
    def var_names(self) -> Any:
        """The names of features, an index of pandas."""
        return self._index(True)

    @property
    def n_obs(self) -> int:
        """The number of cells."""
        return self._axis(False)[2]

    @property
    def n_vars(self) -> int:
        """The number of features."""
        return self._axis(True)[2]

    @property
    def layers(self) -> Mapping[str, Any]:
        """The layers by name. An index opens one: ``f.layers["counts"]`` is ``f["layers/counts"]``."""
        return self._group("layers")

    @property
    def obsm(self) -> Mapping[str, Any]:
        """The matrices with a row for each cell by name, such as ``f.obsm["X_pca"]``. Data frames are not listed."""
        return self._group("obsm")

    @property
    def varm(self) -> Mapping[str, Any]:
        """The matrices with a row for each feature by name. Data frames are not listed."""
        return self._group("varm")

    @property
    def obsp(self) -> Mapping[str, Any]:
        """The matrices of cells by cells by name."""
        return self._group("obsp")

    @property
    def varp(self) -> Mapping[str, Any]:
        """The matrices of features by features by name."""
        return self._group("varp")

    def _group(self, name: str) -> Members:
        self._check_open()
        return Members(name, self._members, self._member, self._check_open)

    def _axis(self, features: bool) -> Tuple[_nnz.Source, str, int]:
        """Return what has the annotations of cells or features, their axis, and how many there are."""
        self._check_open()
        if self._has_main:
            source = self._source
        else:
            try:
                # AnnData without X.
                with storage(self._options):
                    source = _nnz.open_axes(self._location, self._reading)
            except ArgumentError:
                raise cast(NoHandle, self._handle).error() from None
        cells = cell_axis(source, None, self.path, other=None)
        axis = cells if not features else "rows" if cells == "cols" else "cols"
        return source, axis, source.shape[0 if axis == "rows" else 1]

    def _annotated(self, features: bool) -> pandas.DataFrame:
        source, axis, length = self._axis(features)
        return _frames.to_frame(source.names(axis), source.annotations(axis), length)

    def _index(self, features: bool) -> Any:
        source, axis, length = self._axis(features)
        names = source.names(axis)
        frames = load("pandas", "the names of a file")
        return frames.RangeIndex(length) if names is None else frames.Index(names, dtype=object)

    def _beside(self) -> List[str]:
        return [name for name in self._members if not (self._has_main and name in MAIN)]
