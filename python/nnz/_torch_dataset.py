"""Batches of cells as a dataset of PyTorch, which need not be installed."""

from __future__ import annotations

import os
from functools import lru_cache
from multiprocessing.reduction import ForkingPickler
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import numpy as np

from . import _torch
from ._arguments import integer
from ._errors import ArgumentError
from ._external import load
from ._training import Batch, Batches

LAYOUTS = ("csr", "dense")

Place = Optional[Tuple[int, int]]


class Dataset:
    """An iterable dataset of PyTorch, which `Matrix.to_torch_dataset` makes: the part that needs no PyTorch."""

    def __init__(self, batches: Batches, layout: str, place: Place) -> None:
        if layout not in LAYOUTS:
            raise ArgumentError(f'layout {layout!r}: expected "csr" or "dense"')
        self._batches = batches
        self._layout = layout
        self._place = place
        torch = _imported()
        _check_columns(batches)
        # Workers that stay from epoch to epoch see what their parent process sets.
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    @property
    def categories(self) -> Dict[str, Any]:
        """The labels of annotations that are categories, in the order of their codes."""
        return self._batches.categories

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the epoch, before each epoch and in each process that trains."""
        self._epoch.fill_(integer("epoch", epoch, 0))

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        worker = _imported().utils.data.get_worker_info()
        rank, ranks = self._known_place() or (0, 1)
        number, count = (0, 1) if worker is None else (worker.id, worker.num_workers)
        threads = None if worker is None else max(1, (os.cpu_count() or 1) // count)
        part = self._batches.part(rank * count + number, ranks * count, int(self._epoch), threads)
        for batch in part:
            yield _tensors(batch, self._layout, worker is not None)

    def _known_place(self) -> Place:
        """Return rank and world size, if they are given or `torch.distributed` is initialized."""
        distributed = _imported().distributed
        if self._place is None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
        return self._place

    def __reduce__(self) -> Tuple[Any, ...]:
        # Workers that are not forked do not know the rank of their parent process.
        return _restored, (self._batches, self._layout, self._known_place(), self._epoch)

    def __repr__(self) -> str:
        return f"<nnz dataset of PyTorch ({self._layout}): {self._batches!r}>"


def dataset(batches: Batches, layout: str, rank: Optional[int], world_size: Optional[int]) -> Any:
    """Make a dataset of PyTorch."""
    if (rank is None) != (world_size is None):
        raise ArgumentError("rank and world_size: expected both or neither")
    place: Place = None
    if rank is not None and world_size is not None:
        place = integer("rank", rank, 0), integer("world_size", world_size, 1)
        if place[0] >= place[1]:
            raise ArgumentError(f"rank {rank}: expected less than {world_size}")
    return _class()(batches, layout, place)


@lru_cache(maxsize=None)
def _class() -> Callable[..., Any]:
    """Make the class: its base is known only if PyTorch is imported."""
    base = load("torch.utils.data", "to_torch_dataset").IterableDataset
    members = {"__module__": __name__, "__doc__": Dataset.__doc__}
    made: Callable[..., Any] = type("IterableDataset", (Dataset, base), members)
    return made


def _restored(batches: Batches, layout: str, place: Place, epoch: Any) -> Any:
    made = _class()(batches, layout, place)
    made._epoch = epoch
    return made


def _imported() -> Any:
    return load("torch", "to_torch_dataset")


def _check_columns(batches: Batches) -> None:
    for name, column in batches.columns.items():
        if hasattr(column, "mask") and column.dtype.kind != "f":
            raise ArgumentError(f"annotation {name!r}: tensors of {column.dtype} cannot have missing values")


def _tensors(batch: Batch, layout: str, shipped: bool) -> Dict[str, Any]:
    """Make the tensors of a batch."""
    torch = _imported()
    block: Any = batch.x
    x: Any
    if layout == "dense":
        x = _torch.from_array(torch, block.toarray())
    else:
        tensor: Any = _torch.from_block(block)
        x = tensor
        if shipped and not _can_be_sent():
            x = _Sent(tensor)
    obs = {name: _column(torch, column) for name, column in batch.obs.items()}
    return {"x": x, "index": torch.from_numpy(batch.index), "obs": obs}


def _column(torch: Any, column: Any) -> Any:
    """Make a tensor of numbers or codes, and a list of texts."""
    if column.dtype.kind == "O":
        return column.tolist()
    if hasattr(column, "mask"):
        column = column.filled(np.nan)
    return _torch.from_array(torch, column)


@lru_cache(maxsize=None)
def _can_be_sent() -> bool:
    """Return whether this PyTorch can pass sparse tensors from process to process."""
    torch = _imported()
    indices = torch.zeros(2, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)
    try:
        ForkingPickler.dumps(torch.sparse_csr_tensor(*indices, torch.zeros(0), size=(1, 1)))
    except (NotImplementedError, RuntimeError, TypeError):
        return False
    return True


class _Sent:
    """A sparse tensor on its way to another process, where it becomes a tensor when it is unpickled."""

    def __init__(self, tensor: Any) -> None:
        self._parts = tensor.crow_indices(), tensor.col_indices(), tensor.values(), tuple(tensor.shape)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _received, self._parts


def _received(crow: Any, col: Any, values: Any, size: Tuple[int, ...]) -> Any:
    return _imported().sparse_csr_tensor(crow, col, values, size=size)


