"""Pages about a matrix."""

from __future__ import annotations

import os
from html import escape
from typing import Union


class Report:
    """A page about a matrix, from `nnz.report` or `Matrix.report`. Notebooks show it.

    Attributes
    ----------
    html : str
        The page, which loads nothing else.
    """

    __slots__ = ("html",)

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the page to a file, which is replaced.

        Parameters
        ----------
        path : str or os.PathLike
            The file.

        Examples
        --------
        >>> nnz.open("examples/pbmc_10x_v3_mtx").report().save(tmp / "page.html")
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<nnz.Report of {len(self.html):,} characters; save(path) writes it>"

    def _repr_html_(self) -> str:
        # A page of its own, whose style does not change the notebook.
        return (
            f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 40em; border: 0" '
            'title="Report of nnz"></iframe>'
        )
