"""Opening what a path holds."""

from __future__ import annotations

import os
from typing import Any, Union

from . import _nnz
from ._errors import ArgumentError
from ._file import File, listed
from ._matrix import Matrix, absolute


def open(path: Union[str, bytes, os.PathLike[Any]], *, memory: Union[int, str, None] = None) -> Union[Matrix, File]:
    """Open a matrix, or a file with several.

    Parameters
    ----------
    path : str or os.PathLike
        A file or directory of any format, or ``PATH::GROUP`` for a matrix inside.
    memory : int or str, optional
        Bytes that reading may take, such as ``"4G"``; by default what is free allows.

    Returns
    -------
    Matrix or File
        A `File` if there are several matrices and no group is named.

    Raises
    ------
    FileNotFoundError
        There is nothing of that name.
    nnz.FormatError
        The content is of no format that is read.
    nnz.UnsupportedError
        It holds fragments, a table or a tensor.

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
    except ArgumentError:
        # Several groups hold one each, and none is named.
        if os.path.exists(shown) and len(_nnz.groups(shown)) > 1:
            return File(shown)
        raise
    if os.path.exists(shown) and len(listed(shown)) > 1:
        return File(shown)
    return Matrix(source, absolute(shown), shown, memory)

