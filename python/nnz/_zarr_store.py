"""A store for the package zarr that is read through nnz."""

# The package is also checked where zarr is not installed.
# mypy: allow-subclassing-any, ignore-missing-imports

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Iterable, List, Optional, Tuple

from zarr.abc.store import OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest

from . import _nnz
from ._stored import length_of


class ZarrStore(Store):
    """A directory that is read through nnz, with its credentials, cache and retries. It cannot be written."""

    @property
    def supports_writes(self) -> bool:
        """Return False."""
        return False

    @property
    def supports_deletes(self) -> bool:
        """Return False."""
        return False

    @property
    def supports_listing(self) -> bool:
        """Return True."""
        return True

    def __init__(self, stored: _nnz.Stored) -> None:
        super().__init__(read_only=True)
        self._stored = stored

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ZarrStore) and other._stored is self._stored

    async def get(self, key: str, prototype: Any, byte_range: Any = None) -> Any:
        """Return bytes of a file; None if it does not exist."""
        read = await asyncio.to_thread(self._read, key, byte_range)
        return None if read is None else prototype.buffer.from_bytes(read)

    def _read(self, key: str, wanted: Any) -> Optional[bytes]:
        file = self._stored.file(key)
        if file is None:
            return None
        start, end = _range(wanted, length_of(file))
        parts: List[bytes] = []
        while start < end:
            parts.append(file.read(start, end - start))
            start += len(parts[-1])
        return b"".join(parts)

    async def get_partial_values(self, prototype: Any, key_ranges: Iterable[Tuple[str, Any]]) -> List[Any]:
        """Return ranges of several files."""
        return [await self.get(key, prototype, wanted) for key, wanted in key_ranges]

    async def exists(self, key: str) -> bool:
        """Return whether a file exists."""
        return self._stored.file(key) is not None

    async def set(self, key: str, value: Any) -> None:
        """Refuse to write."""
        raise NotImplementedError("read-only")

    async def delete(self, key: str) -> None:
        """Refuse to delete."""
        raise NotImplementedError("read-only")

    async def list(self) -> AsyncIterator[str]:
        """List all files."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """List the files below a directory."""
        async for name in self.list_dir(prefix):
            key = f"{prefix.rstrip('/')}/{name}".lstrip("/")
            if self._stored.file(key) is not None:
                yield key
            else:
                async for below in self.list_prefix(key):
                    yield below

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """List the names in a directory."""
        for name in self._stored.names(prefix.strip("/")):
            yield name


def _range(wanted: Any, length: int) -> Tuple[int, int]:
    """Return the start and the end of a requested range."""
    if isinstance(wanted, RangeByteRequest):
        return min(wanted.start, length), min(wanted.end, length)
    if isinstance(wanted, OffsetByteRequest):
        return min(wanted.offset, length), length
    if isinstance(wanted, SuffixByteRequest):
        return max(0, length - wanted.suffix), length
    return 0, length
