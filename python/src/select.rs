//! Selections as positions, names or strings of the command.

use std::ops::Range;

use nnz::engine::Filter;
use nnz::matrix::AxisKind;
use nnz::{Error, ErrorKind, Place, Selection};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrays::vector;
use crate::columns::to_strings;
use crate::error::{OrRaise as _, argument, exception};

/// Converts a selection: an array of unique positions (`uint64`), a list of names, or a string as in the command:
/// a list, a condition, or `@FILE`.
///
/// An empty file is an error unless `allow_empty` is set, and so is any other selection of nothing where it is used.
pub(crate) fn selection(given: &Bound<'_, PyAny>, allow_empty: bool) -> PyResult<Selection> {
    let py = given.py();
    if given.hasattr("dtype")? {
        return Ok(Selection::ranges(ranges(&vector::<u64>(given)?)));
    }
    let Ok(text) = given.cast::<PyString>() else {
        let names = to_strings(given)?;
        return Ok(Selection::exact_names(names.iter()));
    };
    let text = text.to_str()?;
    match text.strip_prefix('@') {
        Some("") => Err(argument(py, "expected a file after @")),
        Some(path) => {
            let selection = nnz::text::read_selection(path).or_raise(py)?;
            if selection.is_empty() && !allow_empty {
                let what = "the list is empty; allow_empty=True accepts it".to_owned();
                let error = Error::new(ErrorKind::Argument(what), Place::path(path));
                return Err(exception(py, &error));
            }
            Ok(selection)
        }
        None => text.parse().map_err(|error: String| argument(py, error)),
    }
}

/// Options of an axis that may be given several times, and are combined.
pub(crate) trait OfAxis: Default {
    fn parse(given: &Bound<'_, PyAny>, allow_empty: bool) -> PyResult<Self>;
    fn and(self, other: Self) -> Self;
    fn of_kind(self, kind: AxisKind) -> Self;
    fn allow_empty(self, allow: bool) -> Self;
}

impl OfAxis for Selection {
    fn parse(given: &Bound<'_, PyAny>, allow_empty: bool) -> PyResult<Self> {
        selection(given, allow_empty)
    }

    fn and(self, other: Self) -> Self {
        Selection::and(self, other)
    }

    fn of_kind(self, kind: AxisKind) -> Self {
        Selection::of_kind(self, kind)
    }

    fn allow_empty(self, allow: bool) -> Self {
        Selection::allow_empty(self, allow)
    }
}

impl OfAxis for Filter {
    fn parse(given: &Bound<'_, PyAny>, allow_empty: bool) -> PyResult<Self> {
        if let Ok(text) = given.cast::<PyString>() {
            let text = text.to_str()?;
            return match text.starts_with('@') {
                true => Ok(Filter::selected(selection(given, allow_empty)?, text)),
                false => text.parse().map_err(|error: String| argument(given.py(), error)),
            };
        }
        Ok(Filter::selected(selection(given, allow_empty)?, "a list"))
    }

    fn and(self, other: Self) -> Self {
        Filter::and(self, other)
    }

    fn of_kind(self, kind: AxisKind) -> Self {
        Filter::of_kind(self, kind)
    }

    fn allow_empty(self, allow: bool) -> Self {
        Filter::allow_empty(self, allow)
    }
}

/// Combines what is given; `None` if nothing is.
fn all<T: OfAxis>(given: &[Bound<'_, PyAny>], allow_empty: bool) -> PyResult<Option<T>> {
    let mut all = None;
    for one in given {
        let one = T::parse(one, allow_empty)?;
        all = Some(match all.take() {
            None => one,
            Some(before) => T::and(before, one),
        });
    }
    Ok(all)
}

/// The arguments for rows, columns, cells and features.
pub(crate) type SelectionArgs<'py> = [Vec<Bound<'py, PyAny>>; 4];

/// Converts the arguments to selections of rows and columns.
pub(crate) fn axes<T: OfAxis>(
    py: Python<'_>,
    selected: SelectionArgs<'_>,
    allow_empty: bool,
    kinds: impl Fn() -> PyResult<[AxisKind; 2]>,
) -> PyResult<[T; 2]> {
    let [rows, cols, cells, features] = selected.map(|given| all::<T>(&given, allow_empty));
    let mut axes = [rows?, cols?];
    for (name, kind, given) in
        [("cells", AxisKind::Cells, cells?), ("features", AxisKind::Features, features?)]
    {
        let Some(given) = given else { continue };
        let axis = axis_of(py, name, &kinds)?;
        let both = &mut axes[crate::view::index(axis)];
        let given = given.of_kind(kind);
        *both = Some(match both.take() {
            Some(before) => before.and(given),
            None => given,
        });
    }
    Ok(axes.map(|axis| axis.unwrap_or_default().allow_empty(allow_empty)))
}

/// Merges adjacent positions.
fn ranges(positions: &[u64]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &position in positions {
        match ranges.last_mut() {
            Some(last) if last.end == position => last.end += 1,
            _ => ranges.push(position..position.saturating_add(1)),
        }
    }
    ranges
}

/// Parses the name of an axis, or of its kind.
pub(crate) fn axis_of(
    py: Python<'_>,
    name: &str,
    kinds: impl FnOnce() -> PyResult<[AxisKind; 2]>,
) -> PyResult<nnz::Axis> {
    let kind = match name {
        "rows" => return Ok(nnz::Axis::Rows),
        "cols" => return Ok(nnz::Axis::Cols),
        // The second is the name in AnnData.
        "cells" | "obs" => AxisKind::Cells,
        "features" | "var" => AxisKind::Features,
        _ => {
            let what =
                format!("axis {name:?}: expected \"rows\", \"cols\", \"cells\" or \"features\"");
            return Err(argument(py, what));
        }
    };
    match kinds()?.map(|found| found == kind) {
        [true, false] => Ok(nnz::Axis::Rows),
        [false, true] => Ok(nnz::Axis::Cols),
        _ => {
            let what = format!("the file does not state which axis has {kind}; use rows or cols");
            Err(argument(py, what))
        }
    }
}
