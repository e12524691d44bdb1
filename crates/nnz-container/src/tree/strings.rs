//! The strings of a hyperslab.

use std::ops::Range;
use std::sync::Arc;

use nnz_core::{At, Error, Result, StringReader};

use super::array::NdArray;
use super::element::{StoredType, TextForm};
use super::selection::{self, blocks};
use super::source::StringBlock;
use super::view::View;
use crate::npy::decode;

/// Size of elements read at once, unless one element is larger.
const BLOCK: u64 = 256 << 10;

/// Number of strings of variable length that are resolved at once.
const MAX_STRINGS: u64 = 16 << 10;

/// Number of strings, and size of one, for which no stored data is required.
const UNPROVEN: u64 = 16 << 20;

/// Maximum length of strings of fixed length.
const MAX_LEN: usize = 256 << 20;

/// The strings of a hyperslab, read in blocks.
pub(super) struct Strings {
    view: View,
    blocks: Box<dyn Iterator<Item = Vec<Range<u64>>>>,
    form: Form,
    /// The number of remaining strings, and how many of them are in the block.
    left: u64,
    ready: u64,
    /// The index of the next string in the block.
    next: usize,
    text: Vec<u8>,
}

enum Form {
    Fixed { bytes: usize, form: TextForm, block: Vec<u8> },
    Variable(Box<dyn StringBlock>),
}

impl Strings {
    pub(super) fn new(view: View, selection: &[Range<u64>]) -> Result<Self> {
        let left = selection::count(selection, view.shape(), &view.place())?;
        let (form, most) = match *view.stored() {
            StoredType::Text { bytes, .. } if bytes > MAX_LEN => {
                let found = format!("strings of {bytes} bytes");
                return Err(Error::mismatch(view.place(), found, "strings of up to 256 MiB"));
            }
            StoredType::Text { bytes: 0, .. } if left > BLOCK => {
                // The file has no data for them.
                let found = format!("{left} strings of 0 bytes");
                return Err(Error::mismatch(view.place(), found, "strings of 1 byte or more"));
            }
            StoredType::Text { bytes, form } => {
                let most = BLOCK / (bytes as u64).max(1);
                (Form::Fixed { bytes, form, block: Vec::new() }, most)
            }
            StoredType::Variable { .. } => {
                (Form::Variable(Arc::clone(&view.source).variable(selection)?), MAX_STRINGS)
            }
            _ => return Err(view.wrong_type("strings")),
        };
        let much = left > UNPROVEN || (left > 0 && view.width() as u64 > UNPROVEN);
        if much && !view.source.is_fully_stored()? {
            let found = format!("{left} strings in chunks of which some are not stored");
            return Err(Error::mismatch(view.place(), found, "all chunks"));
        }
        let chunk = view.chunk()?;
        let blocks = Box::new(blocks(selection, chunk.as_deref(), most.max(1)));
        Ok(Self { view, blocks, form, left, ready: 0, next: 0, text: Vec::new() })
    }

    /// Reads the next block.
    fn load(&mut self) -> Result<()> {
        // All blocks together have as many elements as the hyperslab.
        let Some(block) = self.blocks.next() else {
            self.left = 0;
            return Ok(());
        };
        self.ready = selection::count(&block, self.view.shape(), &self.view.place())?;
        self.next = 0;
        match &mut self.form {
            Form::Fixed { bytes, block: out, .. } => {
                // Few elements, or one.
                out.resize(usize::try_from(self.ready).unwrap_or(1) * *bytes, 0);
                self.view.read_stored(&block, out)
            }
            Form::Variable(strings) => strings.load(&self.view, &block),
        }
    }
}

impl StringReader for Strings {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.left > 0 && self.ready == 0 {
            self.load()?;
        }
        if self.left == 0 {
            return Ok(None);
        }
        let number = self.next;
        self.next += 1;
        self.ready -= 1;
        self.left -= 1;
        match &mut self.form {
            Form::Variable(strings) => strings.get(number).map(Some),
            Form::Fixed { bytes, form, block } => {
                let element = block.get(number * *bytes..(number + 1) * *bytes).unwrap_or_default();
                let TextForm::Utf32 { big } = *form else { return Ok(Some(form.strip(element))) };
                self.text.clear();
                decode(element, big, &mut self.text).map_err(|code| {
                    let place = self.view.place().at(At::Element(number as u64));
                    Error::mismatch(place, format!("the code point {code:#x}"), "Unicode")
                })?;
                Ok(Some(&self.text))
            }
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }
}
