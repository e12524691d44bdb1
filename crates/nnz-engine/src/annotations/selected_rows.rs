//! Selected rows of a table.

use std::ops::Range;

use nnz_core::{Annotations, Column, ColumnInfo, Result};

/// The selected rows of a table.
pub(crate) struct SelectedRows<'a> {
    inner: Box<dyn Annotations + 'a>,
    /// In the order of the selection.
    ranges: Vec<Range<u64>>,
    len: u64,
}

impl<'a> SelectedRows<'a> {
    pub(crate) fn new(inner: Box<dyn Annotations + 'a>, ranges: Vec<Range<u64>>) -> Self {
        let len = ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        Self { inner, ranges, len }
    }
}

impl Annotations for SelectedRows<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        self.inner.columns()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        // The whole column, and the selected values.
        Ok(self.inner.read_column(column, memory / 2)?.picked(&self.ranges))
    }
}
