//! A dataset as a list of strings.

use nnz_core::{Result, StringReader};

use super::dataset::Stored;
use super::datatype::Kind;
use super::heap::Heaps;

/// Size of elements that are read at once, unless one element is larger.
const BLOCK: usize = 256 << 10;

/// Checks that a dataset has strings.
pub(super) fn check(stored: &Stored) -> Result<()> {
    match stored.kind {
        Kind::Fixed { .. } | Kind::Variable => Ok(()),
        _ => Err(stored.wrong_type("strings")),
    }
}

/// The strings of a dataset, read in blocks of elements.
pub(super) struct Strings {
    stored: Stored,
    heaps: Heaps,
    block: Vec<u8>,
    /// The offset of the next element in the block.
    at: usize,
    /// The first element after the block.
    next: u64,
}

impl Strings {
    pub(super) fn new(stored: Stored) -> Result<Self> {
        check(&stored)?;
        let heaps = Heaps::new(&stored.opened, stored.place.clone());
        Ok(Self { stored, heaps, block: Vec::new(), at: 0, next: 0 })
    }
}

impl StringReader for Strings {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Self { stored, heaps, block, at, next } = self;
        if *at == block.len() {
            let by_block = (BLOCK / stored.size).max(1) as u64;
            let count = by_block.min(stored.len - *next);
            if count == 0 {
                return Ok(None);
            }
            // Blocks are small, or have one element.
            block.resize(usize::try_from(count).unwrap_or(1) * stored.size, 0);
            *at = block.len();
            stored.read(*next, block)?;
            *next += count;
            *at = 0;
        }
        let element = &block[*at..*at + stored.size];
        *at += stored.size;
        match &stored.kind {
            Kind::Fixed { padding, .. } => Ok(Some(padding.strip(element))),
            _ => heaps.string(element).map(Some),
        }
    }

    fn remaining(&self) -> Option<u64> {
        let waiting = (self.block.len() - self.at) / self.stored.size;
        Some(self.stored.len - self.next + waiting as u64)
    }
}
