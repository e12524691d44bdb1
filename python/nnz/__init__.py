"""Sparse matrices, tensors and tables on disk: read, written, checked and converted, exactly, in bounded memory.

`nnz.open` opens a matrix of any format without reading its entries; an index reads some of them into a sparse array
of SciPy. `nnz.write` writes what SciPy, NumPy, pandas, AnnData and others have in memory. Genomic fragments are
`nnz.Fragments`. `nnz.convert`, `nnz.slice`, `nnz.concat` and others work from file to file.

Examples
--------
>>> m = nnz.open("examples/pbmc_10x_v3_mtx")
>>> m
<nnz.Matrix 507 x 1107 of int64 with 23866 entries, by column: 10x directory, 'examples/pbmc_10x_v3_mtx'>
>>> m[["APP", "SOD1"]].shape
(2, 1107)
"""

# Of `typing`, which takes longer to import than this file. Type checkers know the name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from ._api import *
    from ._api import __all__ as __all__
    from ._api import __version__ as __version__
    from ._verbs import *
else:

    def __getattr__(name):
        # NumPy and what needs it are imported when something is used: the command needs none of it.
        if name.startswith("_") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import _api

        if name != "__all__" and name not in _api.__all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(_api, name)
        return found

    def __dir__():
        from . import _api

        return sorted({*globals(), *_api.__all__})
