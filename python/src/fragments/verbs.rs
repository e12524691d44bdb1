//! Verbs for fragments on paths.

use std::ffi::OsString;

use nnz::fragments::{
    Chromosomes, DiffOptions, FragmentDifference, ImportOptions, MergeOptions, SelectOptions,
};
use nnz::{Location, OpenOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::{options, regions};
use crate::columns::to_strings;
use crate::error::OrRaise as _;
use crate::source::location;
use crate::task;

type WriteArguments<'py> = Bound<'py, PyDict>;
type DictResult<'py> = PyResult<Bound<'py, PyDict>>;

/// Returns whether a location has fragments and no matrix.
#[pyfunction]
pub(crate) fn holds_fragments(py: Python<'_>, path: OsString) -> PyResult<bool> {
    let location = location(path);
    task::run_detached(py, task::Limits::default(), move |context| {
        nnz::fragments::is_fragments(&location, &OpenOptions::new(), context)
    })
}

/// Imports fragments from text. `lists` has the cells to import and the chromosomes, if any.
#[pyfunction]
#[pyo3(signature = (source, target, sort, end_inclusive, lists, given, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub(crate) fn import_fragments<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    sort: bool,
    end_inclusive: bool,
    lists: (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>),
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> DictResult<'py> {
    let options = options::store(given)?;
    let (cells, chromosomes) = lists;
    let cells = cells.map(|cells| regions::names(&cells)).transpose()?;
    let chromosomes = match chromosomes {
        None => None,
        Some(listed) => Some(Chromosomes::from_sizes(&regions::sizes_of(&listed)?).or_raise(py)?),
    };
    let (from, to) = (location(source), location(target));
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        let reading = ImportOptions::default()
            .sort(sort)
            .end_inclusive(end_inclusive)
            .cells(cells)
            .chromosomes(chromosomes);
        nnz::fragments::import(&from, &to, reading, &options, context)
    })?;
    crate::summary::of_conversion(py, &done.into())
}

/// A selection: cells and chromosomes, if not all, and the minimum and maximum length.
type FragmentSelection<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>, u32, u32);

/// Writes fragments of some cells, chromosomes and lengths, or all of them.
#[pyfunction]
#[pyo3(signature = (source, target, selected, given, progress=None))]
pub(crate) fn write_fragments<'py>(
    py: Python<'py>,
    source: OsString,
    target: OsString,
    selected: Option<FragmentSelection<'py>>,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> DictResult<'py> {
    let options = options::store(given)?;
    let (from, to) = (location(source), location(target));
    let selected = match selected {
        None => None,
        Some((cells, chromosomes, least, most)) => {
            let names = |names: Option<Bound<'py, PyAny>>| {
                names.map(|names| to_strings(&names)).transpose()
            };
            let selected = SelectOptions::default().length(least..=most);
            Some(selected.cells(names(cells)?).chromosomes(names(chromosomes)?))
        }
    };
    let done =
        task::run(
            py,
            progress,
            crate::options::limits_of(given)?,
            move |context| match selected {
                None => nnz::fragments::convert(&from, &to, &options, context),
                Some(selected) => nnz::fragments::select(&from, &to, &selected, &options, context),
            },
        )?;
    crate::summary::of_conversion(py, &done.into())
}

/// Merges several stores.
#[pyfunction]
#[pyo3(signature = (sources, target, prefixes, given, progress=None))]
pub(crate) fn merge_fragments<'py>(
    py: Python<'py>,
    sources: Vec<OsString>,
    target: OsString,
    prefixes: Vec<String>,
    given: &WriteArguments<'py>,
    progress: Option<&Bound<'py, PyAny>>,
) -> DictResult<'py> {
    let options = options::store(given)?;
    let from: Vec<Location> = sources.into_iter().map(location).collect();
    let to = location(target);
    let done = task::run(py, progress, crate::options::limits_of(given)?, move |context| {
        let merging = MergeOptions::default().prefixes(prefixes);
        nnz::fragments::merge(&from, &to, &merging, &options, context)
    })?;
    crate::summary::of_conversion(py, &done.into())
}

/// Reads names of cells from a file.
#[pyfunction]
pub(crate) fn read_names<'py>(py: Python<'py>, path: OsString) -> PyResult<Bound<'py, PyList>> {
    let names = task::run_detached(py, task::Limits::default(), move |_| {
        nnz::fragments::read_cells(path.as_ref())
    })?;
    crate::columns::from_strings(py, &names)
}

/// Returns whether a target is written as text.
#[pyfunction]
pub(crate) fn becomes_text(py: Python<'_>, path: OsString) -> PyResult<bool> {
    nnz::fragments::is_text(&location(path)).or_raise(py)
}

/// Compares two stores, and returns the first differences.
#[pyfunction]
#[pyo3(signature = (first, second, max_diffs, progress=None))]
pub(crate) fn diff_fragments<'py>(
    py: Python<'py>,
    first: OsString,
    second: OsString,
    max_diffs: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let (first, second) = (location(first), location(second));
    let differences = task::run(py, progress, task::Limits::default(), move |context| {
        let options = DiffOptions::default().max_diffs(max_diffs.max(1));
        let mut found = Vec::new();
        nnz::fragments::diff(&first, &second, &options, context, &mut |one| found.push(one))?;
        Ok(found)
    })?;
    let made = PyList::empty(py);
    for difference in differences {
        made.append(describe(py, difference)?)?;
    }
    Ok(made)
}

fn describe(py: Python<'_>, difference: FragmentDifference) -> DictResult<'_> {
    let one = PyDict::new(py);
    let text =
        |bytes: &[u8]| PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape"));
    let kind = match difference {
        FragmentDifference::Chromosomes => "chromosomes",
        FragmentDifference::Cells => "cells",
        FragmentDifference::Fragment { chromosome, number, first, second } => {
            one.set_item("element", text(&chromosome)?)?;
            one.set_item("position", number)?;
            for (name, side) in [("first", first), ("second", second)] {
                let shown = match side {
                    // Names need not be UTF-8.
                    Some((start, end, cell)) => {
                        PyString::new(py, &format!("{start}-{end} ")).add(text(&cell)?)?
                    }
                    None => PyString::new(py, "-").into_any(),
                };
                one.set_item(name, shown)?;
            }
            "fragment"
        }
        _ => "other",
    };
    one.set_item("kind", kind)?;
    Ok(one)
}
