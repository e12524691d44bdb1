//! MAT-files of version 4, which MATLAB writes with `-v4`, and Octave and Scilab still do.
//!
//! "Level 4 MAT-File Format": variables one after another, each a header of five integers, a name, and the elements by
//! column, real parts before imaginary ones. A sparse matrix is a dense one with a row for each entry (its row and column,
//! counted from 1, and its value) and a last row with the numbers of rows and columns.

use std::ops::Range;
use std::sync::Arc;

use nnz_container::matrix::{Coordinates, Indices, Vector};
use nnz_container::tree::{Attributes, ElementType, NdArray, one_range};
use nnz_core::{At, Error, ErrorKind, Place, Result, Shape, ValueType};
use nnz_storage::InputFile;

use super::class::Class;
use super::numbers::Numbers;
use super::open::{MatlabData, Origin};
use super::source::{Form, MatlabSource};
use super::v5::{Space, StoredNumbers};
use super::variable::Variable;

/// The version of the files.
const VERSION: &str = "4";

/// The size of the header of a variable.
const HEADER: usize = 20;

/// The longest name of a variable, with the zero at its end.
const LONGEST_NAME: u64 = 1024;

/// The largest number of variables.
const MOST_VARIABLES: usize = 1_000_000;

/// The header of a variable.
#[derive(Clone, Copy, Debug)]
struct Header {
    big: bool,
    /// The type of the stored numbers.
    stored: ValueType,
    kind: Kind,
    shape: [u64; 2],
    complex: bool,
    name_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Numbers,
    Text,
    Sparse,
}

impl Header {
    /// Parses a header; `None` if it is none, in neither byte order.
    fn parse(bytes: [u8; HEADER]) -> Option<Self> {
        [false, true].into_iter().find_map(|big| Self::in_order(bytes, big))
    }

    fn in_order(bytes: [u8; HEADER], big: bool) -> Option<Self> {
        let (fields, _) = bytes.as_chunks::<4>();
        let number = |field: &[u8; 4]| match big {
            true => i32::from_be_bytes(*field),
            false => i32::from_le_bytes(*field),
        };
        let [kind, rows, cols, complex, name] = fields else { return None };
        let (kind, complex) = (number(kind), number(complex));
        let [rows, cols, name_bytes] =
            [rows, cols, name].map(|field| u64::try_from(number(field)).ok());
        // The digits: the machine, zero, the type of numbers, and the kind.
        let [machine, zero] = [kind / 1000, kind / 100 % 10];
        let [precision, kind] = [kind / 10 % 10, kind % 10];
        if machine != i32::from(big) || zero != 0 || !(0..=1).contains(&complex) {
            return None;
        }
        let stored = match precision {
            0 => ValueType::F64,
            1 => ValueType::F32,
            2 => ValueType::I32,
            3 => ValueType::I16,
            4 => ValueType::U16,
            5 => ValueType::U8,
            _ => return None,
        };
        let kind = match kind {
            0 => Kind::Numbers,
            1 => Kind::Text,
            2 => Kind::Sparse,
            _ => return None,
        };
        let name_bytes = name_bytes.filter(|len| (1..=LONGEST_NAME).contains(len))?;
        let (shape, complex) = ([rows?, cols?], complex == 1);
        Some(Self { big, stored, kind, shape, complex, name_bytes })
    }

    /// Returns the size of the elements in bytes.
    fn data_bytes(&self) -> Option<u64> {
        let parts = if self.complex { 2 } else { 1 };
        let [rows, cols] = self.shape;
        rows.checked_mul(cols)?.checked_mul(parts)?.checked_mul(self.stored.size() as u64)
    }
}

/// Returns whether a file starts like one of version 4.
#[must_use]
pub fn is_v4(start: &[u8]) -> bool {
    let header =
        start.get(..HEADER).and_then(|bytes| bytes.try_into().ok()).and_then(Header::parse);
    let Some(header) = header else { return false };
    let len = usize::try_from(header.name_bytes).unwrap_or(usize::MAX);
    let name = start.get(HEADER..).unwrap_or_default();
    let name = name.get(..len).unwrap_or(name).split(|byte| *byte == 0).next().unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_word)
}

/// A variable and where it is.
#[derive(Debug)]
struct Found {
    variable: Variable,
    header: Header,
    /// The offset of its elements.
    data: u64,
}

