"""Opening what a path holds."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _nnz
from ._errors import ArgumentError, Error, UnsupportedError
from ._file import File, listed
from ._fragments import Fragments
from ._matrix import Matrix, absolute


def open(path: Union[str, bytes, os.PathLike[Any]], *, memory: Union[int, str, None] = None) -> Union[Matrix, Fragments, File]:
    """Open a matrix, genomic fragments, or a file with several matrices.

    Parameters
    ----------
    path : str or os.PathLike
        A file or directory of any format, or ``PATH::GROUP`` for what is inside.
    memory : int or str, optional
        Bytes that reading may take, such as ``"4G"``; by default what is free allows.

    Returns
    -------
    Matrix, Fragments or File
        A `File` if there are several matrices and no group is named.

    Raises
    ------
    FileNotFoundError
        There is nothing of that name.
    nnz.FormatError
        The content is of no format that is read.
    nnz.UnsupportedError
        It holds a table or a tensor.

    Examples
    --------
    >>> nnz.open("examples/pbmc_10x_v3_mtx").shape
    (507, 1107)
    >>> nnz.open("testdata/anndata/valid/0.12.19/h5ad/full_csr.h5ad::X").dtype
    dtype('float32')
    """
    shown = os.fsdecode(path)
    try:
        source = _nnz.Source.open(shown, memory)
    except UnsupportedError as error:
        # An object of R is read as a whole each time, so that it is not looked for them first.
        try:
            return Fragments(shown, memory=memory)
        except Error:
            raise error from None
    except ArgumentError:
        # Several groups hold one each, and none is named.
        if os.path.exists(shown) and len(_nnz.groups(shown)) > 1:
            return File(shown)
        raise
    if os.path.exists(shown) and len(listed(shown)) > 1:
        return File(shown)
    return Matrix(source, absolute(shown), shown, memory)

