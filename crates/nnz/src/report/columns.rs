//! Summaries of annotations.

use crate::Context;
use std::collections::HashMap;

use nnz_core::{Axis, Column, ColumnType, MatrixSource, Result, ValueType};

use super::axes::Quantiles;

/// Most columns that are summarized.
const MOST: usize = 60;

/// Most different values that are counted.
const DISTINCT: usize = 100_000;

/// Most frequent values that are listed.
const LISTED: usize = 5;

/// Longer tables are not read.
const LONGEST: u64 = 20_000_000;

/// A summary of a column of annotations.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type, as text.
    pub column_type: String,
    /// The number of missing values and NaN.
    pub missing: u64,
    /// Its values.
    pub values: ColumnValues,
}

/// A summary of the values of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnValues {
    /// Numbers.
    Numbers(Quantiles),
    /// The most frequent values with their counts.
    Categories {
        /// The values.
        most: Vec<(String, u64)>,
        /// The number of different values; `None` if there are very many.
        distinct: Option<u64>,
    },
    /// There are none.
    Empty,
}

/// Summarizes the annotations of an axis; also returns how many columns are left out.
pub(super) fn of_axis(
    source: &dyn MatrixSource,
    axis: Axis,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Vec<ColumnSummary>, usize)> {
    let Some(table) = nnz_core::readable(source.annotations(axis))? else {
        notes.push(format!("The annotations of the {axis} cannot be read."));
        return Ok((Vec::new(), 0));
    };
    let Some(table) = table else { return Ok((Vec::new(), 0)) };
    let infos = table.columns();
    if table.len() > LONGEST {
        notes.push(format!("The annotations of the {axis} are too long to be summarized."));
        return Ok((Vec::new(), infos.len()));
    }
    let mut found = Vec::new();
    for (at, info) in infos.iter().enumerate().take(MOST) {
        let Some(column) = nnz_core::readable(table.read_column(at, context.memory()))? else {
            notes.push(format!("The column {:?} of the {axis} cannot be read.", info.name));
            continue;
        };
        found.push(summary(&info.name, &column));
    }
    Ok((found, infos.len().saturating_sub(MOST)))
}

fn summary(name: &str, column: &Column) -> ColumnSummary {
    let column_type = column.column_type();
    let len = column.len();
    let missing = (0..len).filter(|row| column.is_missing_or_nan(*row)).count() as u64;
    let is_number = matches!(column_type, ColumnType::Number(other) if other != ValueType::Bint8);
    let values = if is_number { numbers(column) } else { words(column) };
    ColumnSummary { name: name.to_owned(), column_type: column_type.to_string(), missing, values }
}

fn numbers(column: &Column) -> ColumnValues {
    let present = (0..column.len()).filter(|row| !column.is_missing(*row));
    let numbers = present.filter_map(|row| column.number(row)?.to_f64());
    Quantiles::of(numbers.collect()).map_or(ColumnValues::Empty, ColumnValues::Numbers)
}

fn words(column: &Column) -> ColumnValues {
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut text = Vec::new();
    let mut is_complete = true;
    for row in (0..column.len()).filter(|row| !column.is_missing(*row)) {
        text.clear();
        column.write_text(row, &mut text);
        let room = counts.len() < DISTINCT;
        match counts.get_mut(&text) {
            Some(count) => *count += 1,
            None if room => {
                counts.insert(text.clone(), 1);
            }
            None => is_complete = false,
        }
    }
    if counts.is_empty() {
        return ColumnValues::Empty;
    }
    let distinct = is_complete.then_some(counts.len() as u64);
    let mut most: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    most.sort_unstable_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    most.truncate(LISTED);
    // If all differ, the first in alphabetical order are not informative.
    if most.first().is_some_and(|(_, count)| *count == 1) && distinct != Some(1) {
        most.truncate(3);
    }
    let most =
        most.into_iter().map(|(text, count)| (String::from_utf8_lossy(&text).into_owned(), count));
    ColumnValues::Categories { most: most.collect(), distinct }
}
