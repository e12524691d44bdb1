//! The tables `obs` and `var`: names of rows, and typed columns.

pub(super) mod codes;
mod column;
mod labels;

use std::collections::HashSet;

use nnz_container::tree::{ElementType, Group, NdArray};
use nnz_core::{
    Annotations, Column, ColumnInfo, Error, ErrorKind, Names, Place, Result, ValueType,
};

use super::element::{Element, Encoding, text};
use crate::without::{copy_of, droppable};
pub(super) use column::check_categories;
use column::{ColumnReader, NOT_SUPPORTED, OpenedColumn};
use labels::Labels;

/// A table: a name for each row, and typed columns.
///
/// Opening reads the names and lengths of columns; values are read when they are needed.
pub struct DataFrame {
    place: Place,
    /// Its path from the root of the file.
    path: String,
    len: u64,
    index_name: String,
    index: Index,
    columns: Vec<ColumnInfo>,
    readers: Vec<ColumnReader>,
    /// Columns that are not supported, each with its type.
    unread: Vec<(String, String)>,
    /// Columns that are damaged, each with its name.
    broken: Vec<(String, Error)>,
    /// Why anndata cannot read the list of columns.
    order_fault: Option<Error>,
}

/// The attribute with the names of the columns.
pub(super) const COLUMNS: &str = "column-order";

/// The location of the names of rows.
enum Index {
    Labels(Labels),
    /// A column that has to be read as a whole.
    Column(ColumnReader),
}

impl std::fmt::Debug for DataFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DataFrame")
            .field("place", &self.place)
            .field("len", &self.len)
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

impl DataFrame {
    /// Opens a table in a group, by its name or path.
    pub(super) fn open(root: &dyn Group, name: &str) -> Result<Self> {
        let missing = || Error::new(ErrorKind::Missing, Place::array(root.path(), name));
        match Element::at(root, name)?.ok_or_else(missing)? {
            Element::Array(array) => Self::of_compound(root, &*array, name),
            Element::Group(group) => Self::of_group(&*group, name),
        }
    }

    /// Opens the columns of a group: anndata 0.7 and later. `path` is its path from the root of the file.
    pub(super) fn of_group(group: &dyn Group, path: &str) -> Result<Self> {
        let place = Place::path(group.path());
        let encoding = Encoding::of(group, &place)?;
        match &*encoding.kind {
            "" => {}
            "dataframe" => encoding.check(&["0.1.0", "0.2.0"], &place)?,
            other => {
                let found = format!("encoding-type {other:?}");
                return Err(Error::mismatch(place, found, "a dataframe"));
            }
        }
        let index_name = text(group, "_index", &place)?;
        if index_name.is_empty() {
            let place = Place::array(group.path(), "_index");
            return Err(Error::new(ErrorKind::Missing, place));
        }
        let (index, len) = index(group, &index_name)?;
        let names = column_names(group, &index_name)?;
        let order_fault = order_fault(group, &encoding)?;
        let mut frame = Self {
            place,
            path: path.to_owned(),
            len,
            index_name,
            index,
            columns: Vec::new(),
            readers: Vec::new(),
            unread: Vec::new(),
            broken: Vec::new(),
            order_fault,
        };
        for name in names {
            let reader = ColumnReader::of_group(group, &name, len);
            frame.add(&name, reader)?;
        }
        Ok(frame)
    }