/// A file of version 4, open for reading.
#[derive(Debug)]
pub struct MatFile4 {
    file: InputFile,
    found: Vec<Found>,
}

impl MatFile4 {
    /// Opens a file and lists its variables, by their headers.
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged, or cannot be read.
    pub fn open(file: &InputFile) -> Result<Self> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < file.len() {
            if found.len() == MOST_VARIABLES {
                let what = format!("a MAT-file of more than {MOST_VARIABLES} variables");
                return Err(Error::unsupported(file.place(), what));
            }
            let variable = Found::read(file, at)?;
            at = variable.data + variable.header.data_bytes().unwrap_or(0);
            found.push(variable);
        }
        Ok(Self { file: file.clone(), found })
    }

    /// Returns the variables, in the order of the file.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.found.iter().map(|found| &found.variable)
    }

    /// Opens a variable by its name, the last one if there are several.
    ///
    /// # Errors
    ///
    /// Fails if there is no such variable, if it is not numeric, or if it is damaged.
    pub fn variable(&self, name: &str) -> Result<MatlabData> {
        let place = Place::array(self.file.path(), name);
        let Some(found) = self.found.iter().rev().find(|found| found.variable.path == name) else {
            return Err(Error::new(ErrorKind::Missing, place));
        };
        let Found { variable, header, data } = found;
        let value_type = variable.required_type(self.file.path())?;
        let origin =
            Origin { path: self.file.path(), bytes: Some(self.file.len()), version: VERSION };
        let [rows, cols] = header.shape;
        let numbers = Stored { file: &self.file, place: &place, header, data: *data };
        if header.kind == Kind::Sparse {
            return numbers.sparse(&origin, variable, value_type);
        }
        let count = rows.saturating_mul(cols);
        let real = numbers.vector(0, count)?;
        let imaginary = header.complex.then(|| numbers.vector(count, count)).transpose()?;
        MatlabData::dense(&origin, variable, Numbers::cast(real, imaginary, value_type)?)
    }
}

impl Found {
    /// Reads the header and the name of the variable at an offset, and the shape of a sparse one.
    fn read(file: &InputFile, at: u64) -> Result<Self> {
        let place = || file.place().at(At::Byte(at));
        let left = file.len() - at;
        let cut = |expected: &str| {
            let found = format!("the end of the file after {left} bytes");
            Error::mismatch(place(), found, expected)
        };
        let mut bytes = [0; HEADER];
        if left < HEADER as u64 {
            return Err(cut("the header of a variable"));
        }
        let read = |at: u64, out: &mut [u8]| {
            file.read_metadata_at(out, at).map_err(|error| file.error(error))
        };
        read(at, &mut bytes)?;
        let Some(header) = Header::parse(bytes) else {
            let found = format!("the bytes {}", bytes.escape_ascii());
            let expected = "the header of a variable of version 4, of numbers in IEEE format";
            return Err(Error::mismatch(place(), found, expected));
        };
        let start = at + HEADER as u64;
        let data = start + header.name_bytes;
        let end = header.data_bytes().and_then(|bytes| data.checked_add(bytes));
        if end.is_none_or(|end| end > file.len()) {
            return Err(cut("a variable of the stated size"));
        }
        let mut name = vec![0; usize::try_from(header.name_bytes).unwrap_or(0)];
        read(start, &mut name)?;
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let path = String::from_utf8_lossy(name).into_owned();
        let class = match header.kind {
            Kind::Text => Class::Char,
            _ => Class::Number(ValueType::F64),
        };
        let sparse = header.kind == Kind::Sparse;
        let (shape, complex) = match sparse {
            true => {
                let place = Place::array(file.path(), &*path);
                let shape = Stored { file, place: &place, header: &header, data }.sparse_shape()?;
                (vec![shape.rows, shape.cols], header.shape[1] == 4)
            }
            false => (header.shape.to_vec(), header.complex),
        };
        Ok(Self { variable: Variable { path, class, shape, sparse, complex }, header, data })
    }
}

/// The elements of a variable.
struct Stored<'a> {
    file: &'a InputFile,
    place: &'a Place,
    header: &'a Header,
    data: u64,
}

