//! The ways to write a matrix.

use nnz_core::{At, Batch, Error, Header, Place, Result, Shape};

use super::arrays::ArrayStream;
use super::coo::PlaceStream;
use super::dense::DenseStream;
use super::encode::{Coding, EncodedBatch};
use super::rows::RowStream;
use super::tiles::Tiles;
use crate::block::RowLayout;
use crate::layout::BlockHead;
use crate::matrix::Options;
use crate::output::Output;
use crate::{BlockType, DataType, Dialect};

/// Matrices with a lower density are written as sparse blocks.
pub(super) const SPARSE_BELOW: f64 = 0.4;

/// Matrices with a lower density are written as ultra-sparse blocks.
pub(super) const ULTRA_SPARSE_BELOW: f64 = 0.00004;

/// A way to write a matrix.
pub(super) enum Form {
    /// One block without stored elements, or no block at all.
    Nothing {
        /// Whether zeros are ordinary elements.
        dense: bool,
    },
    /// One dense block.
    Dense(DenseStream),
    /// One sparse block, by row.
    Rows(RowStream),
    /// One sparse block of arrays.
    Arrays(Box<ArrayStream>),
    /// One ultra-sparse block.
    Places(PlaceStream),
    /// Blocks of a given size.
    Tiles(Box<Tiles>),
}

/// Returns the fraction of elements that are entries.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) fn density(entries: u64, elements: u128) -> f64 {
    entries as f64 / elements.max(1) as f64
}

impl Form {
    /// Chooses a way, and writes the header of the block.
    pub(super) fn start(output: &mut Output, header: &Header, options: &Options) -> Result<Self> {
        if options.block.is_some() || options.narrow {
            return Tiles::start(header, options).map(|tiles| Self::Tiles(Box::new(tiles)));
        }
        let nothing = Self::Nothing { dense: options.data_type == DataType::Dense };
        let Shape { rows: all_rows, cols: all_cols } = header.shape;
        let sides = u32::try_from(all_rows).ok().zip(u32::try_from(all_cols).ok());
        let Some((rows, cols)) = sides else {
            return match options.dialect {
                Dialect::Spec if header.shape.is_empty() => Ok(nothing),
                _ => {
                    let expected = format!("at most {} rows and columns in a block", u32::MAX);
                    let found = format!("{} in one block", header.shape);
                    Err(Error::mismatch(Place::default(), found, expected))
                }
            };
        };
        let block_type = choose(header, options)?;
        let value_type = header.value_type;
        let head = BlockHead { row: 0, col: 0, rows, cols, block_type, value_type, stored: 0 };
        let mut bytes = Vec::new();
        head.put(options.dialect, &mut bytes)?;
        output.write(&bytes)?;
        Ok(match block_type {
            BlockType::Empty => nothing,
            BlockType::Dense => Self::Dense(DenseStream::new(header, options.data_type)),
            BlockType::UltraSparse => Self::Places(PlaceStream::new(output, cols)),
            BlockType::Sparse => match RowLayout::of(options.dialect) {
                RowLayout::Arrays => Self::Arrays(Box::new(ArrayStream::new(output, header)?)),
                layout => Self::Rows(RowStream::new(output, header, layout.width())),
            },
        })
    }

    /// Returns the encoding of batches.
    pub(super) fn coding(&self, options: Options) -> Coding {
        match self {
            Self::Arrays(_) => Coding::Arrays,
            Self::Places(stream) => Coding::Places { columns: stream.cols != 1 },
            _ => Coding::Rows(RowLayout::of(options.dialect).width()),
        }
    }

    /// Returns whether batches are encoded.
    pub(super) fn encodes(&self) -> bool {
        matches!(self, Self::Rows(_) | Self::Arrays(_) | Self::Places(_))
    }

    pub(super) fn write(&mut self, output: &mut Output, batch: &Batch) -> Result<()> {
        match self {
            Self::Dense(elements) => elements.write(output, batch),
            Self::Tiles(tiles) => tiles.write(output, batch),
            Self::Nothing { dense } => check_empty(batch, *dense),
            _ => Err(Error::argument("a batch that is not encoded")),
        }
    }

    pub(super) fn write_encoded(
        &mut self,
        output: &mut Output,
        batch: &EncodedBatch,
    ) -> Result<()> {
        match self {
            Self::Rows(rows) => rows.write(output, batch),
            Self::Arrays(arrays) => arrays.write(output, batch),
            Self::Places(_) => output.write(&batch.bytes),
            _ => Err(Error::argument("an encoded batch")),
        }
    }

    pub(super) fn finish(&mut self, output: &mut Output, entries: u64) -> Result<()> {
        match self {
            Self::Nothing { .. } => Ok(()),
            Self::Dense(elements) => elements.finish(output),
            Self::Rows(rows) => rows.finish(output, entries),
            Self::Arrays(arrays) => arrays.finish(output, entries),
            Self::Places(places) => places.finish(output, entries),
            Self::Tiles(tiles) => tiles.finish(output),
        }
    }
}

/// Checks that a batch is empty, or that all elements are zero in a dense matrix.
fn check_empty(batch: &Batch, dense: bool) -> Result<()> {
    let size = batch.values.value_type().size();
    let held = |value: &[u8]| !dense || value.iter().any(|&byte| byte != 0);
    match batch.values.bytes().chunks_exact(size).position(held) {
        None => Ok(()),
        Some(entry) => {
            let (row, col) = batch.row_col(entry);
            let place = Place::default().at(At::Entry { row, col });
            Err(Error::mismatch(place, "an entry", "none, since the block type is empty"))
        }
    }
}

/// Chooses how a single block stores its elements, before any are received.
fn choose(header: &Header, options: &Options) -> Result<BlockType> {
    let own = match options.data_type {
        DataType::Csr => BlockType::Sparse,
        _ => BlockType::Dense,
    };
    if options.dialect != Dialect::Spec {
        return match options.block_type {
            Some(other) if other != own => {
                let what =
                    format!("DAPHNE reads a {} only from {own} blocks", options.data_type.name());
                Err(Error::unsupported(Place::default(), what))
            }
            _ => Ok(own),
        };
    }
    Ok(match (options.block_type, header.nnz) {
        (Some(chosen), _) => chosen,
        (None, _) if own == BlockType::Dense || header.shape.is_empty() => own,
        (None, Some(0)) => BlockType::Empty,
        // A dense block would lose explicit zeros.
        (None, Some(stored)) if density(stored, header.shape.elements()) < ULTRA_SPARSE_BELOW => {
            if stored <= u32::MAX.into() {
                BlockType::UltraSparse
            } else {
                own
            }
        }
        _ => own,
    })
}
