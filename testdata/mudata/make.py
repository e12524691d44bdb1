"""Writes the MuData files of this directory with the installed version of mudata: `python make.py`.

`cells-VERSION.h5mu` has modalities that share cells, some of which only one has, in another order; `features-VERSION.h5mu`
has modalities that share features. Values are the same for every version.
"""

import warnings
from importlib.metadata import version

import anndata
import mudata
import numpy as np
import pandas as pd
import scipy.sparse as sp

warnings.filterwarnings("ignore")
VERSION = ".".join(version("mudata").split(".")[:2])


def modality(rows, cols, seed, dense=False):
    random = np.random.default_rng(seed)
    values = random.poisson(0.7, (len(rows), len(cols))).astype(np.float32)
    file = anndata.AnnData(
        values if dense else sp.csr_matrix(values),
        obs=pd.DataFrame({"number": np.arange(len(rows)), "kind": pd.Categorical([f"k{i % 2}" for i in range(len(rows))])}, index=rows),
        var=pd.DataFrame({"weight": random.random(len(cols))}, index=cols),
    )
    if not dense:
        file.raw = file
    file.layers["counts"] = file.X.copy()
    file.obsm["X_pca"] = random.random((len(rows), 2))
    file.varm["PCs"] = random.random((len(cols), 2))
    file.obsp["graph"] = sp.csr_matrix(np.diag(random.random(len(rows))))
    file.uns["method"] = {"name": "none", "dims": np.arange(3)}
    return file


def names(prefix, count):
    return [f"{prefix}{number}" for number in range(count)]


def of_cells():
    cells = names("cell", 6)
    rna = modality(cells, names("gene", 5), 1)
    # A feature of this name is in both.
    prot = modality(cells[:1:-1] + ["only"], ["prot0", "gene1", "prot2"], 2, dense=True)
    file = mudata.MuData({"rna": rna, "prot": prot})
    file.obs["sample"] = pd.Categorical([f"s{i % 2}" for i in range(file.n_obs)])
    file.obsm["X_umap"] = np.random.default_rng(3).random((file.n_obs, 2))
    file.obsp["joint"] = sp.csr_matrix(np.diag(np.arange(1.0, 1 + file.n_obs)))
    file.uns["seed"] = 3
    return file


def of_features():
    genes = names("gene", 4)
    file = mudata.MuData({"a": modality(names("x", 3), genes, 4), "b": modality(names("y", 4), genes[::-1], 5)}, axis=1)
    file.varm["loadings"] = np.random.default_rng(6).random((file.n_vars, 3))
    return file


of_cells().write(f"cells-{VERSION}.h5mu", compression="gzip")
of_features().write(f"features-{VERSION}.h5mu", compression="gzip")
