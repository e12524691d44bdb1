//! Writing objects.

use std::collections::HashMap;
use std::io::Write;

use crate::codes;
use crate::error::{Error, ErrorKind, Result};
use crate::numbers::{Integers, Reals};
use crate::object::{Entry, Object, Pairlist, Value};
use crate::strings::Strings;
use crate::text::{Encoding, TextRef};

/// The version of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// Since R 1.4.0.
    V2,
    /// Since R 3.5.0, the default of `saveRDS`.
    #[default]
    V3,
}

/// The type of a vector whose elements are written one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorType {
    /// 0, 1 and missing values, written by [`integers`](Writer::integers).
    Logical,
    /// Integers, written by [`integers`](Writer::integers).
    Integer,
    /// Doubles, written by [`reals`](Writer::reals).
    Real,
    /// Strings, written by [`text`](Writer::text).
    Character,
    /// Other objects, which are the next items.
    List,
}

/// Properties of a vector, apart from its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VectorBits {
    /// Whether attributes follow the elements.
    pub attributes: bool,
    /// Whether it has a class, by which R dispatches methods.
    pub is_object: bool,
    /// Whether its class is an S4 class that extends a vector.
    pub is_s4: bool,
}

/// The version of R in the header, 4.4.0. Readers ignore it.
const R_VERSION: i32 = 0x0004_0400;

/// The symbol that R stores in slots that are `NULL`.
const NULL_SLOT: &str = "\u{1}NULL\u{1}";

/// The number of bytes that are encoded at once.
const BLOCK: usize = 64 << 10;

/// Maximum depth of nested lists, the same as for reading.
const MAX_DEPTH: u32 = 256;

/// A writer of items in sequence.
///
/// [`object`](Self::object) writes a complete object. Objects that are too large for memory are
/// written in parts: the head of a vector, its elements, its attributes.
pub struct Writer<W> {
    out: W,
    version: Version,
    symbols: HashMap<Vec<u8>, u32>,
    /// The number of missing elements of the current vector.
    left: u64,
    /// The code of the current vector.
    code: u8,
    written: u64,
    block: Vec<u8>,
}

impl<W> std::fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("version", &self.version).finish_non_exhaustive()
    }
}

impl<W: Write> Writer<W> {
    /// Starts a stream.
    ///
    /// # Errors
    ///
    /// Fails if `out` does.
    pub fn new(out: W, version: Version) -> Result<Self> {
        let symbols = HashMap::new();
        let mut writer =
            Self { out, version, symbols, left: 0, code: 0, written: 0, block: Vec::new() };
        writer.put(b"X\n")?;
        match version {
            Version::V2 => {
                for number in [2, R_VERSION, 0x0002_0300] {
                    writer.int(number)?;
                }
            }
            Version::V3 => {
                for number in [3, R_VERSION, 0x0003_0500] {
                    writer.int(number)?;
                }
                writer.int(5)?;
                writer.put(b"UTF-8")?;
            }
        }
        Ok(writer)
    }

    /// Completes the stream and returns the inner writer.
    ///
    /// # Errors
    ///
    /// Fails if a vector is incomplete, or if `out` fails.
    pub fn finish(mut self) -> Result<W> {
        self.check_complete()?;
        self.out.flush().map_err(|error| Error::new(ErrorKind::Io(error), self.written))?;
        Ok(self.out)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        written.map_err(|error| Error::new(ErrorKind::Io(error), self.written))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn int(&mut self, number: i32) -> Result<()> {
        self.put(&number.to_be_bytes())
    }

    fn check_complete(&self) -> Result<()> {
        if self.left == 0 {
            return Ok(());
        }
        let found = format!("the end of a vector with {} missing elements", self.left);
        Err(Error::mismatch(self.written, found, "all of its elements"))
    }

    /// Writes the flags of the next item.
    fn flags(&mut self, code: u8, bits: u32, levels: u16) -> Result<()> {
        self.check_complete()?;
        let flags = u32::from(code) | bits | (u32::from(levels) << codes::LEVELS_SHIFT);
        self.int(flags.cast_signed())
    }

    fn length(&mut self, length: u64) -> Result<()> {
        if let Ok(short) = i32::try_from(length) {
            return self.int(short);
        }
        let [a, b, c, d, low @ ..] = length.to_be_bytes();
        self.int(-1)?;
        self.put(&[a, b, c, d])?;
        self.put(&low)
    }

    /// Writes `NULL`.
    ///
    /// # Errors
    ///
    /// Fails if a vector is incomplete, or if the output fails.
    pub fn null(&mut self) -> Result<()> {
        self.flags(codes::NULL, 0, 0)
    }

    /// Starts an S4 object, which consists of attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_s4(&mut self) -> Result<()> {
        let bits = codes::IS_OBJECT | codes::HAS_ATTRIBUTES;
        self.flags(codes::S4, bits, codes::LEVEL_S4)
    }

