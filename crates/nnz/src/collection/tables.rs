//! Tables that are joined to a collection before its rows and columns are selected.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use nnz_core::{Annotations as _, Axis, MatrixSource, Result, StringList};
use nnz_engine::{AnnotationTable, Labels};

use super::Collection;
use crate::{Context, ConvertOptions};

/// The names and tables of a collection, with the tables of the options of a conversion.
pub(crate) struct JoinedTables<'a> {
    pub(crate) axes: Box<dyn MatrixSource>,
    options: &'a ConvertOptions,
    /// The tables that are joined to the rows and to the columns.
    tables: [Option<JoinedTable>; 2],
}

impl<'a> JoinedTables<'a> {
    pub(crate) fn new(
        collection: &dyn Collection,
        options: &'a ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        let [rows, cols] = [&options.row_labels, &options.col_labels].map(|labels| &labels.table);
        let labels = |table: &Option<_>| Labels::default().table(table.clone());
        let of_tables = ConvertOptions::default().row_labels(labels(rows)).col_labels(labels(cols));
        let axes = crate::compute::labelled(collection.axes()?, &of_tables, context)?;
        let joined = |axis, table: &Option<Arc<AnnotationTable>>| {
            table.as_ref().map(|table| JoinedTable::new(&*axes, axis, table, context)).transpose()
        };
        let tables = [joined(Axis::Rows, rows)?, joined(Axis::Cols, cols)?];
        Ok(Self { axes, options, tables })
    }

    /// Returns whether the options have tables.
    pub(crate) fn any(options: &ConvertOptions) -> bool {
        options.row_labels.table.is_some() || options.col_labels.table.is_some()
    }

    /// Returns the options for writing selected rows and columns, with tables of these only: what the others lack was
    /// noted when the tables were joined.
    pub(crate) fn options_of(&self, [rows, cols]: [&[Range<u64>]; 2]) -> Result<ConvertOptions> {
        let mut options = self.options.clone();
        let axes = [(&mut options.row_labels, rows), (&mut options.col_labels, cols)];
        for ((labels, selected), table) in axes.into_iter().zip(&self.tables) {
            let table = table.as_ref().map(|table| table.selected(selected)).transpose()?;
            labels.table = table.map(Arc::new);
        }
        Ok(options)
    }
}

/// A table that is joined to the names of an axis.
struct JoinedTable {
    /// The names of the axis.
    names: StringList,
    /// The row of the table for each name that it has.
    rows: Vec<Option<u64>>,
    table: Arc<AnnotationTable>,
}

impl JoinedTable {
    fn new(
        axes: &dyn MatrixSource,
        axis: Axis,
        table: &Arc<AnnotationTable>,
        context: &Context,
    ) -> Result<Self> {
        let names = match axes.read_names(axis)? {
            Some(mut names) => names.list_with_limit(context.memory() / 4)?,
            None => StringList::new(),
        };
        let known: HashMap<&[u8], u64> = table.names().iter().zip(0..).collect();
        let rows = names.iter().map(|name| known.get(name).copied()).collect();
        Ok(Self { names, rows, table: Arc::clone(table) })
    }

    /// Returns a table of some of the names. A name that is repeated has one row.
    fn selected(&self, ranges: &[Range<u64>]) -> Result<AnnotationTable> {
        let (mut names, mut rows, mut taken) = (StringList::new(), Vec::new(), HashSet::new());
        for at in ranges.iter().cloned().flatten() {
            let row = usize::try_from(at).ok().and_then(|at| self.rows.get(at));
            if let (Some(name), Some(row)) = (self.names.get(at), row)
                && taken.insert(name)
            {
                names.try_push(name)?;
                rows.push(*row);
            }
        }
        let columns = self.table.columns().iter().enumerate().filter_map(|(at, info)| {
            let column = self.table.column(at)?.gathered(&rows);
            Some(column.map(|column| (info.name.clone(), column)))
        });
        AnnotationTable::new(names, columns.collect::<Result<Vec<_>>>()?)
    }
}
