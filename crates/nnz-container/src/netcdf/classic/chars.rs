//! Character variables as strings: each row is a string, or all characters of one dimension.

use nnz_core::{Error, Result, StringReader};

use super::extent::{Extent, room_for};
use super::header::{Kind, Variable};

/// Number of bytes read at once, unless a string is longer.
const BLOCK: u64 = 256 << 10;

/// The strings of a variable, read in blocks.
pub(super) struct Chars {
    extent: Extent,
    /// Length of each string in bytes, padded with zeros.
    width: u64,
    count: u64,
    /// Number of strings read so far.
    read: u64,
    block: Vec<u8>,
    /// The offset of the next string in the block, and the number of strings left in it.
    at: usize,
    left: u64,
}

impl Chars {
    pub(super) fn of(variable: &Variable, extent: Extent, records: u64) -> Result<Self> {
        if variable.kind != Kind::Char {
            return Err(Error::mismatch(extent.place, "numbers", "strings"));
        }
        let (count, width) = match (variable.records, &variable.lengths[..]) {
            (false, []) => (1, 1),
            (false, [width]) => (1, *width),
            (false, [count, width]) => (*count, *width),
            (true, [width]) => (records, *width),
            (true, []) => (records.min(1), records),
            _ => {
                let found = "characters in more than two dimensions";
                return Err(Error::mismatch(extent.place, found, "strings in one or two"));
            }
        };
        Ok(Self { extent, width, count, read: 0, block: Vec::new(), at: 0, left: 0 })
    }

    pub(super) fn stored_bytes(&self) -> u64 {
        self.extent.bytes()
    }
}

impl StringReader for Chars {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        if self.left == 0 {
            let most = (BLOCK / self.width.max(1)).max(1);
            let count = most.min(self.count - self.read);
            if count == 0 {
                return Ok(None);
            }
            // Blocks are small, or have one string, which is known to be inside the file.
            self.block = room_for(count * self.width, || self.extent.place.clone())?;
            self.extent.read(self.read * self.width, &mut self.block)?;
            self.read += count;
            (self.at, self.left) = (0, count);
        }
        let end = self.at + usize::try_from(self.width).unwrap_or(usize::MAX);
        let string = &self.block[self.at..end];
        self.at = end;
        self.left -= 1;
        let kept = string.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        Ok(Some(&string[..kept]))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.count - self.read + self.left)
    }
}