impl Stored<'_> {
    /// Returns `count` elements from one on.
    fn vector(&self, first: u64, count: u64) -> Result<Vector> {
        let (stored, size) = (self.header.stored, self.header.stored.size());
        Vector::new(Box::new(StoredNumbers {
            space: Arc::new(Space::File(self.file.clone())),
            place: self.place.clone(),
            at: self.data + first * size as u64,
            shape: [count],
            element: ElementType::Number(stored),
            size,
            big: self.header.big,
        }))
    }

    /// Returns the elements of a column but the last one, which is about the matrix.
    fn column(&self, col: u64) -> Result<Vector> {
        let [rows, _] = self.header.shape;
        self.vector(col * rows, rows.saturating_sub(1))
    }

    /// Reads the shape of a sparse matrix from its last row.
    fn sparse_shape(&self) -> Result<Shape> {
        let [rows, cols] = self.header.shape;
        if rows == 0 || !matches!(cols, 3 | 4) || self.header.complex {
            let found = format!("a sparse matrix of {rows} x {cols} elements");
            return Err(Error::mismatch(
                self.place.clone(),
                found,
                "3 or 4 columns and a last row",
            ));
        }
        let side = |col: u64| -> Result<u64> {
            let last = self.vector(col * rows + rows - 1, 1)?;
            let mut side = [0_u64];
            Numbers::cast(last, None, ValueType::U64)?.read_into(0, &mut side)?;
            Ok(side[0])
        };
        Ok(Shape { rows: side(0)?, cols: side(1)? })
    }

    fn sparse(
        &self,
        origin: &Origin<'_>,
        variable: &Variable,
        value_type: ValueType,
    ) -> Result<MatlabData> {
        let shape = self.sparse_shape()?;
        let index = |col| -> Result<Indices> {
            let numbers = Numbers::cast(self.column(col)?, None, ValueType::U64)?;
            Indices::new(OneBased::vector(numbers)?)
        };
        let imaginary = variable.complex.then(|| self.column(3)).transpose()?;
        let values = Numbers::cast(self.column(2)?, imaginary, value_type)?;
        let form = Form::Coordinates(Coordinates::new(index(0)?, index(1)?, values, shape)?);
        Ok(MatlabData::Matrix(Box::new(MatlabSource::new(origin, variable, shape, form))))
    }
}

/// Indices that count from 1, as indices from 0.
#[derive(Debug)]
struct OneBased {
    numbers: Vector,
    shape: [u64; 1],
    element: ElementType,
}

impl OneBased {
    fn vector(numbers: Vector) -> Result<Vector> {
        let (shape, element) = ([numbers.len()], ElementType::Number(ValueType::U64));
        Vector::new(Box::new(Self { numbers, shape, element }))
    }
}

impl Attributes for OneBased {}

impl NdArray for OneBased {
    fn place(&self) -> Place {
        self.numbers.place()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        self.numbers.stored_bytes()
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let first = one_range(self, selection, out)?;
        let (indices, _) = out.as_chunks_mut::<8>();
        let mut read = vec![0_u64; indices.len()];
        self.numbers.read_into(first, &mut read)?;
        for (at, (index, number)) in indices.iter_mut().zip(read).enumerate() {
            let Some(number) = number.checked_sub(1) else {
                let place = self.numbers.place_of(first + at as u64);
                return Err(Error::mismatch(place, "the index 0", "1 or more"));
            };
            *index = number.to_ne_bytes();
        }
        Ok(())
    }

    fn will_read(&self, ranges: &[Range<u64>]) {
        self.numbers.will_read(ranges);
    }

    fn has_latency(&self) -> bool {
        self.numbers.has_latency()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_4_is_told_by_its_fields() {
        // Type 0 (double), 2 x 3, real, the name "A".
        let fields = [0_i32, 2, 3, 0, 2];
        let of = |bytes: Vec<u8>, name: &[u8]| [&bytes, name].concat();
        let little: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        assert!(is_v4(&of(little.clone(), b"A\0")));
        let big: Vec<u8> = [1000_i32, 2, 3, 0, 2].iter().flat_map(|f| f.to_be_bytes()).collect();
        assert!(is_v4(&of(big, b"A\0")));
        assert!(!is_v4(&of(little.clone(), b"1\0")) && !is_v4(&little));
        assert!(!is_v4(b"%%MatrixMarket matrix coordinate"));
        // The machine: VAX, with little-endian fields.
        let other: Vec<u8> = [2000_i32, 2, 3, 0, 2].iter().flat_map(|f| f.to_le_bytes()).collect();
        assert!(!is_v4(&of(other, b"A\0")));
    }
}
