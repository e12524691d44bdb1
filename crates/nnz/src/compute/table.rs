//! Tables of numbers for each row or column of a matrix.

use nnz_core::{Axis, Column, ColumnValues, MatrixSource, Result, StringList, Values};
use nnz_engine::AnnotationTable;

use crate::Context;

/// Columns of a table.
#[derive(Default)]
pub(super) struct Table(Vec<(String, Column)>);

impl Table {
    pub(super) fn add(&mut self, name: impl Into<String>, values: Values) {
        let column = Column { values: ColumnValues::Numbers(values), missing: None };
        self.0.push((name.into(), column));
    }

    /// Adds a column, and the logarithms of its values plus 1.
    pub(super) fn logged(
        &mut self,
        name: &str,
        values: Values,
        numbers: impl Iterator<Item = f64>,
    ) {
        self.add(name, values);
        self.add(
            format!("log1p_{name}"),
            Values::from(numbers.map(f64::ln_1p).collect::<Vec<_>>()),
        );
    }

    /// Adds the percentages of parts of totals.
    pub(super) fn percent(
        &mut self,
        name: String,
        parts: impl Iterator<Item = f64>,
        totals: &[f64],
    ) {
        let percent = parts.zip(totals).map(|(part, total)| part / total * 100.0);
        self.add(name, Values::from(percent.collect::<Vec<_>>()));
    }

    /// Returns the table, with the names of an axis, or its positions.
    pub(super) fn named(
        self,
        source: &dyn MatrixSource,
        axis: Axis,
        context: &Context,
    ) -> Result<AnnotationTable> {
        let names = match source.read_names(axis)? {
            Some(mut names) => names.list_with_limit(context.memory() / 4)?,
            None => {
                let mut names = StringList::new();
                for at in 0..source.header().shape.len(axis) {
                    names.try_push(at.to_string().as_bytes())?;
                }
                names
            }
        };
        AnnotationTable::new(names, self.0)
    }
}
