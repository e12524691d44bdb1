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
    memory: u64,
}

impl<'a> JoinedTables<'a> {
    pub(crate) fn new(
        collection: &dyn Collection,
        options: &'a ConvertOptions,
        context: &Context,
    ) -> Result<Self> {
        let table = |labels: &Labels| Labels::default().table(labels.table.clone());
        let tables = ConvertOptions::default()
            .row_labels(table(&options.row_labels))
            .col_labels(table(&options.col_labels));
        let axes = crate::compute::labelled(collection.axes()?, &tables, context)?;
        Ok(Self { axes, options, memory: context.memory() / 4 })
    }

    /// Returns whether the options have tables.
    pub(crate) fn any(options: &ConvertOptions) -> bool {
        options.row_labels.table.is_some() || options.col_labels.table.is_some()
    }

    /// Returns the options for writing selected rows and columns, with tables of these only: what the others lack was
    /// noted when the tables were joined.
    pub(crate) fn options_of(&self, selected: [&[Range<u64>]; 2]) -> Result<ConvertOptions> {
        let mut options = self.options.clone();
        for (labels, (axis, ranges)) in [&mut options.row_labels, &mut options.col_labels]
            .into_iter()
            .zip([Axis::Rows, Axis::Cols].into_iter().zip(selected))
        {
            if let Some(table) = labels.table.take() {
                labels.table = Some(Arc::new(self.selected(&table, axis, ranges)?));
            }
        }
        Ok(options)
    }

    /// Returns the selected rows of a joined table. Rows with the same name share a row of it.
    fn selected(
        &self,
        table: &AnnotationTable,
        axis: Axis,
        ranges: &[Range<u64>],
    ) -> Result<AnnotationTable> {
        let all = match self.axes.read_names(axis)? {
            Some(mut names) => names.list_with_limit(self.memory)?,
            None => StringList::new(),
        };
        let known: HashMap<&[u8], u64> = table.names().iter().zip(0..).collect();
        let (mut names, mut rows) = (StringList::new(), Vec::new());
        let mut taken = HashSet::new();
        for name in ranges.iter().cloned().flatten().filter_map(|at| all.get(at)) {
            if taken.insert(name) {
                names.try_push(name)?;
                rows.push(known.get(name).copied());
            }
        }
        let mut columns = Vec::with_capacity(table.columns().len());
        for (at, info) in table.columns().iter().enumerate() {
            columns.push((info.name.clone(), table.read_column(at, self.memory)?.gathered(&rows)?));
        }
        AnnotationTable::new(names, columns)
    }
}
