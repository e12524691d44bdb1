//! Which rows and columns of a matrix meet conditions on their statistics, names and annotations.

mod measured;
mod parse;

use nnz_storage::TaskContext;
use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use nnz_core::{Axis, AxisKind, Error, ErrorKind, MatrixSource, Place, Result};

use crate::slice::Pattern;
use crate::slice::{describe_nothing, nothing_selected, one_of_kind};
use crate::stats::{RowsOrCols, Stats, StatsOptions, stats_of_parts};
use crate::{Measures, Selection};
pub(crate) use measured::is_measure;
use measured::{MeasureCondition, more};

/// Conditions on the rows, or on the columns, of a matrix. All have to be met.
///
/// As text, a condition is a [`Selection`], or compares what is measured of a row or column with a number: `nnz>=200`,
/// `sum<=50000`, `variance>0.5`. The measures are named as in [`stats`](fn@crate::stats): `nnz`, `nonzero`, `sum`, `mean`,
/// `variance`, `min` and `max`; `=`, `!=`, `<`, `<=`, `>` and `>=` compare. `sum(rows=^MT-)`, for columns, only includes the rows
/// whose names match a regular expression, and `/` divides two measures: `sum(rows=^MT-)/sum<0.2`. If no name matches,
/// the text columns of the annotations are searched. `cells=` and `features=` can be used for `rows=` and `cols=`.
/// NaN, such as a share of nothing, meets no condition.
///
/// `column(NAME)` is a column of the annotations that has the name of a measure: `column(nnz)>=200`.
///
/// When rows or columns are written, conditions that keep none are an error unless
/// [`allow_empty`](Self::allow_empty) is set.
///
/// ```
/// use nnz_engine::Filter;
///
/// let both = "nnz>=200".parse::<Filter>()?.and("sum(rows=^MT-)/sum<0.2".parse()?);
/// assert!("sum(rows=^MT-)/sum".parse::<Filter>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    tests: Vec<Test>,
    /// Whether nothing may be kept.
    allow_empty: bool,
}

#[derive(Clone, Debug)]
struct Test {
    /// As it was written, for messages; empty for a list that was not.
    text: String,
    condition: Condition,
    /// The kind of the axis, for messages.
    kind: AxisKind,
}

impl Test {
    /// Returns whether it lists rows or columns.
    fn is_list(&self) -> bool {
        matches!(&self.condition, Condition::Selected(selection) if selection.is_list())
    }
}

#[derive(Clone, Debug)]
enum Condition {
    Measured(MeasureCondition),
    Selected(Selection),
}

impl Filter {
    /// Keeps everything.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Keeps what is selected. `text` names the selection in messages.
    #[must_use]
    pub fn selected(selection: Selection, text: impl Into<String>) -> Self {
        Self::of(Condition::Selected(selection), text)
    }

    fn of(condition: Condition, text: impl Into<String>) -> Self {
        let test = Test { text: text.into(), condition, kind: AxisKind::Unknown };
        Self { tests: vec![test], allow_empty: false }
    }

    /// Sets whether nothing may be kept, which is an error otherwise.
    #[must_use]
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }

    /// Keeps what both keep.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.tests.extend(other.tests);
        self.allow_empty |= other.allow_empty;
        self
    }

    /// Sets that cells or features are kept: messages mention them instead of rows or columns.
    #[must_use]
    pub fn of_kind(mut self, kind: AxisKind) -> Self {
        for test in &mut self.tests {
            test.kind = kind;
            if let Condition::Selected(selection) = &mut test.condition {
                *selection = std::mem::take(selection).of_kind(kind);
            }
        }
        self
    }

    /// Returns whether it is [`all`](Self::all).
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.tests.is_empty()
    }

    /// Returns whether a condition measures entries; other conditions are about names and annotations.
    #[must_use]
    pub fn measures(&self) -> bool {
        self.measured().next().is_some()
    }

    /// Returns whether a condition measures sums, which are usually those of counts.
    #[must_use]
    pub fn sums(&self) -> bool {
        let is_sum = |quantity: &measured::Quantity| quantity.measure == measured::Measure::Sum;
        self.measured().any(|condition| condition.quantities().any(is_sum))
    }

    /// Returns whether there are no conditions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    fn measured(&self) -> impl Iterator<Item = &MeasureCondition> {
        self.tests.iter().filter_map(|test| match &test.condition {
            Condition::Measured(measured) => Some(measured),
            Condition::Selected(_) => None,
        })
    }
}

