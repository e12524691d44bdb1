"""Compare two AnnData objects, exactly and with types."""

import warnings

import anndata
import numpy as np
import pandas as pd
from scipy import sparse


def read(path, strict=False):
    """Open a file or store; with `strict`, a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        if strict:
            # The content of the file, as stored.
            warnings.filterwarnings("ignore", message=".*names are not unique")
            warnings.filterwarnings("ignore", message=".*Transforming to str index")
        path = str(path)
        return anndata.read_zarr(path) if ".zarr" in path else anndata.read_h5ad(path)


def same(a, b, where=""):
    """Fail if two elements differ."""
    if isinstance(a, pd.DataFrame):
        pd.testing.assert_frame_equal(a, b, obj=where)
    elif sparse.issparse(a):
        assert sparse.issparse(b) and a.format == b.format, where
        assert a.shape == b.shape and a.dtype == b.dtype, where
        for part in ["data", "indices", "indptr"]:
            np.testing.assert_array_equal(getattr(a, part), getattr(b, part), err_msg=where)
    elif isinstance(a, np.ndarray):
        # Zarr and h5py have different types of strings.
        a, b = [x.astype(object) if x.dtype.kind in "UT" else x for x in [a, np.asarray(b)]]
        assert a.shape == b.shape and a.dtype == b.dtype, f"{where}: {a.dtype} {b.dtype}"
        np.testing.assert_array_equal(a, b, err_msg=where)
    elif hasattr(a, "keys"):
        assert sorted(a.keys()) == sorted(b.keys()), where
        for key in a.keys():
            same(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, (pd.Categorical, pd.api.extensions.ExtensionArray)):
        pd.testing.assert_extension_array_equal(a, b, obj=where)
    elif a is None:
        assert b is None, where
    else:
        assert np.array_equal(a, b), f"{where}: {a!r} {b!r}"


def same_file(a, b, but=()):
    """Fail if two AnnData objects differ in an element that is not left out."""
    for name in ["obs", "var", "X", "layers", "obsm", "varm", "obsp", "varp", "uns"]:
        if name not in but:
            same(getattr(a, name), getattr(b, name), name)
    if "raw" in but:
        return
    assert (a.raw is None) == (b.raw is None)
    if a.raw is not None:
        same(a.raw.X, b.raw.X, "raw/X")
        same(a.raw.var, b.raw.var, "raw/var")
        same(a.raw.varm, b.raw.varm, "raw/varm")
