//! Hyperslabs of elements with constant strides.

use nnz_core::Result;

use super::copy::{Dimension, copy, merge, span};
use super::source::ReadRange;

/// Number of bytes read at once, if not all of them are needed.
const BLOCK: usize = 256 << 10;

/// Reads elements of `width` bytes from byte `at` of the storage on, to byte `to` of `out`.
///
/// The caller has checked both ends. Small gaps between elements are read too.
pub(crate) fn read(
    storage: &dyn ReadRange,
    at: u64,
    out: &mut [u8],
    to: usize,
    dimensions: &[Dimension],
    width: usize,
) -> Result<()> {
    // The outermost dimension in storage is divided first.
    let mut dimensions = merge(dimensions);
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
        // As many indices of the first dimension as fit in a block, at least one.
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
