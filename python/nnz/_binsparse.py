"""The Binsparse protocol: arrays of other packages, by a descriptor and named arrays."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _nnz
from ._errors import ArgumentError
from ._guards import is_array, is_dict

VERSION = "0.1"


class Exported(NamedTuple):
    """An array as the protocol has it."""

    descriptor: Dict[str, Any]
    arrays: Dict[str, npt.NDArray[Any]]


def take(kept: List[Exported], read: Callable[[], Exported]) -> Exported:
    """Return what was read for a descriptor, once, and else read it."""
    try:
        return kept.pop()
    except IndexError:
        return read()


def of_block(block: Any) -> Exported:
    """Export compressed rows or columns of SciPy."""
    arrays = {"pointers_to_1": block.indptr, "indices_1": block.indices, "values": block.data}
    return _exported(block.format.upper(), block.shape, int(block.nnz), arrays)


def of_entries(
    shape: Sequence[int],
    coordinates: Sequence[npt.NDArray[Any]],
    data: npt.NDArray[Any],
    fill: Optional[npt.NDArray[Any]] = None,
) -> Exported:
    """Export entries of an array of any number of dimensions, which are put in the order of their coordinates."""
    if coordinates and not _ascends(coordinates):
        order = np.lexsort(tuple(reversed(coordinates)))
        coordinates, data = [one[order] for one in coordinates], data[order]
    arrays = {f"indices_{at}": np.ascontiguousarray(one) for at, one in enumerate(coordinates)}
    arrays["values"] = data
    if fill is not None:
        arrays["fill_value"] = fill
    level: Dict[str, Any] = {"level_desc": "element"}
    if coordinates:
        level = {"level_desc": "sparse", "rank": len(coordinates), "level": level}
    exported = _exported("custom", shape, len(data), arrays)
    exported.descriptor["binsparse"]["custom"] = {"level": level}
    return exported


def _ascends(coordinates: Sequence[npt.NDArray[Any]]) -> bool:
    """Return whether entries are in the order of their coordinates, the first dimension first."""
    undecided = np.ones(max(len(coordinates[0]) - 1, 0), bool)
    for one in coordinates:
        before, after = one[:-1], one[1:]
        if (undecided & (after < before)).any():
            return False
        undecided &= after == before
    return True


def _exported(layout: str, shape: Sequence[int], stored: int, arrays: Dict[str, npt.NDArray[Any]]) -> Exported:
    described: Dict[str, Any] = {
        "version": VERSION,
        "format": layout,
        "shape": [int(extent) for extent in shape],
        "number_of_stored_values": stored,
        "data_types": {name: _type_name(array.dtype) for name, array in arrays.items()},
    }
    if "fill_value" in arrays:
        described["fill"] = True
    return Exported({"binsparse": described, "original_source": f"nnz, version {_nnz.__version__}"}, arrays)


def _type_name(dtype: np.dtype[Any]) -> str:
    names = {"bool": "bint8", "complex64": "complex[float32]", "complex128": "complex[float64]"}
    return names.get(dtype.name, dtype.name)


def is_offered(obj: Any) -> bool:
    """Return whether an object has the methods of the protocol."""
    return hasattr(obj, "__binsparse__") and hasattr(obj, "__binsparse_descriptor__")


Source = Union["_nnz.Source", "_nnz.TensorSource"]


def source_of(obj: Any) -> Source:
    """Make a source of an object that offers the protocol."""
    descriptor, arrays = obj.__binsparse_descriptor__(), obj.__binsparse__()
    if not is_dict(arrays):
        raise ArgumentError(f"__binsparse__ returned {type(arrays).__name__}, not a dict of arrays")
    return source(Exported(descriptor, {str(name): _on_cpu(array) for name, array in arrays.items()}))


def _on_cpu(array: Any) -> npt.NDArray[Any]:
    if is_array(array) or not hasattr(array, "__dlpack__"):
        made: npt.NDArray[Any] = np.asarray(array)
        return made
    return np.from_dlpack(array)


def source(exported: Exported) -> Source:
    """Make a source of named arrays."""
    descriptor, arrays = exported
    if "binsparse" not in descriptor:
        # Some objects return only the value of the key.
        descriptor = {"binsparse": descriptor}
    # Who made an array in memory is not what a user keeps in a file.
    descriptor = {key: value for key, value in descriptor.items() if key != "original_source"}
    inner = descriptor["binsparse"]
    levels = inner.get("format") if is_dict(inner) else None
    if is_dict(inner) and is_dict(levels):
        # Drafts of the protocol have the levels under the format.
        descriptor = {**descriptor, "binsparse": {**inner, "format": "custom", **levels}}
    named: List[Tuple[str, npt.NDArray[Any]]] = []
    for name, array in arrays.items():
        if array.ndim != 1:
            raise ArgumentError(f"the array {name!r} has {array.ndim} dimensions, expected 1")
        named.append((name, np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))))
    try:
        text = json.dumps(descriptor)
    except TypeError as error:
        raise ArgumentError(f"a descriptor of Binsparse that is not JSON: {error}") from None
    return _nnz.from_binsparse(text, named)
