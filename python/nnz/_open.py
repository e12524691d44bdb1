"""Opening what a path holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Union

from ._file import open_location
from ._options import path_text
from ._reading import ReadOptions, reading
from ._storage import StorageOptions, storage

if TYPE_CHECKING:
    from typing_extensions import Unpack


def open(
    path: Union[str, bytes, os.PathLike[Any]],
    *,
    memory: Union[int, str, None] = None,
    storage_options: StorageOptions = None,
    **options: Unpack[ReadOptions],
) -> Any:
    """Open a matrix, a tensor, a table or genomic fragments, or a file with several of them.

    Parameters
    ----------
    path : str or os.PathLike
        A file or directory of any format, or ``PATH::GROUP`` for a group in a file; also a URL, such as
        ``s3://BUCKET/atlas.bpcells``.
    memory : int or str, optional
        Memory limit for reading, in bytes or such as ``"4G"``; by default determined by the free memory.
    storage_options : mapping, optional
        Options of URLs, such as ``{"anon": True}``, as in `set_storage_options`. They are pickled with the result.
    **options
        As in `nnz.ReadOptions`: the format, and options of the format. They are pickled with the result.

    Returns
    -------
    Matrix, Tensor, Table, Fragments or File
        A `File` for AnnData and Loom, which is a `Matrix` with members, and for any file with several matrices. A vector
        is a `Matrix` of one column. All are closed by ``with`` blocks and `close`.

    Raises
    ------
    FileNotFoundError
        The path does not exist.
    nnz.FormatError
        The content matches no supported format.
    nnz.ArgumentError
        The format does not have an option, or its value is invalid.
    nnz.CorruptFileError
        The header is damaged.

    Examples
    --------
    >>> nnz.open("examples/pbmc_10x_v3_mtx").shape
    (507, 1107)
    >>> nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad::X").dtype
    dtype('float32')
    >>> _ = (tmp / "x.csv").write_text("id,a,b\\n1,0.5,NA\\n2,0,7\\n")
    >>> nnz.open(tmp / "x.csv", na="NA", id_columns=1).to_numpy()
    array([[0.5, nan],
           [0. , 7. ]])
    """
    shown, given = path_text(path), reading(options)
    with storage(storage_options):
        return open_location(shown, shown, memory, given)
