//! The columns of modalities beside those of the common tables, as mudata names them: `rna:leiden`.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    Annotations, Axis, Column, ColumnInfo, Error, Header, MatrixSource, Projection, Result,
    UnitReader, Wrapped, readable,
};

use super::MuData;
use super::file::{len, table};
use crate::anndata::DataFrame;

impl MuData {
    /// Reads a column of the common table of cells or features for the rows of a modality; `None` if there is no such column or
    /// modality.
    ///
    /// # Errors
    ///
    /// Fails if the table, or the positions of its rows in the modality, cannot be read.
    pub fn common_column(
        &self,
        modality: &str,
        axis: Axis,
        name: &str,
        memory: u64,
    ) -> Result<Option<Column>> {
        let Some(number) = self.modalities.iter().position(|(own, _)| own == modality) else {
            return Ok(None);
        };
        let common = table(&self.common, axis)?;
        let Some(at) = common.columns().iter().position(|info| info.name == name) else {
            return Ok(None);
        };
        let map = self.map(axis, number, memory / 2)?;
        let len = self.modalities.get(number).map_or(Ok(0), |(_, file)| len(file, axis))?;
        let mut rows = vec![None; usize::try_from(len).unwrap_or(0)];
        for (row, own) in (0_u64..).zip(&map.0) {
            let own = own.and_then(|own| usize::try_from(own).ok());
            if let Some(slot) = own.and_then(|own| rows.get_mut(own)) {
                *slot = Some(row);
            }
        }
        common.read_column(at, memory / 2)?.gathered(&rows).map(Some)
    }
}

/// The names and tables of cells and features, each with the columns of its modalities.
pub(super) struct WideTables {
    common: Box<dyn MatrixSource>,
    file: MuData,
}

impl WideTables {
    pub(super) fn new(file: &MuData) -> Result<Self> {
        Ok(Self { common: file.common.tables()?, file: file.clone() })
    }
}

impl MatrixSource for WideTables {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.common)
    }

    fn header(&self) -> &Header {
        self.common.header()
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let Some(common) = self.common.annotations(axis)? else { return Ok(None) };
        Ok(Some(Box::new(WideTable::new(&self.file, axis, common)?)))
    }

    fn random_access(&self) -> bool {
        self.common.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.common.units(majors, fields)
    }
}

/// A common table with the columns of modalities.
struct WideTable<'a> {
    file: &'a MuData,
    axis: Axis,
    common: Box<dyn Annotations + 'a>,
    columns: Vec<ColumnInfo>,
    /// The columns after those of the common table.
    added: Vec<AddedColumn>,
}

/// A column of a modality.
struct AddedColumn {
    /// The number of the modality.
    modality: usize,
    table: Arc<DataFrame>,
    column: usize,
}

impl<'a> WideTable<'a> {
    fn new(file: &'a MuData, axis: Axis, common: Box<dyn Annotations + 'a>) -> Result<Self> {
        let mut columns = common.columns().to_vec();
        let own = table(&file.common, axis)?;
        // A column of the common table is meant first, even one that cannot be read.
        let unread = own.unread_columns().iter().map(|(name, _)| name);
        let names = columns.iter().map(|info| &info.name);
        let mut known: HashSet<String> = names.chain(unread).cloned().collect();
        let mut added = Vec::new();
        for (modality, (prefix, file)) in file.modalities.iter().enumerate() {
            // A broken table is an error where its modality is needed.
            let Some(table) = readable(table(file, axis))? else { continue };
            for (column, info) in table.columns().iter().enumerate() {
                let name = format!("{prefix}:{}", info.name);
                if known.insert(name.clone()) {
                    columns.push(ColumnInfo::new(name, info.column_type));
                    added.push(AddedColumn { modality, table: Arc::clone(&table), column });
                }
            }
        }
        Ok(Self { file, axis, common, columns, added })
    }

    /// Returns the column at a position, if it is one of a modality.
    fn added(&self, column: usize) -> Option<&AddedColumn> {
        self.added.get(column.checked_sub(self.common.columns().len())?)
    }
}

impl Annotations for WideTable<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.common.len()
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        match self.added(column) {
            Some(AddedColumn { modality, table, column }) => {
                let map = self.file.map(self.axis, *modality, memory / 2)?;
                table.read_column(*column, memory / 2)?.gathered(&map.0)
            }
            None if column < self.columns.len() => self.common.read_column(column, memory),
            None => Err(Error::argument(format!("there is no column {column}"))),
        }
    }

    fn is_nullable(&self, column: usize) -> bool {
        self.added(column).is_none() && self.common.is_nullable(column)
    }

    fn uncovered(&self, column: usize, memory: u64) -> Result<Option<String>> {
        let (Some(AddedColumn { modality, .. }), Some(info)) =
            (self.added(column), self.columns.get(column))
        else {
            return self.common.uncovered(column, memory);
        };
        let map = self.file.map(self.axis, *modality, memory)?;
        let count = map.0.iter().filter(|at| at.is_none()).count();
        let kind = if self.axis == Axis::Rows { "cells" } else { "features" };
        let all = map.0.len();
        let modality = self.file.modalities.get(*modality).map_or("", |(name, _)| name);
        Ok((count > 0).then(|| {
            format!(
                "{count} of {all} {kind} are not in the modality {modality:?} and have no value of {:?}",
                info.name
            )
        }))
    }
}
