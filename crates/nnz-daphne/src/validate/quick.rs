//! Checking many entries of a block at once.

use nnz_core::{
    Batch, BatchReader as _, Extent, Order, Result, SequentialReader, Values, readable,
};

use crate::ascent::ASCENT;
use crate::matrix::{MatrixSource, Units};
use crate::{Block, BlockType, DataType};

/// Returns whether the entries of a block can be read and are sorted without duplicates.
///
/// Other blocks have to be checked entry by entry.
///
/// # Errors
///
/// Fails if the system cannot read the block.
pub(super) fn is_valid(source: &MatrixSource, block: &Block) -> Result<bool> {
    // Entries of other blocks are read in sorted order, whatever their order in the file.
    if block.block_type != BlockType::Sparse || source.data_type() == DataType::Frame {
        return Ok(false);
    }
    let mut reader = SequentialReader(Box::new(Units::of_block(source, block)));
    let mut batch = Batch::new(Order::Row, Values::new(source.object.value_type()));
    let mut last = None;
    while let Some(more) = readable(reader.next_batch(&mut batch))? {
        if !more {
            return Ok(true);
        }
        let extent = Extent::of(&batch, &ASCENT);
        let Some([start, end]) = extent.ends else { continue };
        if !extent.ascends || extent.repeated.is_some() || last >= Some(start) {
            return Ok(false);
        }
        last = Some(end);
    }
    Ok(false)
}
