//! Comparisons of what is measured of a row or column.

use std::collections::BTreeMap;
use std::ops::Range;

use nnz_core::{Axis, AxisKind, Error, Header, Result, ValueType};

use super::{MeasuredEntries, same_axis};
use crate::slice::Pattern;
use crate::slice::comparison::{Comparison, compare, parse};
use crate::{Measures, Moments, Number, Stats};

/// Measure of a row or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Nnz,
    Nonzero,
    Sum,
    Mean,
    Variance,
    Min,
    Max,
}

/// Their names, as `nnz stats` prints them.
pub(super) const MEASURES: [(&str, Measure); 7] = [
    ("nnz", Measure::Nnz),
    ("nonzero", Measure::Nonzero),
    ("sum", Measure::Sum),
    ("mean", Measure::Mean),
    ("variance", Measure::Variance),
    ("min", Measure::Min),
    ("max", Measure::Max),
];

/// Returns whether a name is one of a measure.
pub(crate) fn is_measure(name: &str) -> bool {
    MEASURES.iter().any(|(own, _)| *own == name)
}

impl Measure {
    fn needs(self) -> Measures {
        match self {
            Self::Nnz => Measures::Nnz,
            Self::Nonzero => Measures::Nonzero,
            Self::Sum | Self::Mean => Measures::Sums,
            Self::Variance => Measures::Variance,
            Self::Min | Self::Max => Measures::Extremes,
        }
    }

    /// Returns the measure of a row or column; `None` if there is none.
    fn of(self, moments: &Moments) -> Option<Number> {
        match self {
            Self::Nnz | Self::Nonzero => Some(Number::Integer(moments.nnz.into())),
            Self::Sum => Some(moments.total?.sum),
            Self::Mean => Some(Number::Float(moments.total?.mean)),
            Self::Variance => Some(Number::Float(moments.spread?.variance)),
            Self::Min => moments.spread?.min,
            Self::Max => moments.spread?.max,
        }
    }
}

/// Returns the measures that include both; measures of nonzero elements are not combined with others.
pub(super) fn more(one: Measures, other: Measures) -> Measures {
    match (one, other) {
        _ if one == other => one,
        (_, Measures::Nnz | Measures::Nonzero) => one,
        (Measures::Nnz | Measures::Nonzero, _) => other,
        (Measures::Sums | Measures::Variance, Measures::Sums | Measures::Variance) => {
            Measures::Variance
        }
        _ => Measures::All,
    }
}

/// By what the entries of a row or column are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Across {
    Axis(Axis),
    Kind(AxisKind),
}

/// A measure, of all entries or of those whose names on the other axis match.
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    pub(super) measure: Measure,
    pub(super) among: Option<(Across, Pattern)>,
}

impl Quantity {
    pub(super) fn measures(&self) -> Measures {
        self.measure.needs()
    }

    pub(super) fn among(&self) -> Option<&Pattern> {
        self.among.as_ref().map(|(_, pattern)| pattern)
    }

    pub(super) fn is_nonzero(&self) -> bool {
        self.measure == Measure::Nonzero
    }

    /// Returns the entries of the rows or columns that are measured.
    pub(super) fn entries(&self, axis: Axis) -> MeasuredEntries {
        let among = self.among().map(|pattern| (axis == Axis::Cols, pattern.text().to_owned()));
        MeasuredEntries { nonzero: self.is_nonzero(), among }
    }

    fn check_axis(&self, axis: Axis, header: &Header) -> Result<()> {
        let Some((across, pattern)) = &self.among else { return Ok(()) };
        let is_other = match across {
            Across::Axis(other) => *other == axis.other(),
            Across::Kind(kind) => {
                let [rows, cols] = header.axis_kinds.map(|found| found == *kind);
                if rows == cols {
                    let what = format!(
                        "does not state which axis has {kind}; use rows={0} or cols={0}",
                        pattern.text()
                    );
                    return Err(Error::argument(what));
                }
                rows == (axis == Axis::Cols)
            }
        };
        if is_other { Ok(()) } else { Err(same_axis(pattern.text(), axis)) }
    }
}

/// A comparison of a quantity, or the quotient of two, with a number.
#[derive(Clone, Debug)]
pub(super) struct MeasureCondition {
    pub(super) quantity: Quantity,
    pub(super) divisor: Option<Quantity>,
    pub(super) comparison: Comparison,
    pub(super) number: String,
}

impl MeasureCondition {
    pub(super) fn quantities(&self) -> impl Iterator<Item = &Quantity> {
        [Some(&self.quantity), self.divisor.as_ref()].into_iter().flatten()
    }

    /// Checks that names belong to the other axis.
    pub(super) fn check_axis(&self, axis: Axis, header: &Header) -> Result<()> {
        self.quantities().try_for_each(|quantity| quantity.check_axis(axis, header))
    }

    /// Returns the rows or columns for which the comparison holds.
    pub(super) fn ranges(
        &self,
        axis: Axis,
        of: u64,
        found: &BTreeMap<MeasuredEntries, Stats>,
        value_type: ValueType,
    ) -> Result<Vec<Range<u64>>> {
        let measured = |quantity: &Quantity| {
            let stats = found.get(&quantity.entries(axis));
            let all = stats.and_then(|stats| {
                if axis == Axis::Rows { stats.rows.as_ref() } else { stats.cols.as_ref() }
            });
            all.map(|all| (quantity.measure, &all[..]))
                .ok_or_else(|| Error::argument("not measured"))
        };
        // An extreme is compared as it is displayed.
        let value_type = match (self.quantity.measure, &self.divisor) {
            (Measure::Min | Measure::Max, None) => value_type,
            _ => ValueType::F64,
        };
        let number = parse(&self.number, value_type)
            .ok_or_else(|| Error::argument(format!("{} is not a number", self.number)))?;
        let (measure, all) = measured(&self.quantity)?;
        let divisor = self.divisor.as_ref().map(measured).transpose()?;
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (at, position) in (0..of).zip(0_usize..) {
            let value = all.get(position).and_then(|moments| measure.of(moments));
            let value = match divisor {
                None => value,
                Some((measure, all)) => {
                    let divisor = all.get(position).and_then(|moments| measure.of(moments));
                    value.zip(divisor).map(|(value, by)| Number::Float(float(value) / float(by)))
                }
            };
            let ordering = value.and_then(|value| compare(value, number));
            if !ordering.is_some_and(|ordering| self.comparison.holds(ordering)) {
                continue;
            }
            match ranges.last_mut().filter(|last| last.end == at) {
                Some(last) => last.end = at + 1,
                None => ranges.push(at..at + 1),
            }
        }
        Ok(ranges)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a quotient is rounded anyway")]
fn float(number: Number) -> f64 {
    match number {
        Number::Integer(number) => number as f64,
        Number::Float(number) => number,
    }
}
