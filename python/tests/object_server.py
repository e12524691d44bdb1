"""A server for tests: the files of a directory as a bucket of S3, and as a web server."""

from __future__ import annotations

import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Dict, List, Optional, Tuple
from xml.sax.saxutils import escape

# Bytes that are sent at once where the rate is limited.
PIECE = 256 << 10


class ObjectServer:
    """Serves a directory as the bucket ``data``, and counts requests. Use it in a `with` block.

    `delay` is the time in seconds before each answer, and `rate` the bytes a second of each connection.
    """

    def __init__(self, directory: Path, delay: float = 0, rate: Optional[float] = None) -> None:
        self.directory = directory
        self.delay = delay
        self.rate = rate
        self.requests: List[Tuple[str, str, str]] = []
        self.bytes = 0
        self.bytes_of: Dict[str, int] = {}
        self.authorized = 0
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self.writing = threading.Lock()
        server = self

        class Handler(_Handler):
            owner = server

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def options(self) -> Dict[str, object]:
        return {"endpoint": self.endpoint, "region": "local", "anon": True}

    def log(self, method: str, path: str, requested: str, sent: int, authorized: bool) -> None:
        with self._lock:
            self.requests.append((method, path, requested))
            self.bytes += sent
            self.bytes_of[path] = self.bytes_of.get(path, 0) + sent
            self.authorized += authorized

    def count(self, change: int) -> None:
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def reset(self) -> None:
        with self._lock:
            self.requests, self.bytes, self.authorized = [], 0, 0
            self.bytes_of, self.most_at_once = {}, 0

    def __enter__(self) -> ObjectServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    # Connections that are not accepted at once are attempted again after a second.
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    owner: ObjectServer
    protocol_version = "HTTP/1.1"
    # Small answers are not delayed.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.owner.count(1)
        try:
            self._get()
        finally:
            self.owner.count(-1)

    def _get(self) -> None:
        time.sleep(self.owner.delay)
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        path = urllib.parse.unquote(url.path)
        if "list-type" in query:
            self._list(query)
            return
        file = self.owner.directory / path.lstrip("/").partition("/")[2]
        if not path.startswith("/data/") or not file.is_file():
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        found = file.stat()
        headers = {
            "Accept-Ranges": "bytes",
            "ETag": f'"{found.st_mtime_ns}"',
            "Last-Modified": self.date_time_string(found.st_mtime),
        }
        start, end = _range(self.headers.get("Range"), found.st_size)
        if start is None:
            self._answer(200, _part(file, 0, end), headers)
        elif start >= found.st_size:
            self._answer(416, b"", {"Content-Range": f"bytes */{found.st_size}"})
        else:
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{found.st_size}"
            self._answer(206, _part(file, start, end), headers)

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        file = self.owner.directory / path.lstrip("/").partition("/")[2]
        with self.owner.writing:
            if self.headers.get("If-None-Match") == "*" and file.exists():
                self._answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            self._answer(200, b"", {"ETag": f'"{file.stat().st_mtime_ns}"'})

    def _list(self, query: Dict[str, List[str]]) -> None:
        prefix = query.get("prefix", [""])[0]
        delimiter = query.get("delimiter", [""])[0]
        most = int(query.get("max-keys", ["1000"])[0])
        after = query.get("continuation-token", [""])[0]
        root, entries = self.owner.directory, {}
        for file in sorted(path for path in root.rglob("*") if path.is_file()):
            key = file.relative_to(root).as_posix()
            if not key.startswith(prefix):
                continue
            name, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
            if found:
                entries[prefix + name + delimiter] = None
            else:
                entries[key] = file.stat().st_size
        names = [name for name in sorted(entries) if name > after]
        page, more = names[:most], len(names) > most
        text = ["<?xml version='1.0'?><ListBucketResult><Name>data</Name>"]
        text.append(f"<KeyCount>{len(page)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>")
        if more:
            text.append(f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>")
        for name in page:
            size = entries[name]
            if size is None:
                text.append(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>")
            else:
                text.append(
                    f"<Contents><Key>{escape(name)}</Key><LastModified>2024-01-01T00:00:00.000Z</LastModified>"
                    f"<ETag>&quot;0&quot;</ETag><Size>{size}</Size></Contents>"
                )
        self._answer(200, ("".join(text) + "</ListBucketResult>").encode())

    def _answer(self, status: int, body: bytes, headers: Optional[Dict[str, str]] = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        sent = 0 if self.command == "HEAD" else len(body)
        if sent:
            self._send(body)
        authorized = "Authorization" in self.headers
        self.owner.log(self.command, self.path, self.headers.get("Range", ""), sent, authorized)

    def _send(self, body: bytes) -> None:
        if self.owner.rate is None:
            self.wfile.write(body)
            return
        started = time.monotonic()
        for end in range(PIECE, len(body) + PIECE, PIECE):
            # A piece is sent when all of it would have arrived.
            arrives = started + min(end, len(body)) / self.owner.rate
            time.sleep(max(0.0, arrives - time.monotonic()))
            self.wfile.write(body[end - PIECE : end])


def _part(file: Path, start: int, end: int) -> bytes:
    with file.open("rb") as opened:
        opened.seek(start)
        return opened.read(end - start)


def _range(text: Optional[str], length: int) -> Tuple[Optional[int], int]:
    if not text or not text.startswith("bytes="):
        return None, length
    first, _, last = text[len("bytes=") :].partition("-")
    if not first:
        return max(0, length - int(last)), length
    return int(first), min(length, int(last) + 1 if last else length)
