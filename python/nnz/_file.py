"""A file with several matrices, such as one of AnnData."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple, Union, cast

from . import _nnz, _show
from ._dataset import Dataset, dataset_of
from ._errors import ArgumentError, FormatError, UnknownNameError
from ._file_parts import MAIN, FileParts
from ._handle import Memory, NoHandle, absolute
from ._matrix_handle import MatrixHandle
from ._members import Shapes, datasets_among, inside, listed, matrices_among
from ._options import PathLike, path_text
from ._reading import Reading, ReadOptions, reading
from ._storage import StorageOptions, entered, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack

class File(FileParts):
    """A file with several matrices: its main matrix, and a mapping from the paths of all to what they are.

    `nnz.open` returns one for files of AnnData and Loom, and for others with several matrices, tensors or fragments.
    The main matrix is `X` of AnnData and ``matrix`` of Loom. All properties and methods of a `Matrix` are about it, so
    that what works for a file with `X` only works for one with layers, too.

    A string as an index opens a member, such as ``"layers/counts"``. A string that is no member is the name of a row of
    the main matrix; a member takes precedence, and ``f.X["counts"]`` is a row in any case. Any other index reads the
    main matrix, as in AnnData: ``f[:10, :10]``, ``f[mask]``, ``f[["cell1", "cell2"]]``.

    Parameters
    ----------
    path : str or os.PathLike
        The file, or ``PATH::GROUP`` for one in a file, such as ``m.h5mu::mod/rna``.
    memory : int or str, optional
        Memory limit for reading a member, in bytes or such as ``"4G"``; by default determined by the free memory.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.
    **options
        As in `nnz.ReadOptions`. They are pickled with the result.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.FormatError
        The file has no members with paths.

    Examples
    --------
    >>> with nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad") as f:
    ...     f.shape, list(f.layers), f[:3, :2].shape, f["layers/counts"].axis_kinds
    ((11, 7), ['counts', 'scaled'], (3, 2), ('cells', 'features'))
    """

    __slots__ = ()

    def __init__(
        self,
        path: PathLike,
        *,
        memory: Memory = None,
        storage_options: StorageOptions = None,
        **options: Unpack[ReadOptions],
    ) -> None:
        shown, given = path_text(path), reading(options)
        with storage(storage_options):
            source, members = _listed(shown, memory, given)
            if not members:
                hidden = _nnz.without_secrets(shown)
                raise FormatError(f"{hidden}: expected a container of matrices", hidden)
            self._set(source, shown, shown, memory, given, members)

    @classmethod
    def made(
        cls, source: Optional[_nnz.Source], path: str, shown: str, memory: Memory, given: Reading, members: Shapes
    ) -> File:
        """Return a file whose members were listed, in the present `storage` block."""
        made = cls.__new__(cls)
        made._set(source, path, shown, memory, given, members)
        return made

    def _set(
        self, source: Optional[_nnz.Source], path: str, shown: str, memory: Memory, given: Reading, members: Shapes
    ) -> None:
        self._location = absolute(path)
        self._memory = memory
        self._reading = given
        self._options = entered()
        self._members = members
        if source is None:
            hidden = _nnz.without_secrets(shown)
            what = (
                f"{hidden}: the file has several matrices, and none is the main one: take one by its path, such as "
                f"f[{next(iter(members))!r}]; it has {listed(members)}"
            )
            self._start(cast(Any, NoHandle(hidden, ArgumentError(what, hidden))))
        else:
            self._start(MatrixHandle(self._location, shown, memory, source, given))

    def __getitem__(self, key: Any) -> Any:
        """Open a member, or read rows and columns of the main matrix.

        Parameters
        ----------
        key : str, or an index of a `Matrix`
            The path of a member, such as ``"layers/counts"``; or what `Matrix` takes, such as ``[:10, :10]``, a mask,
            or the name of a row that is not the path of a member.

        Returns
        -------
        Matrix, Tensor, Table, Fragments, File or scipy.sparse array
            A member, or what an index of the main matrix returns.

        Raises
        ------
        KeyError
            There is no such member, row or column.
        nnz.ArgumentError
            The file has no main matrix. The message lists the members.
        nnz.Error
            As for an index of a `Matrix`.

        Examples
        --------
        >>> f = nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad")
        >>> f["obsm/X_pca"].shape, f[[0, 2], :].shape, f[f.obs["n_counts"] > 0].shape[1]
        ((11, 3), (2, 7), 7)
        """
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key in self:
            return self._member(key)
        known = f"the members are {listed(self._members)}"
        if not self._has_main:
            raise UnknownNameError(f"{self.path}: no member is named {key!r}; {known}", self.path)
        try:
            return super().__getitem__(key)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}, and no member; {known}", self.path) from None

    def _member(self, key: str) -> Any:
        """Open a member."""
        self._check_open()
        with storage(self._options):
            # The names of columns and elements to leave out are those of the whole file.
            return open_location(inside(self._location, key), inside(self.path, key), self._memory, {})

    def __contains__(self, key: object) -> bool:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        self._check_open()
        return key in self._members

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        self._check_open()
        return iter(self._members)

    def __len__(self) -> int:
        self._check_open()
        return len(self._members)

    def keys(self) -> KeysView[str]:
        """Return the paths of the members.

        Returns
        -------
        collections.abc.KeysView

        Examples
        --------
        >>> list(nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad").keys())[:3]
        ['X', 'raw/X', 'layers/counts']
        """
        self._check_open()
        # A view of this file, so that it ends when the file is closed.
        return KeysView(cast(Any, self))

    def values(self) -> ValuesView[Any]:
        """Return the members, each of which is opened when it is taken.

        Returns
        -------
        collections.abc.ValuesView

        Examples
        --------
        >>> file = nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad")
        >>> [member.shape for member in file.values()][:3]
        [(11, 7), (11, 10), (11, 7)]
        """
        return ValuesView(cast(Any, self))

    def items(self) -> ItemsView[str, Any]:
        """Return the paths of the members and the members, each of which is opened when it is taken.

        Returns
        -------
        collections.abc.ItemsView

        Examples
        --------
        >>> file = nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad")
        >>> {path: member.shape for path, member in file.items()}["obsm/X_pca"]
        (11, 3)
        """
        return ItemsView(cast(Any, self))

    def get(self, key: str, default: Any = None) -> Any:
        """Open a member, or return something else if there is none.

        Parameters
        ----------
        key : str
            The path of the member.
        default : object
            The value to return if there is none.

        Returns
        -------
        Matrix, Tensor, Table, Fragments or File, or `default`

        Examples
        --------
        >>> nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad").get("layers/none") is None
        True
        """
        return self._member(key) if key in self else default

    def __reduce__(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        self._check_open()
        return _created, (self._location, self.path, self._memory, self._reading, self._options)

    def _text(self) -> str:
        names = listed(self._members)
        if not self._has_main:
            return f"<nnz.File {self.path!r}: {names}>"
        return f"{super()._text()[:-1]}; {names}>"

    def _html(self) -> str:
        shapes = [(name, " x ".join(map(str, shape))) for name, shape in self._members.items()]
        facts = _show.facts(self) if self._has_main else [("path", self.path)]
        return _show.table("nnz.File", [*facts, *shapes])


cast(Any, Mapping).register(File)


def _created(path: str, shown: str, memory: Memory, given: Reading, options: Any) -> File:
    with storage(options):
        source, members = _listed(path, memory, given)
        return File.made(source, path, shown, memory, given, members)


def open_location(path: str, shown: str, memory: Memory, given: Reading) -> Union[Dataset, File]:
    """Open what a path holds, in the present `storage` block. Messages show the path as it was given."""
    source, members = _listed(path, memory, given)
    if members:
        return File.made(source, path, shown, memory, given, members)
    return dataset_of(source, path, memory, shown, given)


def _listed(path: str, memory: Memory, given: Reading) -> Tuple[Any, Shapes]:
    """Open a path and list its members: none of a single matrix, unless it is the main one of a file.

    The source is None without a main matrix.
    """
    source, found, are_several = _nnz.open_listed(path, memory, given)
    members = datasets_among(found) if are_several else matrices_among(found)
    if source is None and not members:
        # The error says what there is.
        return _nnz.open(path, memory, given), {}
    if source is None:
        return None, members
    if isinstance(source, _nnz.Source) and (len(members) > 1 or any(name in members for name in MAIN)):
        return source, members
    return (None, members) if len(members) > 1 else (source, {})
