"""Genomic fragments on disk, read when they are asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Union

from . import _index, _nnz, _regions, _show
from ._errors import ArgumentError
from ._fragment_arrays import Column, FragmentArrays
from ._fragment_counting import CountedFragments
from ._fragment_options import FragmentOptions, FragmentSummary
from ._fragment_verbs import Source, listed, merge_fragments, write_fragments
from ._options import PathLike
from ._progress import Progress

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

BYTES = 16
"""Bytes of a fragment in memory."""
CHUNK = 128
"""Fragments that are packed together."""


class Fragments(CountedFragments):
    """Genomic fragments on disk: intervals on chromosomes, each from one cell. `nnz.open` opens them.

    Nothing is read but a header until fragments are asked for, and then no more than a query needs. Bases are
    counted from 0, and the end of a fragment is the base behind its last one. A handle can be pickled, which keeps
    its path; used after a fork; and used by several threads.

    Parameters
    ----------
    path : str or os.PathLike
        A directory of BPCells, an HDF5 file, ``PATH::GROUP``, or an object of R.
    memory : int or str, optional
        Bytes that reading may take, such as ``"4G"``; by default what is free allows.

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
            raise ArgumentError(f"{self._shown}: two chromosomes share a name")
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
        """Read the fragments that overlap regions, of some cells.

        No more is read than the parts of the file that may hold some. Regions that overlap each other have the
        fragments that they share once each.

        Parameters
        ----------
        regions : str, tuple, sequence of these, or pandas.DataFrame, optional
            ``"chr1"``, ``"chr1:10,000-20,000"``, ``"chr1:10,000-"``, or ``("chr1", 10_000, 20_000)``: from the first
            base, counted from 0, up to, and not including, the last. A data frame has chromosome, start and end in its
            first three columns. By default the whole is read.
        cells : index, optional
            A position, a slice, a name, or a list or array of positions, names or truth values.
        threads : int, optional
            Threads that read at the same time.

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
            They take more memory than allowed. `iter_batches` reads less at a time.

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
        """Read the fragments of a query in batches of a bounded size, one after the other. None is empty.

        Parameters
        ----------
        regions, cells, threads : optional
            As in `query`.
        nbytes : int
            Bytes of a batch at the most, and of one fragment at the least.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> [len(batch) for batch in fragments.iter_batches(nbytes=8192)]
        [512, 512, 76]
        """
        if nbytes < 1:
            raise ArgumentError(f"nbytes: {nbytes} is no size of a batch")
        pieces = _pieces(self._parts(regions), max(1, nbytes // BYTES))
        return self._batches(pieces, self._wanted(cells), threads)

    def _batches(self, pieces: Iterator[List[_nnz.Part]], cells: Any, threads: Any) -> Iterator[FragmentArrays]:
        for parts in pieces:
            batch = self._arrays(parts, cells, threads)
            if len(batch):
                yield batch

    def to_pandas(self, regions: Any = None, *, cells: Any = None) -> pandas.DataFrame:
        """Read the fragments of a query into a data frame with the columns chr, start, end and cell."""
        return self.query(regions, cells=cells).to_pandas()

    @property
    def chr(self) -> Column:
        """Read the chromosome of every fragment, as its position in `chromosome_names`."""
        return self._column(0)

    @property
    def start(self) -> Column:
        """Read the first base of every fragment, counted from 0."""
        return self._column(1)

    @property
    def end(self) -> Column:
        """Read the base behind the last one of every fragment."""
        return self._column(2)

    @property
    def cell(self) -> Column:
        """Read the cell of every fragment, as its position in `cell_names`."""
        return self._column(3)

    def select(
        self,
        path: PathLike,
        *,
        cells: Any = None,
        chromosomes: Any = None,
        min_length: int = 0,
        max_length: Optional[int] = None,
        allow_empty: bool = False,
        progress: Progress = None,
        **options: Unpack[FragmentOptions],
    ) -> FragmentSummary:
        """Write some of the fragments: of some cells, on some chromosomes, of some lengths.

        Parameters
        ----------
        path : str or os.PathLike
            Where they are written, as in `write`.
        cells, chromosomes : optional
            A text as in ``nnz fragments select`` (``"a,b"``, ``"@barcodes.txt"``), a list of names, or a slice,
            positions or truth values. Names of what is written have the order of the list.
        min_length, max_length : int, optional
            The fewest and the most bases of a fragment.
        allow_empty : bool
            Whether a file may list no names, so that nothing is selected.
        progress, **options : optional
            As in `write`.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.select(tmp / "short.fragments", chromosomes="chr1,chrX", max_length=147).fragments
        136
        """
        wanted = [self._listed(given, one, allow_empty) for given, one in ((cells, "cell"), (chromosomes, "chromosome"))]
        most = _regions.LAST if max_length is None else _regions.to_base(max_length)
        selected = (wanted[0], wanted[1], _regions.to_base(min_length), most)
        return write_fragments(self._path, path, selected, progress, dict(options))

    def _listed(self, given: Any, one: str, allow_empty: bool) -> Optional[List[str]]:
        if given is None:
            return None
        names = self._named(one)
        found = _index.select(listed(given, allow_empty), len(names), one, lambda: self._name_index(one))
        if found.repeated is not None:
            raise ArgumentError(f"a {one} is selected twice")
        return [str(name) for name in (names if found.positions is None else names[found.positions])]

    def write(self, path: PathLike, *, progress: Progress = None, **options: Unpack[FragmentOptions]) -> FragmentSummary:
        """Write the fragments in another form.

        The target appears when it is complete and on disk, or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            Names that end in ``.tsv`` or ``.bed``, also with ``.gz`` or ``.bgz``, become text, compressed text with an
            index for tabix. ``.h5`` and ``PATH::GROUP`` are HDF5, ``.rds`` is an object of R, all else a directory.
        progress : bool or callable, optional
            As in `nnz.convert`.
        **options
            As in `nnz.FragmentOptions`.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.write(tmp / "basic.h5").fragments
        1100
        """
        return write_fragments(self._path, path, None, progress, dict(options))

    def export(
        self,
        path: PathLike,
        *,
        force: bool = False,
        no_sync: bool = False,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> FragmentSummary:
        """Write the fragments as text: ``.tsv`` or ``.bed``, with ``.gz`` bgzipped and with an index for tabix.

        ``.bed`` has chromosome, start, end and cell; ``.tsv`` a 1 behind them, as files of 10x have counts.

        Parameters
        ----------
        path : str or os.PathLike
            Where the text is written.
        force, no_sync, threads : optional
            As in `nnz.FragmentOptions`.
        progress : bool or callable, optional
            As in `nnz.convert`.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.export(tmp / "fragments.tsv.gz").fragments
        1100
        >>> (tmp / "fragments.tsv.gz.tbi").exists()
        True
        """
        if not _nnz.becomes_text(os.fsdecode(path)):
            raise ArgumentError(f"{os.fsdecode(path)}: names of text end in .tsv or .bed, also with .gz; write() writes stores")
        options = {"force": force, "no_sync": no_sync, "threads": threads}
        return write_fragments(self._path, path, None, progress, options)

    def merge(
        self,
        others: Union[Source, Sequence[Source]],
        path: PathLike,
        *,
        prefix: Union[str, Sequence[str]] = (),
        progress: Progress = None,
        **options: Unpack[FragmentOptions],
    ) -> FragmentSummary:
        """Write these fragments and others as one store, these first. See `nnz.merge_fragments`."""
        more = [others] if isinstance(others, (str, bytes, os.PathLike, Fragments)) else list(others)
        return merge_fragments([self, *more], path, prefix=prefix, progress=progress, **options)

    def __repr__(self) -> str:
        cells, chromosomes = self._source.cell_count(), len(self.chromosome_names)
        return (
            f"<nnz.Fragments {len(self)} fragments of {cells} cells on {chromosomes} chromosomes: {self.format}, "
            f"{self._shown!r}>"
        )

    def _repr_html_(self) -> str:
        about = self.info()
        facts = [
            ("path", self._shown),
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
