//! Annotations of the rows or columns that concatenated matrices share.

use nnz_core::{Annotations, Column, ColumnInfo, Error, Result};

use super::Concat;
use crate::annotations::{Appended, Join};

/// The tables of several matrices for the same rows or columns: each value is that of the first matrix that has one.
pub(super) struct SharedTable<'a> {
    /// The rows of all, one table after the other.
    all: Appended<'a>,
    tables: u64,
    /// Rows of each.
    len: u64,
    columns: Vec<ColumnInfo>,
}

impl<'a> SharedTable<'a> {
    /// Unites tables of the same number of rows, without some of their columns.
    fn new(tables: Vec<Box<dyn Annotations + 'a>>, len: u64, without: &[String]) -> Self {
        let count = tables.len() as u64;
        let all = Appended::new(tables, Join::Outer);
        let columns = all.columns().iter().filter(|column| !without.contains(&column.name));
        Self { columns: columns.cloned().collect(), all, tables: count, len }
    }

    /// Returns the row of each value, or nothing if tables have different ones.
    fn rows(&self, column: &Column) -> Option<Vec<Option<u64>>> {
        // The length of the axis is a claim of the files.
        self.tables.checked_mul(self.len).filter(|all| *all == column.len())?;
        let text = |at: u64, text: &mut Vec<u8>| {
            text.clear();
            column.write_text(at, text);
        };
        let [mut first, mut other] = [Vec::new(), Vec::new()];
        let mut rows = Vec::new();
        for row in 0..self.len {
            let mut known = (0..self.tables)
                .map(|table| table * self.len + row)
                .filter(|at| !column.is_missing_or_nan(*at));
            let found = known.next();
            if let Some(found) = found {
                text(found, &mut first);
            }
            for at in known {
                text(at, &mut other);
                if first != other {
                    return None;
                }
            }
            rows.push(found);
        }
        Some(rows)
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
        match self.rows(&all) {
            Some(rows) => all.gathered(&rows),
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
        let len = self.header.shape.len(self.other());
        Ok(Some(Box::new(SharedTable::new(tables, len, self.differing()?))))
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
    pub(super) fn differing(&self) -> Result<&[String]> {
        if let Some(found) = self.differing.get() {
            return Ok(found);
        }
        let mut found = Vec::new();
        let tables = self.shared_tables()?;
        if tables.len() > 1 {
            let table = SharedTable::new(tables, self.header.shape.len(self.other()), &[]);
            found.extend(table.all.dropped().iter().map(|column| column.name.clone()));
            for column in &table.columns {
                let all = table.read(&column.name, crate::default_memory())?;
                if table.rows(&all).is_none() {
                    found.push(column.name.clone());
                }
            }
        }
        Ok(self.differing.get_or_init(|| found))
    }
}
