//! Arrays that are read as text: strings, or numbers converted to text.

use std::ops::Range;

use nnz_container::tree::NdArray;
use nnz_core::{Error, Names, Result, StringReader, ValueType, Values};

/// Numbers that are read at a time.
const BLOCK: u64 = 1 << 14;

/// The names of rows, in a one-dimensional array.
pub(super) struct Labels(Box<dyn NdArray>);

impl Labels {
    /// Opens an array of `len` strings or whole numbers.
    pub(super) fn of(array: Box<dyn NdArray>, len: u64) -> Result<Self> {
        if array.shape() != [len] {
            let found = format!("an array of shape {:?}", array.shape());
            return Err(Error::mismatch(array.place(), found, format!("{len} names")));
        }
        let number = array.element_type().value_type();
        // An index may be numeric; anndata converts it to strings.
        let whole = number.is_some_and(|number| number.is_integer() && number != ValueType::Bint8);
        if !whole && !array.element_type().is_string() {
            let found = format!("names of type {}", array.element_type());
            return Err(Error::mismatch(array.place(), found, "strings or integers"));
        }
        Ok(Self(array))
    }

    pub(super) fn read(&self) -> Result<Names<'_>> {
        if self.0.element_type().is_string() {
            return self.0.read_strings(&self.0.all());
        }
        let len = self.0.shape().first().copied().unwrap_or(0);
        Ok(Box::new(Numbers {
            array: &*self.0,
            left: 0..len,
            block: Values::default(),
            at: 0,
            text: Vec::new(),
        }))
    }

    pub(super) fn stored_bytes(&self) -> Result<u64> {
        self.0.stored_bytes()
    }
}

/// Numbers as text.
struct Numbers<'a> {
    array: &'a dyn NdArray,
    /// The range that is not in the block yet.
    left: Range<u64>,
    block: Values,
    /// The next one in the block.
    at: usize,
    text: Vec<u8>,
}

impl StringReader for Numbers<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.block.len().is_none_or(|len| self.at >= len) {
            if self.left.is_empty() {
                return Ok(None);
            }
            let end = self.left.end.min(self.left.start.saturating_add(BLOCK));
            let range = std::slice::from_ref(&(self.left.start..end)).to_vec();
            self.block = self.array.read(&range, u64::MAX)?;
            self.left.start = end;
            self.at = 0;
        }
        self.text.clear();
        self.block.write_text(self.at, &mut self.text, " ");
        self.at += 1;
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        let ready = self.block.len().unwrap_or(0).saturating_sub(self.at);
        Some(self.left.end - self.left.start + ready as u64)
    }
}
