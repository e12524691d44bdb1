//! Decoding pieces of blocks into panels of cells.

use std::ops::Range;

use nnz_core::{At, Batch, Error, ErrorKind, Order, Place, Result, Values};

use super::{BlockType, Decoder, Piece};
use crate::zeroed::zeroed;

/// Decodes panels from blocks of every kind.
pub(crate) struct Panels<'a> {
    pub(crate) decoder: Decoder<'a>,
}

impl Panels<'_> {
    /// Fills `values` with the cells of some columns of a piece, in the type of its block.
    ///
    /// Columns are counted from the first of the block.
    pub(crate) fn cells(&self, piece: &Piece, cols: Range<u64>, values: &mut Values) -> Result<()> {
        let block = &piece.block;
        let Some(value_type) = block.value_type else {
            return Err(Error::argument("cells of an empty block"));
        };
        if values.value_type() != value_type {
            *values = Values::new(value_type);
        }
        if block.block_type == BlockType::Dense {
            return self.decoder.dense_cells(block, piece.rows.clone(), cols, values);
        }
        let mut batch = Batch::new(Order::Row, Values::new(value_type));
        self.decoder.entries(piece, &mut batch)?;
        let mut panel =
            zeroed(value_type, piece.rows.end - piece.rows.start, cols.end - cols.start)?;
        // No more than the cells of the panel.
        let width = usize::try_from(cols.end - cols.start).unwrap_or(usize::MAX);
        scatter(&batch, piece, &cols, width, &mut panel)?;
        *values = panel;
        Ok(())
    }
}

/// Copies entries to their cells. Two entries for one cell are an error.
fn scatter(
    batch: &Batch,
    piece: &Piece,
    cols: &Range<u64>,
    width: usize,
    panel: &mut Values,
) -> Result<()> {
    let size = panel.value_type().size();
    let first = piece.block.row + piece.rows.start;
    let from = batch.values.bytes();
    let into = panel.bytes_mut();
    let mut sorted = Vec::new();
    for run in 0..batch.runs() {
        let major = batch.majors.get(run);
        let row = usize::try_from(major - first).unwrap_or(usize::MAX);
        let mut last = None;
        let mut ascends = true;
        for entry in batch.run(run) {
            let minor = batch.minor(run, entry);
            ascends &= last.is_none_or(|last| last < minor);
            last = Some(minor);
            let col = minor - piece.block.col;
            if cols.contains(&col) {
                // Inside the panel, so it fits into memory.
                let col = usize::try_from(col - cols.start).unwrap_or(usize::MAX);
                let cell = (row * width + col) * size;
                into[cell..cell + size].copy_from_slice(&from[entry * size..(entry + 1) * size]);
            }
        }
        if !ascends {
            sorted.clear();
            sorted.extend(batch.run(run).map(|entry| batch.minor(run, entry)));
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let place = Place::default().at(At::Entry { row: major, col: pair[0] });
                return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
            }
        }
    }
    Ok(())
}
