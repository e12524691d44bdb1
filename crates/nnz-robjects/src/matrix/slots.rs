//! The slots of an object of R.

use std::path::Path;

use nnz_container::rds::{Entry, Integers, Object, Strings, Value};
use nnz_core::{Axis, Error, Place, Result, Shape};

/// The slots of an S4 object, or the attributes of any other.
pub(super) struct Slots<'a> {
    pub(super) path: &'a Path,
    /// The path of the matrix in the file.
    pub(super) inside: &'a str,
    pub(super) object: &'a mut Object,
}

impl Slots<'_> {
    pub(super) fn place(&self, name: Option<&str>) -> Place {
        place_of(self.path, self.inside, name)
    }

    /// Removes and returns a slot.
    pub(super) fn take(&mut self, name: &str) -> Result<Object> {
        let is = |entry: &Entry| entry.tag.as_ref().is_some_and(|tag| tag.is(name));
        let found = self.object.attributes.iter().position(is);
        match found {
            Some(position) => Ok(self.object.attributes.swap_remove(position).value),
            None => Err(Error::new(nnz_core::ErrorKind::Missing, self.place(Some(name)))),
        }
    }

    pub(super) fn integers(&mut self, name: &str) -> Result<Integers> {
        match self.take(name)?.value {
            Value::Integer(all) => Ok(all),
            other => Err(Error::mismatch(self.place(Some(name)), other.kind(), "integers")),
        }
    }

    pub(super) fn letter(&mut self, name: &str) -> Result<String> {
        let value = self.take(name)?.value;
        let only = match &value {
            Value::Character(strings) => strings.only(),
            _ => None,
        };
        match only {
            Some(only) => Ok(only.get().to_string()),
            None => Err(Error::mismatch(self.place(Some(name)), value.kind(), "a letter")),
        }
    }

    pub(super) fn shape(&mut self, name: &str) -> Result<Shape> {
        let sides = self.integers(name)?;
        let side = |index| sides.get(index).and_then(|side| u64::try_from(side).ok());
        match (sides.len(), side(0), side(1)) {
            (2, Some(rows), Some(cols)) => Ok(Shape { rows, cols }),
            _ => {
                let found = format!("{} dimensions", sides.len());
                Err(Error::mismatch(self.place(Some(name)), found, "two non-negative integers"))
            }
        }
    }

    /// Reads the names of rows and columns: a list of two elements, each of them `NULL` or strings.
    pub(super) fn names(&mut self, name: &str) -> Result<AxisNames> {
        // A plain matrix may have no names.
        let Ok(Object { value, attributes, .. }) = self.take(name) else {
            return Ok(AxisNames::default());
        };
        let list = match value {
            Value::Null => return Ok(AxisNames::default()),
            Value::List(list) => list,
            other => {
                let place = self.place(Some(name));
                return Err(Error::mismatch(place, other.kind(), "a list of names"));
            }
        };
        let [rows, cols] = <[Object; 2]>::try_from(list).map_err(|list| {
            let found = format!("names of {} axes", list.len());
            Error::mismatch(self.place(Some(name)), found, "names of rows and columns")
        })?;
        let names = |object: Object, axis: Axis| match object.value {
            Value::Null => Ok(None),
            Value::Character(strings) => Ok(Some(strings)),
            other => {
                let found = format!("{} as names of the {axis}", other.kind());
                Err(Error::mismatch(self.place(Some(name)), found, "strings"))
            }
        };
        let of_axes = [names(rows, Axis::Rows)?, names(cols, Axis::Cols)?];
        Ok(AxisNames { of_axes, titles: titles(&attributes) })
    }
}

/// Returns the place of a matrix in a file, or of one of its slots.
pub(super) fn place_of(path: &Path, inside: &str, name: Option<&str>) -> Place {
    match (inside, name) {
        ("", None) => Place::path(path),
        ("", Some(name)) => Place::array(path, name),
        (inside, None) => Place::array(path, inside),
        (inside, Some(name)) => Place::array(path, format!("{inside}/{name}")),
    }
}

/// The names of rows and columns.
#[derive(Default)]
pub(crate) struct AxisNames {
    pub(super) of_axes: [Option<Strings>; 2],
    /// The names of the two lists of names, shortened.
    pub(super) titles: Vec<String>,
}

impl AxisNames {
    /// Creates the names of rows and columns.
    pub(crate) fn new(rows: Option<Strings>, cols: Option<Strings>) -> Self {
        Self { of_axes: [rows, cols], titles: Vec::new() }
    }

    /// Returns the names of an object with the attribute `dimnames`.
    pub(crate) fn of_object(object: &Object) -> Self {
        let mut of_axes = [None, None];
        if let Some(Value::List(lists)) = object.attribute("dimnames").map(|names| &names.value) {
            for (names, list) in of_axes.iter_mut().zip(lists) {
                if let Value::Character(strings) = &list.value {
                    *names = Some(strings.clone());
                }
            }
        }
        Self { of_axes, titles: Vec::new() }
    }

    /// Uses the same names for rows and columns, like R: the names of the columns if there are any.
    pub(super) fn make_symmetric(&mut self) {
        let [rows, cols] = &mut self.of_axes;
        let some = |names: &&Strings| !names.is_empty();
        match (&rows, cols.as_ref().filter(some)) {
            (_, Some(names)) => *rows = Some(names.clone()),
            (rows, None) => *cols = (*rows).clone(),
        }
    }
}

/// Reads the names of the two lists of names, in quotes.
fn titles(attributes: &[Entry]) -> Vec<String> {
    const SHOWN: usize = 40;
    let is = |entry: &&Entry| entry.tag.as_ref().is_some_and(|tag| tag.is("names"));
    let mut titles = Vec::new();
    if let Some(Value::Character(strings)) = attributes.iter().find(is).map(|e| &e.value.value) {
        let mut strings = strings.cursor();
        while let (true, Some(title)) = (titles.len() < 2, strings.next_text()) {
            let title = title.map(|title| title.to_string()).unwrap_or_default();
            let start: String = title.chars().take(SHOWN).collect();
            titles.push(format!("\"{}\"", start.escape_debug()));
        }
        titles.retain(|title| title != "\"\"");
    }
    titles
}
