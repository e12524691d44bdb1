"""The command `nnz` of the package works as the program."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from conftest import PBMC
from test_processes import large

import nnz

NNZ = pathlib.Path(sys.executable).with_name("nnz")


def run(*arguments, **options):
    return subprocess.run([NNZ, *arguments], capture_output=True, text=True, timeout=120, **options)


def test_version_and_info():
    assert run("--version").stdout == f"nnz {nnz.__version__}\n"
    done = run("info", PBMC)
    assert (done.returncode, done.stderr) == (0, "")
    assert "507" in done.stdout and "1107" in done.stdout and "23866" in done.stdout.replace(",", "")


def test_exit_statuses(tmp_path):
    assert run("convert", PBMC, tmp_path / "m.bpcells").returncode == 0
    assert run("diff", PBMC, tmp_path / "m.bpcells").returncode == 0
    assert run("transpose", PBMC, tmp_path / "t.mtx").returncode == 0
    # The answer is no.
    different = run("diff", PBMC, tmp_path / "t.mtx")
    assert different.returncode == 1 and different.stdout
    failed = run("info", tmp_path / "none.mtx")
    assert failed.returncode == 1 and failed.stdout == ""
    assert failed.stderr.startswith("nnz: ") and "none.mtx" in failed.stderr
    usage = run("convert")
    assert usage.returncode == 2 and "Usage" in usage.stderr
    for done in (different, failed, usage):
        assert "Traceback" not in done.stderr


def test_arguments_need_not_be_text():
    done = subprocess.run([NNZ, "info", b"no \xff text"], capture_output=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith(b"nnz: ")


def test_closed_pipes_are_no_errors():
    with subprocess.Popen([NNZ, "cat", PBMC], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert len(process.stdout.readline().split()) == 3
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_files_do_not_get_the_output_of_closed_streams(tmp_path):
    def with_closed(streams, *arguments):
        return subprocess.run(["sh", "-c", f'exec "$@" {streams}', "sh", NNZ, *arguments], timeout=60).returncode

    assert with_closed(">&-", "info", PBMC) == 1
    for number, streams in enumerate(["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]):
        target = tmp_path / f"{number}.mtx"
        assert with_closed(streams, "convert", PBMC, target) == 0
        assert nnz.diff(PBMC, target) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_and_leave_no_files(tmp_path, number):
    nnz.write(large(4_000_000), tmp_path / "m.npz")
    out = tmp_path / "out"
    out.mkdir()
    command = [NNZ, "convert", "--threads", "1", tmp_path / "m.npz", out / "m.mtx.gz"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not writes_into(process.pid, out):
            assert process.poll() is None, "it exited before the signal"
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        assert "Traceback" not in process.stderr.read()
    assert os.listdir(out) == []


def writes_into(process, directory):
    """Whether a process has an open file in a directory."""
    for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
        try:
            if os.readlink(link).startswith(f"{directory}/"):
                return True
        except OSError:
            # It was closed in the meantime.
            pass
    return False
