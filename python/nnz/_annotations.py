"""Names and annotations of an axis as a table of Arrow."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, List

from . import _frames
from ._errors import UnsupportedError
from ._matrix_handle import MatrixHandle

if TYPE_CHECKING:
    from ._external import pandas


class Annotations:
    """Names and annotations of the rows or columns of a matrix. Returned by `Matrix.annotations`.

    It has ``__arrow_c_stream__``, so that ``pyarrow.table(annotations)`` and ``polars.DataFrame(annotations)`` make
    tables of it without pandas. The names, if there are any, are the column `name_column`.

    Examples
    --------
    >>> genes = nnz.open("examples/pbmc_10x_v3_mtx").annotations("rows")
    >>> len(genes), genes.name_column, genes.columns
    (507, '_index', ['name', 'feature_type'])
    """

    __slots__ = ("_handle", "_axis")

    def __init__(self, handle: MatrixHandle, axis: str) -> None:
        self._handle = handle
        self._axis = axis
        # An axis that is not there is an error here, not only where it is read.
        handle.source.annotation_types(axis)

    def __len__(self) -> int:
        length = self._length
        if length > sys.maxsize:
            raise UnsupportedError(f"{length} {self._axis}: lengths in Python are at most {sys.maxsize}")
        return length

    @property
    def _length(self) -> int:
        source = self._handle.source
        at = self._axis == "cols" if self._axis in ("rows", "cols") else source.axis_kinds.index(self._axis)
        return source.shape[at]

    @property
    def columns(self) -> List[str]:
        """The labels of the annotations, without the label of the names."""
        return [name for name, _ in self._handle.source.annotation_types(self._axis)]

    @property
    def name_column(self) -> str:
        """The label of the column of names: ``"_index"``, with more underscores if an annotation has this name."""
        label, taken = "_index", set(self.columns)
        while label in taken:
            label = "_" + label
        return label

    def to_pandas(self) -> pandas.DataFrame:
        """Read the annotations into a data frame, with the names as its index. Requires pandas.

        Returns
        -------
        pandas.DataFrame
            A row for each row or column of the matrix.

        Examples
        --------
        >>> genes = nnz.open("examples/pbmc_10x_v3_mtx").annotations("rows").to_pandas()
        >>> genes.shape, genes.index[0]
        ((507, 2), 'ENSG00000279493')
        """
        source = self._handle.source
        return _frames.to_frame(source.names(self._axis), source.annotations(self._axis), self._length)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return an Arrow stream with one batch. The types are as in the file; a requested schema is ignored."""
        return self._handle.source.annotations_stream(self._axis, self.name_column)

    def __repr__(self) -> str:
        labels = ", ".join(self.columns) or "names only"
        return f"<nnz.Annotations of {self._length} {self._axis} ({labels}): {self._handle.shown!r}>"
