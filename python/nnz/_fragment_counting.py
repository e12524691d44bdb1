"""Counting fragments in regions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from . import _regions
from ._counts import CountsHandle
from ._errors import ArgumentError
from ._fragment_handle import FragmentReader
from ._lazy import LazyMatrix
from ._options import PathLike, WriteOptions
from ._progress import Progress
from ._results import Summary, outside
from ._write import write

if TYPE_CHECKING:
    from typing_extensions import Unpack


class CountedFragments(FragmentReader):
    """Fragments that can be counted."""

    __slots__ = ()

    @overload
    def count_peaks(self, peaks: Any, path: None = None, *, mode: str = "insertions") -> LazyMatrix: ...

    @overload
    def count_peaks(
        self,
        peaks: Any,
        path: PathLike,
        *,
        mode: str = "insertions",
        progress: Progress = None,
        **options: Unpack[WriteOptions],
    ) -> Summary: ...

    def count_peaks(
        self,
        peaks: Any,
        path: Optional[PathLike] = None,
        *,
        mode: str = "insertions",
        progress: Progress = None,
        **options: Unpack[WriteOptions],
    ) -> Union[LazyMatrix, Summary]:
        """Count the fragments or insertions of each cell in each region: a matrix of regions by cells.

        Parameters
        ----------
        peaks : str, os.PathLike, pandas.DataFrame or sequence
            A BED file; a data frame with chromosome, start and end in its first three columns; or a list of regions
            such as ``("chr1", 10_000, 20_000)`` and ``"chr1:10,000-20,000"``. Rows have the order of the regions, and
            are named ``CHROMOSOME:START-END``. Regions may overlap.
        path : str or os.PathLike, optional
            Where the matrix is written, in any format. Without a path nothing is written.
        mode : {"insertions", "overlaps"}
            Count the first and the last base of a fragment, separately; or fragments that overlap a region.
        progress, **options : optional
            As in `nnz.write`.

        Returns
        -------
        nnz.LazyMatrix or nnz.Summary
            Without a path a matrix of uint32, of the shape regions by cells, which counts the fragments of the
            rows that are read, each time they are read; ``to_scipy()`` counts all.

        Warns
        -----
        UserWarning
            The fragments have no chromosome of a region: its counts are zeros. Names have to be equal: ``"chr1"`` is
            not ``"1"``.

        Raises
        ------
        nnz.ArgumentError
            A region has no bases, or options are given without a path.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> counts = fragments.count_peaks(["chr1:0-50,000", ("chrX", 0, 50_000)])
        >>> counts
        <nnz.LazyMatrix 2 x 25 of uint32, by row: counts of BPCells fragments,
        'testdata/bpcells/fragments_dir/basic.packed'>
        >>> counts.sum(axis=1)
        array([356,  35], dtype=uint64)
        """
        handle = CountsHandle(self._handle, _regions.to_peaks(peaks), mode)
        # Warnings of peaks are about chromosomes without fragments.
        for note in handle.source.notes():
            warnings.warn(f"{handle.shown}: {note}", UserWarning, stacklevel=outside())
        return self._counted(handle, path, progress, options)

    @overload
    def count_tiles(
        self, tiles: int, path: None = None, *, chrom_sizes: Any = None, mode: str = "insertions"
    ) -> LazyMatrix: ...

    @overload
    def count_tiles(
        self,
        tiles: int,
        path: PathLike,
        *,
        chrom_sizes: Any = None,
        mode: str = "insertions",
        progress: Progress = None,
        **options: Unpack[WriteOptions],
    ) -> Summary: ...

    def count_tiles(
        self,
        tiles: int,
        path: Optional[PathLike] = None,
        *,
        chrom_sizes: Any = None,
        mode: str = "insertions",
        progress: Progress = None,
        **options: Unpack[WriteOptions],
    ) -> Union[LazyMatrix, Summary]:
        """Count the fragments or insertions of each cell in each tile of the chromosomes.

        Parameters
        ----------
        tiles : int
            Width of a tile in bases. The last tile of a chromosome may be shorter.
        path : str or os.PathLike, optional
            Where the matrix is written, in any format. Without a path nothing is written.
        chrom_sizes : mapping, str or os.PathLike, optional
            The chromosomes and their sizes, or a file with a name, a tab and a size per line. By default all
            chromosomes, each with its largest end as the size, for which all ends are read once.
        mode, progress, **options : optional
            As in `count_peaks`.

        Returns
        -------
        nnz.LazyMatrix or nnz.Summary
            As in `count_peaks`.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.count_tiles(100_000, chrom_sizes={"chr1": 200_000, "chrX": 150_000}).row_names.tolist()
        ['chr1:0-100000', 'chr1:100000-200000', 'chrX:0-100000', 'chrX:100000-150000']
        """
        width = _regions.to_base(tiles)
        sizes = _regions.to_sizes(chrom_sizes)
        if sizes is None:
            sizes = (self.chromosome_names.tolist(), list(self._source.furthest()))
        elif not isinstance(sizes, str) and None in sizes[1]:
            raise ArgumentError(f"chrom_sizes: the chromosome {sizes[0][sizes[1].index(None)]!r} has no size")
        return self._counted(CountsHandle(self._handle, (width, sizes), mode), path, progress, options)

    def _counted(
        self, handle: CountsHandle, path: Optional[PathLike], progress: Progress, options: Any
    ) -> Union[LazyMatrix, Summary]:
        counts = LazyMatrix.of(handle)
        if path is not None:
            return write(counts, path, progress=progress, **options)
        if options:
            raise ArgumentError(f"{', '.join(options)}: nothing is written without a path")
        return counts
