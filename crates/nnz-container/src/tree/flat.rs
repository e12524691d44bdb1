//! Hyperslabs of elements that lie at fixed distances in one piece of storage.

use nnz_core::Result;

use super::copy::{Dimension, copy, merged, span};
use super::source::ReadRange;

/// Bytes read at a time where not all of them are wanted.
const BLOCK: usize = 256 << 10;

/// Reads elements of `width` bytes from byte `at` of the storage on, to byte `to` of `out`.
///
/// Both ends of the copy have been checked. What lies between elements is read with them where it
/// is little.
pub(crate) fn read(
    storage: &dyn ReadRange,
    at: u64,
    out: &mut [u8],
    to: usize,
    dimensions: &[Dimension],
    width: usize,
) -> Result<()> {
    // The dimension that changes slowest in the storage is taken apart first.
    let mut dimensions = merged(dimensions);
    dimensions.sort_by_key(|dimension| std::cmp::Reverse(dimension.from));
    let mut reader = Reader { storage, out, width, block: Vec::new() };
    reader.read(at, to, &dimensions)
}

struct Reader<'a> {
    storage: &'a dyn ReadRange,
    out: &'a mut [u8],
    width: usize,
    block: Vec<u8>,
}

impl Reader<'_> {
    fn read(&mut self, at: u64, to: usize, dimensions: &[Dimension]) -> Result<()> {
        let bytes = span(dimensions, self.width);
        let together = match dimensions {
            [] => true,
            [only] => only.from == self.width && only.to == self.width,
            _ => false,
        };
        if together {
            return match self.out.get_mut(to..).and_then(|out| out.get_mut(..bytes)) {
                Some(out) => self.storage.read_range(at, out),
                None => Err(self.storage.damaged()),
            };
        }
        if bytes <= BLOCK {
            return self.read_block(at, to, dimensions, bytes);
        }
        let [first, rest @ ..] = dimensions else { return Ok(()) };
        // As many of the first dimension as fit into a block, or one of them.
        let inner = span(rest, self.width);
        let group = BLOCK.saturating_sub(inner) / first.from.max(1) + 1;
        let mut number = 0;
        while number < first.count {
            let count = group.min(first.count - number);
            let (at, to) = (at + (number * first.from) as u64, to + number * first.to);
            if count == 1 {
                self.read(at, to, rest)?;
            } else {
                let part = [&[Dimension { count, ..*first }], rest].concat();
                self.read_block(at, to, &part, span(&part, self.width))?;
            }
            number += count;
        }
        Ok(())
    }

    fn read_block(
        &mut self,
        at: u64,
        to: usize,
        dimensions: &[Dimension],
        bytes: usize,
    ) -> Result<()> {
        self.block.resize(bytes, 0);
        self.storage.read_range(at, &mut self.block)?;
        copy(&self.block, 0, self.out, to, dimensions, self.width)
            .ok_or_else(|| self.storage.damaged())
    }
}
