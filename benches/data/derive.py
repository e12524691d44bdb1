#!/usr/bin/env python3
"""Other forms of the counts of gen_counts.py.

usage: derive.py bpcells RAW OUT.bpcells   packed by BPCells itself
       derive.py text RAW OUT.mtx          by fast_matrix_market
       derive.py gzip IN OUT.gz            level 6
Needs ../peers/requirements.txt.
"""
import gzip
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peers"))

form, source, target = sys.argv[1:]
if form == "gzip":
    with open(source, "rb") as text, gzip.GzipFile(target, "wb", 6, mtime=0) as packed:
        shutil.copyfileobj(text, packed, 1 << 20)
else:
    from common import raw_counts

    counts = raw_counts(source)
    if form == "bpcells":
        from bpcells.experimental import DirMatrix

        DirMatrix.from_scipy_sparse(counts, target)
    else:
        import fast_matrix_market

        fast_matrix_market.mmwrite(target, counts, symmetry="general", parallelism=2)
