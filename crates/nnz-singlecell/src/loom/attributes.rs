//! The attributes of rows or columns: names, and typed columns.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use nnz_container::tree::{ChildKind, ElementType, Group, NdArray};
use nnz_core::{
    Annotations, Axis, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind, Names,
    Place, Result, readable,
};

use super::references::Decoded;
use super::{names, spec};
use crate::enumeration::Enumeration;
use crate::without::droppable;

/// The attributes of rows or columns: a name for each, and typed columns.
///
/// Opening reads the shapes of all; values are read when they are needed.
pub struct Attributes {
    place: Place,
    /// The name of the group.
    group: &'static str,
    len: u64,
    /// The names, and their attribute.
    names: Option<(String, Text)>,
    columns: Vec<ColumnInfo>,
    values: Vec<Values>,
    /// Attributes of two dimensions, which are matrices.
    wide: Vec<String>,
    /// Attributes of more dimensions or of other types, each with its type.
    others: Vec<(String, String)>,
    /// Damaged attributes.
    broken: Vec<DamagedAttribute>,
    /// The index in these of the attribute that should have the names.
    broken_names: Option<usize>,
    /// Whether the names come from an attribute that is not part of a convention.
    is_likely: bool,
}

/// A damaged attribute.
struct DamagedAttribute {
    name: String,
    place: Place,
    found: String,
    expected: String,
}

impl DamagedAttribute {
    fn error(&self, group: &str) -> Error {
        let error = Error::mismatch(self.place.clone(), &self.found, &self.expected);
        droppable(error, &format!("{group}/{}", self.name))
    }
}

enum Values {
    Numbers(Box<dyn NdArray>),
    Named(Enumeration),
    Text(Text),
}

/// Strings, which may have references to characters.
struct Text {
    array: Box<dyn NdArray>,
    references: bool,
}