/// Explains the error for the name of a measure, of which a shell has taken the comparison for the name of an output.
fn without_comparison(error: Error, text: &str) -> Error {
    let is_measure = measured::MEASURES.iter().any(|(name, _)| *name == text);
    error.map_kind(|kind| match kind {
        ErrorKind::UnknownName(what) if is_measure => {
            ErrorKind::UnknownName(format!("{what}; conditions are quoted: \"{text}>=200\""))
        }
        other => other,
    })
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self::of(parse::condition(text)?, text))
    }
}

/// The result of [`filter`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilterResult {
    /// The rows.
    pub rows: FilteredAxis,
    /// The columns.
    pub cols: FilteredAxis,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// The rows or columns that meet all conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilteredAxis {
    /// The length of the axis.
    pub len: u64,
    /// Those that are kept, in order; ranges do not touch.
    pub ranges: Vec<Range<u64>>,
    /// The text of each condition, and the number of rows or columns that meet it alone.
    pub conditions: Vec<(String, u64)>,
    /// A description of the conditions that keep nothing; `None` if something is kept, or without conditions.
    pub empty_reason: Option<String>,
    /// Whether nothing may be kept.
    allow_empty: bool,
}

impl FilteredAxis {
    /// Returns how many are kept.
    #[must_use]
    pub fn count(&self) -> u64 {
        total(&self.ranges)
    }

    /// Returns those that are kept as a selection.
    #[must_use]
    pub fn selection(&self) -> Selection {
        match &self.ranges[..] {
            [one] if *one == (0..self.len) => Selection::all(),
            ranges => Selection::ranges(ranges.iter().cloned()).allow_empty(true),
        }
    }

    /// Fails if nothing is kept, unless the [conditions](Filter::allow_empty) allow it.
    ///
    /// # Errors
    ///
    /// Fails with the conditions that keep nothing.
    pub fn check(&self) -> Result<()> {
        match &self.empty_reason {
            Some(what) if !self.allow_empty => Err(nothing_selected(what)),
            _ => Ok(()),
        }
    }
}

/// Finds the rows and columns of a matrix that meet conditions. Both axes are judged by the whole matrix.
///
/// This takes one pass over the entries, or two if `nonzero` and others are measured. Without measures, no entries are
/// read.
///
/// # Errors
///
/// Fails as [`stats`](fn@crate::stats) and [`Slice::new`](crate::Slice::new), if no name matches a regular expression,
/// if the names belong to the axis that is measured, and if the file does not state which axis has cells or features.
pub fn filter(
    source: &dyn MatrixSource,
    [rows, cols]: [&Filter; 2],
    context: &TaskContext,
) -> Result<FilterResult> {
    let place = &source.place();
    let mut found =
        Measurements { source, place, context, stats: BTreeMap::new(), notes: Vec::new() };
    for (filter, axis) in [(rows, Axis::Rows), (cols, Axis::Cols)] {
        for measured in filter.measured() {
            measured
                .check_axis(axis, source.header())
                .map_err(|error| error.with_context(place))?;
        }
    }
    found.measure([rows, cols])?;
    let rows = found.kept(rows, Axis::Rows)?;
    let cols = found.kept(cols, Axis::Cols)?;
    Ok(FilterResult { rows, cols, notes: found.notes })
}

/// Entries that are measured: all, or the ones whose names match; and whether nonzero elements are counted rather
/// than entries.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MeasuredEntries {
    nonzero: bool,
    /// Whether the names are row names, and the pattern that they match.
    among: Option<(bool, String)>,
}

/// Measures of a matrix.
struct Measurements<'a> {
    source: &'a dyn MatrixSource,
    place: &'a Place,
    context: &'a TaskContext,
    stats: BTreeMap<MeasuredEntries, Stats>,
    notes: Vec<String>,
}

