"""Pictures of a matrix, on axes of matplotlib."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _nnz
from ._errors import ArgumentError
from ._handle import Memory

DARK = "#2a6bb0"
"""Colour of lines and bars."""


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    # Any, since its types are unknown where it is not installed.
    module: Any = pyplot
    return module.subplots()[1]


class Plots:
    """Pictures of a matrix: `Matrix.plot`. Each reads the entries once, in little memory."""

    __slots__ = ("_source", "_memory")

    def __init__(self, source: _nnz.Source, memory: Memory) -> None:
        self._source = source
        self._memory = memory

    def spy(self, ax: Any = None, *, bins: int = 200, **options: Any) -> Any:
        """Draw where the entries are: their number in each bin of a grid, with a logarithmic scale.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        bins : int
            Rows and columns of the grid at the most.
        **options
            As in `matplotlib.axes.Axes.imshow`, such as ``cmap``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        nnz.ArgumentError
            `bins` is not from 1 to 10,000.
        ImportError
            matplotlib is not installed.

        Examples
        --------
        >>> ax = nnz.open("examples/pbmc_10x_v3_mtx").plot.spy()  # doctest: +SKIP
        """
        if not 1 <= bins <= 10_000:
            raise ArgumentError(f"bins={bins}: expected a number from 1 to 10,000")
        ax = _axes(ax)
        from matplotlib.colors import LogNorm

        source = self._source
        counts, rows, cols, rows_per_bin, cols_per_bin = _nnz.density(source, (bins, bins), self._memory)
        height, width = source.shape
        # NaN is not drawn.
        grid = np.where(counts > 0, counts, np.nan).reshape(rows, cols)
        if counts.any():
            # The last bins may be smaller: they have the colour of their density.
            grid[-1] *= rows_per_bin / (height - (rows - 1) * rows_per_bin)
            grid[:, -1] *= cols_per_bin / (width - (cols - 1) * cols_per_bin)
        # The axes end at the end of the matrix.
        extent = (0, cols * cols_per_bin, rows * rows_per_bin, 0)
        given: Dict[str, Any] = {"cmap": "Blues", "aspect": "auto", "interpolation": "nearest", "extent": extent}
        if counts.any():
            norm: Any = LogNorm(1, max(float(np.nanmax(grid)), 2))
            given["norm"] = norm
        image = ax.imshow(grid, **{**given, **options})
        ax.set_xlim(0, max(width, 1))
        ax.set_ylim(max(height, 1), 0)
        names = [f"{axis} ({kind})" if kind else axis for axis, kind in zip(("rows", "columns"), source.axis_kinds)]
        ax.set(xlabel=names[1], ylabel=names[0], title="Where the entries are")
        if counts.any():
            what = f"entries per {rows_per_bin:,} × {cols_per_bin:,}" if rows_per_bin * cols_per_bin > 1 else "entries"
            ax.figure.colorbar(image, ax=ax, label=what)
        return ax

    def knee(self, ax: Any = None, *, axis: Optional[str] = None, measure: str = "nnz", **options: Any) -> Any:
        """Draw the number of entries, or the sum, of each cell from the largest on, on logarithmic scales.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        axis : str, optional
            ``"cells"``, ``"features"``, ``"rows"`` or ``"cols"``; by default cells, or columns if the file does not
            state which axis has cells.
        measure : str
            ``"nnz"`` or ``"sum"``.
        **options
            As in `matplotlib.axes.Axes.plot`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        nnz.ArgumentError
            The axis or the measure does not exist.
        nnz.Error
            The values are complex, or the matrix cannot be read.
        ImportError
            matplotlib is not installed.

        Examples
        --------
        >>> ax = nnz.open("examples/pbmc_10x_v3_mtx").plot.knee()  # doctest: +SKIP
        """
        if axis is None:
            axis = "cells" if "cells" in self._source.axis_kinds else "cols"
        numbers, counts = _nnz.lengths(self._source, axis, measure, self._memory)
        ax = _axes(ax)
        # From the largest on: a number has the ranks after all larger ones.
        last = np.cumsum(counts[::-1])
        ranks = np.column_stack([last - counts[::-1] + 1, last]).ravel()
        ax.plot(ranks, np.repeat(numbers[::-1], 2), **{"color": DARK, **options})
        one = {"cols": "column", "rows": "row"}.get(axis, axis.rstrip("s"))
        what = f"entries per {one}" if measure == "nnz" else f"sum per {one}"
        # matplotlib refuses a logarithmic scale without a positive number.
        if len(numbers):
            ax.set_xscale("log")
        if (numbers > 0).any():
            ax.set_yscale("log")
        ax.set(xlabel="rank", ylabel=what, title=what.capitalize())
        return ax

    def values(self, ax: Any = None, **options: Any) -> Any:
        """Draw how many entries have which value.

        Bins have the same width on both sides of zero. If values are of different orders of magnitude, the scale is
        logarithmic on both sides. NaN and infinities are counted below the axis.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.
        **options
            As in `matplotlib.axes.Axes.bar`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        nnz.Error
            The values are complex, or the matrix cannot be read.
        ImportError
            matplotlib is not installed.

        Examples
        --------
        >>> ax = nnz.open("examples/pbmc_10x_v3_mtx").plot.values()  # doctest: +SKIP
        """
        zeros, bins, least, integral, others = _nnz.value_counts(self._source, self._memory)
        # Integers are in the middle of their bin.
        half = 0.5 if integral else 0.0
        # A place for the few values that are nearer to zero than a logarithmic scale begins.
        nearest = 0.0 if least is None else (least - half) / (10 if any(low == 0 for low, _, _ in bins) else 1)
        bars: List[Tuple[float, float, int]] = []
        for near, far, count in bins:
            inner, outer = abs(near) - half, abs(far) - half
            if far > 0:
                bars.append((max(inner, nearest) if least else inner, outer, count))
            else:
                # Zero is in the bin on its other side.
                bars.append((-outer, -max(inner, nearest, half if near == 0 else 0.0), count))
        if least is not None and zeros:
            bars.append((-nearest / 2, nearest / 2, zeros))
        ax = _axes(ax)
        given: Dict[str, Any] = {"color": DARK, "align": "edge", **options}
        bars.sort()
        lefts = [left for left, _, _ in bars]
        widths = [right - left for left, right, _ in bars]
        ax.bar(lefts, [count for _, _, count in bars], width=widths, **given)
        if least is not None and bars[0][0] > 0:
            ax.set_xscale("log")
        elif least is not None:
            ax.set_xscale("symlog", linthresh=nearest)
            # By default, labels of several decades overlap.
            ax.xaxis.get_major_locator().set_params(numticks=7)
        if bars:
            ax.set_yscale("log")
            ax.set_xlim(bars[0][0], bars[-1][1])
        apart = [f"{name}: {count:,}" for name, count in zip(("NaN", "-inf", "inf"), others) if count]
        ax.set(xlabel="\n".join(["value", *apart]), ylabel="entries", title="Values of the entries")
        return ax
