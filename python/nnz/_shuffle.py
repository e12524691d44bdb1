"""The order in which cells are read for training."""

from __future__ import annotations

from typing import Iterator, NamedTuple

import numpy as np
import numpy.typing as npt


class Order(NamedTuple):
    """The order of cells in an epoch: blocks of adjacent cells in random order, and the cells of some blocks at once.

    It depends on nothing else than its fields and, for random numbers, the version of NumPy.

    Attributes
    ----------
    cells : int
        How many there are.
    shuffle : bool
        Whether they are shuffled.
    block : int
        How many adjacent cells are read together.
    buffer : int
        How many cells are shuffled at once.
    seed, epoch : int
        Seeds of the random numbers.
    """

    cells: int
    shuffle: bool
    block: int
    buffer: int
    seed: int
    epoch: int

    def part(self, number: int, parts: int, even: bool) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the cells of one of several parts, a buffer at a time. Each cell is in one part.

        If parts have to be even, those that are left over are in none.
        """
        if even:
            each = self.cells // parts
            start, stop = number * each, (number + 1) * each
        else:
            start, stop = (self.cells * at // parts for at in (number, number + 1))
        if start == stop:
            return
        if not self.shuffle:
            for first in range(start, stop, self.buffer):
                yield np.arange(first, min(first + self.buffer, stop))
            return
        order, ends = self._blocks()
        for first in range(start, stop, self.buffer):
            last = min(first + self.buffer, stop)
            found = self._between(order, ends, first, last)
            yield self._random(1, first).permutation(found)

    def _blocks(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the blocks in their order, and for each how many cells are in it and before it."""
        order = self._random(0, 0).permutation(-(-self.cells // self.block))
        ends = np.arange(1, len(order) + 1, dtype=np.int64) * self.block
        # The last block may be shorter.
        ends[int(np.argmax(order)) :] -= len(order) * self.block - self.cells
        return order, ends

    def _between(
        self, order: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], first: int, last: int
    ) -> npt.NDArray[np.int64]:
        """Return the cells from one place in the order of blocks to another, ascending."""
        low, high = (int(at) for at in np.searchsorted(ends, [first, last - 1], side="right"))
        spans: list[npt.NDArray[np.int64]] = []
        for at in range(low, high + 1):
            start = int(order[at]) * self.block
            stop = min(start + self.block, self.cells)
            before = int(ends[at]) - (stop - start)
            spans.append(np.arange(start + max(0, first - before), start + min(stop - start, last - before)))
        return np.sort(np.concatenate(spans))

    def _random(self, use: int, place: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, self.epoch, use, place))
