#!/usr/bin/env python3
"""Synthetic single-cell count matrix (genes x cells, CSC), fixed seed, numpy only.

Negative binomial (gamma-Poisson) counts with constant Fano factor, generated exactly as a
compound Poisson: bursts ~ Poisson, burst size ~ log-series(p).
20 cell types; gene means log-normal; library sizes log-normal.

usage: gen_counts.py OUTDIR [--genes 30000] [--cells 100000] [--bursts 3300] [--seed 1]
Writes raw little-endian arrays  indices.u32 data.u32 indptr.u64 shape.json
(CSC of genes x cells, genes sorted in each cell)
"""
import argparse, json, os, time
import numpy as np
ap = argparse.ArgumentParser()
ap.add_argument("out"); ap.add_argument("--genes", type=int, default=30000)
ap.add_argument("--cells", type=int, default=100000)
ap.add_argument("--bursts", type=float, default=3300.)
ap.add_argument("--p", type=float, default=0.35)
ap.add_argument("--types", type=int, default=20)
ap.add_argument("--seed", type=int, default=1)
a = ap.parse_args()
rng = np.random.default_rng(a.seed)
G, C = a.genes, a.cells
base = rng.normal(0, 2.0, G)
prof = []
for t in range(a.types):
    w = np.exp(base + rng.normal(0, 0.6, G) * (rng.random(G) < 0.2))
    prof.append(np.cumsum(w) / w.sum())
ctype = rng.integers(0, a.types, C)
lam = a.bursts * np.exp(rng.normal(0, 0.45, C) - 0.45**2 / 2)
os.makedirs(a.out, exist_ok=True)
fi = open(f"{a.out}/indices.u32", "wb"); fd = open(f"{a.out}/data.u32", "wb")
indptr = np.zeros(C + 1, np.uint64)
B = 1000; tot = 0; t0 = time.time(); hist = np.zeros(33, np.int64); vsum = 0; vmax = 0
for b0 in range(0, C, B):
    b1 = min(C, b0 + B)
    nb = rng.poisson(lam[b0:b1])
    cell = np.repeat(np.arange(b1 - b0, dtype=np.int64), nb)
    u = rng.random(cell.size)
    gene = np.empty(cell.size, np.int64)
    ty = ctype[b0:b1][cell]
    for t in range(a.types):
        m = ty == t
        gene[m] = np.searchsorted(prof[t], u[m], side="right")
    np.minimum(gene, G - 1, out=gene)
    size = rng.logseries(a.p, cell.size).astype(np.uint32)
    key = cell * G + gene
    o = np.argsort(key, kind="stable"); key = key[o]; size = size[o]
    first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    val = np.add.reduceat(size, first).astype(np.uint32)
    k = key[first]
    fi.write((k % G).astype("<u4").tobytes()); fd.write(val.astype("<u4").tobytes())
    cnt = np.bincount(k // G, minlength=b1 - b0)
    indptr[b0 + 1:b1 + 1] = tot + np.cumsum(cnt)
    tot += k.size; vsum += int(val.sum()); vmax = max(vmax, int(val.max()))
fi.close(); fd.close(); indptr.astype("<u8").tofile(f"{a.out}/indptr.u64")
json.dump(dict(genes=G, cells=C, nnz=int(tot), sum=vsum, max=vmax, seed=a.seed, density=tot / (G * C), bursts=a.bursts, p=a.p),
          open(f"{a.out}/shape.json", "w"))
print(f"nnz={tot} per cell={tot/C:.0f} density={tot/(G*C):.4f} sum={vsum} max={vmax} {time.time()-t0:.1f}s")
