//! "MATLAB Array Data Element Formats": the subelements that all arrays have.

use nnz_core::{At, Error, Place, Result};

use super::space::Reader;
use super::tag::{MATRIX, Tag};
use crate::matlab::{Class, MAX_DIMENSIONS};

/// The largest size of a name, or of the names of all fields of a struct.
const LONGEST_NAMES: u64 = 1 << 20;

/// The largest length of the name of a field; 64 in MATLAB.
const LONGEST_FIELD: usize = 1024;

/// Bits of the flags.
const COMPLEX: u8 = 1 << 3;
const LOGICAL: u8 = 1 << 1;

/// The code of classes whose subelements differ.
const SPARSE: u8 = 5;
const OPAQUE: u8 = 17;

/// The subelements of an array before its data.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) class: Class,
    pub(super) sparse: bool,
    pub(super) complex: bool,
    pub(super) shape: Vec<u64>,
    pub(super) name: String,
    /// The offset of the data.
    pub(super) data: u64,
}

/// Parses subelements.
pub(super) struct Parser<'a> {
    pub(super) reader: &'a mut dyn Reader,
    pub(super) big: bool,
    pub(super) place: &'a Place,
}

impl Parser<'_> {
    /// Returns the error for the element at an offset.
    fn wrong(&self, at: u64, found: impl std::fmt::Display, expected: &str) -> Error {
        let place = self.place.clone().at(At::Byte(self.reader.shown(at)));
        Error::mismatch(place, found, expected)
    }

    /// Reads the tag of an element, which has to end by `end`.
    pub(super) fn tag(&mut self, at: u64, end: u64) -> Result<Tag> {
        let mut bytes = [0; 8];
        if at.checked_add(8).is_none_or(|after| after > end) {
            return Err(self.wrong(at, "the end of the variable", "another element"));
        }
        self.reader.read_at(at, &mut bytes)?;
        let tag = Tag::parse(bytes, at, self.big);
        match tag.filter(|tag| tag.data.checked_add(tag.bytes).is_some_and(|last| last <= end)) {
            Some(tag) => Ok(tag),
            None => {
                let found = format!("the tag {}", bytes.escape_ascii());
                Err(self.wrong(at, found, "an element inside of the variable"))
            }
        }
    }

    /// Reads a short element of one of some types, and returns the offset of the next.
    pub(super) fn short(
        &mut self,
        (at, end): (u64, u64),
        kinds: &[u32],
        what: &str,
    ) -> Result<(Vec<u8>, u64)> {
        let mut bytes = [0; 8];
        if at.checked_add(8).is_none_or(|after| after > end) {
            return Err(self.wrong(at, "the end of the variable", what));
        }
        self.reader.read_at(at, &mut bytes)?;
        let tag = Tag::parse(bytes, at, self.big).filter(|tag| kinds.contains(&tag.kind));
        let inside = |tag: &Tag| tag.data.saturating_add(tag.bytes) <= end;
        let Some(tag) = tag.filter(inside).filter(|tag| tag.bytes <= LONGEST_NAMES) else {
            let found = format!("the tag {}", bytes.escape_ascii());
            return Err(self.wrong(at, found, what));
        };
        // The data of a small element has been read with its tag.
        let count = usize::try_from(tag.bytes).unwrap_or(usize::MAX);
        if tag.data == at + 4 {
            let data = bytes.get(4..).and_then(|rest| rest.get(..count)).unwrap_or_default();
            return Ok((data.to_vec(), tag.next));
        }
        let mut data = vec![0; count];
        self.reader.read_at(tag.data, &mut data)?;
        Ok((data, tag.next))
    }

    /// Parses the flags, dimensions and name of an array whose data is between two offsets.
    pub(super) fn array(&mut self, start: u64, end: u64) -> Result<Array> {
        // Without any data, an empty array.
        if start == end {
            let (class, shape) = (Class::Number(nnz_core::ValueType::F64), vec![0, 0]);
            let (sparse, complex, name) = (false, false, String::new());
            return Ok(Array { class, sparse, complex, shape, name, data: end });
        }
        let (flags, dimensions) = self.short((start, end), &[6], "the flags of an array")?;
        let word =
            flags.get(..4).and_then(|bytes| bytes.try_into().ok()).map(|word| self.word(word));
        let Some(word) = word.filter(|_| flags.len() == 8) else {
            return Err(self.wrong(start, format!("{} bytes of flags", flags.len()), "8"));
        };
        let [code, bits, ..] = word.to_le_bytes();
        let Some(class) = Class::of_code(code, bits & LOGICAL != 0) else {
            return Err(self.wrong(start, format!("the class {code}"), "one of 1 to 18"));
        };
        let (sparse, complex) = (code == SPARSE, bits & COMPLEX != 0);
        // These have no dimensions.
        let (shape, after) = match code {
            OPAQUE => (Vec::new(), dimensions),
            _ => self.shape(dimensions, end)?,
        };
        let (name, data) = self.short((after, end), &[1, 2, 16], "the name of an array")?;
        let name = String::from_utf8_lossy(&name).into_owned();
        Ok(Array { class, sparse, complex, shape, name, data })
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    /// Parses the dimensions, and returns the offset of the next element.
    fn shape(&mut self, at: u64, end: u64) -> Result<(Vec<u64>, u64)> {
        let (bytes, next) = self.short((at, end), &[5, 6], "the dimensions of an array")?;
        if bytes.len() % 4 != 0 || !(2..=MAX_DIMENSIONS).contains(&(bytes.len() / 4)) {
            let found = format!("{} bytes of dimensions", bytes.len());
            return Err(self.wrong(at, found, "2 to 64 dimensions of 4 bytes"));
        }
        let mut shape = Vec::new();
        for length in bytes.chunks_exact(4) {
            let length: [u8; 4] = length.try_into().unwrap_or_default();
            let length = self.word(length);
            if i32::try_from(length).is_err() {
                let found = format!("the dimension {}", length.cast_signed());
                return Err(self.wrong(at, found, "0 or more"));
            }
            shape.push(length.into());
        }
        Ok((shape, next))
    }

    /// Reads the names of the fields of a struct, and returns the offset of the first field.
    pub(super) fn field_names(&mut self, at: u64, end: u64) -> Result<(Vec<String>, u64)> {
        let (length, next) = self.short((at, end), &[5, 6], "the length of field names")?;
        let length = <[u8; 4]>::try_from(&*length).ok().map(|bytes| self.word(bytes));
        let length = length.and_then(|length| usize::try_from(length).ok());
        let (names, first) = self.short((next, end), &[1, 2, 16], "the names of fields")?;
        let valid = |length: &usize| (1..=LONGEST_FIELD).contains(length) || names.is_empty();
        let Some(length) = length.filter(valid) else {
            return Err(self.wrong(at, "another length of field names", "1 to 1024 bytes"));
        };
        let name = |bytes: &[u8]| {
            let used = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(used).into_owned()
        };
        Ok((names.chunks(length.max(1)).map(name).collect(), first))
    }

    /// Reads the tag of a field, which is an array.
    pub(super) fn field(&mut self, at: u64, end: u64) -> Result<Tag> {
        let tag = self.tag(at, end)?;
        match tag.kind {
            MATRIX => Ok(tag),
            kind => Err(self.wrong(at, format!("an element of type {kind}"), "a field")),
        }
    }
}
