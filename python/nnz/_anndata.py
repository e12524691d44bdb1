"""An AnnData whose matrices are read when they are asked for."""

from __future__ import annotations

import os
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Optional, Tuple, Union

import numpy as np

from . import _convert, _nnz, _scanpy, _stored_arrays
from ._base import BaseMatrix
from ._errors import ArgumentError, CorruptFileError, Error, UnsupportedError
from ._external import load
from ._file import File
from ._handle import Memory, NoHandle, handle_of
from ._matrix import Matrix
from ._members import divided, inside, listed
from ._open import open as open_path
from ._options import path_text
from ._partitions import version_of
from ._storage import StorageOptions, storage
from ._stored import open_stored

if TYPE_CHECKING:
    from ._external import anndata

TABLES = ("obs", "var", "obsm", "varm", "obsp", "varp", "uns")
SPARSE = ("csr_matrix", "csc_matrix")
"""Encodings of sparse matrices."""
NO_MATRIX = ("awkward-array", "dataframe", "null", "string-array")
"""Encodings of layers that anndata reads, as they are no matrices of numbers."""


def read_anndata(
    path: Union[str, bytes, os.PathLike[Any]],
    *,
    backed: bool = True,
    nbytes: int = 1 << 26,
    memory: Union[int, str, None] = None,
    var_names: Optional[str] = None,
    dtype: Any = None,
    storage_options: StorageOptions = None,
) -> anndata.AnnData:
    """Read an AnnData with lazily loaded `X`, layers and `raw.X`.

    They are dask arrays. A chunk has some rows, or some columns if the matrix is stored by column. Functions that
    support dask arrays, such as functions of scanpy, process them chunk by chunk; ``adata[some].to_memory()`` reads only
    the chunks with these rows.

    dask has no reductions such as ``X.sum(axis=0)`` for sparse matrices of SciPy: methods of `Matrix` read the file in
    one pass.

    Parameters
    ----------
    path : str or os.PathLike
        An ``.h5ad`` or ``.zarr`` of AnnData, ``PATH::GROUP`` for one in a file, such as ``m.h5mu::mod/rna``, or a matrix
        of any format. The annotations of its rows and columns become `obs` and `var`, with cells as `obs` if the format
        states which axis is cells, and the columns of a matrix of R.
    backed : bool
        False reads all of it into memory, and does not need dask.
    nbytes : int
        Approximate size of a chunk in memory, in bytes. A chunk has at least one row or column.
    memory : int or str, optional
        Memory limit for reading a matrix, in bytes or such as ``"4G"``; by default determined by the free memory.
    var_names : {"gene_symbols", "gene_ids"}, optional
        Names of the features of a 10x matrix, as in scanpy: by default symbols, which are made unique. The ids are the
        column `gene_ids` then.
    dtype : data-type, optional
        Type of the values of a 10x matrix, by default float32 for integers, as in scanpy.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.

    Returns
    -------
    anndata.AnnData
        Sparse matrices are `csr_matrix` or `csc_matrix`, as stored in the file; dense ones are arrays. The rest of the
        file is in memory, as anndata reads it.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.CorruptFileError
        The file is damaged.
    nnz.ArgumentError
        The file has several matrices and is not AnnData. Of MuData the message lists the modalities.
    nnz.CastError
        A count of a 10x matrix cannot be stored exactly as float32, or as `dtype`.
    ImportError
        anndata is not installed, or dask for ``backed=True``.

    Examples
    --------
    >>> adata = nnz.read_anndata("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad")
    >>> adata.shape, list(adata.layers)
    ((11, 7), ['counts', 'scaled'])
    >>> adata[:3].to_memory().X.shape
    (3, 7)
    >>> nnz.read_anndata("examples/pbmc_10x_v3_mtx", backed=False).var.columns.tolist()
    ['gene_ids', 'feature_types']
    """
    tenx = _scanpy.TenxOptions(var_names, dtype)
    if nbytes < 1:
        raise ArgumentError(f"nbytes {nbytes}: expected 1 or more")
    _anndata()
    shown = path_text(path)
    with storage(storage_options), _one_family(shown):
        shown = _full(shown)
        reader = _Reader(shown, backed, nbytes, memory)
        dense = False
        with _store(shown) as store:
            if store is not None and _is_group(store):
                if _encoding(store) == "MuData":
                    raise _several(shown, store)
                if "obs" in store and "var" in store:
                    tenx.check_unused(shown)
                    return reader.whole(store)
            elif store is not None:
                # An array in the file, such as `obsm/X_pca`.
                dense = True
        return reader.matrix(dense, tenx)


