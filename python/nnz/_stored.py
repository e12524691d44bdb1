"""Files and directories at URLs, as h5py and zarr read them."""

from __future__ import annotations

import io
from typing import Any, Optional

from . import _nnz
from ._errors import UnsupportedError
from ._external import load


HDF5 = b"\x89HDF\r\n\x1a\n"
"""The first bytes of a superblock of HDF5."""
SUPERBLOCKS = (0, *(1 << shift for shift in range(9, 17)))
"""Where the superblock may be: after a user block of up to 64 KiB."""


class StoredFile(io.RawIOBase):
    """A file that is read through nnz, with its credentials, cache and retries."""

    def __init__(self, stored: _nnz.Stored) -> None:
        super().__init__()
        self._stored = stored
        self._length: int = stored.length or 0
        self._position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position in bytes."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position in bytes."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._length}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, and return their number."""
        view = memoryview(buffer).cast("B")
        read = self._stored.read(self._position, len(view))
        view[: len(read)] = read
        self._position += len(read)
        return len(read)


def open_stored(path: str) -> Any:
    """Open the HDF5 file or the Zarr group at a URL; None if it is neither."""
    stored = _nnz.Stored(path)
    if stored.length is None:
        if all(stored.file(name) is None for name in (".zgroup", "zarr.json")):
            return None
        return load("zarr", "read_anndata").open_group(_zarr_store(stored), mode="r")
    if all(stored.read(start, len(HDF5)) != HDF5 for start in SUPERBLOCKS):
        return None
    return load("h5py", "read_anndata").File(StoredFile(stored), "r")


def _zarr_store(stored: _nnz.Stored) -> Any:
    try:
        from ._zarr_store import ZarrStore
    except ImportError:
        raise UnsupportedError("reading AnnData in Zarr from a URL needs zarr 3 or newer") from None
    return ZarrStore(stored)


def length_of(stored: Optional[_nnz.Stored]) -> int:
    """Return the length of a file in bytes."""
    return 0 if stored is None or stored.length is None else stored.length
