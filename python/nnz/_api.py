"""The public API. `nnz` imports it when any of it is used."""

from . import _verbs  # pyright: ignore[reportPrivateUsage]
from ._annotations import Annotations
from ._anndata import read_anndata
from ._dask import from_dask
from ._edit import edit
from ._errors import (
    AccessError,
    ArgumentError,
    CancelledError,
    CastError,
    ChangedError,
    ClosedError,
    CorruptFileError,
    DroppedWarning,
    DuplicateError,
    Error,
    ExistsError,
    FormatError,
    MemoryLimitError,
    MissingFileError,
    PositionError,
    StorageError,
    UnknownNameError,
    UnsupportedError,
)
from ._file import File
from ._fragment_arrays import FragmentArrays
from ._fragment_options import FragmentOptions, FragmentSummary
from ._fragment_verbs import import_fragments, merge_fragments
from ._fragments import Fragments
from ._filter import filter
from ._inspect import diff, formats, report, stats, validate
from ._lazy import LazyMatrix
from ._markers import Markers, markers
from ._matrix import Matrix
from ._metrics import QC, aggregate, qc
from ._nnz import __version__
from ._open import open
from ._options import ConvertOptions, TargetOptions, WriteOptions, set_temporary_directory
from ._partitions import Partition
from ._pca import PCA, pca
from ._plot import Plots
from ._reading import ReadOptions
from ._report import Report
from ._results import Difference, EditSummary, Finding, Format, RepairSummary, SplitSummary, Summary
from ._sample import sample
from ._slice import slice
from ._storage import set_storage_options
from ._table import Table
from ._tensor import Tensor
from ._training import Batch, Batches
from ._variable import highly_variable_genes
from ._verbs import *
from ._write import write
from ._writer import Writer, writer

__all__ = [
    "AccessError",
    "Annotations",
    "ArgumentError",
    "Batch",
    "Batches",
    "CancelledError",
    "CastError",
    "ChangedError",
    "ClosedError",
    "ConvertOptions",
    "CorruptFileError",
    "Difference",
    "DroppedWarning",
    "DuplicateError",
    "EditSummary",
    "Error",
    "ExistsError",
    "File",
    "Finding",
    "Format",
    "FormatError",
    "FragmentArrays",
    "FragmentOptions",
    "FragmentSummary",
    "Fragments",
    "LazyMatrix",
    "Markers",
    "Matrix",
    "MemoryLimitError",
    "MissingFileError",
    "PCA",
    "Partition",
    "Plots",
    "PositionError",
    "QC",
    "ReadOptions",
    "RepairSummary",
    "Report",
    "SplitSummary",
    "StorageError",
    "Summary",
    "Table",
    "TargetOptions",
    "Tensor",
    "UnknownNameError",
    "UnsupportedError",
    "WriteOptions",
    "Writer",
    "__version__",
    "aggregate",
    "diff",
    "edit",
    "filter",
    "formats",
    "from_dask",
    "highly_variable_genes",
    "import_fragments",
    "markers",
    "merge_fragments",
    "open",
    "pca",
    "qc",
    "read_anndata",
    "report",
    "sample",
    "set_storage_options",
    "set_temporary_directory",
    "slice",
    "stats",
    "validate",
    "write",
    "writer",
]
__all__ += _verbs.__all__
