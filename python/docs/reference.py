"""Print the API reference, made of the docstrings of the package that is installed.

Usage: python python/docs/reference.py > docs/python/reference.md
"""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any, Iterator

import nnz

GROUPS = {
    "Open and read": ["open", "ReadOptions", "read_anndata", "Matrix", "LazyMatrix", "Annotations", "Tensor", "Table", "File"],
    "Write": ["write", "writer", "Writer", "WriteOptions", "TargetOptions"],
    "Train, and use several processes": ["Batches", "Batch", "Partition", "from_dask"],
    "From file to file": ["convert", "slice", "filter", "sample", "concat", "split", "transpose", "repair", "edit", "ConvertOptions"],
    "Compute": ["pca", "PCA", "highly_variable_genes", "qc", "QC", "aggregate", "markers", "Markers"],
    "Inspect": ["validate", "diff", "stats", "formats"],
    "See": ["Plots", "report", "Report"],
    "Settings of the process": ["set_storage_options", "set_temporary_directory"],
    "Fragments": [
        "Fragments",
        "FragmentArrays",
        "import_fragments",
        "merge_fragments",
        "FragmentOptions",
        "FragmentSummary",
    ],
    "Results": ["Summary", "SplitSummary", "RepairSummary", "EditSummary", "Finding", "Difference", "Format"],
}
OF_MATRIX = ("LazyMatrix", "File")
"""Classes with the properties and methods of `Matrix`."""
PROTOCOLS = ("__getitem__", "__matmul__", "__rmatmul__", "__arrow_c_stream__", "__binsparse_descriptor__", "__binsparse__")
"""Methods with underscores that are listed. Others, such as methods of dataclasses, differ from Python to Python."""

INTRODUCTION = """# API reference

Generated from the docstrings by `python/docs/reference.py`. Examples run in a clone of the repository; `tmp` is the `pathlib.Path`
of an empty directory.

- `nnz.__version__` is the version of the package.
- Functions release the GIL while they read and write. Ctrl-C cancels them: Python raises `KeyboardInterrupt`, and nothing is left. If it
  comes when an output is already in place, the output stays, and is complete: an output is never left half written.
- Axes are as in NumPy: `axis=0` returns a value for each column. Positions are counted from 0.
"""


def page() -> str:
    """Make the page."""
    listed = [name for names in GROUPS.values() for name in names]
    others = [name for name in nnz.__all__ if name not in listed and not name.startswith("_")]
    errors = [name for name in others if issubclass(getattr(nnz, name), (nnz.Error, Warning))]
    assert others == errors, f"in no group: {sorted(set(others) - set(errors))}"
    parts = [INTRODUCTION]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        for name in names:
            public = getattr(nnz, name)
            parts.extend(of_class(name, public) if inspect.isclass(public) else of_function(f"nnz.{name}", public, ""))
    parts.extend(of_errors(errors))
    return "\n".join(parts).rstrip() + "\n"


def of_function(name: str, function: Any, owner: str) -> Iterator[str]:
    """Describe a function, or a method of a class."""
    yield f"{'####' if owner else '###'} `{name}()`\n"
    yield f"```text\n{name}{signature(function)}\n```\n"
    yield from of_docstring(function, owner)


def of_class(name: str, public: Any) -> Iterator[str]:
    """Describe a class, its properties and its methods."""
    yield f"### class `nnz.{name}`\n"
    documentation = inspect.getdoc(public) or ""
    if "\nParameters\n" in documentation:
        yield f"```text\nnnz.{name}{signature(public)}\n```\n"
    yield from of_docstring(public, name)
    found = members(public)
    if name in OF_MATRIX:
        yield "It also has the properties and methods of a [Matrix](#class-nnzmatrix), except for what it has instead.\n"
    properties = [
        f"- `{member}` ({returned(value)}): {text(inspect.getdoc(value) or '', name, '  ')}"
        for member, value in found.items()
        if isinstance(value, property)
    ]
    if properties:
        yield "**Properties**\n"
        yield "\n".join(properties) + "\n"
    for member, value in found.items():
        if not isinstance(value, property):
            yield from of_function(f"{name}.{member}", value, name)


