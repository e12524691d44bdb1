"""Genomic fragments on disk, read when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence

from . import _nnz, _show
from ._errors import ArgumentError
from ._fragment_arrays import Column, FragmentArrays
from ._fragment_counting import CountedFragments
from ._fragment_writing import WrittenFragments

if TYPE_CHECKING:
    from ._external import pandas

BYTES = 16
"""Bytes of a fragment in memory."""
CHUNK = 128
"""Fragments that are packed together."""


class Fragments(CountedFragments, WrittenFragments):
    """Genomic fragments on disk: intervals on chromosomes, each from one cell. `nnz.open` opens them.

    Only a header is read until fragments are requested, and then only what a query needs. Bases are
    counted from 0, and the end of a fragment is exclusive. A handle can be pickled, which keeps
    its path; used after a fork; and used by several threads.

    Parameters
    ----------
    path : str or os.PathLike
        A BPCells directory, an HDF5 file, ``PATH::GROUP``, or an R object.
    memory : int or str, optional
        Memory limit for reading, in bytes or such as ``"4G"``; by default determined by the free memory.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.

    Examples
    --------
    >>> fragments = nnz.Fragments("testdata/bpcells/fragments_dir/basic.packed")
    >>> fragments
    <nnz.Fragments 1100 fragments of 25 cells on 3 chromosomes: BPCells fragments,
    'testdata/bpcells/fragments_dir/basic.packed'>
    >>> fragments.query("chr2:10,000-20,000", cells=["CELL001-1", "CELL013-1"]).to_pandas()
        chr  start    end       cell
    0  chr2  10036  10309  CELL013-1
    """

    __slots__ = ()

    def counts_by_chromosome(self) -> Dict[str, int]:
        """Return the number of fragments on each chromosome, without reading fragments.

        Returns
        -------
        dict of str to int
            In the order of `chromosome_names`.

        Raises
        ------
        nnz.ArgumentError
            Two chromosomes share a name.

        Examples
        --------
        >>> nnz.open("testdata/bpcells/fragments_dir/basic.packed").counts_by_chromosome()
        {'chr1': 722, 'chr2': 301, 'chrX': 77}
        """
        names = self.chromosome_names.tolist()
        counts = dict.fromkeys(names, 0)
        if len(counts) < len(names):
            raise ArgumentError(f"{self.path}: two chromosomes share a name")
        for chromosome, start, end in self._source.segments():
            counts[names[chromosome]] = end - start
        return counts

    def info(self) -> Dict[str, Any]:
        """Describe how the fragments are stored.

        Returns
        -------
        dict
            ``format``, ``container``, ``version``, ``bytes`` on disk (None where that is not known), ``arrays`` (a
            dict of ``name``, ``type``, ``len`` and ``bytes`` of each) and ``notes``.

        Examples
        --------
        >>> info = nnz.open("testdata/bpcells/fragments_dir/basic.packed").info()
        >>> info["version"], info["container"]
        ('packed-fragments-v2', 'directory')
        """
        return self._source.about()

    def query(self, regions: Any = None, *, cells: Any = None, threads: Optional[int] = None) -> FragmentArrays:
        """Read the fragments that overlap regions, optionally of selected cells only.

        Only the parts of the file with such fragments are read. A fragment that overlaps several regions is
        returned once for each.

        Parameters
        ----------
        regions : str, tuple, sequence of these, or pandas.DataFrame, optional
            ``"chr1"``, ``"chr1:10,000-20,000"``, ``"chr1:10,000-"``, or ``("chr1", 10_000, 20_000)``: from the first
            base, counted from 0, up to, and not including, the last. A data frame has chromosome, start and end in its
            first three columns. By default all fragments are read.
        cells : index, optional
            A position, a slice, a name, or a list or array of positions, names or booleans.
        threads : int, optional
            Number of threads.

        Returns
        -------
        FragmentArrays
            Region after region, in the order of the file.

        Raises
        ------
        KeyError
            No chromosome or cell has the name.
        IndexError
            A cell is outside of the file.
        nnz.ArgumentError
            A region has no bases.
        MemoryError
            The fragments need more memory than allowed. `iter_batches` reads less at a time.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> len(fragments.query(["chr1:0-50,000", ("chrX", 0, 50_000)], cells=slice(0, 10)))
        84
        """
        return self._arrays(self._parts(regions), self._wanted(cells), threads)

    def iter_batches(
        self, regions: Any = None, *, cells: Any = None, nbytes: int = 1 << 26, threads: Optional[int] = None
    ) -> Iterator[FragmentArrays]:
        """Read the fragments of a query in batches of a bounded size.

        Parameters
        ----------
        regions, cells, threads : optional
            As in `query`.
        nbytes : int
            Maximum size of a batch in bytes. A fragment takes 16 bytes, and a batch has at least one.

        Yields
        ------
        FragmentArrays
            Never empty.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> [len(batch) for batch in fragments.iter_batches(nbytes=8192)]
        [512, 512, 76]
        """
        if nbytes < 1:
            raise ArgumentError(f"nbytes {nbytes}: expected 1 or more")
        pieces = _pieces(self._parts(regions), max(1, nbytes // BYTES))
        return self._batches(pieces, self._wanted(cells), threads)

    def _batches(self, pieces: Iterator[List[_nnz.Part]], cells: Any, threads: Any) -> Iterator[FragmentArrays]:
        for parts in pieces:
            batch = self._arrays(parts, cells, threads)
            if len(batch):
                yield batch

    def to_pandas(self, regions: Any = None, *, cells: Any = None) -> pandas.DataFrame:
        """Read the fragments of a query into a data frame with the columns chr, start, end and cell.

        Parameters
        ----------
        regions, cells : optional
            As in `query`.

        Returns
        -------
        pandas.DataFrame
            As of `FragmentArrays.to_pandas`.

        Examples
        --------
        >>> nnz.open("testdata/bpcells/fragments_dir/basic.packed").to_pandas("chr1:0-500")
            chr  start  end       cell
        0  chr1     79  496  CELL001-1
        1  chr1     81  411  CELL013-1
        """
        return self.query(regions, cells=cells).to_pandas()

    @property
    def chr(self) -> Column:
        """The chromosome of each fragment, as its position in `chromosome_names`. Read at each access."""
        return self._column(0)

    @property
    def start(self) -> Column:
        """The first base of each fragment, counted from 0. Read at each access."""
        return self._column(1)

    @property
    def end(self) -> Column:
        """The exclusive end of each fragment. Read at each access."""
        return self._column(2)

    @property
    def cell(self) -> Column:
        """The cell of each fragment, as its position in `cell_names`. Read at each access."""
        return self._column(3)

    def _text(self) -> str:
        cells, chromosomes = self._source.cell_count(), len(self.chromosome_names)
        return (
            f"<nnz.Fragments {len(self)} fragments of {cells} cells on {chromosomes} chromosomes: {self.format}, "
            f"{self.path!r}>"
        )

    def _html(self) -> str:
        about = self.info()
        facts = [
            ("path", self.path),
            ("format", f"{about['format']}, {about['container']}"),
            ("fragments", f"{len(self):,}"),
            ("cells", f"{self._source.cell_count():,}"),
            ("chromosomes", f"{len(self.chromosome_names):,}"),
        ]
        if about["bytes"] is not None:
            facts.append(("bytes", f"{about['bytes']:,}"))
        return _show.table("nnz.Fragments", facts)


def _pieces(parts: Sequence[_nnz.Part], most: int) -> Iterator[List[_nnz.Part]]:
    """Cut parts into groups of so many positions at the most, at the ends of packed chunks where that fits."""
    group: List[_nnz.Part] = []
    room = most
    for start, end, bases in parts:
        while start < end:
            stop = min(end, start + room)
            if stop < end and stop - stop % CHUNK > start:
                stop -= stop % CHUNK
            group.append((start, stop, bases))
            room -= stop - start
            if stop < end or room == 0:
                yield group
                group, room = [], most
            start = stop
    if group:
        yield group
