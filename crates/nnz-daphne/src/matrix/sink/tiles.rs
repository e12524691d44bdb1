//! Blocks of a given size, written one row of blocks at a time.

use nnz_core::{Batch, Error, Header, Minors, Place, Result, Shape, ValueType};

use super::tile::{Tile, TileRules};
use crate::DataType;
use crate::matrix::Options;
use crate::output::Output;

/// The largest number of blocks side by side.
const MOST_ACROSS: u64 = 1 << 24;

/// The largest total number of blocks, whose headers alone take a terabyte.
const MOST: u128 = 1 << 35;

/// Rows of a block if blocks are only used to narrow types.
const ROWS: u32 = 4096;

/// A row of blocks that is being filled.
pub(super) struct Tiles {
    shape: Shape,
    rules: TileRules,
    /// The number of rows and columns of a block.
    size: (u32, u32),
    /// The first row of the row of blocks.
    first: u64,
    tiles: Vec<Tile>,
}

impl Tiles {
    pub(super) fn start(header: &Header, options: &Options) -> Result<Self> {
        let shape = header.shape;
        let all = |len: u64| u32::try_from(len).unwrap_or(u32::MAX).max(1);
        let (rows, cols) = options.block.unwrap_or_else(|| {
            let cols = all(shape.cols);
            let rows = match options.data_type {
                DataType::Dense => ((1 << 20) / cols).clamp(1, ROWS),
                _ => ROWS,
            };
            (rows, cols)
        });
        if rows == 0 || cols == 0 {
            return Err(Error::argument("a block has at least one row and one column"));
        }
        let size = (rows.min(all(shape.rows)), cols.min(all(shape.cols)));
        let across = shape.cols.div_ceil(size.1.into());
        let blocks = u128::from(across) * u128::from(shape.rows.div_ceil(size.0.into()));
        if across > MOST_ACROSS || blocks > MOST {
            let found = format!("{blocks} blocks of {} x {}", size.0, size.1);
            let expected = "fewer and larger blocks";
            return Err(Error::mismatch(Place::default(), found, expected));
        }
        let rules = TileRules {
            value_type: header.value_type,
            dense: options.data_type == DataType::Dense,
            block_type: options.block_type,
            narrow: options.narrow,
        };
        let across = if shape.is_empty() { 0 } else { usize::try_from(across).unwrap_or(0) };
        let mut tiles = Vec::new();
        tiles.resize_with(across, Tile::default);
        let mut started = Self { shape, rules, size, first: 0, tiles };
        started.begin();
        Ok(started)
    }

    /// Creates the blocks of the row that starts now.
    fn begin(&mut self) {
        let (rows, cols) = self.size;
        let left = |all: u64, first: u64, size: u32| {
            u32::try_from(all.saturating_sub(first)).unwrap_or(u32::MAX).min(size)
        };
        for (number, tile) in self.tiles.iter_mut().enumerate() {
            let col = number as u64 * u64::from(cols);
            let rows = left(self.shape.rows, self.first, rows);
            let cols = left(self.shape.cols, col, cols);
            tile.begin(self.first, col, rows, cols, self.rules.value_type);
        }
    }

    pub(super) fn write(&mut self, output: &mut Output, batch: &Batch) -> Result<()> {
        let width = u64::from(self.size.1);
        for run in 0..batch.runs() {
            let range = batch.run(run);
            if range.is_empty() {
                continue;
            }
            let row = batch.majors.get(run);
            while row - self.first >= self.size.0.into() {
                self.flush(output)?;
            }
            let mut start = range.start;
            while start < range.end {
                let col = batch.minor(run, start);
                let tile = col / width;
                let last = (tile + 1) * width;
                let end = match &batch.minors {
                    Minors::U32(list) => {
                        start + list[start..range.end].partition_point(|&c| u64::from(c) < last)
                    }
                    Minors::U64(list) => {
                        start + list[start..range.end].partition_point(|&c| c < last)
                    }
                    Minors::Spans(_) => {
                        let left = usize::try_from(last - col).unwrap_or(usize::MAX);
                        range.end.min(start.saturating_add(left))
                    }
                };
                let tile = usize::try_from(tile).ok().and_then(|tile| self.tiles.get_mut(tile));
                let Some(tile) = tile else {
                    return Err(Error::argument("an entry outside the matrix"));
                };
                tile.push(&self.rules, batch, run, start..end)?;
                start = end;
            }
        }
        Ok(())
    }

    /// Writes the row of blocks, and moves on to the next.
    fn flush(&mut self, output: &mut Output) -> Result<()> {
        for tile in &mut self.tiles {
            tile.write(&self.rules, output)?;
        }
        self.first += u64::from(self.size.0);
        self.begin();
        Ok(())
    }

    pub(super) fn finish(&mut self, output: &mut Output) -> Result<()> {
        if self.tiles.is_empty() {
            return Ok(());
        }
        while self.first < self.shape.rows {
            self.flush(output)?;
        }
        Ok(())
    }
}

/// Lists smaller types that may fit values of another type, smallest first.
pub(super) fn narrower(value_type: ValueType) -> impl Iterator<Item = ValueType> {
    const ALL: [ValueType; 7] = [
        ValueType::U8,
        ValueType::I8,
        ValueType::U16,
        ValueType::I16,
        ValueType::U32,
        ValueType::I32,
        ValueType::F32,
    ];
    ALL.into_iter().filter(move |narrow| {
        // Floats can represent some integers. Only types of the same kind, or exact ones, are
        // listed.
        let kind = value_type.is_integer() && *narrow == ValueType::F32;
        narrow.size() < value_type.size() && !kind
    })
}
