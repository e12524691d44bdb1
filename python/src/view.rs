//! A shared source with another header, names or annotations.

use std::ops::Range;
use std::sync::Arc;

use nnz::annotations::{AnnotationTable, Annotations};
use nnz::matrix::{Names, StringList, UnitReader, Wrapped};
use nnz::{Axis, Header, MatrixSource, Projection, Result};

/// A shared source with another header, names or annotations.
pub(crate) struct View {
    inner: Arc<dyn MatrixSource>,
    header: Header,
    names: [Option<StringList>; 2],
    tables: [Option<AnnotationTable>; 2],
}

impl View {
    /// Shares a source unchanged.
    pub(crate) fn new(inner: Arc<dyn MatrixSource>) -> Self {
        let header = inner.header().clone();
        Self { inner, header, names: [None, None], tables: [None, None] }
    }

    /// Changes the header.
    pub(crate) fn with_header(mut self, change: impl FnOnce(&mut Header)) -> Self {
        change(&mut self.header);
        self
    }

    /// Sets the names of an axis, one for each member.
    pub(crate) fn set_names(&mut self, axis: Axis, names: StringList) {
        self.names[index(axis)] = Some(names);
    }

    /// Sets the annotations of an axis, with a row for each member.
    pub(crate) fn set_table(&mut self, axis: Axis, table: AnnotationTable) {
        self.tables[index(axis)] = Some(table);
    }
}

/// Returns the index of an axis in pairs.
pub(crate) fn index(axis: Axis) -> usize {
    usize::from(axis == Axis::Cols)
}

impl MatrixSource for View {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
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

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }

    fn names_column(&self, axis: Axis) -> Option<String> {
        match &self.names[index(axis)] {
            Some(_) => None,
            None => self.inner.names_column(axis),
        }
    }
}
