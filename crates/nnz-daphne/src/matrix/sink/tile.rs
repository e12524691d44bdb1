//! One block of several.

use std::ops::Range;

use nnz_core::{At, Batch, Element, Error, Place, Result, Rounding, ValueType, Values};

use super::form::{SPARSE_BELOW, ULTRA_SPARSE_BELOW, density};
use super::tiles::narrower;
use crate::block::with_type;
use crate::file::swap_on_big_endian;
use crate::layout::BlockHead;
use crate::output::Output;
use crate::zeroed::zeroed;
use crate::{BlockType, Dialect};

/// Rules for all blocks of a matrix.
pub(super) struct TileRules {
    pub(super) value_type: ValueType,
    /// Whether zeros are ordinary elements, which need not be stored.
    pub(super) dense: bool,
    pub(super) block_type: Option<BlockType>,
    pub(super) narrow: bool,
}

/// A block that is being filled: with elements in a dense matrix, with entries otherwise.
#[derive(Default)]
pub(super) struct Tile {
    row: u64,
    col: u64,
    rows: u32,
    cols: u32,
    places: Vec<(u32, u32)>,
    values: Values,
}

impl Tile {
    /// Starts a block at a position.
    pub(super) fn begin(
        &mut self,
        row: u64,
        col: u64,
        rows: u32,
        cols: u32,
        value_type: ValueType,
    ) {
        (self.row, self.col, self.rows, self.cols) = (row, col, rows, cols);
        self.places.clear();
        match self.values.value_type() == value_type {
            true => self.values.clear(),
            false => self.values = Values::new(value_type),
        }
    }

