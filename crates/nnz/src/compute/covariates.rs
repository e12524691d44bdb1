//! Numbers of cells that a regression takes.

use nnz_core::{Axis, Column, ColumnValues, Error, Grouping, MatrixSource, Result};

use super::aggregate::column;

/// Returns the numbers of columns of the annotations of cells. A column of texts or categories has a number for each of its values: 1
/// for the cells that have it, and 0 for others.
pub(super) fn covariates(
    source: &dyn MatrixSource,
    axis: Axis,
    names: &[String],
    memory: u64,
) -> Result<Vec<Vec<f64>>> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let column =
            column(source, axis, name, memory).map_err(|e| e.with_context(&source.place()))?;
        let refused = |row: u64, what: &str| {
            let what = format!("column {name:?} has {what} in {} {row}", axis.singular());
            Err(Error::unsupported(source.place(), what))
        };
        if let Some(row) = (0..column.len()).find(|row| column.is_missing(*row)) {
            return refused(row, "no value");
        }
        match numbers(&column) {
            Some(numbers) => match numbers.iter().zip(0..).find(|(one, _)| !one.is_finite()) {
                Some((number, row)) => return refused(row, &format!("a value of {number}")),
                None => found.push(numbers),
            },
            None => {
                let Grouping { labels, codes } = column.grouped()?;
                let of = |code: u64| {
                    let is = |own: &Option<u32>| {
                        f64::from(own.is_some_and(|own| u64::from(own) == code))
                    };
                    codes.iter().map(is).collect::<Vec<f64>>()
                };
                found.extend((0..labels.len()).map(of));
            }
        }
    }
    Ok(found)
}

/// Returns the values of a column of numbers.
fn numbers(column: &Column) -> Option<Vec<f64>> {
    let ColumnValues::Numbers(values) = &column.values else { return None };
    let len = usize::try_from(column.len()).unwrap_or(usize::MAX);
    (0..len).map(|row| values.get(row)?.to_f64()).collect()
}
