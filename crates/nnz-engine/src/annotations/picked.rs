//! Some rows of a table, in any order.

use std::ops::Range;

use nnz_core::{Annotations, Column, ColumnInfo, Result};

/// The rows of a table that were selected.
pub(crate) struct Picked<'a> {
    inner: Box<dyn Annotations + 'a>,
    /// In the order they were selected.
    ranges: Vec<Range<u64>>,
    len: u64,
}

impl<'a> Picked<'a> {
    pub(crate) fn new(inner: Box<dyn Annotations + 'a>, ranges: Vec<Range<u64>>) -> Self {
        let len = ranges.iter().map(|range| range.end.saturating_sub(range.start)).sum();
        Self { inner, ranges, len }
    }
}

impl Annotations for Picked<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        self.inner.columns()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        // The whole column, and what is selected of it.
        Ok(self.inner.read_column(column, memory / 2)?.picked(&self.ranges))
    }
}
