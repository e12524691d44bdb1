//! Verbs that write files.

use std::ffi::OsString;
use std::path::PathBuf;

use nnz::matrix::AxisKind;
use nnz::whole::{ConcatFilesOptions, Join};
use nnz::{Axis, ConcatOptions, Dataset, ErrorKind, Location, OpenOptions, frames};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::argument;
use crate::source::location;
use crate::{options, select, summary, task};

type Given<'py> = Bound<'py, PyDict>;

/// Converts a location to another.
#[pyfunction]
#[pyo3(signature = (source, target, given, progress=None))]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, from, to) = (options::convert(given)?, location(source), location(target));
    let [of_table, target] = [from.clone(), to.clone()];
    let done = task::run(py, progress, move |context| {
        let options = options.cancellation(context.token());
        match nnz::convert(&from, &to, &options, &*context.progress) {
            Err(error) => {
                if is_table(&error, &from)? {
                    Ok(None)
                } else {
                    Err(error)
                }
            }
            done => done.map(Some),
        }
    })?;
    match done {
        Some(done) => summary::of_matrix(py, &done),
        None => convert_table(py, of_table, target, given, progress),
    }
}

/// Returns whether a location that could not be converted as a matrix has a table.
fn is_table(error: &nnz::Error, from: &Location) -> nnz::Result<bool> {
    let options = OpenOptions::new();
    match error.kind() {
        ErrorKind::Unrecognized(_) => frames::is_text(from, &options),
        ErrorKind::Unsupported(_) => frames::holds(from, &options),
        _ => Ok(false),
    }
}

fn convert_table<'py>(
    py: Python<'py>,
    from: Location,
    to: Location,
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options::frame(given)?;
    let done = task::run(py, progress, move |context| {
        frames::convert(&from, &to, &options.cancellation(context.token()))
    })?;
    summary::of_frame(py, &done)
}

/// Returns the kinds of the axes of a location.
fn kinds(py: Python<'_>, from: &Location) -> PyResult<[AxisKind; 2]> {
    let from = from.clone();
    task::run_detached(py, move || {
        let options = OpenOptions::new();
        let matrix = match options.open(&from).and_then(Dataset::into_matrix) {
            Ok(matrix) => Ok(matrix),
            Err(error) => nnz::whole::tables(&from, &options)?.ok_or(error),
        };
        let matrix = matrix.map_err(|error| error.with_context(&from.source_place()))?;
        Ok(matrix.header().axis_kinds)
    })
}

/// Writes selected rows and columns of a location. `selected` has the selections of rows, columns, cells and
/// features.
#[pyfunction]
#[pyo3(signature = (source, target, selected, given, progress=None))]
pub(crate) fn slice<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    selected: [Vec<Bound<'py, PyAny>>; 4],
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, from, to) = (options::convert(given)?, location(source), location(target));
    let [rows, cols, cells, features] = selected.map(|given| select::all(&given));
    let mut axes = [rows?, cols?];
    for (name, kind, given) in
        [("cells", AxisKind::Cells, cells?), ("features", AxisKind::Features, features?)]
    {
        let Some(given) = given else { continue };
        let axis = select::axis_of(py, name, || kinds(py, &from))?;
        let both = &mut axes[crate::view::index(axis)];
        let given = given.of_kind(kind);
        *both = Some(match both.take() {
            Some(before) => before.and(given),
            None => given,
        });
    }
    let [rows, cols] = axes.map(Option::unwrap_or_default);
    let done = task::run(py, progress, move |context| {
        let options = options.cancellation(context.token());
        nnz::slice(&from, &to, [&rows, &cols], &options, &*context.progress)
    })?;
    summary::of_matrix(py, &done)
}

/// Concatenates several locations.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
#[pyo3(signature = (sources, target, axis, ignore_names, files, given, progress=None))]
pub(crate) fn concat<'py>(
    py: Python<'py>,
    sources: Vec<OsString>,
    target: OsString,
    axis: &str,
    ignore_names: bool,
    files: (Option<String>, Option<String>, Option<String>, Option<f64>),
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, to) = (options::convert(given)?, location(target));
    let from: Vec<Location> = sources.into_iter().map(location).collect();
    let axis = select::axis_of(py, axis, || match from.first() {
        Some(first) => kinds(py, first),
        None => Err(argument(py, "nothing to concatenate")),
    })?;
    let (join, label, index_unique, fill) = files;
    let join = match join.as_deref() {
        None => None,
        Some("inner") => Some(Join::Inner),
        Some("outer") => Some(Join::Outer),
        Some(other) => {
            return Err(argument(py, format!("join {other:?}: expected \"inner\" or \"outer\"")));
        }
    };
    let files =
        ConcatFilesOptions::default().join(join).label(label).index_unique(index_unique).fill(fill);
    let done = task::run(py, progress, move |context| {
        let options = options.cancellation(context.token());
        let how = ConcatOptions::default()
            .value_type(options.value_type)
            .rounding(options.rounding)
            .ignore_names(ignore_names);
        if axis == Axis::Rows && !ignore_names {
            let whole = nnz::whole::concat(&from, &to, &files, &options, &*context.progress)?;
            if let Some(summary) = whole {
                return Ok(summary);
            }
        }
        if !files.is_default() {
            let what = "join, label, index_unique and fill only apply to whole AnnData files that are \
                        concatenated along rows to another";
            return Err(nnz::Error::argument(what));
        }
        nnz::concat(&from, &to, axis, &how, &options, &*context.progress)
    })?;
    summary::of_matrix(py, &done)
}

/// Writes the rows of each value of a column to one file. Returns the paths and their summaries, and the number
/// of rows without a value.
#[pyfunction]
#[pyo3(signature = (source, directory, by, extension, given, progress=None))]
pub(crate) fn split<'py>(
    py: Python<'py>,
    source: OsString,
    directory: PathBuf,
    by: String,
    extension: String,
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, u64)> {
    let (options, from) = (options::convert(given)?, location(source));
    let done = task::run(py, progress, move |context| {
        let options = options.cancellation(context.token());
        nnz::whole::split(&from, &directory, (&by, &extension), &options, &*context.progress)
    })?;
    let files = PyList::empty(py);
    for (path, one) in &done.files {
        files.append((path.as_os_str(), summary::of_matrix(py, one)?))?;
    }
    Ok((files, done.missing))
}

/// Writes a corrected copy of a broken file. Returns the repairs and the summary.
#[pyfunction]
#[pyo3(signature = (source, target, complete, given, progress=None))]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    complete: bool,
    given: &Given<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<String>, Option<Bound<'py, PyDict>>)> {
    let (options, from, to) = (options::convert(given)?, location(source), location(target));
    let done = task::run(py, progress, move |context| {
        let options = options.cancellation(context.token());
        nnz::repair(&from, &to, complete, &options, &*context.progress)
    })?;
    let repairs = done.repairs.iter().map(ToString::to_string).collect();
    let matrix = done.matrix.map(|done| summary::of_matrix(py, &done)).transpose()?;
    Ok((repairs, matrix))
}