impl Text {
    fn read(&self) -> Result<Names<'_>> {
        let strings = self.array.read_strings(&self.array.all())?;
        Ok(if self.references { Box::new(Decoded::new(strings)) } else { strings })
    }

    /// Returns whether no string is empty or equal to another one. More than 4 million strings are not compared.
    fn are_different(&self) -> Result<bool> {
        const MOST: usize = 1 << 22;
        let hasher = RandomState::new();
        let mut seen = HashSet::new();
        let mut names = self.read()?;
        while let Some(name) = names.next_string()? {
            if name.is_empty() || seen.len() >= MOST || !seen.insert(hasher.hash_one(name)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl std::fmt::Debug for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attributes")
            .field("place", &self.place)
            .field("len", &self.len)
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

/// Returns the name of the group with the attributes of an axis.
pub(super) fn group_of(axis: Axis) -> &'static str {
    match axis {
        Axis::Rows => "row_attrs",
        Axis::Cols => "col_attrs",
    }
}

impl Attributes {
    /// Opens the attributes of an axis of length `len`, of a file of some version.
    pub(super) fn open(
        root: &dyn Group,
        axis: Axis,
        len: u64,
        version: Option<&str>,
    ) -> Result<Self> {
        let group = root.group(group_of(axis))?;
        let (columns, values) = (Vec::new(), Vec::new());
        let (wide, others, broken) = (Vec::new(), Vec::new(), Vec::new());
        let place = Place::path(group.path());
        let (names, broken_names) = (None, None);
        let mut table = Self {
            place,
            group: group_of(axis),
            len,
            names,
            columns,
            values,
            wide,
            others,
            broken,
            broken_names,
            is_likely: false,
        };
        let is_old = spec::has_references(version);
        for child in group.children()? {
            match child.kind {
                ChildKind::Array => match group.array(&child.name) {
                    Ok(array) => table.add(child.name, array, is_old)?,
                    Err(error) if error.is_system() => return Err(error),
                    Err(error) => {
                        let (kind, place) = error.into_parts();
                        if let ErrorKind::Unsupported(what) = kind {
                            table.others.push((child.name, what));
                            continue;
                        }
                        let (found, expected) = (kind.to_string(), "an array".to_owned());
                        table.broken.push(DamagedAttribute {
                            name: child.name,
                            place,
                            found,
                            expected,
                        });
                    }
                },
                ChildKind::Group => table.others.push((child.name, "a group".to_owned())),
                ChildKind::Other(what) => table.others.push((child.name, what)),
                _ => table.others.push((child.name, "of an unknown kind".to_owned())),
            }
        }
        if !table.choose_names(axis) {
            table.choose_likely_names(axis)?;
        }
        Ok(table)
    }

    /// Adds an attribute.
    fn add(&mut self, name: String, array: Box<dyn NdArray>, is_old: bool) -> Result<()> {
        if array.shape().first() != Some(&self.len) {
            let found = format!("an attribute of shape {:?}", array.shape());
            let expected = format!("{} elements along the first dimension", self.len);
            let place = array.place();
            self.broken.push(DamagedAttribute { name, place, found, expected });
            return Ok(());
        }
        let is_number = array.element_type().value_type().is_some();
        if array.shape().len() == 2 && is_number {
            self.wide.push(name);
            return Ok(());
        }
        let named = Enumeration::of(&*array)?;
        let (column_type, values) = match array.element_type() {
            found if array.shape().len() > 1 => {
                self.others.push((name, format!("{found} of shape {:?}", array.shape())));
                return Ok(());
            }
            found if found.is_string() => {
                let fixed = matches!(found, ElementType::FixedString { .. });
                let references = fixed || is_old;
                (ColumnType::String, Values::Text(Text { array, references }))
            }
            found => match found.value_type() {
                Some(value_type) => (ColumnType::Number(value_type), Values::Numbers(array)),
                None => match named {
                    Some(named) => (named.column_type(), Values::Named(named)),
                    None => {
                        self.others.push((name, found.to_string()));
                        return Ok(());
                    }
                },
            },
        };
        self.columns.push(ColumnInfo::new(name, column_type));
        self.values.push(values);
        Ok(())
    }

    /// Takes the first attribute that has names by convention out of the columns. Returns whether there is one, which
    /// may be broken.
    fn choose_names(&mut self, axis: Axis) -> bool {
        for name in names::known(axis) {
            self.broken_names = self.broken.iter().position(|broken| broken.name == *name);
            if self.broken_names.is_some() {
                return true;
            }
            let Some(at) = self.columns.iter().position(|column| column.name == *name) else {
                continue;
            };
            // Numbers are not names.
            if matches!(self.values.get(at), Some(Values::Text(_))) {
                self.take_names(at);
                return true;
            }
        }
        false
    }

    /// Takes the first attribute that is likely to have names, and has a different string for each row or column.
    fn choose_likely_names(&mut self, axis: Axis) -> Result<()> {
        for likely in names::likely(axis) {
            for at in 0..self.columns.len() {
                let is_named = self.columns.get(at).map(|column| names::plain(&column.name));
                let Some(Values::Text(text)) = self.values.get(at) else { continue };
                if is_named.as_deref() == Some(*likely)
                    && readable(text.are_different())?.unwrap_or(false)
                {
                    self.take_names(at);
                    self.is_likely = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn take_names(&mut self, at: usize) {
        let name = self.columns.remove(at).name;
        if let Values::Text(text) = self.values.remove(at) {
            self.names = Some((name, text));
        }
    }

    /// Describes the attribute of the names if no convention names it, or that there are no names.
    pub(super) fn names_note(&self, axis: Axis) -> Option<String> {
        let option = match axis {
            Axis::Rows => "row_names",
            Axis::Cols => "col_names",
        };
        match &self.names {
            Some((name, _)) if self.is_likely => Some(format!(
                "the {axis} are named by the attribute {name:?}; {option} selects another one"
            )),
            Some(_) => None,
            None if self.broken_names.is_some() || self.columns.is_empty() => None,
            None => {
                const MOST: usize = 10;
                let shown =
                    self.columns.iter().take(MOST).map(|column| format!("{:?}", column.name));
                let mut shown: Vec<String> = shown.collect();
                if self.columns.len() > MOST {
                    shown.push("...".to_owned());
                }
                let shown = shown.join(", ");
                Some(format!(
                    "the {axis} have no names; {option} selects one of the attributes {shown}"
                ))
            }
        }
    }

    /// Returns its location.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// Returns the attribute with the names, if there is one.
    #[must_use]
    pub fn names_attribute(&self) -> Option<&str> {
        self.names.as_ref().map(|(name, _)| name.as_str())
    }

    /// Starts reading the names; `None` if no attribute has names.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if the attribute that should have them is invalid.
    pub fn names(&self) -> Result<Option<Names<'_>>> {
        if let Some(broken) = self.broken_names.and_then(|at| self.broken.get(at)) {
            return Err(broken.error(self.group));
        }
        self.names.as_ref().map(|(_, text)| text.read()).transpose()
    }

    /// Returns the number of bytes of stored names.
    pub(super) fn names_bytes(&self) -> Result<u64> {
        self.names.as_ref().map_or(Ok(0), |(_, text)| text.array.stored_bytes())
    }

    /// Returns the errors of attributes that cannot be opened, which are not among the columns.
    #[must_use]
    pub fn broken(&self) -> Vec<Error> {
        self.broken.iter().map(|broken| broken.error(self.group)).collect()
    }

    /// Lists the attributes that are matrices: numbers in two dimensions.
    #[must_use]
    pub fn wide(&self) -> &[String] {
        &self.wide
    }

    /// Lists the attributes that are neither columns nor matrices, each with its type: attributes of more
    /// dimensions, and of types that columns cannot have.
    #[must_use]
    pub fn unread_columns(&self) -> &[(String, String)] {
        &self.others
    }

    /// Describes the attributes that are neither columns nor matrices, for messages.
    pub(super) fn unread(&self) -> impl Iterator<Item = String> + '_ {
        self.others.iter().map(|(name, what)| format!("{}/{name} ({what})", self.group))
    }

    /// Fails if an attribute is damaged.
    ///
    /// # Errors
    ///
    /// Fails with the error of the first damaged attribute.
    pub fn check_columns(&self) -> Result<()> {
        self.broken.first().map_or(Ok(()), |broken| Err(broken.error(self.group)))
    }
}

impl Annotations for Attributes {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let name = self.columns.get(column).map_or("", |info| &info.name);
        let path = format!("{}/{name}", self.group);
        self.read(column, memory).map_err(|error| droppable(error, &path))
    }
}

impl Attributes {
    fn read(&self, column: usize, memory: u64) -> Result<Column> {
        let values = match self.values.get(column) {
            Some(Values::Numbers(array)) => {
                ColumnValues::Numbers(array.read(&array.all(), memory)?)
            }
            Some(Values::Named(named)) => return named.read(memory),
            Some(Values::Text(text)) => {
                ColumnValues::Strings(text.read()?.list_with_limit(memory)?)
            }
            None => return Err(Error::argument(format!("there is no column {column}"))),
        };
        Ok(Column { values, missing: None })
    }
}
