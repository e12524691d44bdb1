"""Matrices for tests, with fixed seeds."""

import numpy as np
import scipy.sparse as sp


def places(rng, shape, density):
    """Returns unique positions of a matrix in column order."""
    rows, cols = shape
    cells = rows * cols
    picked = np.sort(rng.choice(cells, int(cells * density), replace=False))
    return picked % rows, picked // rows


def counts(seed, shape, density, top=1000):
    """Returns a matrix of integers from 1 to top, as uint32 in column order."""
    rng = np.random.default_rng(seed)
    rows, cols = places(rng, shape, density)
    values = rng.integers(1, top, len(rows), endpoint=True, dtype=np.uint64).astype(np.uint32)
    return sp.coo_matrix((values, (rows, cols)), shape=shape).tocsc()


def every_width(seed):
    """Returns a matrix whose chunks of 128 values need 0 to 32 bits, one width after the other."""
    rng = np.random.default_rng(seed)
    values = np.concatenate(
        [rng.integers(0, (1 << w) - 1, 128, endpoint=True, dtype=np.uint64) for w in range(33)]
    )
    # Zero is a stored entry, for which its chunk needs 32 bits.
    values = values.astype(np.uint32)
    rows, cols = places(rng, (3000, 40), len(values) / 120_000)
    return sp.coo_matrix((values, (rows, cols)), shape=(3000, 40)).tocsc()


def doubles(seed, n):
    """Returns finite doubles of all magnitudes and signs, including edge cases."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << 63, n, dtype=np.uint64) | (
        rng.integers(0, 2, n, dtype=np.uint64) << np.uint64(63)
    )
    values = bits.view(np.float64)
    values = np.where(np.isfinite(values), values, 0.1)
    special = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1, 1 / 3]
    special += [1e16, 9.999999999999999e15, 1e-5, 123456789.0, -1.0, 2.0**53 + 2]
    values[: len(special)] = special
    return values


def reals(seed, shape=(120, 90), density=0.1):
    """Returns a matrix of such doubles."""
    rng = np.random.default_rng(seed)
    rows, cols = places(rng, shape, density)
    return sp.coo_matrix((doubles(seed + 1, len(rows)), (rows, cols)), shape=shape)


def structured(seed, field, symmetry, n=24, density=0.3):
    """Returns a square matrix of a field with a symmetry, without stored zeros."""
    rng = np.random.default_rng(seed)
    dense = np.zeros((n, n), dtype={"integer": np.int64, "real": np.float64}.get(field, complex))
    if field == "pattern":
        dense = dense.real.copy()
    below = [(r, c) for c in range(n) for r in range(c, n) if rng.random() < density]
    for row, col in below:
        if row == col and symmetry == "skew-symmetric":
            continue
        value = _value(rng, field)
        if symmetry == "hermitian" and row == col:
            value = value.real
        dense[row, col] = value
        if row != col:
            mirror = {"skew-symmetric": -value, "hermitian": np.conj(value)}
            dense[col, row] = mirror.get(symmetry, value)
    if symmetry == "general":
        dense[0, 1:] = 0
    return dense


def _value(rng, field):
    if field == "pattern":
        return 1.0
    if field == "integer":
        # Both signs, up to 2^53, which a double holds exactly.
        return int(rng.integers(1, 1 << 53, endpoint=True)) * int(rng.choice([-1, 1]))
    real = float(rng.standard_normal() * 10.0 ** int(rng.integers(-12, 12)))
    if field == "real":
        return real
    return complex(real, float(rng.standard_normal()))
