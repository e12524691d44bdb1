//! Errors of the library as exceptions of the package.

use std::io;

use nnz::error::{At, Hint};
use nnz::{Error, ErrorKind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyTuple};

/// The names of sources in memory in messages.
pub(crate) const IN_MEMORY: [&str; 3] =
    ["the matrix in memory", "the array in memory", "the blocks in memory"];

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
    let class = classes.bind(py).getattr(error.class())?;
    let place = error.place();
    let path = place.path.as_ref().map(|path| path.as_os_str());
    // A name for what is in memory is part of the message, but not a path.
    let path = path.filter(|path| !IN_MEMORY.iter().any(|name| path == name));
    let position = place.at.as_ref().map(|at| position(py, at)).transpose()?;
    let made = class.call1((message(error), path, place.array.as_deref(), position))?;
    if let Some(errno) = errno(py, error.kind())? {
        let strerror = PyModule::import(py, "os")?.call_method1("strerror", (errno,))?;
        made.setattr("errno", errno)?;
        made.setattr("strerror", strerror)?;
    } else if let ErrorKind::Io(error) = error.kind() {
        made.setattr("strerror", error.to_string())?;
    }
    if !made.is_instance_of::<pyo3::exceptions::PyBaseException>() {
        return Err(PyRuntimeError::new_err("nnz._errors is incomplete"));
    }
    Ok(PyErr::from_value(made))
}

/// Returns the error number of the system, if an error has one.
fn errno(py: Python<'_>, kind: &ErrorKind) -> PyResult<Option<i32>> {
    let name = match kind {
        ErrorKind::Exists => "EEXIST",
        ErrorKind::Io(error) => match (error.raw_os_error(), error.kind()) {
            (Some(number), _) => return Ok(Some(number)),
            (None, io::ErrorKind::NotFound) => "ENOENT",
            (None, io::ErrorKind::PermissionDenied) => "EACCES",
            (None, io::ErrorKind::NotADirectory) => "ENOTDIR",
            (None, io::ErrorKind::IsADirectory) => "EISDIR",
            (None, io::ErrorKind::StorageFull) => "ENOSPC",
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    PyModule::import(py, "errno")?.getattr(name)?.extract().map(Some)
}

/// Returns the message, with the names of options in Python.
fn message(error: &Error) -> String {
    let (kind, place) = (error.kind(), error.place());
    let hint = match (error.hint(), kind) {
        (Some(found), _) => hint(found).unwrap_or_default(),
        (None, ErrorKind::Exists) => "; `force=True` replaces it".to_owned(),
        (None, _) => String::new(),
    };
    if place.path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        return format!("the path is empty: {kind}{hint}");
    }
    if place.is_unknown() { format!("{kind}{hint}") } else { format!("{place}: {kind}{hint}") }
}

/// Returns the hint, if the package has the option.
fn hint(hint: &Hint) -> Option<String> {
    let item = match hint.item {
        "format" => "to=",
        "value_type" => "type=",
        "components" => "n_components=",
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
