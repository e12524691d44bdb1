"""The metadata of the installed package."""

from importlib import metadata


def test_the_licences_are_installed():
    files = metadata.files("nnz")
    texts = {path.name: path.read_text() for path in files if path.name.startswith("LICENSE")}
    assert sorted(texts) == ["LICENSE-APACHE", "LICENSE-MIT"]
    assert texts["LICENSE-MIT"].startswith("MIT License")
    assert "Apache License" in texts["LICENSE-APACHE"]


def test_the_metadata_has_what_an_index_shows():
    nnz = metadata.metadata("nnz")
    assert nnz["License-Expression"] == "MIT OR Apache-2.0"
    assert nnz["Summary"] and nnz["Keywords"] and nnz["Requires-Python"] == ">=3.10"
    # Python keeps the description under either, by version.
    assert (nnz["Description"] or nnz.get_payload()).startswith("# nnz")
