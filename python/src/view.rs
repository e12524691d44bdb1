//! A source that others hold, too, with another header, names or annotations than it has itself.

use std::sync::Arc;

use nnz::annotations::{AnnotationTable, Annotations};
use nnz::matrix::{Names, Storage, StringList};
use nnz::{Axis, Header, MatrixSource, Result};

/// A source that others hold, too.
pub(crate) struct View {
    inner: Arc<dyn MatrixSource>,
    header: Header,
    names: [Option<StringList>; 2],
    tables: [Option<AnnotationTable>; 2],
}

impl View {
    /// Shows a source as it is.
    pub(crate) fn new(inner: Arc<dyn MatrixSource>) -> Self {
        let header = inner.header().clone();
        Self { inner, header, names: [None, None], tables: [None, None] }
    }

    /// Declares every cell stored, so that entries that are zero are no entries of what is made of it. The
    /// source must have no fill.
    pub(crate) fn without_zeros(mut self) -> Self {
        self.header.storage = Storage::Dense;
        self
    }

    /// Changes the header.
    pub(crate) fn with_header(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.header);
        self
    }

    /// Gives an axis other names, as many as it is long.
    pub(crate) fn set_names(&mut self, axis: Axis, names: StringList) {
        self.names[index(axis)] = Some(names);
    }

    /// Gives an axis other annotations, with a row for each of its members.
    pub(crate) fn set_table(&mut self, axis: Axis, table: AnnotationTable) {
        self.tables[index(axis)] = Some(table);
    }
}

/// Returns the position of an axis in pairs.
pub(crate) fn index(axis: Axis) -> usize {
    usize::from(axis == Axis::Cols)
}

impl MatrixSource for View {
    nnz::matrix::forward_source! {
        inner: about, random_access, rereadable, units, stored_before, locate, extras, metadata, levels, is_vector, notes
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        match &self.names[index(axis)] {
            Some(names) => Ok(Some(names.reader())),
            None => self.inner.read_names(axis),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        match &self.tables[index(axis)] {
            Some(table) => Ok(Some(Box::new(table))),
            None => self.inner.annotations(axis),
        }
    }
}
