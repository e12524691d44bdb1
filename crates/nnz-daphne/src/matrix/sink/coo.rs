//! A single ultra-sparse block, written while entries are received.

use nnz_core::{Error, Place, Result};

use crate::output::Output;

/// Rows, columns and values, whose number is written when it is known.
pub(super) struct PlaceStream {
    pub(super) cols: u32,
    count_at: u64,
}

impl PlaceStream {
    /// Starts after the header of the block, which ends with the number of entries.
    pub(super) fn new(output: &Output, cols: u32) -> Self {
        Self { cols, count_at: output.position() - 4 }
    }

    pub(super) fn finish(&self, output: &mut Output, entries: u64) -> Result<()> {
        let count = u32::try_from(entries).map_err(|_| {
            let expected = format!("at most {} in an ultra-sparse block", u32::MAX);
            Error::mismatch(Place::default(), format!("{entries} entries"), expected)
        })?;
        output.patch(self.count_at, &count.to_le_bytes())
    }
}
