"""Code in the documentation runs, and public functions are documented and typed."""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import warnings

import pytest
import typed_use
from conftest import FULL, PBMC, ROOT, TESTDATA

import nnz
from nnz import _nnz

DOCS = ROOT / "docs" / "python"
# Generated from docstrings, whose examples run as well.
REFERENCE = DOCS / "reference.md"
PAGES = sorted(set(DOCS.glob("*.md")) - {REFERENCE}) + [ROOT / "python" / "README.md", ROOT / "README.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n+```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
# Optional packages. Without them, a page runs up to the next heading of a section.
OPTIONAL = ("bpcells", "matplotlib", "scanpy", "torch")
# Packages that a page needs without importing them.
NEEDED = {
    "anndata.md": ["anndata"],
    "bpcells.md": ["pandas"],
    "fragments.md": ["pandas"],
    "notebook.ipynb": ["anndata", "matplotlib"],
    "quickstart.md": ["anndata"],
    "scanpy.md": ["anndata", "dask"],
    "training.md": ["dask", "pandas"],
}
# Packages that examples in docstrings need.
NEEDED_BY_EXAMPLES = {
    "nnz._anndata": ["anndata", "dask"],
    "nnz._annotations": ["pandas"],
    "nnz._dask": ["dask"],
    "nnz._fragment_arrays": ["pandas"],
    "nnz._fragments": ["pandas"],
    "nnz._matrix": ["anndata"],
    "nnz._parallel": ["dask"],
    "nnz._table": ["pandas"],
}


def modules():
    yield nnz
    for found in pkgutil.iter_modules(nnz.__path__):
        # It is a class of zarr, which needs Python 3.11.
        without_zarr = found.name == "_zarr_store" and importlib.util.find_spec("zarr") is None
        if found.name != "_nnz" and not without_zarr:
            yield importlib.import_module(f"nnz.{found.name}")


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    for needed in NEEDED_BY_EXAMPLES.get(module.__name__, []):
        pytest.importorskip(needed)
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nnz.DroppedWarning)
        done = doctest.testmod(module, extraglobs={"nnz": nnz, "tmp": tmp_path}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.failed == 0


def public_functions():
    """Yield the functions and methods of the package by name, including methods of private bases."""
    for name in nnz.__all__:
        public = getattr(nnz, name)
        if inspect.isfunction(public):
            yield f"nnz.{name}", public
        if inspect.isclass(public) and not issubclass(public, (Exception, dict)):
            for member, value in inspect.getmembers(public, inspect.isfunction):
                if not member.startswith("_") and value.__module__.startswith("nnz."):
                    yield f"nnz.{name}.{member}", value


PUBLIC_FUNCTIONS = dict(public_functions())


@pytest.mark.parametrize("name", PUBLIC_FUNCTIONS)
def test_functions_document_parameters_and_results_with_an_example(name):
    function = PUBLIC_FUNCTIONS[name]
    documentation = inspect.getdoc(function) or ""
    head, *rest = re.split(r"^([A-Z]\w+)\n-+\n", documentation, flags=re.MULTILINE)
    sections = dict(zip(rest[::2], rest[1::2]))
    assert re.match(r"[A-Z].*\.", head), name
    parameters = inspect.signature(function).parameters.values()
    lines = re.findall(r"^(?:\S.* :|\*\*\w+$)", sections.get("Parameters", ""), re.MULTILINE)
    stated = {one.strip(" :*") for line in lines for one in line.partition(" :")[0].split(",")}
    assert stated == {parameter.name for parameter in parameters if parameter.name != "self"}, name
    if function.__annotations__.get("return") not in (None, "None"):
        assert "Returns" in sections or "Yields" in sections, name
    assert ">>> " in sections.get("Examples", ""), name


def test_everything_public_is_documented():
    for name in nnz.__all__:
        if name.startswith("_"):
            continue
        public = getattr(nnz, name)
        assert inspect.getdoc(public), name
        if inspect.isclass(public):
            for member, value in inspect.getmembers(public, lambda value: isinstance(value, property)):
                assert member.startswith("_") or inspect.getdoc(value), f"{name}.{member}"


def missing(code):
    """Return the optional packages that code imports and that are not installed."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return sorted(name for name in found & set(OPTIONAL) if importlib.util.find_spec(name) is None)


def execute(code, name, scope):
    """Execute code and return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", nnz.DroppedWarning)
        exec(compile(code, name, "exec"), scope)
    return printed.getvalue()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A directory with the data of the repository, like a clone."""
    for name in ("examples", "testdata"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_run_from_top_to_bottom(page, clone):
    for needed in NEEDED.get(page.name, []):
        pytest.importorskip(needed)
    scope, left_out, executed = {}, {}, 0
    for section in re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE):
        absent = []
        for code, expected in BLOCK.findall(section):
            absent += missing(code)
            if absent:
                left_out.update(dict.fromkeys(absent))
                continue
            printed = execute(code, str(page), scope)
            executed += 1
            if expected:
                assert printed.strip() == expected.strip(), code
            else:
                assert not printed, f"the page does not show what this prints: {code}"
    assert executed
    if left_out:
        pytest.skip(f"without {', '.join(left_out)}: {executed} blocks were executed, the others were not")


# Blocks, and table cells that contain one command.
STEP = re.compile(r"^```(sh|python)\n(.*?)^```|^\|[^\n]*\| `(nnz [^`\n]+)` \|$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def command(clone, monkeypatch):
    """The command of the package, as the only directory with programs besides the programs of the system."""
    programs = clone / "programs"
    programs.mkdir()
    started = "import sys; from nnz._command import main; sys.exit(main())"
    (programs / "nnz").write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{started}" "$@"\n')
    (programs / "nnz").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_run_in_one_directory(page, clone, command):
    for needed in NEEDED.get(page.name, []):
        pytest.importorskip(needed)
    scope, broken = {}, False
    for language, code, cell in STEP.findall(page.read_text()):
        if language == "python":
            # A block that was left out may define what the others use.
            broken = broken or bool(missing(code))
            if not broken:
                execute(code, str(page), scope)
            continue
        script = cell.replace("\\|", "|") or code
        programs = re.findall(r"^\s*([\w-]+)", script, re.MULTILINE)
        if any(shutil.which(program) is None for program in programs):
            # Such as the tools of Binsparse, which have other ways to be installed.
            pytest.skip(f"{page.name} needs {', '.join(programs)}")
        done = subprocess.run(["sh", "-e", "-c", script], capture_output=True, text=True, timeout=120)
        # The status of `nnz diff` and `nnz validate` is an answer.
        assert done.returncode in ((0, 1) if re.match("nnz (diff|validate)", script) else (0,)), script + done.stderr


def test_the_notebook_runs_cell_by_cell(clone):
    path = DOCS / "notebook.ipynb"
    for needed in NEEDED[path.name]:
        pytest.importorskip(needed)
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 5
    scope = {}
    for number, cell in enumerate(cells, 1):
        assert cell["execution_count"] == number
        printed = execute("".join(cell["source"]), str(path), scope)
        shown = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        assert printed == shown


def test_the_notebook_has_outputs_without_paths_of_a_machine():
    text = (DOCS / "notebook.ipynb").read_text()
    assert len(text) < 200_000
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        assert all(output["output_type"] in ("stream", "execute_result", "display_data") for output in cell["outputs"])
        # The last line is an expression, which is shown.
        last = ast.parse("".join(cell["source"])).body[-1]
        assert not isinstance(last, ast.Expr) or cell["outputs"], cell["id"]
        for part in ("/tmp", "/home", "/root", "/Users", "C:\\\\", " at 0x"):
            assert part not in json.dumps({"outputs": [_without_images(output) for output in cell["outputs"]]}), part
    assert any("image/png" in output.get("data", {}) for cell in cells for output in cell["outputs"])


def _without_images(output):
    data = {kind: shown for kind, shown in output.get("data", {}).items() if not kind.startswith("image/")}
    return {**output, "data": data}


def test_the_reference_matches_the_docstrings():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "python" / "docs" / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    page = REFERENCE.read_text()
    assert page == reference.page(), "run python python/docs/reference.py > docs/python/reference.md"
    for name in nnz.__all__:
        assert f"`nnz.{name}" in page, name
    # The anchors of headings.
    headings = re.findall(r"^#+ (.*)", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= anchors
    assert len(anchors) == len(headings)


def test_links_lead_somewhere():
    for page in [*PAGES, REFERENCE]:
        for target in re.findall(r"\]\(([^)#]*)(?:#[^)]*)?\)", page.read_text()):
            if target and "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_types_are_installed():
    assert (pathlib.Path(nnz.__file__).parent / "py.typed").exists()


def test_mypy_accepts_the_package():
    api = pytest.importorskip("mypy.api")
    settings = ["--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir", "/dev/null"]
    report, errors, status = api.run([*settings, "-p", "nnz"])
    assert status == 0, report + errors


def test_mypy_accepts_code_of_users():
    api = pytest.importorskip("mypy.api")
    settings = ["--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir", "/dev/null"]
    report, errors, status = api.run([*settings, typed_use.__file__])
    assert status == 0, report + errors


def test_pyright_accepts_code_of_users(tmp_path):
    report, status = pyright(tmp_path, typed_use.__file__, {"typeCheckingMode": "strict"})
    assert status == 0, report
    # It reads the types of the package: errors are found.
    (tmp_path / "wrong.py").write_text("import nnz\nn: int = nnz.convert('a', 'b').dropped\nnnz.diff(1)\n")
    report, status = pyright(tmp_path, tmp_path / "wrong.py", {"typeCheckingMode": "strict"})
    assert status == 1 and "reportAssignmentType" in report and "reportCallIssue" in report


def test_pyright_accepts_the_package(tmp_path):
    # One type of PyTorch, which takes gigabytes, is used. The compiled module has no source here.
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs" / "torch.pyi").write_text("class Tensor: ...\n")
    settings = {"stubPath": str(tmp_path / "stubs"), "reportMissingModuleSource": "none", "exclude": []}
    package = pathlib.Path(nnz.__file__).parent
    report, status = pyright(tmp_path, package, {"typeCheckingMode": "strict", **settings})
    assert status == 0, report
    assert "No source files found" not in report


def pyright(directory, checked, settings):
    pytest.importorskip("basedpyright")
    config = directory / "pyrightconfig.json"
    config.write_text(json.dumps({**settings, "include": [str(checked)]}))
    command = [sys.executable, "-m", "basedpyright", "-p", str(config), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr, done.returncode


def test_code_of_users_runs(tmp_path):
    assert typed_use.shape_of(PBMC) == (1107, 507)
    assert typed_use.blocks_of(PBMC) == 23866
    with pytest.warns(nnz.DroppedWarning):
        assert len(typed_use.converted(PBMC, tmp_path / "m.bpcells")) == 1
    assert typed_use.written(tmp_path / "m.bpcells", tmp_path / "n.bpcells").nnz == 23866
    assert typed_use.trained(tmp_path / "n.bpcells") == 1107
    assert sum(typed_use.divided(tmp_path / "n.bpcells")) == 23866
    assert typed_use.kind_of(str(FULL)).startswith("X, ")
    assert typed_use.kind_of(str(tmp_path / "none")) == "nothing"
    assert typed_use.kind_of(str(tmp_path / "m.bpcells")) == "2 dimensions"
    assert typed_use.some_of(PBMC) >= 41549
    assert typed_use.lazily(PBMC) > 0 and typed_use.main_of(FULL).shape == (11, 7)
    assert typed_use.cells_of(TESTDATA / "scipy" / "npz" / "scipy1.18.1" / "coo_array_3d.npz") == 36
    assert len(typed_use.labels_of(TESTDATA / "daphne" / "frame_10types.dbdf")) == 10
    assert typed_use.overlaps_of(TESTDATA / "bpcells" / "fragments_dir" / "basic.packed") > 0


def test_stubs_match_the_compiled_module():
    stubs = (pathlib.Path(nnz.__file__).parent / "_nnz.pyi").read_text()
    for name, value in vars(_nnz).items():
        if not name.startswith("_"):
            assert re.search(rf"^(def|class) {name}\b|^{name}:", stubs, re.MULTILINE), name
            if inspect.isclass(value):
                for member in vars(value):
                    if not member.startswith("_"):
                        assert f"def {member}(" in stubs, f"{name}.{member}"
