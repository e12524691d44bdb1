"""Packages that need not be installed, or have no types of their own.

Type checkers know of them what their source says, if they are installed. Functions of this package return their types,
and use them through `load`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import anndata as anndata  # pyright: ignore[reportMissingTypeStubs]
    import pandas as pandas  # pyright: ignore[reportMissingTypeStubs]
    import scipy.sparse  # pyright: ignore[reportMissingTypeStubs]
    import sparse as sparse  # pyright: ignore[reportMissingTypeStubs]
    import torch as torch

    Block = Union[scipy.sparse.csr_array, scipy.sparse.csc_array]
    Rows = scipy.sparse.csr_array
    Coordinates = scipy.sparse.coo_array

PACKAGES = {"skmisc": "scikit-misc"}
"""Packages of modules that have another name."""

TITLES = {"sparse": "PyData sparse", "torch": "PyTorch"}
"""Names of packages in messages."""


def load(module: str, user: str) -> Any:
    """Import a module of another package, and say what uses it where it is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            # The package is there, and lacks another.
            raise
        title = TITLES.get(package, PACKAGES.get(package, package))
        raise ImportError(f"{user} requires {title}: pip install {PACKAGES.get(package, package)}", name=package) from None
