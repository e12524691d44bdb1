//! Verbs that write files, or change them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use nnz::collection::{CollectionConcatOptions, Join};
use nnz::edit::{AddedColumns, Changes};
use nnz::engine::Filter;
use nnz::matrix::AxisKind;
use nnz::{Compression, ConcatOptions, EditOptions, Location, OpenOptions, Selection};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::error::argument;
use crate::open::axes_of;
use crate::reading::Reading;
use crate::source::location;
use crate::{options, select, summary, task};

/// Adds the functions of this file to a module.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(concat, module)?)?;
    module.add_function(wrap_pyfunction!(convert, module)?)?;
    module.add_function(wrap_pyfunction!(edit, module)?)?;
    module.add_function(wrap_pyfunction!(filter, module)?)?;
    module.add_function(wrap_pyfunction!(repair, module)?)?;
    module.add_function(wrap_pyfunction!(slice, module)?)?;
    module.add_function(wrap_pyfunction!(split, module)?)
}

type WriteArguments<'py> = Bound<'py, PyDict>;

/// Join, label, separator, fill value and keys of sources that are concatenated.
type ConcatFiles = (Option<String>, Option<String>, Option<String>, Option<f64>, Vec<String>);

/// Converts a location to another. `reading` has the types of the columns of a text, and the dialect of the source.
#[pyfunction]
#[pyo3(signature = (source, target, reading, given, progress=None))]
fn convert<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    reading: (Option<Vec<String>>, Option<String>),
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options::TableReading { types, from_dialect } = options::reading(py, reading)?;
    let (mut options, reading) = options::convert_location(given)?;
    if from_dialect.is_some() {
        if !reading.is_empty() {
            let what = "from_dialect and options of other formats cannot be used together";
            return Err(argument(py, what));
        }
        options.open = OpenOptions::new().dialect(from_dialect);
    }
    let (from, to, options) = (location(source), location(target), options.types(types));
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        nnz::convert(from, to, &options, context)
    })?;
    summary::of_conversion(py, &done)
}

/// Returns the kinds of the axes of a location.
fn kinds(py: Python<'_>, from: &Location, reading: &Reading) -> PyResult<[AxisKind; 2]> {
    let (from, options) = (from.clone(), reading.open_options());
    task::run_detached(py, task::Limits::default(), move |context| {
        let matrix = axes_of(&from, &options, context)?;
        Ok(matrix.header().axis_kinds)
    })
}

/// Writes selected rows and columns of a location. `selected` has the selections of rows, columns, cells and
/// features.
#[pyfunction]
#[pyo3(signature = (source, target, selected, allow_empty, given, progress=None))]
fn slice<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    selected: select::SelectionArgs<'py>,
    allow_empty: bool,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, reading) = options::convert_location(given)?;
    let (from, to) = (location(source), location(target));
    let [rows, cols]: [Selection; 2] =
        select::axes(py, selected, allow_empty, || kinds(py, &from, &reading))?;
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        nnz::slice(&from, &to, [&rows, &cols], &options, context)
    })?;
    summary::of_conversion(py, &done)
}

/// Writes the rows and columns of a location that meet conditions on rows, columns, cells and features. Returns the
/// summary, and how many are kept.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
#[pyo3(signature = (source, target, conditions, allow_empty, by_layer, given, progress=None))]
fn filter<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    conditions: select::SelectionArgs<'py>,
    allow_empty: bool,
    by_layer: Option<String>,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, reading) = options::convert_location(given)?;
    let (from, to) = (location(source), location(target));
    let [rows, cols]: [Filter; 2] =
        select::axes(py, conditions, allow_empty, || kinds(py, &from, &reading))?;
    let (found, mut done) =
        task::run(py, progress, crate::options::limits_of(given)?, move |context| {
            nnz::filter(from, to, [&rows, &cols], by_layer.as_deref(), &options, context)
        })?;
    done.notes.splice(0..0, found.notes);
    summary::of_conversion(py, &done)
}