def of_errors(names: list[str]) -> Iterator[str]:
    """Describe the errors and warnings in a table."""
    yield "## Errors\n"
    yield from of_class("Error", nnz.Error)
    yield "| error | also a | when |\n|---|---|---|"
    for name in names:
        error = getattr(nnz, name)
        if error is nnz.Error:
            continue
        bases = ", ".join(f"`{base.__name__}`" for base in error.__bases__)
        yield f"| `nnz.{name}` | {bases} | {' '.join(text(inspect.getdoc(error) or '', '', '').split())} |"


def members(public: Any) -> dict[str, Any]:
    """Return what a class has, and then its bases in the package, in the order of the source.

    Members that classes share with `Matrix` are listed there.
    """
    found: dict[str, Any] = {}
    for base in public.__mro__:
        if base.__module__.partition(".")[0] != "nnz":
            continue
        if public is not nnz.Matrix and base in nnz.Matrix.__mro__ and issubclass(public, nnz.Matrix.__base__):
            continue
        for name, value in vars(base).items():
            shown = (not name.startswith("_") or name in PROTOCOLS) and inspect.getdoc(value)
            if shown and (isinstance(value, property) or inspect.isfunction(value)):
                found.setdefault(name, value)
    return found


def signature(public: Any) -> str:
    """Write the parameters of a function, with defaults and without types."""
    made = inspect.signature(public)
    kept = [part.replace(annotation=part.empty) for part in made.parameters.values() if part.name != "self"]
    return str(made.replace(parameters=kept, return_annotation=made.empty))


def returned(value: property) -> str:
    """Write the type of a property as its source has it."""
    return f"`{value.fget.__annotations__['return']}`" if value.fget else ""


def of_docstring(public: Any, owner: str) -> Iterator[str]:
    """Write a docstring in NumPy style as Markdown."""
    documentation = inspect.getdoc(public) or ""
    head, *rest = re.split(r"^(\w+)\n-+\n", documentation, flags=re.MULTILINE)
    yield paragraphs(head, owner)
    for title, body in zip(rest[::2], rest[1::2]):
        if title == "Examples":
            yield f"```pycon\n{body.strip()}\n```\n"
        else:
            yield f"**{title}**\n"
            yield "\n".join(items(body, owner)) + "\n"


def paragraphs(head: str, owner: str) -> str:
    """Write text, in which an indented paragraph describes the line above it."""
    lines: list[str] = []
    for block in head.strip().split("\n\n"):
        if re.match(r"^``.*``\n    ", block):
            lines.extend([*items(block, owner), ""])
        else:
            lines.extend([text(block, owner, ""), ""])
    return "\n".join(lines)


def items(body: str, owner: str) -> Iterator[str]:
    """Write what is described one by one: parameters, attributes, what is returned or raised."""
    for item in re.split(r"^(?=\S)", body.strip(), flags=re.MULTILINE):
        first, _, rest = item.strip().partition("\n")
        name, colon, kind = first.partition(" : ")
        if not name:
            continue
        shown = f"`{name}` ({kind})" if colon else text(name, owner, "") if "`" in name else f"*{name}*"
        described = text(textwrap.dedent(rest).strip(), owner, "  ")
        yield f"- {shown}: {described}" if described else f"- {shown}"


def text(written: str, owner: str, indent: str) -> str:
    """Turn marks of reStructuredText into Markdown, and names of the package into links."""

    def linked(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        anchor = None if found[1] else ANCHORS.get(code) or ANCHORS.get(f"{owner}.{code}")
        return f"[`{code}`](#{anchor})" if anchor else f"`{code}`"

    made = re.sub(r"``(.+?)``|`([^`]+)`", linked, written)
    return made.replace("\n", f"\n{indent}")


def anchors() -> dict[str, str]:
    """Return the anchors of headings, by the names that docstrings have for them."""
    found: dict[str, str] = {}
    for name in (name for names in GROUPS.values() for name in names):
        public = getattr(nnz, name)
        anchor = f"class-nnz{name.lower()}" if inspect.isclass(public) else f"nnz{name}"
        found[f"nnz.{name}"] = anchor
        if inspect.isclass(public):
            found[name] = anchor
            methods = (member for member, value in members(public).items() if not isinstance(value, property))
            found.update({f"{name}.{member}": f"{name}{member}".lower() for member in methods})
    return found


ANCHORS = anchors()

if __name__ == "__main__":
    print(page(), end="")