    /// Opens the fields of a compound array: anndata 0.6 and before. The first is the index.
    fn of_compound(root: &dyn Group, array: &dyn NdArray, path: &str) -> Result<Self> {
        let place = array.place();
        let ElementType::Compound(fields) = array.element_type() else {
            let found = format!("an array of {}", array.element_type());
            return Err(Error::mismatch(place, found, "a table"));
        };
        let &[len] = array.shape() else {
            let found = format!("an array of {} dimensions", array.shape().len());
            return Err(Error::mismatch(place, found, "one dimension"));
        };
        let Some((first, rest)) = fields.split_first() else {
            return Err(Error::mismatch(place, "no fields", "an index and columns"));
        };
        let index = Index::Labels(Labels::of(array.field(&first.name)?, len)?);
        let mut frame = Self {
            place,
            path: path.to_owned(),
            len,
            index_name: first.name.clone(),
            index,
            columns: Vec::new(),
            readers: Vec::new(),
            unread: Vec::new(),
            broken: Vec::new(),
            order_fault: None,
        };
        for field in rest {
            let column = array.field(&field.name);
            let column =
                column.and_then(|array| ColumnReader::of_field(root, array, &field.name, len));
            frame.add(&field.name, column)?;
        }
        Ok(frame)
    }

    /// Adds a column, or its error: the names of rows can still be read.
    fn add(&mut self, name: &str, reader: Result<OpenedColumn>) -> Result<()> {
        match reader {
            Ok(OpenedColumn::Unread(what)) => self.unread.push((name.to_owned(), what)),
            Ok(OpenedColumn::Column(reader)) => {
                let column_type = reader.column_type();
                self.columns.push(ColumnInfo::new(name, column_type));
                self.readers.push(reader);
            }
            Err(error) if error.is_system() => return Err(error),
            Err(error) => match error.kind() {
                // A filter or a version that is not supported.
                ErrorKind::Unsupported(what) => {
                    let what = what.strip_suffix(NOT_SUPPORTED).unwrap_or(what);
                    self.unread.push((name.to_owned(), what.to_owned()));
                }
                _ => {
                    let error = droppable(error, &format!("{}/{name}", self.path));
                    self.broken.push((name.to_owned(), error));
                }
            },
        }
        Ok(())
    }

    /// Returns its location.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// Returns the name of the index.
    pub(super) fn index_name(&self) -> &str {
        &self.index_name
    }

    /// Starts reading the names of rows.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn names(&self) -> Result<Names<'_>> {
        match &self.index {
            Index::Labels(labels) => labels.read(),
            Index::Column(reader) => Ok(reader.read_text(self.len)?.into_reader()),
        }
    }

    /// Returns the number of bytes of stored names.
    pub(super) fn names_bytes(&self) -> Result<u64> {
        match &self.index {
            Index::Labels(labels) => labels.stored_bytes(),
            Index::Column(_) => Ok(0),
        }
    }

    /// Returns the names and types of columns that are not supported.
    #[must_use]
    pub fn unread_columns(&self) -> &[(String, String)] {
        &self.unread
    }

    /// Describes the columns that are not supported, for messages.
    pub(super) fn unread(&self) -> impl Iterator<Item = String> + '_ {
        self.unread.iter().map(|(name, what)| format!("{} column {name} ({what})", self.path))
    }

    /// Returns the names and errors of columns that are damaged.
    pub(super) fn broken(&self) -> &[(String, Error)] {
        &self.broken
    }

    /// Returns whether the dates or durations of a column are stored as integers with their unit.
    pub(super) fn has_unit_apart(&self, column: usize) -> bool {
        self.readers.get(column).is_some_and(ColumnReader::has_unit_apart)
    }

    /// Returns why anndata cannot read the list of columns, if so.
    pub(super) fn order_fault(&self) -> Option<&Error> {
        self.order_fault.as_ref()
    }

    /// Fails if a column is damaged: missing, or of another length than the table.
    ///
    /// # Errors
    ///
    /// Fails with the error of the first damaged column.
    pub fn check_columns(&self) -> Result<()> {
        match self.broken.first() {
            None => Ok(()),
            Some((name, error)) => {
                let error = copy_of(error);
                Err(droppable(error, &format!("{}/{name}", self.path)))
            }
        }
    }
}

impl Annotations for DataFrame {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        match self.readers.get(column) {
            Some(reader) => reader.read(memory).map_err(|error| {
                let name = self.columns.get(column).map_or("", |info| &info.name);
                droppable(error, &format!("{}/{name}", self.path))
            }),
            None => Err(Error::argument(format!("there is no column {column}"))),
        }
    }

    fn is_nullable(&self, column: usize) -> bool {
        self.readers.get(column).is_some_and(ColumnReader::is_nullable)
    }
}

