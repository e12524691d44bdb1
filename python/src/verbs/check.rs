//! Checking and comparing.

use std::ffi::OsString;

use nnz::collection::{ElementChange, ElementDifference};
use nnz::error::{Finding, Severity};
use nnz::{Axis, DiffOptions, Difference, ErrorKind, Location, Scalar, ValidateOptions};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::position;
use crate::options::{self, limits};
use crate::reading::Reading;
use crate::source::location;
use crate::task;

/// Adds the functions of this file to a module.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(diff, module)?)?;
    module.add_function(wrap_pyfunction!(validate, module)?)
}

/// Checks a location, and returns the findings.
#[pyfunction]
#[pyo3(signature = (path, reading=None, memory_limit=None, workers=None, dialect=None, progress=None))]
fn validate<'py>(
    py: Python<'py>,
    path: OsString,
    reading: Option<&Bound<'py, PyDict>>,
    memory_limit: Option<&Bound<'py, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
    dialect: Option<String>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let reading = Reading::new(reading)?;
    let limits = limits(py, memory_limit, workers)?;
    let open = reading.open_options().dialect(options::dialect(py, "dialect", dialect)?);
    let options = ValidateOptions::default().open(open);
    let location = location(path);
    let findings = task::run(py, progress, limits, move |context| {
        let mut findings = Vec::new();
        let each = &mut |finding| findings.push(finding);
        match nnz::validate(&location, &options, context, each) {
            // An unrecognized format is a finding.
            Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => {
                let (kind, place) = error.into_parts();
                findings.push(Finding::fault(place, kind.to_string()));
            }
            done => done?,
        }
        Ok(findings)
    })?;
    let made = PyList::empty(py);
    for finding in findings {
        let one = PyDict::new(py);
        let severity = match finding.severity {
            Severity::Fault => "fault",
            Severity::Note => "note",
        };
        one.set_item("severity", severity)?;
        one.set_item("text", finding.to_string())?;
        one.set_item("message", finding.message)?;
        one.set_item("path", finding.place.path.map(std::path::PathBuf::into_os_string))?;
        one.set_item("array", finding.place.array)?;
        one.set_item("position", finding.place.at.map(|at| position(py, &at)).transpose()?)?;
        made.append(one)?;
    }
    Ok(made)
}

/// Compares two locations, and returns the first differences.
#[pyfunction]
#[pyo3(signature = (first, second, stored=false, max_diffs=10, memory_limit=None, workers=None, by_name=false, reading=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
fn diff<'py>(
    py: Python<'py>,
    first: OsString,
    second: OsString,
    stored: bool,
    max_diffs: usize,
    memory_limit: Option<&Bound<'py, PyAny>>,
    workers: Option<&Bound<'_, PyAny>>,
    by_name: bool,
    reading: Option<&Bound<'py, PyDict>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let limits = limits(py, memory_limit, workers)?;
    let options =
        DiffOptions::default().stored(stored).by_name(by_name).max_diffs(max_diffs.max(1));
    let (first, second) = (location(first), location(second));
    let reading = Reading::new(reading)?;
    let differences = task::run(py, progress, limits, move |context| {
        let mut found: Vec<ElementDifference> = Vec::new();
        let open = reading.open_options();
        let opened = |one: &Location| {
            open.open(one, context).map_err(|error| error.with_context(&one.source_place()))
        };
        let both = [opened(&first)?, opened(&second)?];
        nnz::diff_opened(both, &options, context, &mut |one| found.push(one))?;
        Ok(found)
    })?;
    let made = PyList::empty(py);
    for ElementDifference { path, what, .. } in differences {
        let one = describe(py, what)?;
        one.set_item("element", Some(path).filter(|path| !path.is_empty()))?;
        made.append(one)?;
    }
    Ok(made)
}

fn describe(py: Python<'_>, change: ElementChange) -> PyResult<Bound<'_, PyDict>> {
    let one = PyDict::new(py);
    let pair = |first: String, second: String| {
        one.set_item("first", first)?;
        one.set_item("second", second)
    };
    let kind = match change {
        ElementChange::FirstOnly => "first_only",
        ElementChange::SecondOnly => "second_only",
        ElementChange::Shape { first, second } => {
            pair(first, second)?;
            "shape"
        }
        ElementChange::Kind { first, second } => {
            pair(first, second)?;
            "kind"
        }
        ElementChange::Value { position, first, second } => {
            one.set_item("position", position)?;
            pair(first, second)?;
            "value"
        }
        ElementChange::Matrix(Difference::Shape(first, second)) => {
            pair(first.to_string(), second.to_string())?;
            "shape"
        }
        ElementChange::Matrix(Difference::Tensor) => "tensor",
        ElementChange::Matrix(Difference::Names(axis)) => {
            one.set_item("axis", if axis == Axis::Rows { "rows" } else { "cols" })?;
            "names"
        }
        ElementChange::Matrix(Difference::Name { axis, first, second }) => {
            one.set_item("axis", if axis == Axis::Rows { "rows" } else { "cols" })?;
            one.set_item("first", first)?;
            one.set_item("second", second)?;
            "name"
        }
        ElementChange::Matrix(Difference::Fill(first, second)) => {
            pair(text(first), text(second))?;
            "fill"
        }
        ElementChange::Matrix(Difference::Entry { row, col, first, second }) => {
            one.set_item("row", row)?;
            one.set_item("col", col)?;
            pair(text(first), text(second))?;
            "entry"
        }
        _ => "other",
    };
    one.set_item("kind", kind)?;
    Ok(one)
}

fn text(value: Option<Scalar>) -> String {
    let mut text = Vec::new();
    match value {
        Some(value) => nnz::text::write_scalar(&mut text, value, " "),
        None => text.push(b'-'),
    }
    String::from_utf8_lossy(&text).into_owned()
}