def _full(path: str) -> str:
    """Return a path with the full path of its group: that of a modality of MuData can be without `mod`."""
    file, group = divided(path)
    full = _nnz.full_group(file, group) if group else group
    return path if full == group else _nnz.within(file, full)


@contextmanager
def _one_family(path: str) -> Generator[None, None, None]:
    """Raise what anndata, h5py and zarr raise for damaged files as an error of this package."""
    try:
        yield
    except (Error, ImportError, MemoryError) as error:
        _clear_frames(error)
        raise
    except Exception as error:
        _clear_frames(error)
        # h5py raises OSError without a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise CorruptFileError(f"{path}: anndata cannot read it: {error}", path) from error


def _clear_frames(error: Optional[BaseException]) -> None:
    """Clear the local variables of an error's traceback.

    An iteration over the values or items of an h5py group holds h5py's lock until it is closed. The traceback of an
    error inside of the loop keeps it open, and other threads would wait for the lock while the error is kept.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def _several(path: str, store: Any) -> ArgumentError:
    """Return the error for a file of several AnnData."""
    hidden = _nnz.without_secrets(path)
    names = list(store["mod"]) if "mod" in store else []
    order: Any = store["mod"].attrs.get("mod-order", names) if names else names
    known = [name for name in (os.fsdecode(name) for name in order) if name in names] or names
    example = inside(hidden, f"mod/{known[0]}") if known else f"{hidden}::mod/NAME"
    what = f"MuData, which has an AnnData for each modality: {', '.join(known)}" if known else "MuData without modalities"
    return ArgumentError(f"{hidden}: {what}; nnz.read_anndata({example!r}) reads one", hidden)


class _Reader:
    """Reads a file, with what was asked for."""

    def __init__(self, path: str, backed: bool, nbytes: int, memory: Memory) -> None:
        self._path = path
        self._group = divided(path)[1]
        self._backed = backed
        self._nbytes = nbytes
        self._memory = memory

    def whole(self, store: Any) -> anndata.AnnData:
        """Read all of a file of AnnData."""
        if not hasattr(store["obs"], "keys"):
            return self._before_groups(store)
        parts: Dict[str, Any] = {key: self._element(store[key], store) for key in TABLES if key in store}
        if "X" in store:
            parts["X"] = self._entries("X", store)
        if "layers" in store:
            parts["layers"] = {name: self._entries(f"layers/{name}", store) for name in store["layers"]}
        if "raw" in store:
            raw = store["raw"]
            parts["raw"] = {key: self._element(raw[key], store) for key in ("var", "varm") if key in raw}
            if "X" in raw:
                parts["raw"]["X"] = self._entries("raw/X", store)
        made: anndata.AnnData = _anndata().AnnData(**parts)
        return made

    def _before_groups(self, store: Any) -> anndata.AnnData:
        """Read a file of anndata before 0.7, which had tables in one dataset each."""
        if self._group:
            raise UnsupportedError(f"{self._path}: a group of AnnData before 0.7 cannot be read", self._path)
        # It is read by the functions of that time, which do not check matrices.
        self._check(store, store)
        # It has the layers in memory for a moment.
        old = _anndata().read_h5ad(self._path, backed="r")
        try:
            parts: Dict[str, Any] = {key: getattr(old, key) for key in TABLES}
            if "X" in store:
                parts["X"] = self._entries("X", store)
            parts["layers"] = {name: self._entries(f"layers/{name}", store) for name in old.layers}
            if old.raw is not None:
                parts["raw"] = {"var": old.raw.var, "varm": dict(old.raw.varm)}
                parts["raw"]["X"] = self._entries("raw/X" if "raw/X" in store else "raw.X", store)
            made: anndata.AnnData = _anndata().AnnData(**parts)
            return made
        finally:
            old.file.close()

    def matrix(self, dense: bool, tenx: _scanpy.TenxOptions) -> anndata.AnnData:
        """Read a matrix, its names and annotations."""
        found: Any = open_path(self._path, memory=self._memory)
        # A variable of a .mat file is opened with all others as members.
        is_one = bool(self._group) and not isinstance(handle_of(found), NoHandle)
        if not isinstance(found, Matrix) or (isinstance(found, File) and len(found) > 1 and not is_one):
            raise self._several_matrices(found)
        if not _scanpy.is_tenx(found):
            tenx.check_unused(self._path)
        return _convert.to_anndata(found, lambda matrix, dtype: self._of(matrix, dense, dtype), tenx)

    def _several_matrices(self, found: Any) -> ArgumentError:
        hidden = _nnz.without_secrets(self._path)
        if not isinstance(found, File):
            return ArgumentError(f"{hidden}: expected an AnnData or a matrix, not a {type(found).__name__}", hidden)
        what = f"{hidden}: expected a single matrix, not several: {listed(found)}; nnz.read_anndata({inside(hidden, next(iter(found)))!r}) reads one"
        whole = "matrix" in found and found.format == "Loom"
        return ArgumentError(f"{what}, and nnz.convert({hidden!r}, 'all.h5ad') makes an AnnData of all" if whole else what, hidden)

    def _entries(self, path: str, store: Any) -> Any:
        """Read `X` or a layer. anndata reads damaged matrices without an error, so that only nnz reads matrices."""
        element = store[path]
        # X has numbers.
        if _encoding(element) in NO_MATRIX and path.startswith("layers/"):
            return self._element(element, store)
        return self._of(self._matrix(path), dense=not _is_group(element))

    def _element(self, element: Any, store: Any) -> Any:
        """Read an element with anndata, except for the sparse matrices in it."""

        def read(function: Callable[[Any], Any], _: str, element: Any, *, iospec: Any) -> Any:
            if not _is_sparse(element):
                return function(element)
            return self._sparse(element, store)

        return load("anndata.experimental", "read_anndata").read_dispatched(element, read)

    def _check(self, group: Any, store: Any) -> None:
        """Read the sparse matrices in a group, and raise an error if one is damaged."""
        for element in group.values():
            if _is_sparse(element):
                self._sparse(element, store)
            elif _is_group(element):
                self._check(element, store)

    def _sparse(self, element: Any, store: Any) -> Any:
        path: str = element.name.lstrip("/")
        if self._group:
            path = path.removeprefix(f"{self._group.strip('/')}/")
        if _is_elsewhere(element, store):
            what = "an external link to a matrix is not followed"
            raise UnsupportedError(f"{self._path}: {path}: {what}", self._path)
        if path.startswith("uns/"):
            return _stored_arrays.read(element, inside(self._path, path), self._memory, matrix=not _arrays())
        return self._matrix(path).to_scipy(matrix=not _arrays())

    def _matrix(self, path: str) -> Matrix:
        return Matrix(inside(self._path, path), memory=self._memory)

    def _of(self, matrix: BaseMatrix, dense: bool, dtype: Optional[np.dtype[Any]] = None) -> Any:
        if self._backed:
            return _lazy(matrix, dense, dtype or matrix.dtype, self._nbytes)
        found = matrix.to_numpy() if dense else matrix.to_scipy(matrix=not _arrays())
        return _scanpy.cast(found, dtype or matrix.dtype)


def _lazy(matrix: BaseMatrix, dense: bool, dtype: np.dtype[Any], nbytes: int) -> Any:
    """Make an array of dask of a matrix."""
    axis = 0 if matrix.order == "row" else 1
    step = _step(matrix, axis, dense, nbytes)
    length = matrix.shape[axis]
    sizes = (step,) * (length // step) + ((length % step,) if length % step or not length else ())
    chunks: Tuple[Any, ...] = (sizes, matrix.shape[1]) if axis == 0 else (matrix.shape[0], sizes)
    block = _Block(matrix, axis, dense, dtype)
    array, base = (load(module, "backed=True") for module in ("dask.array", "dask.base"))
    name = f"nnz-{base.tokenize(block)}-{step}"
    return array.map_blocks(block, chunks=chunks, dtype=dtype, meta=block.empty(), name=name)


def _step(matrix: BaseMatrix, axis: int, dense: bool, nbytes: int) -> int:
    """Return how many rows or columns make a chunk."""
    length, across = matrix.shape[axis], matrix.shape[1 - axis]
    if dense or matrix.nnz is None:
        each = across * matrix.dtype.itemsize
    else:
        each = matrix.nnz * (matrix.dtype.itemsize + 4) // max(length, 1) + 4
    return max(1, min(length, nbytes // max(each, 1)))


class _Block:
    """Reads a chunk. It can be pickled, as its matrix can."""

    def __init__(self, matrix: BaseMatrix, axis: int, dense: bool, dtype: np.dtype[Any]) -> None:
        self._matrix = matrix
        self._axis = axis
        self._dense = dense
        self._dtype = dtype

    def __call__(self, block_info: Any = None) -> Any:
        start, end = block_info[None]["array-location"][self._axis]
        return _scanpy.cast(self._read(start, end), self._dtype)

    def empty(self) -> Any:
        """Return a chunk without rows and columns."""
        if self._dense:
            return np.empty((0, 0), self._dtype)
        return _convert.kind_of(self._axis == 0, not _arrays())((0, 0), dtype=self._dtype)

    def _read(self, start: int, end: int) -> Any:
        positions = np.arange(start, end, dtype=np.uint64)
        handle = handle_of(self._matrix)
        source, memory = handle.source, handle.memory
        part = source.select(positions, None) if self._axis == 0 else source.select(None, positions)
        if self._dense:
            return _convert.read_dense(part, memory, "row")
        return _convert.read(part, memory, matrix=not _arrays())

    def __dask_tokenize__(self) -> Tuple[Any, ...]:
        handle = handle_of(self._matrix)
        # A file that was replaced has other chunks.
        return handle.path, handle.transposed, self._axis, self._dense, str(self._dtype), version_of(handle.path)


def _arrays() -> bool:
    """Return whether anndata is set to read sparse arrays, and not matrices."""
    return bool(getattr(getattr(_anndata(), "settings", None), "use_sparse_array_on_read", False))


def _is_group(element: Any) -> bool:
    return hasattr(element, "keys")


def _is_sparse(element: Any) -> bool:
    return _is_group(element) and (_encoding(element) in SPARSE or "h5sparse_format" in element.attrs)


def _encoding(element: Any) -> str:
    found: Any = element.attrs.get("encoding-type", "")
    return os.fsdecode(found) if isinstance(found, bytes) else str(found)


def _is_elsewhere(element: Any, store: Any) -> bool:
    """Return whether an external link leads to another file of HDF5, in which the name belongs to another element."""
    if not hasattr(element, "file"):
        return False
    info = load("h5py", "read_anndata").h5o.get_info
    return bool(info(element.id).fileno != info(store.id).fileno)


def _anndata() -> Any:
    return load("anndata", "read_anndata")


@contextmanager
def _store(whole: str) -> Generator[Any, None, None]:
    """Open a file of HDF5 or Zarr, or a group in one; None where it is neither."""
    path, group = divided(whole)
    with _file(path) as store:
        yield store if store is None or not group else store[group] if group in store else None


@contextmanager
def _file(path: str) -> Generator[Any, None, None]:
    """Open a file of HDF5 or Zarr; None where it is neither."""
    if _nnz.is_url(path):
        store = open_stored(path)
        try:
            yield store
        finally:
            # Groups of Zarr are not closed.
            getattr(store, "close", bool)()
        return
    if os.path.isdir(path):
        if not any(os.path.exists(os.path.join(path, name)) for name in (".zgroup", "zarr.json")):
            yield None
            return
        yield load("zarr", "read_anndata").open_group(path, mode="r")
        return
    h5py = load("h5py", "read_anndata")
    if not os.path.isfile(path) or not h5py.is_hdf5(path):
        yield None
        return
    with h5py.File(path, "r") as file:
        yield file
