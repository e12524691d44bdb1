//! A matrix of an object, with the names and tables of its axes.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{
    About, Annotations, Axis, AxisKind, ColumnInfo, ColumnType, ColumnValues, Error, Header,
    MatrixSource, Names, Place, Projection, Result, StringList, UnitReader, Wrapped,
};

use crate::frame::Frame;

/// The column with the names that features or cells had before they were changed for R.
pub const ORIGINAL_NAME: &str = "nnz_original_name";

/// A matrix of an object.
pub struct ObjectMatrixSource {
    inner: Box<dyn MatrixSource>,
    header: Header,
    place: Place,
    names: [Option<Arc<StringList>>; 2],
    tables: [Option<Frame>; 2],
    extras: Vec<String>,
    notes: Vec<String>,
    family: Option<(&'static str, String, Option<String>)>,
}

impl ObjectMatrixSource {
    /// Wraps a matrix. Axes without names have those of the matrix.
    ///
    /// # Errors
    ///
    /// Fails if there are more or fewer names than rows or columns.
    pub(crate) fn new(
        inner: Box<dyn MatrixSource>,
        kinds: [AxisKind; 2],
        names: [Option<Arc<StringList>>; 2],
        place: Place,
    ) -> Result<Self> {
        let header = inner.header().clone().axis_kinds(kinds);
        for (axis, names) in [Axis::Rows, Axis::Cols].into_iter().zip(&names) {
            let len = header.shape.len(axis);
            if let Some(names) = names.as_ref().filter(|names| names.len() != len) {
                let found = format!("{} names of {axis}", names.len());
                return Err(Error::mismatch(place, found, len));
            }
        }
        Ok(Self {
            inner,
            header,
            place,
            names,
            tables: [None, None],
            extras: Vec::new(),
            notes: Vec::new(),
            family: None,
        })
    }

    /// Adds the other elements of the object, which targets of a single matrix do not store.
    #[must_use]
    pub fn with_extras(self, extras: Vec<String>) -> Self {
        Self { extras, ..self }
    }

    /// Restores names that were changed for R, from their columns of the tables.
    ///
    /// # Errors
    ///
    /// Fails if a column cannot be read.
    pub fn with_original_names(mut self) -> Result<Self> {
        let is_text = |info: &ColumnInfo| {
            info.name == ORIGINAL_NAME && info.column_type == ColumnType::String
        };
        for (table, own) in self.tables.iter_mut().zip(&mut self.names) {
            if let Some(table) = table
                && table.columns().iter().any(is_text)
                && let Some(column) = table.remove(ORIGINAL_NAME)?
                && let (ColumnValues::Strings(names), None) = (column.values, column.missing)
            {
                *own = Some(Arc::new(names));
            }
        }
        Ok(self)
    }

    /// Removes the table of an axis.
    #[must_use]
    pub fn without_table(mut self, axis: Axis) -> Self {
        self.tables[index(axis)] = None;
        self
    }

    /// Adds notes for the user.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Sets the format of the object, its class and the version of the package that wrote it.
    pub(crate) fn of_object(
        self,
        format: &'static str,
        class: &str,
        version: Option<&str>,
    ) -> Self {
        let family = Some((format, class.to_owned(), version.map(ToOwned::to_owned)));
        Self { family, ..self }
    }

    /// Adds tables of the axes.
    pub(crate) fn with_tables(self, tables: [Option<Frame>; 2]) -> Self {
        Self { tables, ..self }
    }
}

impl std::fmt::Debug for ObjectMatrixSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObjectMatrixSource").field("header", &self.header).finish_non_exhaustive()
    }
}

fn index(axis: Axis) -> usize {
    usize::from(axis == Axis::Cols)
}

impl MatrixSource for ObjectMatrixSource {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn place(&self) -> Place {
        self.place.clone()
    }

    fn about(&self) -> Result<About> {
        let mut about = self.inner.about()?;
        if let Some((format, class, version)) = &self.family {
            let inner = about.dialect.unwrap_or_default();
            about.format = (*format).to_owned();
            about.dialect = Some(format!("{class}, {inner}"));
            about.version.clone_from(version);
        }
        Ok(about)
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes().into_iter().chain(self.notes.iter().cloned()).collect()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        match &self.names[index(axis)] {
            Some(names) => Ok(Some(names.reader())),
            None => self.inner.read_names(axis),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let table = self.tables[index(axis)].as_ref();
        Ok(table.filter(|table| !table.columns().is_empty()).map(|table| Box::new(table) as _))
    }

    fn extras(&self) -> Result<Vec<String>> {
        let mut extras = self.inner.extras()?;
        extras.extend(self.extras.iter().cloned());
        Ok(extras)
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
}
