//! MAT-files of version 5, which MATLAB writes with `-v6` and `-v7`.
//!
//! A header of 128 bytes is followed by data elements, each with a tag. An element is a variable, or
//! a variable that is compressed by zlib. Comments name the sections of "MAT-File Format".

mod array;
mod element;
mod header;
mod list;
mod space;
mod stored;
mod tag;

use std::sync::Arc;

use nnz_container::matrix::Vector;
use nnz_container::tree::ElementType;
use nnz_core::{At, Error, ErrorKind, Place, Result, ValueType, readable};
use nnz_storage::InputFile;

use super::numbers::Numbers;
use super::open::{self, MatlabData, Origin, SparseArrays};
use super::variable::Variable;
use array::{Array, Parser};
use list::VariableLocation;
pub(super) use space::Space;
pub(super) use stored::StoredNumbers;
use tag::Tag;

pub use header::is_v5;

/// The version of the files.
const VERSION: &str = "5";

/// A file of version 5, open for reading.
#[derive(Debug)]
pub struct MatFile {
    file: InputFile,
    /// Whether numbers are big-endian.
    big: bool,
    found: Vec<VariableLocation>,
}

impl MatFile {
    /// Opens a file and lists its variables. The header of each variable is read; compressed structs
    /// are decompressed, as their fields are variables.
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged or of another version, or cannot be read.
    pub fn open(file: &InputFile) -> Result<Self> {
        let big = header::read(file)?;
        let found = list::list(file, big)?;
        Ok(Self { file: file.clone(), big, found })
    }

    /// Returns the variables, in the order of the file.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.found.iter().map(|found| &found.variable)
    }

    /// Opens a variable by its path. A compressed variable is decompressed, to a temporary file unless it
    /// is small.
    ///
    /// # Errors
    ///
    /// Fails if there is no such variable, if it is not numeric, or if it is damaged.
    pub fn variable(&self, path: &str) -> Result<MatlabData> {
        let place = Place::array(self.file.path(), path);
        let Some(found) = self.found.iter().rev().find(|found| found.variable.path == path) else {
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let variable = &found.variable;
        let value_type = variable.required_type(self.file.path())?;
        let space = Arc::new(Space::new(&self.file, found.element, self.big, &place)?);
        let mut reader = space.reader();
        let mut parser = Parser { reader: &mut reader, big: self.big, place: &place };
        let Array { data, .. } = parser.array(found.start, found.end)?;
        let mut parts = Parts { at: data, end: found.end, parser, space: &space };
        let origin =
            Origin { path: self.file.path(), bytes: Some(self.file.len()), version: VERSION };
        if !variable.sparse {
            let count = count(&variable.shape).ok_or_else(|| {
                Error::mismatch(place.clone(), "dimensions of more than 2^64 elements", "fewer")
            })?;
            let real = parts.next("pr", Some(count))?;
            let imaginary = match variable.complex {
                true => Some(parts.next("pi", Some(count))?),
                false => None,
            };
            let values = Numbers::cast(real, imaginary, value_type)?;
            return MatlabData::dense(&origin, variable, values);
        }
        let indices = parts.next("ir", None)?;
        let (pointers, entries) = open::pointers(parts.next("jc", None)?)?;
        let (real, imaginary) = match (entries, value_type) {
            (0, _) => {
                let none = |name| Vector::zeros(0, parts.place(name));
                (none("pr"), variable.complex.then(|| none("pi")))
            }
            (_, ValueType::Bint8) => (parts.logical("pr", entries)?, None),
            _ if variable.complex => (parts.next("pr", None)?, Some(parts.next("pi", None)?)),
            _ => (parts.next("pr", None)?, None),
        };
        let arrays = SparseArrays { pointers, entries, indices, real, imaginary };
        MatlabData::sparse(&origin, variable, arrays)
    }
}

/// Returns the number of elements of a shape; `None` on overflow.
fn count(shape: &[u64]) -> Option<u64> {
    match shape.contains(&0) {
        true => Some(0),
        false => shape.iter().try_fold(1_u64, |all, &len| all.checked_mul(len)),
    }
}

/// Reads the numeric elements of an array one after another.
struct Parts<'a, 'b> {
    at: u64,
    end: u64,
    parser: Parser<'b>,
    space: &'a Arc<Space>,
}

impl Parts<'_, '_> {
    /// Returns the numbers of the next element, which must be `count` if it is known.
    fn next(&mut self, name: &str, count: Option<u64>) -> Result<Vector> {
        // An unset field ends before its data.
        if count == Some(0) && self.at == self.end {
            return Ok(Vector::zeros(0, self.place(name)));
        }
        let (tag, value_type) = self.tag(name)?;
        let vector = self.vector(name, &tag, value_type, count)?;
        self.at = tag.next;
        Ok(vector)
    }

    /// Returns the values of a sparse logical array. MATLAB stores a byte for each, whose tag may state
    /// another type such as `double`; numbers of the type in the tag are read, too.
    fn logical(&mut self, name: &str, entries: u64) -> Result<Vector> {
        let (tag, stated) = self.tag(name)?;
        let size = stated.size() as u64;
        let mut value_type = ValueType::U8;
        if tag.bytes.is_multiple_of(size) && tag.bytes / size >= entries {
            // Bytes of 0 and 1 are no number that is 0 or 1, unless all are 0.
            let first = self.vector(name, &tag, stated, None)?.truncated(1);
            let first = Numbers::cast(first, None, ValueType::Bint8)?;
            if readable(first.get(0))?.is_some() {
                value_type = stated;
            }
        }
        let vector = self.vector(name, &tag, value_type, None)?;
        self.at = tag.next;
        Ok(vector)
    }

    /// Returns the place of an element of the array.
    fn place(&self, name: &str) -> Place {
        let path = self.parser.place.array.as_deref().unwrap_or_default();
        self.parser.place.clone().with_array(format!("{path}.{name}"))
    }

    /// Reads the tag of the next element, which has numbers of the returned type.
    fn tag(&mut self, name: &str) -> Result<(Tag, ValueType)> {
        let tag = self.parser.tag(self.at, self.end)?;
        match tag.value_type() {
            Some(value_type) => Ok((tag, value_type)),
            None => {
                let at = self.place(name).at(At::Byte(self.space.shown(self.at)));
                Err(Error::mismatch(at, format!("an element of type {}", tag.kind), "numbers"))
            }
        }
    }

    /// Returns the data of the next element as numbers of a type.
    fn vector(
        &self,
        name: &str,
        tag: &Tag,
        value_type: ValueType,
        count: Option<u64>,
    ) -> Result<Vector> {
        let place = self.place(name);
        let at = place.clone().at(At::Byte(self.space.shown(self.at)));
        let size = value_type.size() as u64;
        let len = tag.bytes / size;
        let exact = tag.bytes.is_multiple_of(size) && count.is_none_or(|count| len == count);
        if !exact {
            let found = format!("{} bytes of type {value_type}", tag.bytes);
            let expected = match count {
                Some(count) => format!("{count} elements, as in the dimensions"),
                None => "complete elements".to_owned(),
            };
            return Err(Error::mismatch(at, found, expected));
        }
        let (space, big) = (Arc::clone(self.space), self.parser.big);
        let (element, size) = (ElementType::Number(value_type), value_type.size());
        let stored = StoredNumbers { space, place, at: tag.data, shape: [len], element, size, big };
        Vector::new(Box::new(stored))
    }
}
