//! Entries kept from the first reading, so that the text is not parsed again.

use nnz_core::{Batch, Element, Majors, Order, Rounding, ValueType, Values};
use nnz_lines::number::Number;

use crate::blocks::{Block, Start};
use crate::values::Value;

/// The entries of a block: indices as they are written, and values as floats, which hold them exactly.
#[derive(Debug, Default)]
pub(super) struct BlockEntries {
    /// Whether the first entries belong to the last row of the block before.
    pub(super) continues: bool,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl BlockEntries {
    pub(super) fn new(block: &Block) -> Self {
        let continues = block.start == Start::Word;
        Self { continues, offsets: vec![0; usize::from(continues)], ..Self::default() }
    }

    pub(super) fn row(&mut self) {
        self.offsets.push(self.values.len());
    }

    /// Adds an entry. Returns false if it cannot be kept.
    #[inline]
    pub(super) fn entry(&mut self, index: u64, value: Number) -> bool {
        let Ok(index) = u32::try_from(index) else { return false };
        self.indices.push(index);
        self.values.push(f64::of(value));
        true
    }

    /// Ends the last row, and frees what is not used.
    pub(super) fn end(mut self) -> Self {
        self.row();
        self.offsets.shrink_to_fit();
        self.indices.shrink_to_fit();
        self.values.shrink_to_fit();
        self
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.offsets.len() * 8 + self.values.len() * 12) as u64
    }

    /// Fills a batch, whose first row is `first`. No index is less than `base`. Returns false if a value is not of the
    /// type.
    pub(super) fn fill(&self, first: u64, base: u64, of: ValueType, batch: &mut Batch) -> bool {
        batch.order = Order::Row;
        batch.majors = Majors::Consecutive(first);
        batch.offsets.clear();
        batch.offsets.extend_from_slice(&self.offsets);
        let Ok(base) = u32::try_from(base) else { return false };
        batch.minors.u32_mut().extend(self.indices.iter().map(|index| index.wrapping_sub(base)));
        match of {
            ValueType::F64 => {
                let values = f64::vec_mut(&mut batch.values);
                values.clear();
                values.extend_from_slice(&self.values);
                true
            }
            // Integers that are floats.
            _ => {
                let floats = Values::from(self.values.clone());
                floats.cast_into(of, Rounding::Refused, &mut batch.values).is_ok()
            }
        }
    }
}

/// The entries of all blocks, as long as they take at most a number of bytes.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) blocks: Vec<BlockEntries>,
    left: u64,
}

impl Entries {
    pub(super) fn new(most: usize) -> Self {
        Self { blocks: Vec::new(), left: most as u64 }
    }

    /// Adds the next block. Returns false if it takes too much memory.
    pub(super) fn push(&mut self, block: BlockEntries) -> bool {
        let left = self.left.checked_sub(block.bytes());
        self.left = left.unwrap_or(0);
        self.blocks.push(block);
        left.is_some()
    }
}
