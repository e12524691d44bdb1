"""Fragments in memory, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._external import load

if TYPE_CHECKING:
    from ._external import pandas

Column = npt.NDArray[np.uint32]
Names = npt.NDArray[np.object_]


@dataclass(frozen=True, eq=False, repr=False)
class FragmentArrays:
    """Fragments in memory, as arrays of the same length, in the order of the file.

    Attributes
    ----------
    chr : numpy.ndarray of uint32
        The chromosome of each fragment, as its position in `chromosome_names`.
    start, end : numpy.ndarray of uint32
        The first base of each fragment, counted from 0, and its exclusive end.
    cell : numpy.ndarray of uint32
        The cell of each fragment, as its position in `cell_names`.
    chromosome_names, cell_names : numpy.ndarray of str
        The names.

    Examples
    --------
    >>> found = nnz.open("testdata/bpcells/fragments_dir/basic.packed").query("chr1:0-500")
    >>> found.start, found.end
    (array([79, 81], dtype=uint32), array([496, 411], dtype=uint32))
    >>> found.cell_names[found.cell].tolist()
    ['CELL001-1', 'CELL013-1']
    """

    chr: Column
    start: Column
    end: Column
    cell: Column
    chromosome_names: Names
    cell_names: Names

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        return f"<nnz.FragmentArrays of {len(self)} fragments>"

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with the columns chr, start, end and cell. Requires pandas.

        Returns
        -------
        pandas.DataFrame
            Names are categories, or strings if two chromosomes or two cells have the same name.

        Examples
        --------
        >>> found = nnz.open("testdata/bpcells/fragments_dir/basic.packed").query("chr1:0-500")
        >>> found.to_pandas().shape
        (2, 4)
        """
        frames = load("pandas", "to_pandas")
        columns = {
            "chr": _named(frames, self.chr, self.chromosome_names),
            "start": self.start,
            "end": self.end,
            "cell": _named(frames, self.cell, self.cell_names),
        }
        return frames.DataFrame(columns)


def _named(pandas: Any, codes: Column, names: Names) -> Any:
    categories = pandas.Index(names, dtype=object)
    if not categories.is_unique:
        return names[codes]
    return pandas.Categorical.from_codes(codes.astype(np.int64), categories=categories)