/// Concatenates several locations.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
#[pyo3(signature = (sources, target, axis, ignore_names, files, given, progress=None))]
fn concat<'py>(
    py: Python<'py>,
    sources: Vec<OsString>,
    target: OsString,
    axis: &str,
    ignore_names: bool,
    files: ConcatFiles,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (options, reading) = options::convert_location(given)?;
    let to = location(target);
    let from: Vec<Location> = sources.into_iter().map(location).collect();
    let axis = select::axis_of(py, axis, || match from.first() {
        Some(first) => kinds(py, first, &reading),
        None => Err(argument(py, "nothing to concatenate")),
    })?;
    let (join, label, index_unique, fill, keys) = files;
    let join = match join.as_deref() {
        None => None,
        Some("inner") => Some(Join::Inner),
        Some("outer") => Some(Join::Outer),
        Some(other) => {
            return Err(argument(py, format!("join {other:?}: expected \"inner\" or \"outer\"")));
        }
    };
    let files = CollectionConcatOptions::default()
        .join(join)
        .label(label)
        .index_unique(index_unique)
        .keys(keys)
        .fill(fill);
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        let how = ConcatOptions::default().ignore_names(ignore_names).collections(files);
        nnz::concat(&from, &to, axis, &how, &options, context)
    })?;
    summary::of_conversion(py, &done)
}

/// Writes the rows of each value of a column, or of each combination of several, to one file. Returns the paths and their summaries, and the number
/// of rows without a value, and notes.
#[pyfunction]
#[pyo3(signature = (source, directory, by, extension, given, progress=None))]
fn split<'py>(
    py: Python<'py>,
    source: OsString,
    directory: PathBuf,
    by: Vec<String>,
    extension: Option<String>,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, u64, Vec<String>)> {
    let (options, from) = (options::convert(given)?, location(source));
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        nnz::collection::split(&from, &directory, (&by, extension.as_deref()), &options, context)
    })?;
    let files = PyList::empty(py);
    for (path, one) in &done.files {
        files.append((path.as_os_str(), summary::of_conversion(py, one)?))?;
    }
    Ok((files, done.missing, done.notes))
}

/// Writes a corrected copy of a broken file. Returns the repairs and the summary.
#[pyfunction]
#[pyo3(signature = (source, target, complete, given, progress=None))]
fn repair<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    complete: bool,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<String>, Option<Bound<'py, PyDict>>)> {
    let (options, _) = options::convert_location(given)?;
    let (from, to) = (location(source), location(target));
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        nnz::repair(&from, &to, complete, &options, context)
    })?;
    let repairs = done.repairs.iter().map(ToString::to_string).collect();
    let matrix = done.matrix.map(|done| summary::of_conversion(py, &done)).transpose()?;
    Ok((repairs, matrix))
}

/// The removed and the added paths, and the sizes of the file before and afterwards.
type EditTuple = (Vec<String>, Vec<String>, Option<u64>, Option<u64>);

/// Changes an AnnData file in place. `added` has axes and tables; `flags` are `replace`, `no_sync` and `dry_run`.
#[pyfunction]
fn edit<'py>(
    py: Python<'py>,
    path: OsString,
    removed: Vec<String>,
    added: Vec<(String, Bound<'py, PyAny>)>,
    compress: Option<Bound<'py, PyAny>>,
    flags: [Bound<'py, PyAny>; 3],
) -> PyResult<EditTuple> {
    let [replace, no_sync, dry_run] = &flags;
    let [replace, no_sync, dry_run] = [
        options::flag("replace", replace)?,
        options::flag("no_sync", no_sync)?,
        options::flag("dry_run", dry_run)?,
    ];
    let compress = match compress {
        Some(given) => options::compression(py, &options::text("compress", &given)?)?,
        None => Compression::None,
    };
    let memory = nnz::engine::default_memory();
    let added = added.iter().map(|(axis, table)| {
        // AnnData has cells as rows.
        let kinds = || Ok([AxisKind::Cells, AxisKind::Features]);
        let axis = select::axis_of(py, axis, kinds)?;
        Ok(AddedColumns::new(axis, Arc::new(options::table(table, memory)?)))
    });
    let added = added.collect::<PyResult<Vec<_>>>()?;
    let changes = Changes::default().removed(removed).added(added).replace(replace);
    let options =
        EditOptions::default().changes(changes).compress(compress).sync(!no_sync).dry_run(dry_run);
    let at = location(path);
    let done = task::run(py, None, task::Limits::default(), move |context| {
        nnz::edit(&at, &options, context)
    })?;
    Ok((done.removed, done.added, done.bytes_before, done.bytes_after))
}
