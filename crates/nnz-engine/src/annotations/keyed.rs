//! Matrices whose rows or columns state which of several matrices they come from.

use std::ops::Range;

use nnz_core::{
    Annotations, Axis, Categorical, Categories, Column, ColumnInfo, ColumnType, ColumnValues,
    Error, Header, MatrixSource, Names, Projection, Result, StringReader, UnitReader, Wrapped,
};

/// A matrix with a key in a column of annotations of an axis, and in the names along it.
pub struct Keyed<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    axis: Axis,
    key: String,
    /// The name of the column, which has the same value for all.
    label: Option<String>,
    /// The text that is appended to names.
    suffix: Option<String>,
}

impl std::fmt::Debug for Keyed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyed").field("key", &self.key).finish_non_exhaustive()
    }
}

impl<'a> Keyed<'a> {
    /// Adds a column named `label` to the annotations of an axis, and appends `separator` and the key to names, as far as they
    /// are set.
    ///
    /// # Errors
    ///
    /// Fails if there is a column of this name already.
    pub fn new(
        inner: Box<dyn MatrixSource + 'a>,
        axis: Axis,
        key: &str,
        (label, separator): (Option<&str>, Option<&str>),
    ) -> Result<Self> {
        if let Some(label) = label
            && let Some(table) = inner.annotations(axis)?
            && table.columns().iter().any(|column| column.name == label)
        {
            let what = format!("the {axis} have a column {label:?} already");
            return Err(Error::argument(what).with_hint("label", "sets another name"));
        }
        let suffix = separator.map(|separator| format!("{separator}{key}"));
        let (key, label) = (key.to_owned(), label.map(ToOwned::to_owned));
        Ok(Self { inner, axis, key, label, suffix })
    }
}

impl MatrixSource for Keyed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        let names = self.inner.read_names(axis)?;
        match (names, &self.suffix) {
            (Some(names), Some(suffix)) if axis == self.axis => {
                Ok(Some(Box::new(Suffixed { names, suffix, name: Vec::new() })))
            }
            (names, _) => Ok(names),
        }
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let inner = self.inner.annotations(axis)?;
        let Some(label) = self.label.as_deref().filter(|_| axis == self.axis) else {
            return Ok(inner);
        };
        let mut columns = inner.as_ref().map_or_else(Vec::new, |table| table.columns().to_vec());
        columns.push(ColumnInfo::new(label, ColumnType::Categorical { ordered: false }));
        let len = self.header().shape.len(axis);
        Ok(Some(Box::new(WithKey { inner, columns, key: &self.key, len })))
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }
}

/// Names, each with a suffix.
struct Suffixed<'a> {
    names: Names<'a>,
    suffix: &'a str,
    name: Vec<u8>,
}

impl StringReader for Suffixed<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(name) = self.names.next_string()? else { return Ok(None) };
        self.name.clear();
        self.name.extend_from_slice(name);
        self.name.extend_from_slice(self.suffix.as_bytes());
        Ok(Some(&self.name))
    }
}

/// A table with the key in the last column.
struct WithKey<'a> {
    inner: Option<Box<dyn Annotations + 'a>>,
    columns: Vec<ColumnInfo>,
    key: &'a str,
    len: u64,
}

impl Annotations for WithKey<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        if let Some(inner) = &self.inner
            && column + 1 < self.columns.len()
        {
            return inner.read_column(column, memory);
        }
        let needed = self.len.saturating_mul(4);
        if needed > memory {
            let kind = nnz_core::ErrorKind::Memory { needed, allowed: memory };
            return Err(Error::new(kind, nnz_core::Place::default()));
        }
        let codes = vec![0; usize::try_from(self.len).unwrap_or(usize::MAX)];
        let categories = Categories::Strings([self.key].into_iter().collect());
        let values = Categorical { codes, categories, ordered: false };
        Ok(Column { values: ColumnValues::Categorical(values), missing: None })
    }

    fn is_nullable(&self, column: usize) -> bool {
        let inner = self.inner.as_ref().filter(|_| column + 1 < self.columns.len());
        inner.is_some_and(|inner| inner.is_nullable(column))
    }
}
