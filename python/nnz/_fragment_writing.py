"""Writing fragments, all or some of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

from . import _index, _nnz, _regions
from ._errors import ArgumentError
from ._fragment_handle import FragmentReader
from ._fragment_options import FragmentOptions, FragmentSummary
from ._fragment_verbs import Source, listed, merge_fragments, write_fragments
from ._options import PathLike
from ._progress import Progress
from ._storage import storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


class WrittenFragments(FragmentReader):
    """Fragments that can be written."""

    __slots__ = ()

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
        """Write the fragments of selected cells, chromosomes and lengths.

        Parameters
        ----------
        path : str or os.PathLike
            Where the fragments are written, as in `write`.
        cells, chromosomes : optional
            A string as in ``nnz fragments select`` (``"a,b"``, ``"@barcodes.txt"``), a list of names, or a slice,
            positions or booleans. Names in the target have the order of the list.
        min_length, max_length : int, optional
            The minimum and the maximum length of a fragment, in bases.
        allow_empty : bool
            Whether an empty list file, which selects nothing, is allowed; by default it is an error.
        progress, **options : optional
            As in `write`.

        Returns
        -------
        nnz.FragmentSummary

        Raises
        ------
        KeyError
            No cell or chromosome has the name.
        nnz.ArgumentError
            A cell or chromosome is selected twice.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.select(tmp / "short.fragments", chromosomes="chr1,chrX", max_length=147).fragments
        136
        """
        wanted = [self._listed(given, one, allow_empty) for given, one in ((cells, "cell"), (chromosomes, "chromosome"))]
        most = _regions.LAST if max_length is None else _regions.to_base(max_length)
        selected = (wanted[0], wanted[1], _regions.to_base(min_length), most)
        with storage(self._handle.storage_options):
            return write_fragments(self._handle.path, path, selected, progress, dict(options))

    def _listed(self, given: Any, one: str, allow_empty: bool) -> Optional[List[str]]:
        if given is None:
            return None
        names = self._named(one)
        found = _index.select(listed(given, allow_empty), len(names), one, self._finder(one))
        if found.repeated is not None:
            raise ArgumentError(f"a {one} is selected twice")
        return [str(name) for name in (names if found.positions is None else names[found.positions])]

    def write(self, path: PathLike, *, progress: Progress = None, **options: Unpack[FragmentOptions]) -> FragmentSummary:
        """Write all fragments to another fragment file, or as text.

        The target is written atomically, and synced to disk.

        Parameters
        ----------
        path : str or os.PathLike
            ``.tsv`` and ``.bed``, also with ``.gz`` or ``.bgz``, are text; compressed text gets a tabix index. ``.h5``
            and ``PATH::GROUP`` are HDF5, ``.rds`` is an R object, everything else a directory.
        progress : bool or callable, optional
            As in `nnz.convert`.
        **options
            As in `nnz.FragmentOptions`.

        Returns
        -------
        nnz.FragmentSummary

        Raises
        ------
        nnz.ExistsError
            The target exists, and ``force`` is not set.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.write(tmp / "basic.h5").fragments
        1100
        """
        with storage(self._handle.storage_options):
            return write_fragments(self._handle.path, path, None, progress, dict(options))

    def export(
        self,
        path: PathLike,
        *,
        force: bool = False,
        no_sync: bool = False,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> FragmentSummary:
        """Write the fragments as text: ``.tsv`` or ``.bed``; with ``.gz`` bgzipped, with a tabix index.

        ``.bed`` has chromosome, start, end and cell; ``.tsv`` has a fifth column, the count of 10x files, always 1.

        Parameters
        ----------
        path : str or os.PathLike
            Where the text is written.
        force, no_sync, threads : optional
            As in `nnz.FragmentOptions`.
        progress : bool or callable, optional
            As in `nnz.convert`.

        Returns
        -------
        nnz.FragmentSummary

        Raises
        ------
        nnz.ArgumentError
            The extension is not one of text.
        nnz.ExistsError
            The target exists, and ``force`` is not set.

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> fragments.export(tmp / "fragments.tsv.gz").fragments
        1100
        >>> (tmp / "fragments.tsv.gz.tbi").exists()
        True
        """
        if not _nnz.becomes_text(os.fsdecode(path)):
            expected = "expected the extension .tsv, .txt or .bed, also with .gz; write() writes fragment files"
            raise ArgumentError(f"{os.fsdecode(path)}: {expected}")
        options = {"force": force, "no_sync": no_sync, "threads": threads}
        with storage(self._handle.storage_options):
            return write_fragments(self._handle.path, path, None, progress, options)

    def merge(
        self,
        others: Union[Source, Sequence[Source]],
        path: PathLike,
        *,
        prefix: Union[str, Sequence[str]] = (),
        progress: Progress = None,
        **options: Unpack[FragmentOptions],
    ) -> FragmentSummary:
        """Merge these and other fragments into one fragment file. Cells of these come first.

        Parameters
        ----------
        others : str, os.PathLike or Fragments, or a sequence of these
            The other fragment files.
        path : str or os.PathLike
            Where the fragments are written, as in `write`.
        prefix, progress, **options : optional
            As in `nnz.merge_fragments`; these fragments have the first prefix.

        Returns
        -------
        nnz.FragmentSummary

        Examples
        --------
        >>> fragments = nnz.open("testdata/bpcells/fragments_dir/basic.packed")
        >>> other = "testdata/bpcells/fragments_dir/boundary.packed"
        >>> fragments.merge(other, tmp / "merged.fragments", prefix=["a_", "b_"]).cells
        34
        """
        more = [others] if isinstance(others, (str, bytes, os.PathLike, FragmentReader)) else list(others)
        return merge_fragments([self, *more], path, prefix=prefix, progress=progress, **options)
