//! Strings of variable length of a hyperslab.

use std::ops::Range;

use nnz_core::{Error, Result};
use nnz_hdf5::VariableStrings;

use super::array::Dataset;
use crate::tree::{NdArray, StringBlock, View};

/// String IDs, which are resolved one by one.
pub(super) struct Texts {
    heaps: VariableStrings,
    references: Vec<u8>,
    size: usize,
}

impl Texts {
    pub(super) fn new(dataset: &Dataset) -> Self {
        let heaps = VariableStrings::new(dataset.stored.file(), dataset.stored.place().clone());
        Self { heaps, references: Vec::new(), size: 1 }
    }
}

impl StringBlock for Texts {
    fn load(&mut self, view: &View, block: &[Range<u64>]) -> Result<()> {
        self.size = view.width().max(1);
        let count = block.iter().fold(1, |all, range| all * (range.end - range.start));
        // Few elements, of few bytes each.
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if !self.heaps.is_reference(&vec![0; self.size.min(64)]) {
            let found = format!("references of {} bytes", self.size);
            return Err(Error::mismatch(view.place(), found, "string IDs"));
        }
        self.references.resize(count.saturating_mul(self.size), 0);
        view.read_stored(block, &mut self.references)
    }

    fn get(&mut self, number: usize) -> Result<&[u8]> {
        match self.references.chunks_exact(self.size).nth(number) {
            Some(reference) => self.heaps.string(reference),
            None => Ok(&[]),
        }
    }
}
