"""Partitions and batches of a matrix, for other processes and training."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from . import _training
from ._handle import Opened
from ._matrix_handle import MatrixHandle
from ._partitions import Partition, partitions


class Parallel(Opened[MatrixHandle]):
    """Batches of cells, partitions, and arrays of dask of a matrix."""

    __slots__ = ()

    def batches(
        self,
        size: int,
        *,
        shuffle: bool = True,
        block: int = 64,
        buffer: Optional[int] = None,
        seed: int = 0,
        drop_last: bool = False,
        annotations: Optional[Sequence[str]] = None,
        dtype: Any = None,
        axis: Optional[str] = None,
    ) -> _training.Batches:
        """Return batches of cells for training, in random order, without rewriting the data.

        Blocks of adjacent cells are taken in random order. As many of them as fit into a buffer are read at once, on
        all cores, and their cells are shuffled. A background thread reads the next buffer while the current one is used,
        so two buffers are in memory: twice `buffer` times the entries of a cell, each of 4 bytes and the size of a value.

        Parameters
        ----------
        size : int
            Number of cells in a batch; the last one may have fewer.
        shuffle : bool
            Whether the order is random. If not, it is the order of the file.
        block : int
            Number of adjacent cells that are read together. Larger blocks are faster to read, in particular from URLs,
            and less random; 1 is a random order of all cells.
        buffer : int, optional
            Number of cells that are read and shuffled at once, at least `size`; rounded up to a multiple of it. By
            default 8192.
        seed : int
            Seed of the random order. The order depends on it, the epoch, the sizes, and the version of NumPy.
        drop_last : bool
            Whether to leave out a last batch with fewer cells.
        annotations : sequence of str, optional
            The columns of the annotations of cells that batches have. They are in memory as a whole.
        dtype : numpy.dtype, optional
            The type of values in batches; by default as stored. Values may be rounded to a floating-point type; others
            that do not fit are an error.
        axis : {"rows", "cols", "cells", "features"}, optional
            The axis of the cells. By default as stated in the file, otherwise the rows, or the columns of a matrix of R.

        Returns
        -------
        nnz.Batches
            Of `nnz.Batch`, whose `x` has cells as rows, whatever the orientation of the file.

        Raises
        ------
        nnz.UnsupportedError
            Cells cannot be read one by one: the matrix is stored by feature, or is text.
        KeyError
            There is no annotation with the name.
        nnz.ArgumentError
            An argument is invalid.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> m = nnz.open(tmp / "pbmc.bpcells")
        >>> batch = next(iter(m.batches(256, seed=1)))
        >>> batch.x.shape, batch.index.shape
        ((256, 507), (256,))
        """
        options = annotations, dtype, drop_last
        return _training.batches(self._handle, size, shuffle, block, buffer, seed, axis, options)

    def to_torch_dataset(
        self,
        size: int,
        *,
        layout: str = "csr",
        shuffle: bool = True,
        block: int = 64,
        buffer: Optional[int] = None,
        seed: int = 0,
        drop_last: bool = False,
        annotations: Optional[Sequence[str]] = None,
        dtype: Any = "float32",
        axis: Optional[str] = None,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
    ) -> Any:
        """Return batches of cells as an iterable dataset of PyTorch. Requires torch.

        A ``torch.utils.data.DataLoader`` takes it with ``batch_size=None``. In an epoch, each cell is in one batch of one
        worker of one process (rank). All ranks have to use the same arguments, number of workers, and version of NumPy,
        and call ``set_epoch`` before each epoch, as for a ``DistributedSampler``.

        Parameters
        ----------
        size : int
            Number of cells in a batch.
        layout : {"csr", "dense"}
            The layout of the tensor ``"x"``.
        shuffle, block, buffer, seed : optional
            As in `batches`. Each worker has its own buffers.
        drop_last : bool
            Whether to leave out a last batch with fewer cells, and a few cells if necessary, so that all workers of all
            ranks have the same number of batches.
        annotations : sequence of str, optional
            As in `batches`. Numbers and the codes of categories are tensors, strings are lists.
        dtype : numpy.dtype
            The type of values. Values may be rounded to it. None keeps the type of the file.
        axis : {"rows", "cols", "cells", "features"}, optional
            As in `batches`.
        rank, world_size : int, optional
            The number of this process, and of all that train. By default the values of ``torch.distributed`` if it is
            initialized.

        Returns
        -------
        torch.utils.data.IterableDataset
            Of dicts: ``"x"``, a tensor of cells by features; ``"index"``, the positions of the cells; and ``"obs"``, a dict
            of annotations. The labels of categories are in its attribute ``categories``.

        Raises
        ------
        nnz.Error
            As in `batches`.
        nnz.ArgumentError
            Integers of the annotations have missing values, or an argument is invalid.
        ImportError
            PyTorch is not installed.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> m = nnz.open(tmp / "pbmc.bpcells")
        >>> dataset = m.to_torch_dataset(256)  # doctest: +SKIP
        >>> next(iter(dataset))["x"].shape  # doctest: +SKIP
        torch.Size([256, 507])
        """
        from . import _torch_dataset

        options = annotations, dtype, drop_last
        made = _training.batches(self._handle, size, shuffle, block, buffer, seed, axis, options)
        return _torch_dataset.dataset(made, layout, rank, world_size)

    def partitions(self, nbytes: Optional[int] = None, *, n: Optional[int] = None) -> List[Partition]:
        """Divide the matrix into ranges of rows, or of columns if `order` is ``"col"``, for other processes to read.

        Parameters
        ----------
        nbytes : int, optional
            Maximum size of a partition in memory, in bytes. A partition has at least one row or column. By default
            128 MiB.
        n : int, optional
            Number of partitions, with about the same number of entries. There are fewer if rows or columns have so many
            entries that some would be empty.

        Returns
        -------
        list of nnz.Partition
            In order. They can be pickled; each reads its range with its method ``read``.

        Raises
        ------
        nnz.UnsupportedError
            Rows or columns cannot be read one by one, as in text.
        nnz.ArgumentError
            An argument is invalid.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> m = nnz.open(tmp / "pbmc.bpcells")
        >>> [(part.start, part.stop, part.nnz) for part in m.partitions(nbytes=150_000)]
        [(0, 832, 17824), (832, 1107, 6042)]
        """
        return partitions(self._handle, nbytes, n)

    def to_dask(self, nbytes: Optional[int] = None, *, matrix: bool = False) -> Any:
        """Return the matrix as a dask array, whose chunks workers read from the file. Requires dask.

        Parameters
        ----------
        nbytes : int, optional
            Maximum size of a chunk in memory, as in `partitions`.
        matrix : bool
            Whether chunks are a `csr_matrix` or `csc_matrix` instead of an array.

        Returns
        -------
        dask.array.Array
            Chunks have some rows and all columns, or all rows and some columns, as stored. Their lengths are known.

        Raises
        ------
        nnz.Error
            As in `partitions`.
        ImportError
            dask is not installed.

        Examples
        --------
        >>> _ = nnz.convert("examples/pbmc_10x_v3_mtx", tmp / "pbmc.bpcells", force=True)
        >>> array = nnz.open(tmp / "pbmc.bpcells").to_dask(nbytes=150_000)
        >>> array.shape, array.chunks[1]
        ((507, 1107), (832, 275))
        """
        from . import _dask

        return _dask.to_dask(self._handle, nbytes, matrix)
