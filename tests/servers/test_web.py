"""Matrices on a web server of others: with and without TLS, ranges and a list."""

import gzip

import pytest
from conftest import STORE

NAMES = ["m.bpcells", "m.mtx", "m.mtx.gz", "m.bsp.h5", "m.bsp", "m.npz", "m.zarr", "a b/é %.mtx"]


@pytest.fixture(scope="module")
def served(web):
    (web.files / "a b").mkdir()
    for name in NAMES:
        web.place.good("convert", STORE, web.files / name)
    return web


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("at", ["plain", "secure", "moved", "no-ranges"])
def test_a_matrix_is_read(served, name, at):
    base = {"plain": served.plain, "secure": served.secure}.get(at, f"{served.plain}/{at}")
    url = f"{base}/{name.replace(' %', ' %25')}"
    trusted = {"SSL_CERT_FILE": str(served.certificate)}
    group = "" if name != "m.zarr" else "::"
    served.place.good("diff", STORE, url + group, variables=trusted)
    served.place.good("info", url, variables=trusted)


def test_a_certificate_that_is_not_trusted_is_named(served):
    error = served.place.refused("info", f"{served.secure}/m.mtx")
    assert "certificate" in error.lower(), error


def test_a_directory_without_a_store_is_named(served):
    error = served.place.refused("info", f"{served.plain}/")
    assert "the server responded with an HTML page" in error, error
    error = served.place.refused("info", f"{served.plain}/none")
    assert "no such file or directory" in error, error


def test_a_large_text_that_the_server_would_compress_is_read(served):
    lines = "".join(f"{n % 1000 + 1} {n // 1000 + 1} {n % 977}\n" for n in range(300_000))
    text = f"%%MatrixMarket matrix coordinate integer general\n1000 300 300000\n{lines}".encode()
    (served.files / "large.mtx").write_bytes(text)
    (served.files / "large.mtx.gz").write_bytes(gzip.compress(text))
    for name in ("large.mtx", "large.mtx.gz"):
        for base in (served.plain, f"{served.plain}/no-ranges"):
            served.place.good("diff", served.files / "large.mtx", f"{base}/{name}")