    fn elements(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.cols)
    }

    /// Appends some entries of a run of a batch.
    pub(super) fn push(
        &mut self,
        rules: &TileRules,
        batch: &Batch,
        run: usize,
        range: Range<usize>,
    ) -> Result<()> {
        let local = |at: u64, first: u64| u32::try_from(at - first).unwrap_or(u32::MAX);
        let row = local(batch.majors.get(run), self.row);
        if !rules.dense {
            let columns = range.clone().map(|entry| local(batch.minor(run, entry), self.col));
            self.places.extend(columns.map(|col| (row, col)));
            self.values.extend_from(&batch.values, range);
            return Ok(());
        }
        let size = rules.value_type.size();
        if self.values.is_empty() {
            self.values = zeroed(rules.value_type, self.rows.into(), self.cols.into())?;
        }
        let into = self.values.bytes_mut();
        let from = batch.values.bytes();
        let element = |entry: usize| {
            let col = local(batch.minor(run, entry), self.col);
            let element = u64::from(row) * u64::from(self.cols) + u64::from(col);
            usize::try_from(element).unwrap_or(usize::MAX) * size
        };
        if matches!(batch.minors, nnz_core::Minors::Spans(_)) {
            let from = &from[range.start * size..range.end * size];
            let at = element(range.start);
            into[at..at + from.len()].copy_from_slice(from);
            return Ok(());
        }
        for entry in range {
            let at = element(entry);
            into[at..at + size].copy_from_slice(&from[entry * size..(entry + 1) * size]);
        }
        Ok(())
    }

    /// Converts elements to entries: those whose bits are not all zero.
    fn gather(&mut self, rules: &TileRules) -> Result<()> {
        let size = rules.value_type.size();
        let mut kept = Values::new(rules.value_type);
        let cols = u64::from(self.cols);
        for (element, value) in self.values.bytes().chunks_exact(size).enumerate() {
            if value.iter().any(|&byte| byte != 0) {
                let place = element as u64;
                let local = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
                self.places.push((local(place / cols), local(place % cols)));
                kept.extend_from(&self.values, element..element + 1);
            }
        }
        self.values = kept;
        Ok(())
    }

    /// Counts elements, or entries, whose bits are all zero.
    fn zeros(&self) -> usize {
        let size = self.values.value_type().size();
        let zero = |value: &&[u8]| value.iter().all(|&byte| byte == 0);
        self.values.bytes().chunks_exact(size).filter(zero).count()
    }

    /// Chooses how the block stores its elements.
    fn choose(&self, rules: &TileRules) -> Result<BlockType> {
        let held = self.values.len().unwrap_or(0);
        let zeros = self.zeros();
        let stored = if rules.dense { held - zeros } else { held };
        let lost = !rules.dense && zeros > 0;
        let refuse = |found: &str, expected: String| {
            let place = Place::default().at(At::Entry { row: self.row, col: self.col });
            Err(Error::mismatch(place, found, expected))
        };
        match rules.block_type {
            Some(BlockType::Empty) if stored > 0 => {
                refuse("entries in a block", "none, since the block type is empty".to_owned())
            }
            Some(BlockType::Dense) if lost => {
                let expected = "none, since a dense block of a sparse matrix cannot represent it";
                refuse("an explicit zero in a block", expected.to_owned())
            }
            Some(chosen) => Ok(chosen),
            None if stored == 0 => Ok(BlockType::Empty),
            None => {
                let density = density(stored as u64, self.elements().into());
                Ok(match density {
                    many if many >= SPARSE_BELOW && !lost => BlockType::Dense,
                    few if few < ULTRA_SPARSE_BELOW && u32::try_from(stored).is_ok() => {
                        BlockType::UltraSparse
                    }
                    _ => BlockType::Sparse,
                })
            }
        }
    }

    /// Writes the block.
    pub(super) fn write(&mut self, rules: &TileRules, output: &mut Output) -> Result<()> {
        let block_type = self.choose(rules)?;
        if rules.dense && block_type != BlockType::Dense {
            self.gather(rules)?;
        }
        let mut value_type = rules.value_type;
        if rules.narrow {
            let mut narrow = Values::default();
            let fits = |narrower: &ValueType| {
                self.values.cast_into(*narrower, Rounding::Refused, &mut narrow).is_ok()
            };
            if let Some(found) = narrower(value_type).find(fits) {
                self.values = narrow;
                value_type = found;
            }
        }
        let stored = self.places.len() as u64;
        let Self { row, col, rows, cols, .. } = *self;
        let head = BlockHead { row, col, rows, cols, block_type, value_type, stored };
        let mut bytes = Vec::new();
        head.put(Dialect::Spec, &mut bytes)?;
        output.write(&bytes)?;
        swap_on_big_endian(self.values.bytes_mut(), value_type.size());
        match block_type {
            BlockType::Empty => Ok(()),
            BlockType::Dense => self.write_elements(output, value_type.size()),
            _ => with_type!(value_type, T => self.write_entries::<T>(output, block_type)),
        }
    }

    fn write_elements(&self, output: &mut Output, size: usize) -> Result<()> {
        let bytes = self.values.bytes();
        if bytes.is_empty() {
            return output.write_zeros(self.elements() * size as u64);
        }
        if self.places.is_empty() {
            return output.write(bytes);
        }
        let mut next = 0;
        for (&(row, col), value) in self.places.iter().zip(bytes.chunks_exact(size)) {
            let element = u64::from(row) * u64::from(self.cols) + u64::from(col);
            output.write_zeros((element - next) * size as u64)?;
            output.write(value)?;
            next = element + 1;
        }
        output.write_zeros((self.elements() - next) * size as u64)
    }

    fn write_entries<T: Element>(&self, output: &mut Output, block_type: BlockType) -> Result<()> {
        let values = T::slice(&self.values).unwrap_or_default();
        let mut entries = self.places.iter().zip(values).peekable();
        let mut line = Vec::new();
        if block_type == BlockType::UltraSparse {
            for ((row, col), value) in entries {
                line.clear();
                line.extend_from_slice(&row.to_le_bytes());
                if self.cols != 1 {
                    line.extend_from_slice(&col.to_le_bytes());
                }
                line.extend_from_slice(bytemuck::bytes_of(value));
                output.write(&line)?;
            }
            return Ok(());
        }
        for row in 0..self.rows {
            line.clear();
            line.extend_from_slice(&[0; 4]);
            let mut count = 0_u32;
            while let Some(((_, col), value)) = entries.next_if(|((at, _), _)| *at == row) {
                line.extend_from_slice(&col.to_le_bytes());
                line.extend_from_slice(bytemuck::bytes_of(value));
                count += 1;
            }
            line[..4].copy_from_slice(&count.to_le_bytes());
            output.write(&line)?;
        }
        Ok(())
    }
}
