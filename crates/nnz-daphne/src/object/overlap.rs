//! Checking that blocks do not overlap.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use nnz_core::Result;

use crate::Block;
use crate::file::DataFile;

/// Checks that no element is in two of the blocks, which are sorted by row.
///
/// This is a sweep over the rows: the blocks that intersect a row are disjoint if and only if
/// adjacent ones are.
pub(super) fn check(file: &DataFile, blocks: &[Block]) -> Result<()> {
    let mut cut: BTreeMap<u64, &Block> = BTreeMap::new();
    let mut ends = BinaryHeap::new();
    for block in blocks {
        while let Some(&Reverse((row, col))) = ends.peek()
            && row <= block.row
        {
            cut.remove(&col);
            ends.pop();
        }
        let before = cut.range(..=block.col).next_back().map(|(_, other)| *other);
        let after = cut.range(block.col..).next().map(|(_, other)| *other);
        let overlaps = |other: &&Block| other.col < block.col_end() && block.col < other.col_end();
        if let Some(other) = before.into_iter().chain(after).find(overlaps) {
            let (first, second) =
                if other.start < block.start { (other, block) } else { (block, other) };
            let found = format!(
                "the {second}, which shares elements with the {first} at byte {}",
                first.start
            );
            return Err(file.mismatch(second.start, found, "blocks without common elements"));
        }
        cut.insert(block.col, block);
        ends.push(Reverse((block.row_end(), block.col)));
    }
    Ok(())
}