impl Measurements<'_> {
    /// Measures what the conditions need.
    fn measure(&mut self, filters: [&Filter; 2]) -> Result<()> {
        for nonzero in [false, true] {
            let measures = if nonzero { Measures::Nonzero } else { Measures::Nnz };
            let mut options = StatsOptions::default().measures(measures);
            let (mut names, mut parts) = (Vec::new(), Vec::new());
            for (filter, axis) in filters.into_iter().zip([Axis::Rows, Axis::Cols]) {
                let quantities = filter.measured().flat_map(MeasureCondition::quantities);
                for quantity in quantities.filter(|quantity| quantity.is_nonzero() == nonzero) {
                    options.rows |= axis == Axis::Rows;
                    options.cols |= axis == Axis::Cols;
                    options.measures = more(options.measures, quantity.measures());
                    let entries = quantity.entries(axis);
                    if let Some(pattern) = quantity.among()
                        && !names.contains(&entries)
                    {
                        names.push(entries);
                        parts.push(self.matching(pattern, axis.other())?);
                    }
                }
            }
            if options.rows || options.cols {
                let whole = MeasuredEntries { nonzero, among: None };
                let found = stats_of_parts(self.source, &options, &parts, self.context)?;
                self.stats.extend(std::iter::once(whole).chain(names).zip(found));
            }
        }
        Ok(())
    }

    /// Finds the rows or columns whose names match.
    fn matching(&mut self, pattern: &Pattern, axis: Axis) -> Result<RowsOrCols> {
        let found = pattern.find(self.source, axis);
        let (ranges, note) = found.map_err(|error| error.with_context(self.place))?;
        self.notes.extend(note.filter(|note| !self.notes.contains(note)));
        Ok(RowsOrCols { axis, ranges })
    }

    fn kept(&mut self, filter: &Filter, axis: Axis) -> Result<FilteredAxis> {
        let len = self.source.header().shape.len(axis);
        let all = std::iter::once(0..len).collect();
        let (allow_empty, empty_reason) = (filter.allow_empty, None);
        let mut kept =
            FilteredAxis { len, ranges: all, conditions: Vec::new(), empty_reason, allow_empty };
        for (test, before) in filter.tests.iter().zip(0..) {
            let ranges = match &test.condition {
                Condition::Measured(measured) => {
                    let value_type = self.source.header().value_type;
                    measured.ranges(axis, len, &self.stats, value_type)?
                }
                Condition::Selected(selection) => {
                    let found = selection.ranges_of(self.source, axis);
                    let (ranges, notes) = found
                        .map_err(|error| without_comparison(error, &test.text))
                        .map_err(|error| error.with_context(self.place))?;
                    self.notes.extend(notes);
                    ranges
                }
            };
            let alone = total(&ranges);
            kept.conditions.push((test.text.clone(), alone));
            kept.ranges = both(&kept.ranges, &ranges);
            if kept.empty_reason.is_none() && kept.ranges.is_empty() {
                let tests = match alone {
                    0 => std::slice::from_ref(test),
                    _ => filter.tests.get(..=before).unwrap_or_default(),
                };
                let lists = tests.iter().filter(|test| test.is_list()).count() > 1;
                let texts: Vec<String> =
                    tests.iter().map(|one| format!("{:?}", one.text)).collect();
                kept.empty_reason =
                    Some(describe_nothing(&texts, one_of_kind(test.kind, axis), lists));
            }
        }
        kept.ranges.retain(|range| !range.is_empty());
        Ok(kept)
    }
}

fn total(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

/// Returns what is in both of two sorted lists of ranges.
fn both(one: &[Range<u64>], other: &[Range<u64>]) -> Vec<Range<u64>> {
    let (mut found, mut at, mut to) = (Vec::new(), 0, 0);
    while let (Some(one), Some(other)) = (one.get(at), other.get(to)) {
        let common = one.start.max(other.start)..one.end.min(other.end);
        if !common.is_empty() {
            found.push(common);
        }
        match one.end <= other.end {
            true => at += 1,
            false => to += 1,
        }
    }
    found
}

/// The error for names of the axis whose rows or columns are measured.
fn same_axis(pattern: &str, axis: Axis) -> Error {
    let (one, other) = (axis.singular(), axis.other());
    let option = match other {
        Axis::Rows => "rows",
        Axis::Cols => "cols",
    };
    let what =
        format!("the entries of a {one} are selected by names of {other}; use {option}={pattern}");
    Error::argument(what)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a list of one range")]
mod tests {
    use super::*;

    #[test]
    fn ranges_in_both_lists_are_found() {
        let list = |ranges: &[Range<u64>]| ranges.to_vec();
        assert_eq!(both(&[0..10], &[2..3, 5..20]), list(&[2..3, 5..10]));
        assert_eq!(both(&[0..4, 6..9], &[3..7]), list(&[3..4, 6..7]));
        assert_eq!(both(&[0..4], &[4..7]), list(&[]));
        assert_eq!(both(&[], &[4..7]), list(&[]));
    }
}