/// Opens the names of rows, and counts them.
fn index(group: &dyn Group, name: &str) -> Result<(Index, u64)> {
    if let Element::Array(array) = Element::open(group, name)? {
        let &[len] = array.shape() else {
            let found = format!("{} dimensions", array.shape().len());
            return Err(Error::mismatch(array.place(), found, "one dimension"));
        };
        // Codes of anndata 0.7 have an attribute with the path of their categories.
        if array.attribute("categories")?.is_none() {
            return Ok((Index::Labels(Labels::of(array, len)?), len));
        }
    }
    let len = ColumnReader::len_of(group, name)?;
    match ColumnReader::of_group(group, name, len)? {
        OpenedColumn::Column(reader) => Ok((Index::Column(reader), len)),
        OpenedColumn::Unread(what) => {
            let place = Place::array(group.path(), name);
            Err(Error::unsupported(place, format!("names of rows as {what}{NOT_SUPPORTED}")))
        }
    }
}

/// Returns the error if the list of columns is missing or a single value, which anndata does not read.
fn order_fault(group: &dyn Group, encoding: &Encoding) -> Result<Option<Error>> {
    let place = Place::array(group.path(), COLUMNS);
    Ok(match group.attribute(COLUMNS)? {
        _ if encoding.kind.is_empty() => None,
        None => Some(Error::new(ErrorKind::Missing, place)),
        Some(order) if order.shape.is_empty() => {
            Some(Error::mismatch(place, "a single value", "a list of names"))
        }
        Some(_) => None,
    })
}

/// Returns the names of the columns: those in the attribute, or all if it is missing.
pub(super) fn column_names(group: &dyn Group, index: &str) -> Result<Vec<String>> {
    let place = Place::array(group.path(), COLUMNS);
    let Some(order) = group.attribute(COLUMNS)? else {
        let children = group.children()?.into_iter().map(|child| child.name);
        return Ok(children.filter(|name| name != index && name != "__categories").collect());
    };
    let listed = order.strings().ok_or_else(|| {
        let found = format!("an attribute of type {}", order.type_name());
        Error::mismatch(place.clone(), found, "strings")
    })?;
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    for name in listed.iter() {
        let text = std::str::from_utf8(name).map_err(|error| {
            Error::mismatch(place.clone(), "a name that is not UTF-8", "UTF-8").with_source(error)
        })?;
        // A name that is listed twice is one column.
        if seen.insert(text.to_owned()) {
            names.push(text.to_owned());
        }
    }
    Ok(names)
}

/// Reads a column, or another element of this layout, with `len` rows if it is known.
pub(super) fn check_column(
    group: &dyn Group,
    name: &str,
    len: Option<u64>,
    memory: u64,
) -> Result<()> {
    let len = len.map_or_else(|| ColumnReader::len_of(group, name), Ok)?;
    match ColumnReader::of_group(group, name, len)? {
        OpenedColumn::Column(reader) => reader.read(memory).map(drop),
        OpenedColumn::Unread(_) => Ok(()),
    }
}

/// Reads a column with a mask of missing values, such as a nullable integer.
pub(super) fn nullable(group: &dyn Group, memory: u64) -> Result<Column> {
    let len = group.array("values")?.shape().first().copied().unwrap_or(0);
    match ColumnReader::of_encoded(group, len)? {
        OpenedColumn::Column(reader) => reader.read(memory),
        OpenedColumn::Unread(what) => {
            Err(Error::unsupported(Place::path(group.path()), format!("{what}{NOT_SUPPORTED}")))
        }
    }
}

/// Returns whether codes may be stored in a type.
fn is_code(value_type: ValueType) -> bool {
    value_type.is_integer() && value_type != ValueType::Bint8
}
