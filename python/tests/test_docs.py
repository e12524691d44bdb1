"""What the documentation shows is executed, and what is public is documented and typed."""

import contextlib
import doctest
import importlib
import inspect
import io
import pathlib
import pkgutil
import re
import warnings

import pytest
from conftest import ROOT

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


def test_stubs_name_what_is_compiled():
    stubs = (pathlib.Path(nnz.__file__).parent / "_nnz.pyi").read_text()
    for name, value in vars(nnz._nnz).items():
        if not name.startswith("_"):
            assert re.search(rf"^(def|class) {name}\b", stubs, re.MULTILINE), name
            if inspect.isclass(value):
                for member in vars(value):
                    if not member.startswith("_"):
                        assert f"def {member}(" in stubs, f"{name}.{member}"
