//! A dataset as a list of strings.

use nnz_core::{Error, Result};

use super::dataset::Stored;
use super::datatype::Kind;
use super::heap::Heaps;

/// Bytes of elements read at a time, if one element is not longer.
const BLOCK: usize = 256 << 10;

/// Checks that a dataset holds strings.
pub(super) fn check(stored: &Stored) -> Result<()> {
    match stored.kind {
        Kind::Fixed { .. } | Kind::Variable => Ok(()),
        _ => Err(stored.mistyped("strings")),
    }
}

/// Hands each string to `each`.
pub(super) fn for_each(stored: &Stored, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    check(stored)?;
    let by_block = (BLOCK / stored.size).max(1) as u64;
    let mut heaps = Heaps::new(&stored.opened, stored.place.clone());
    let mut block = Vec::new();
    let mut first = 0;
    while first < stored.len {
        let count = by_block.min(stored.len - first);
        // Blocks are small, or one element long.
        let bytes = usize::try_from(count).unwrap_or(1) * stored.size;
        block.resize(bytes, 0);
        stored.read(first, &mut block)?;
        for element in block.chunks_exact(stored.size) {
            let string = match &stored.kind {
                Kind::Fixed { padding, .. } => padding.strip(element),
                _ => heaps.string(element)?,
            };
            each(string).map_err(|error: Error| error.within(&stored.place))?;
        }
        first += count;
    }
    Ok(())
}
