"""What the documentation shows is executed, and what is public is documented and typed."""

import contextlib
import doctest
import importlib
import inspect
import io
import json
import pathlib
import pkgutil
import re
import subprocess
import sys
import warnings

import pytest
import typed_use
from conftest import FULL, PBMC, ROOT

import nnz

PAGES = sorted((ROOT / "docs" / "python").glob("*.md")) + [ROOT / "python" / "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)


def modules():
    yield nnz
    for found in pkgutil.iter_modules(nnz.__path__):
        if found.name != "_nnz":
            yield importlib.import_module(f"nnz.{found.name}")


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nnz.DroppedWarning)
        done = doctest.testmod(module, extraglobs={"nnz": nnz, "tmp": tmp_path}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.failed == 0


def test_everything_public_is_documented():
    for name in nnz.__all__:
        if name.startswith("_"):
            continue
        public = getattr(nnz, name)
        assert inspect.getdoc(public), name
        if inspect.isclass(public):
            for member, value in vars(public).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("page", [page for page in PAGES if "docs" in page.parts], ids=lambda page: page.name)
def test_pages_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    pytest.importorskip("anndata")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    scope = {}
    blocks = BLOCK.findall(page.read_text())
    assert blocks
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore", nnz.DroppedWarning)
            exec(compile(code, str(page), "exec"), scope)
        if expected:
            assert printed.getvalue().strip() == expected.strip(), code


def test_types_are_installed():
    assert (pathlib.Path(nnz.__file__).parent / "py.typed").exists()


def test_mypy_accepts_the_package():
    api = pytest.importorskip("mypy.api")
    settings = ["--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir", "/dev/null"]
    report, errors, status = api.run([*settings, "-p", "nnz"])
    assert status == 0, report + errors


def test_mypy_accepts_what_users_write():
    api = pytest.importorskip("mypy.api")
    settings = ["--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir", "/dev/null"]
    report, errors, status = api.run([*settings, typed_use.__file__])
    assert status == 0, report + errors


def test_pyright_accepts_what_users_write(tmp_path):
    report, status = pyright(tmp_path, typed_use.__file__, {"typeCheckingMode": "strict"})
    assert status == 0, report
    # It reads the types of the package: what is wrong is found.
    (tmp_path / "wrong.py").write_text("import nnz\nn: int = nnz.convert('a', 'b').dropped\nnnz.diff(1)\n")
    report, status = pyright(tmp_path, tmp_path / "wrong.py", {"typeCheckingMode": "strict"})
    assert status == 1 and "reportAssignmentType" in report and "reportCallIssue" in report


def test_pyright_accepts_the_package(tmp_path):
    # Packages that need not be installed, and what is compiled, have no source here.
    missing = {"reportMissingImports": "none", "reportMissingModuleSource": "none"}
    package = pathlib.Path(nnz.__file__).parent
    report, status = pyright(tmp_path, package, {"typeCheckingMode": "standard", **missing, "exclude": []})
    assert status == 0, report
    assert "No source files found" not in report


def pyright(directory, checked, settings):
    pytest.importorskip("basedpyright")
    config = directory / "pyrightconfig.json"
    config.write_text(json.dumps({**settings, "include": [str(checked)]}))
    command = [sys.executable, "-m", "basedpyright", "-p", str(config), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr, done.returncode


def test_what_users_write_runs(tmp_path):
    assert typed_use.shape_of(PBMC) == (1107, 507)
    assert typed_use.blocks_of(PBMC) == 23866
    with pytest.warns(nnz.DroppedWarning):
        assert len(typed_use.converted(PBMC, tmp_path / "m.bpcells")) == 1
    assert typed_use.written(tmp_path / "m.bpcells", tmp_path / "n.bpcells").nnz == 23866
    assert typed_use.kind_of(str(FULL)).startswith("X, ")
    assert typed_use.kind_of(str(tmp_path / "none")) == "nothing"
    assert typed_use.kind_of(str(tmp_path / "m.bpcells")) == "2 dimensions"


def test_stubs_name_what_is_compiled():
    stubs = (pathlib.Path(nnz.__file__).parent / "_nnz.pyi").read_text()
    for name, value in vars(nnz._nnz).items():
        if not name.startswith("_"):
            assert re.search(rf"^(def|class) {name}\b", stubs, re.MULTILINE), name
            if inspect.isclass(value):
                for member in vars(value):
                    if not member.startswith("_"):
                        assert f"def {member}(" in stubs, f"{name}.{member}"