    /// Starts a list, whose `length` members are the next items.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_list(&mut self, length: u64, attributes: bool) -> Result<()> {
        self.flags(codes::LIST, attributes_bit(attributes), 0)?;
        self.length(length)
    }

    /// Starts an integer vector, whose elements [`integers`](Self::integers) writes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_integers(&mut self, length: u64, attributes: bool) -> Result<()> {
        self.start(codes::INTEGER, length, attributes)
    }

    /// Starts a vector of doubles, whose elements [`reals`](Self::reals) writes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_reals(&mut self, length: u64, attributes: bool) -> Result<()> {
        self.start(codes::REAL, length, attributes)
    }

    /// Starts a vector, whose elements come next, then its attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_vector(&mut self, kind: VectorType, length: u64, bits: VectorBits) -> Result<()> {
        let code = match kind {
            VectorType::Logical => codes::LOGICAL,
            VectorType::Integer => codes::INTEGER,
            VectorType::Real => codes::REAL,
            VectorType::Character => codes::CHARACTER,
            VectorType::List => codes::LIST,
        };
        let is_object = if bits.is_object { codes::IS_OBJECT } else { 0 };
        let levels = if bits.is_s4 { codes::LEVEL_S4 } else { 0 };
        self.flags(code, is_object | attributes_bit(bits.attributes), levels)?;
        self.length(length)?;
        // Strings and members of lists are items of their own.
        let counted = !matches!(kind, VectorType::Character | VectorType::List);
        (self.left, self.code) = (if counted { length } else { 0 }, code);
        Ok(())
    }

    fn start(&mut self, code: u8, length: u64, attributes: bool) -> Result<()> {
        self.flags(code, attributes_bit(attributes), 0)?;
        self.length(length)?;
        (self.left, self.code) = (length, code);
        Ok(())
    }

    /// Writes the next elements of an integer or logical vector.
    ///
    /// # Errors
    ///
    /// Fails if no such vector is incomplete, or if the output fails.
    pub fn integers(&mut self, numbers: &[i32]) -> Result<()> {
        if !matches!(self.code, codes::INTEGER | codes::LOGICAL) {
            return Err(self.wrong_type());
        }
        self.elements(numbers, |number, block| block.extend_from_slice(&number.to_be_bytes()))
    }

    /// Writes the next elements of a vector of doubles.
    ///
    /// # Errors
    ///
    /// Fails as [`integers`](Self::integers).
    pub fn reals(&mut self, numbers: &[f64]) -> Result<()> {
        if self.code != codes::REAL {
            return Err(self.wrong_type());
        }
        self.elements(numbers, |number, block| block.extend_from_slice(&number.to_be_bytes()))
    }

    fn check_read(&self, read: std::io::Result<()>) -> Result<()> {
        read.map_err(|error| Error::new(ErrorKind::Io(error), self.written))
    }

    fn wrong_type(&self) -> Error {
        Error::mismatch(self.written, "elements of another type", "the type of the current vector")
    }

    fn elements<T: Copy>(&mut self, all: &[T], each: impl Fn(T, &mut Vec<u8>)) -> Result<()> {
        let Some(left) = self.left.checked_sub(all.len() as u64) else {
            let found = format!("{} elements", all.len());
            return Err(Error::mismatch(self.written, found, format!("at most {}", self.left)));
        };
        let mut block = std::mem::take(&mut self.block);
        for part in all.chunks(BLOCK / 16) {
            block.clear();
            part.iter().for_each(|&element| each(element, &mut block));
            self.put(&block)?;
        }
        self.block = block;
        self.left = left;
        Ok(())
    }

    /// Writes an integer vector without attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn integer_vector(&mut self, numbers: &[i32]) -> Result<()> {
        self.start_integers(numbers.len() as u64, false)?;
        self.integers(numbers)
    }

    /// Writes a logical vector of 0, 1 and [`NA_INTEGER`](crate::NA_INTEGER) without attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn logical_vector(&mut self, numbers: &[i32]) -> Result<()> {
        self.start(codes::LOGICAL, numbers.len() as u64, false)?;
        self.integers(numbers)
    }

    /// Writes a character vector of UTF-8 without attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null), or if a string has a zero byte, which R does not support.
    pub fn text_vector(&mut self, texts: &[&str]) -> Result<()> {
        self.start_texts(texts.len() as u64, false)?;
        texts.iter().try_for_each(|text| self.text(Some(TextRef::utf8(text))))
    }

    /// Writes a character vector without attributes.
    ///
    /// # Errors
    ///
    /// Fails as [`text_vector`](Self::text_vector).
    pub fn strings(&mut self, strings: &Strings) -> Result<()> {
        self.start_texts(strings.len(), false)?;
        strings.try_for_each(|text| self.text(text))
    }

    /// Starts a character vector, whose `length` strings [`text`](Self::text) writes.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn start_texts(&mut self, length: u64, attributes: bool) -> Result<()> {
        self.flags(codes::CHARACTER, attributes_bit(attributes), 0)?;
        self.length(length)
    }

    /// Writes a string of a vector that was started, or `None` for a missing one.
    ///
    /// # Errors
    ///
    /// Fails as [`text_vector`](Self::text_vector).
    pub fn text(&mut self, text: Option<TextRef<'_>>) -> Result<()> {
        let Some(text) = text else {
            self.flags(codes::STRING, 0, 0)?;
            return self.int(-1);
        };
        let levels = match text.encoding {
            // R marks ASCII strings like this, whatever the stated encoding.
            _ if text.bytes.is_ascii() => codes::LEVEL_ASCII,
            Encoding::Native | Encoding::Ascii => 0,
            Encoding::Utf8 => codes::LEVEL_UTF8,
            Encoding::Latin1 => codes::LEVEL_LATIN1,
            Encoding::Bytes => codes::LEVEL_BYTES,
        };
        let Ok(length) = i32::try_from(text.bytes.len()) else {
            let found = format!("a string of {} bytes", text.bytes.len());
            return Err(Error::mismatch(self.written, found, format!("at most {}", i32::MAX)));
        };
        if text.bytes.contains(&0) {
            let found = format!("the string \"{text}\" with a zero byte");
            return Err(Error::mismatch(self.written, found, "strings without zero bytes"));
        }
        self.flags(codes::STRING, 0, levels)?;
        self.int(length)?;
        self.put(text.bytes)
    }

    /// Starts an attribute: its value is the next item.
    ///
    /// # Errors
    ///
    /// Fails as [`text_vector`](Self::text_vector).
    pub fn attribute(&mut self, name: &str) -> Result<()> {
        self.flags(codes::PAIRLIST, codes::HAS_TAG, 0)?;
        self.symbol(TextRef::utf8(name))
    }

    /// Ends the attributes of the item they belong to.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn end_attributes(&mut self) -> Result<()> {
        self.null()
    }

    /// Writes `NULL` as the slot of an S4 object: a symbol, since R removes attributes that are `NULL`.
    ///
    /// # Errors
    ///
    /// Fails as [`null`](Self::null).
    pub fn null_slot(&mut self) -> Result<()> {
        self.symbol(TextRef::utf8(NULL_SLOT))
    }

    /// Writes a symbol, or a reference if it was written before.
    fn symbol(&mut self, name: TextRef<'_>) -> Result<()> {
        if let Some(&index) = self.symbols.get(name.bytes) {
            // An index of more than 24 bits does not fit in the flags.
            if index < 1 << 23 {
                return self.flags(codes::REFERENCE, index << 8, 0);
            }
            self.flags(codes::REFERENCE, 0, 0)?;
            return self.int(index.cast_signed());
        }
        let index = u32::try_from(self.symbols.len() + 1).unwrap_or(u32::MAX);
        self.symbols.insert(name.bytes.to_vec(), index);
        self.flags(codes::SYMBOL, 0, 0)?;
        self.text(Some(name))
    }

    /// Writes a whole object with its attributes.
    ///
    /// Sequences are written as in R: as three numbers in version 3, in full in version 2.
    ///
    /// # Errors
    ///
    /// Fails as [`text_vector`](Self::text_vector), or if objects are nested too deep.
    pub fn object(&mut self, object: &Object) -> Result<()> {
        self.nested(object, 0)
    }

    fn nested(&mut self, object: &Object, depth: u32) -> Result<()> {
        if depth >= MAX_DEPTH {
            let what = format!("objects nested more than {MAX_DEPTH} levels deep");
            return Err(Error::unsupported(self.written, what));
        }
        let is_object = if object.is_object { codes::IS_OBJECT } else { 0 };
        let bits = is_object | attributes_bit(!object.attributes.is_empty());
        let levels = object.levels;
        match &object.value {
            Value::Null => return self.null(),
            Value::MissingArgument => return self.flags(codes::MISSING_ARGUMENT, 0, 0),
            Value::Symbol(symbol) => return self.symbol(symbol.text()),
            Value::Pairlist(list) => return self.pairlist(codes::PAIRLIST, list, object, depth),
            Value::Language(list) => return self.pairlist(codes::LANGUAGE, list, object, depth),
            Value::Integer(Integers::Sequence { first, step, len })
                if self.version == Version::V3 =>
            {
                let numbers = (*len, f64::from(*first), f64::from(*step));
                return self.sequence(object, "compact_intseq", codes::INTEGER, numbers, depth);
            }
            Value::Real(Reals::Sequence { first, step, len }) if self.version == Version::V3 => {
                let numbers = (*len, *first, *step);
                return self.sequence(object, "compact_realseq", codes::REAL, numbers, depth);
            }
            Value::S4 => self.flags(codes::S4, bits, levels)?,
            Value::List(members) => self.members(codes::LIST, members, (bits, levels), depth)?,
            Value::Expression(members) => {
                self.members(codes::EXPRESSION, members, (bits, levels), depth)?;
            }
            Value::Character(strings) => {
                self.flags(codes::CHARACTER, bits, levels)?;
                self.length(strings.len())?;
                strings.try_for_each(|text| self.text(text))?;
            }
            vector => self.vector(vector, bits, levels)?,
        }
        self.attributes(&object.attributes, depth)
    }

    /// Writes a vector of numbers.
    fn vector(&mut self, vector: &Value, bits: u32, levels: u16) -> Result<()> {
        let (code, length) = match vector {
            Value::Logical(all) => (codes::LOGICAL, all.len() as u64),
            Value::Integer(all) => (codes::INTEGER, all.len()),
            Value::Real(all) => (codes::REAL, all.len()),
            Value::Complex(all) => (codes::COMPLEX, all.len() as u64),
            Value::Raw(all) => (codes::RAW, all.len() as u64),
            other => return Err(Error::mismatch(self.written, other.kind(), "a vector")),
        };
        self.flags(code, bits, levels)?;
        self.length(length)?;
        (self.left, self.code) = (length, code);
        match vector {
            Value::Logical(all) => self.integers(all),
            Value::Integer(Integers::Stored(all)) => self.integers(all),
            Value::Integer(sequence) => in_blocks(length, |first, block: &mut [i32]| {
                self.check_read(sequence.read(first, block))?;
                self.integers(block)
            }),
            Value::Real(Reals::Stored(all)) => self.reals(all),
            Value::Real(sequence) => in_blocks(length, |first, block: &mut [f64]| {
                self.check_read(sequence.read(first, block))?;
                self.reals(block)
            }),
            Value::Complex(all) => self.elements(all, |[re, im], block| {
                block.extend_from_slice(&re.to_be_bytes());
                block.extend_from_slice(&im.to_be_bytes());
            }),
            Value::Raw(all) => self.elements(all, |byte, block| block.push(byte)),
            _ => Ok(()),
        }
    }

    fn members(
        &mut self,
        code: u8,
        members: &[Object],
        (bits, levels): (u32, u16),
        depth: u32,
    ) -> Result<()> {
        self.flags(code, bits, levels)?;
        self.length(members.len() as u64)?;
        members.iter().try_for_each(|member| self.nested(member, depth + 1))
    }

    fn attributes(&mut self, attributes: &[Entry], depth: u32) -> Result<()> {
        if attributes.is_empty() {
            return Ok(());
        }
        for entry in attributes {
            self.entry(codes::PAIRLIST, entry, 0, 0, depth)?;
        }
        self.null()
    }

    /// Writes an entry of a pairlist. `bits` and `levels` are added to its flags.
    fn entry(&mut self, code: u8, entry: &Entry, bits: u32, levels: u16, depth: u32) -> Result<()> {
        let tag = if entry.tag.is_some() { codes::HAS_TAG } else { 0 };
        self.flags(code, bits | tag, levels)?;
        if bits & codes::HAS_ATTRIBUTES == 0 {
            self.rest_of_entry(entry, depth)?;
        }
        Ok(())
    }

    fn rest_of_entry(&mut self, entry: &Entry, depth: u32) -> Result<()> {
        if let Some(tag) = &entry.tag {
            self.symbol(tag.text())?;
        }
        self.nested(&entry.value, depth + 1)
    }

    fn pairlist(&mut self, code: u8, list: &Pairlist, object: &Object, depth: u32) -> Result<()> {
        let is_object = if object.is_object { codes::IS_OBJECT } else { 0 };
        let mut head =
            (code, is_object | attributes_bit(!object.attributes.is_empty()), object.levels);
        for entry in &list.entries {
            let (code, bits, levels) = head;
            self.entry(code, entry, bits, levels, depth)?;
            if bits & codes::HAS_ATTRIBUTES != 0 {
                // Attributes of a pairlist come before its first entry.
                self.attributes(&object.attributes, depth)?;
                self.rest_of_entry(entry, depth)?;
            }
            head = (codes::PAIRLIST, 0, 0);
        }
        match &list.tail {
            Some(tail) => self.nested(tail, depth + 1),
            None => self.null(),
        }
    }

    /// Writes a sequence as in R: its class, its three numbers, its attributes.
    #[expect(clippy::cast_precision_loss, reason = "a sequence has at most 2^52 elements")]
    fn sequence(
        &mut self,
        object: &Object,
        class: &str,
        code: u8,
        (len, first, step): (u64, f64, f64),
        depth: u32,
    ) -> Result<()> {
        let is_object = if object.is_object { codes::IS_OBJECT } else { 0 };
        self.flags(codes::ALTREP, is_object, object.levels)?;
        for name in [class, "base"] {
            self.flags(codes::PAIRLIST, 0, 0)?;
            self.symbol(TextRef::utf8(name))?;
        }
        self.flags(codes::PAIRLIST, 0, 0)?;
        self.integer_vector(&[i32::from(code)])?;
        self.null()?;
        self.start_reals(3, false)?;
        self.reals(&[len as f64, first, step])?;
        match &object.attributes[..] {
            [] => self.null(),
            attributes => self.attributes(attributes, depth),
        }
    }
}

fn attributes_bit(attributes: bool) -> u32 {
    if attributes { codes::HAS_ATTRIBUTES } else { 0 }
}

/// Calls a function with `length` elements, in blocks.
fn in_blocks<T: Copy + Default>(
    length: u64,
    mut each: impl FnMut(u64, &mut [T]) -> Result<()>,
) -> Result<()> {
    let mut block = [T::default(); 8192];
    let mut first = 0;
    while first < length {
        let now = usize::try_from(length - first).unwrap_or(block.len()).min(block.len());
        each(first, &mut block[..now])?;
        first += now as u64;
    }
    Ok(())
}
