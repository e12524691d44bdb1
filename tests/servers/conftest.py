"""Servers that others make, for the time of the tests: moto as S3, Azurite as Azure, nginx as a web server."""

import base64
import contextlib
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE = ROOT / "testdata" / "bpcells" / "matrix_dir" / "basic_uint.packed.col"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")


class Place:
    """A bucket: the start of its URLs, and the options of the command."""

    def __init__(self, name, url, options):
        self.name, self.url, self.options = name, url, options

    def command(self, *arguments, options=None):
        chosen = {**self.options, **(options or {})}
        given = [word for pair in chosen.items() for word in ("--storage-option", "=".join(pair))]
        return [os.environ["NNZ_BIN"], "-q", *map(str, arguments), *given]

    def start(self, *arguments, options=None, variables=None):
        names = ("AWS_", "GOOGLE_", "AZURE_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(names)}
        environment = {**kept, "HOME": "/nonexistent", **(variables or {})}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(self.command(*arguments, options=options), env=environment, **pipes)

    def run(self, *arguments, **more):
        """Run the command, and return its status, output and errors."""
        process = self.start(*arguments, **more)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def good(self, *arguments, **more):
        status, out, err = self.run(*arguments, **more)
        assert (status, err) == (0, ""), err
        return out

    def refused(self, *arguments, **more):
        status, _, err = self.run(*arguments, **more)
        assert status not in (0, 101) and err.startswith("nnz: "), (status, err)
        return err


@contextlib.contextmanager
def started(command, port, **more):
    """Start a server, and wait until it answers."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([str(word) for word in command], **quiet, **more)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None, f"{command[0]} ended"
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def moto(_directory):
    port = free_port()
    server = pathlib.Path(sys.executable).with_name("moto_server")
    with started([server, "-H", "127.0.0.1", "-p", port], port):
        import boto3

        endpoint = f"http://127.0.0.1:{port}"
        keys = {"access_key_id": "test", "secret_access_key": "test"}
        names = {f"aws_{name}": value for name, value in keys.items()}
        client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **names)
        client.create_bucket(Bucket="bucket")
        place = Place("moto", "s3://bucket", {"endpoint": endpoint, "region": "us-east-1", **keys})
        place.client = client
        yield place


# The account of every emulator, which is no secret.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@contextlib.contextmanager
def azurite(directory):
    program = os.environ.get("NNZ_AZURITE")
    if not program:
        pytest.skip("Azurite is not installed")
    port = free_port()
    command = ["node", program, "--blobHost", "127.0.0.1", "--blobPort", port, "--location", directory]
    with started([*command, "--silent", "--skipApiVersionCheck", "--disableTelemetry"], port):
        create_container(port, "bucket")
        endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
        yield Place("azurite", "az://bucket", {"account_name": ACCOUNT, "account_key": KEY, "endpoint": endpoint})


def create_container(port, name):
    """Send the one request that no command has."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
    headers = {"x-ms-date": date, "x-ms-version": "2021-08-06"}
    lines = "".join(f"{key}:{value}\n" for key, value in sorted(headers.items()))
    text = f"PUT{chr(10) * 12}{lines}/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
    signature = base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{signature}"
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("PUT", f"/{ACCOUNT}/{name}?restype=container", headers={**headers, "Content-Length": "0"})
    answer = connection.getresponse()
    assert answer.status == 201, answer.read()


@pytest.fixture(scope="module", params=[moto, azurite], ids=lambda server: server.__name__)
def bucket(request, tmp_path_factory):
    with request.param(tmp_path_factory.mktemp("server")) as place:
        yield place


CONFIGURATION = """
daemon off; pid {directory}/pid; error_log {directory}/errors; worker_processes 1;
events {{}}
http {{
  access_log off; default_type application/octet-stream; autoindex on; gzip on; gzip_types *; gzip_min_length 1;
  client_body_temp_path {directory}/a; proxy_temp_path {directory}/b; fastcgi_temp_path {directory}/c;
  uwsgi_temp_path {directory}/d; scgi_temp_path {directory}/e;
  server {{
    listen 127.0.0.1:{plain}; listen 127.0.0.1:{secure} ssl;
    ssl_certificate {directory}/cert.pem; ssl_certificate_key {directory}/key.pem;
    root {files};
    location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
    location /no-ranges/ {{ max_ranges 0; alias {files}/; }}
  }}
}}
"""


class Web:
    def __init__(self, files, plain, secure, certificate):
        self.files = files
        self.plain, self.secure = f"http://127.0.0.1:{plain}", f"https://localhost:{secure}"
        self.certificate = certificate
        self.place = Place("nginx", self.plain, {})


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("nginx or openssl is not installed")
    directory, files = tmp_path_factory.mktemp("nginx"), tmp_path_factory.mktemp("files")
    # The workers of root have another user.
    for path in (directory, files, *list(files.parents)[:2]):
        path.chmod(0o755)
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    make += f" -addext basicConstraints=critical,CA:FALSE -keyout {directory}/key.pem -out {directory}/cert.pem"
    subprocess.run(make.split(), check=True, capture_output=True)
    plain, secure = free_port(), free_port()
    configured = CONFIGURATION.format(directory=directory, files=files, plain=plain, secure=secure)
    (directory / "nginx.conf").write_text(configured)
    with started([NGINX, "-c", directory / "nginx.conf", "-p", directory], plain):
        yield Web(files, plain, secure, directory / "cert.pem")
