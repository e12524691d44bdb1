//! Annotations of the rows or columns that concatenated matrices share.

use nnz_core::{Annotations, Column, ColumnInfo, Error, MatrixSource as _, Result};

use super::Concat;
use crate::annotations::{Appended, Join};

/// The column of labels, such as symbols, of rows or columns that are named by ids.
const LABELS: &str = "name";

/// The name of the column of these ids.
const IDS: &str = "id";

/// Elements of which matrices have different values.
#[derive(Debug, Default)]
pub(super) struct Differing {
    /// Columns that are not kept.
    pub(super) columns: Vec<String>,
    /// The number of rows or columns with other labels than in the first matrix, whose labels are kept.
    labels: u64,
}

/// The tables of several matrices for the same rows or columns: each value is that of the first matrix that has one.
pub(super) struct SharedTable<'a> {
    /// The rows of all, one table after the other.
    all: Appended<'a>,
    tables: u64,
    /// Rows of each.
    len: u64,
    /// Whether there may be a column of labels.
    has_labels: bool,
    columns: Vec<ColumnInfo>,
}

impl<'a> SharedTable<'a> {
    /// Unites tables of the same number of rows, without some of their columns.
    fn new(
        tables: Vec<Box<dyn Annotations + 'a>>,
        (len, has_labels): (u64, bool),
        without: &[String],
    ) -> Self {
        let count = tables.len() as u64;
        let all = Appended::new(tables, Join::Outer);
        let columns = all.columns().iter().filter(|column| !without.contains(&column.name));
        Self { columns: columns.cloned().collect(), all, tables: count, len, has_labels }
    }

    /// Returns the row of each value, and how many differ between tables; nothing if tables have different ones that are not labels.
    fn rows(&self, column: &Column, are_labels: bool) -> Option<(Vec<Option<u64>>, u64)> {
        // The length of the axis is a claim of the files.
        self.tables.checked_mul(self.len).filter(|all| *all == column.len())?;
        let text = |at: u64, text: &mut Vec<u8>| {
            text.clear();
            column.write_text(at, text);
        };
        let [mut first, mut other] = [Vec::new(), Vec::new()];
        let (mut rows, mut differing) = (Vec::new(), 0);
        for row in 0..self.len {
            let mut known = (0..self.tables)
                .map(|table| table * self.len + row)
                .filter(|at| !column.is_missing_or_nan(*at));
            let found = known.next();
            if let Some(found) = found {
                text(found, &mut first);
            }
            let differs = known.any(|at| {
                text(at, &mut other);
                first != other
            });
            if differs && !are_labels {
                return None;
            }
            differing += u64::from(differs);
            rows.push(found);
        }
        Some((rows, differing))
    }

    fn read(&self, name: &str, memory: u64) -> Result<Column> {
        let at = self.all.columns().iter().position(|column| column.name == *name);
        self.all.read_column(at.unwrap_or(usize::MAX), memory)
    }
}

impl Annotations for SharedTable<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(info) = self.columns.get(column) else {
            return Err(Error::argument(format!("column {column} does not exist")));
        };
        let all = self.read(&info.name, memory)?;
        match self.rows(&all, self.has_labels && info.name == LABELS) {
            Some((rows, _)) => all.gathered(&rows),
            None => Err(Error::argument(format!("column {:?} changed while reading", info.name))),
        }
    }
}

impl Concat {
    /// Returns the annotations of the shared axis: the columns that no two matrices have with different values.
    pub(super) fn shared_annotations(&self) -> Result<Option<Box<dyn Annotations + '_>>> {
        let mut tables = self.shared_tables()?;
        if tables.len() < 2 {
            return Ok(tables.pop());
        }
        let without = &self.differing()?.columns;
        Ok(Some(Box::new(SharedTable::new(tables, self.shared_rows(), without))))
    }

    /// Returns the length of the shared axis, and whether it is named by ids that can have labels.
    fn shared_rows(&self) -> (u64, bool) {
        let axis = self.other();
        (self.header.shape.len(axis), self.names_column(axis).as_deref() == Some(IDS))
    }

    /// Notes labels that are not the same in all matrices.
    pub(super) fn note_on_labels(&self) -> Option<String> {
        let count = self.differing().ok()?.labels;
        let have = match (count, self.other()) {
            (0, _) => return None,
            (1, axis) => format!("1 of the {axis} has"),
            (_, axis) => format!("{count} of the {axis} have"),
        };
        Some(format!("{have} another {LABELS} in other sources; the first one is kept"))
    }

    fn shared_tables(&self) -> Result<Vec<Box<dyn Annotations + '_>>> {
        let axis = self.other();
        let tables = self.inputs.iter().filter_map(|input| {
            let table = input.source.annotations(axis);
            table.map_err(|error| error.with_context(&input.place)).transpose()
        });
        tables.collect()
    }

    /// Returns the columns of the shared axis that matrices have with different values or types. They are read to find out.
    pub(super) fn differing(&self) -> Result<&Differing> {
        if let Some(found) = self.differing.get() {
            return Ok(found);
        }
        let mut found = Differing::default();
        let tables = self.shared_tables()?;
        if tables.len() > 1 {
            let table = SharedTable::new(tables, self.shared_rows(), &[]);
            found.columns.extend(table.all.dropped().iter().map(|column| column.name.clone()));
            for column in &table.columns {
                let all = table.read(&column.name, crate::default_memory())?;
                match table.rows(&all, table.has_labels && column.name == LABELS) {
                    Some((_, labels)) => found.labels += labels,
                    None => found.columns.push(column.name.clone()),
                }
            }
        }
        Ok(self.differing.get_or_init(|| found))
    }
}
