//! Errors of the library as exceptions of the package.

use std::io;

use nnz::error::{At, Hint};
use nnz::{Error, ErrorKind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyTuple};

/// The module with the exception classes, which have several bases each.
const MODULE: &str = "nnz._errors";

/// Creates the exception for an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    make(py, error).unwrap_or_else(|failed| failed)
}

/// Creates the exception for a wrong argument.
pub(crate) fn argument(py: Python<'_>, what: impl Into<String>) -> PyErr {
    exception(py, &Error::argument(what))
}

fn make(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let classes =
        CLASSES.get_or_try_init(py, || PyModule::import(py, MODULE).map(Bound::unbind))?;
    let class = classes.bind(py).getattr(class_of(error.kind()))?;
    let place = error.place();
    let path = place.path.as_ref().map(|path| path.as_os_str());
    let position = place.at.as_ref().map(|at| position(py, at)).transpose()?;
    let made = class.call1((message(error), path, place.array.as_deref(), position))?;
    if let ErrorKind::Io(error) = error.kind() {
        made.setattr("errno", error.raw_os_error())?;
        made.setattr("strerror", error.to_string())?;
    }
    if !made.is_instance_of::<pyo3::exceptions::PyBaseException>() {
        return Err(PyRuntimeError::new_err("nnz._errors is incomplete"));
    }
    Ok(PyErr::from_value(made))
}

fn class_of(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io(error) => match error.kind() {
            io::ErrorKind::NotFound => "MissingFileError",
            io::ErrorKind::PermissionDenied => "AccessError",
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => "CorruptFileError",
            io::ErrorKind::OutOfMemory => "MemoryLimitError",
            _ => "StorageError",
        },
        ErrorKind::Missing | ErrorKind::Mismatch { .. } => "CorruptFileError",
        ErrorKind::Unrecognized(_) => "FormatError",
        ErrorKind::Unsupported(_) => "UnsupportedError",
        ErrorKind::Inexact { .. } => "CastError",
        ErrorKind::Duplicate { .. } => "DuplicateError",
        ErrorKind::Exists => "ExistsError",
        ErrorKind::Changed => "ChangedError",
        ErrorKind::Memory { .. } => "MemoryLimitError",
        ErrorKind::Argument(_) => "ArgumentError",
        ErrorKind::Cancelled => "CancelledError",
        _ => "Error",
    }
}

/// Returns the message, with the names of options in Python.
fn message(error: &Error) -> String {
    let (kind, place) = (error.kind(), error.place());
    let hint = error.hint().and_then(hint).unwrap_or_default();
    if place.is_unknown() { format!("{kind}{hint}") } else { format!("{place}: {kind}{hint}") }
}

/// Returns the hint, if the package has the option.
fn hint(hint: &Hint) -> Option<String> {
    let item = match hint.item {
        "format" => "to=",
        "value_type" => "type=",
        "StructurePolicy::General" => "nnz.convert(..., expand=True)",
        "transpose" => "nnz.transpose",
        "memory_limit" => "memory=",
        "fragments" => "nnz.Fragments",
        "fragments::import" => "nnz.import_fragments",
        "fragments::Counts" => "nnz.Fragments.count_peaks",
        item if item.contains("::") => return None,
        item => return Some(format!("; `{item}=` {}", hint.effect)),
    };
    Some(format!("; `{item}` {}", hint.effect))
}

/// Returns the kind of position, and its numbers.
pub(crate) fn position<'py>(py: Python<'py>, at: &At) -> PyResult<Bound<'py, PyTuple>> {
    match *at {
        At::Byte(byte) => ("byte", byte).into_pyobject(py),
        At::Element(element) => ("element", element).into_pyobject(py),
        At::Line { line, column } => ("line", line, column).into_pyobject(py),
        At::Entry { row, col } => ("entry", row, col).into_pyobject(py),
    }
}

/// Converts results of the library to results of Python functions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for nnz::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}
