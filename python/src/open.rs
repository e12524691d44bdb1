//! Opening a location or arrays in memory.

use std::ffi::OsString;

use nnz::container::Memory;
use nnz::frames::FrameSource;
use nnz::tensor::TensorFile;
use nnz::{Context, Dataset, Header, Location, MatrixSource, OpenOptions, Place};
use numpy::PyArrayMethods as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{self, OrRaise as _};
use crate::fragments::FragmentSource;
use crate::reading::open_options;
use crate::source::{Source, location};
use crate::table::TableSource;
use crate::tensor::TensorSource;
use crate::verbs::{MemberTuple, listed};
use crate::{arrays, task};

/// The name of arrays of other packages in messages.
const IN_MEMORY: &str = error::IN_MEMORY[1];

/// The attribute with the descriptor.
const DESCRIPTOR: &str = nnz::binsparse::DESCRIPTOR;

enum OpenedDataset {
    Matrix(Box<dyn MatrixSource>),
    Tensor(TensorFile, Box<Header>),
    Table(FrameSource),
    Fragments(Box<dyn nnz::fragments::FragmentSource>),
}

impl OpenedDataset {
    /// Converts an opened dataset. A vector is a matrix of one column.
    fn new(dataset: Dataset) -> nnz::Result<Self> {
        match dataset {
            Dataset::Tensor(tensor) if !tensor.is_vector() => {
                let header = Box::new(tensor.header()?);
                Ok(Self::Tensor(tensor, header))
            }
            Dataset::Table(table) => Ok(Self::Table(table)),
            Dataset::Fragments(fragments) => Ok(Self::Fragments(fragments)),
            other => other.into_matrix().map(Self::Matrix),
        }
    }

    fn into_python(self, py: Python<'_>, place: Place) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Matrix(matrix) => Py::new(py, Source::new(matrix.into()))?.into_any(),
            Self::Tensor(tensor, header) => {
                Py::new(py, TensorSource::new(tensor, *header, place))?.into_any()
            }
            Self::Table(table) => Py::new(py, TableSource::new(table, place))?.into_any(),
            Self::Fragments(fragments) => {
                Py::new(py, FragmentSource::new(fragments.into(), place))?.into_any()
            }
        })
    }
}

/// Opens a location: a matrix, a tensor, a table or fragments.
#[pyfunction]
#[pyo3(signature = (path, memory_limit=None, reading=None))]
pub(crate) fn open(
    py: Python<'_>,
    path: OsString,
    memory_limit: Option<&Bound<'_, PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let location = location(path);
    let place = location.source_place();
    let (options, limits) = open_options(py, memory_limit, reading)?;
    let opened = task::run_detached(py, limits, move |context| {
        let opened = options.open(&location, context).and_then(OpenedDataset::new);
        opened.map_err(|error| error.with_context(&location.source_place()))
    })?;
    opened.into_python(py, place)
}

/// The matrix, tensor, table or fragments of a location, its members, and whether these are datasets of their own.
type Listed = (Option<Py<PyAny>>, Vec<MemberTuple>, bool);

/// Opens a file or directory and lists its members, as [`open`] and `members`, but reads it once. A collection without a
/// main matrix has members only.
#[pyfunction]
#[pyo3(signature = (path, memory_limit=None, reading=None))]
pub(crate) fn open_listed(
    py: Python<'_>,
    path: OsString,
    memory_limit: Option<&Bound<'_, PyAny>>,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Listed> {
    let location = location(path);
    let place = location.source_place();
    let (options, limits) = open_options(py, memory_limit, reading)?;
    let (opened, members, is_several) = task::run_detached(py, limits, move |context| {
        let open = || {
            let detected = context.detect(&location, &options)?;
            let members = detected.members();
            let mut is_several = false;
            let opened = match detected.open(&options)? {
                Dataset::Collection(collection) if !collection.has_main()? => {
                    is_several = collection.is_several();
                    None
                }
                found => Some(OpenedDataset::new(found)?),
            };
            Ok((opened, members?, is_several))
        };
        open().map_err(|error: nnz::Error| error.with_context(&location.source_place()))
    })?;
    let opened = opened.map(|opened| opened.into_python(py, place)).transpose()?;
    Ok((opened, members.into_iter().map(listed).collect(), is_several))
}

/// Returns the full path of a group in a file of AnnData or MuData, where that of a modality can be without `mod`.
#[pyfunction]
pub(crate) fn full_group(py: Python<'_>, path: OsString, group: String) -> PyResult<String> {
    task::run_detached(py, task::Limits::default(), move |context| {
        nnz::formats::full_group(path, &group, context)
    })
}

/// Opens the matrix of a location, or the tables of a file without one.
pub(crate) fn axes_of(
    location: &Location,
    options: &OpenOptions,
    context: &Context,
) -> nnz::Result<Box<dyn MatrixSource>> {
    let matrix = options.open(location, context).and_then(Dataset::into_axes);
    matrix.map_err(|error| error.with_context(&location.source_place()))
}

/// Opens what has the shape, names and annotations of a location: its matrix, or the tables of a file without one, of
/// which entries are not read.
#[pyfunction]
#[pyo3(signature = (path, reading=None))]
pub(crate) fn open_axes(
    py: Python<'_>,
    path: OsString,
    reading: Option<&Bound<'_, PyDict>>,
) -> PyResult<Source> {
    let location = location(path);
    let (options, limits) = open_options(py, None, reading)?;
    let opened =
        task::run_detached(py, limits, move |context| axes_of(&location, &options, context))?;
    Ok(Source::new(opened.into()))
}

/// Creates a dataset from copies of named arrays with a Binsparse descriptor. They are contiguous, of one dimension
/// and in native byte order.
#[pyfunction]
pub(crate) fn from_binsparse(
    py: Python<'_>,
    descriptor: &str,
    named: Vec<(String, Bound<'_, PyAny>)>,
) -> PyResult<Py<PyAny>> {
    let memory = Memory::named(IN_MEMORY);
    let mut writer = memory.writer();
    writer.set_attribute(DESCRIPTOR, descriptor).or_raise(py)?;
    for (name, array) in named {
        let dtype: String = array.getattr("dtype")?.getattr("name")?.extract()?;
        let value_type = arrays::written_type(py, &dtype)?;
        let bytes = array.call_method1("view", ("uint8",))?;
        let bytes = bytes.cast::<numpy::PyArray1<u8>>()?.try_readonly()?;
        let id = writer.create_array(&name, value_type).or_raise(py)?;
        writer.append_bytes(id, bytes.as_slice()?).or_raise(py)?;
    }
    writer.finish().or_raise(py)?;
    let place = Place::path(IN_MEMORY);
    let opened = task::run_detached(py, task::Limits::default(), move |_| {
        let opened = nnz::tensor::open(memory.arrays()).and_then(OpenedDataset::new);
        opened.map_err(|error| error.with_context(&Place::path(IN_MEMORY)))
    })?;
    opened.into_python(py, place)
}
