//! Finding rows in blocks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nnz_core::Result;

use super::{Arrays, BlockPart, Coo, CooOrder, Landmarks, RowLayout, RowPosition};
use crate::file::Window;
use crate::lock::lock;
use crate::{Block, BlockType};

/// The largest number of rows of a sparse block in a part of few entries. Decoding needs memory for
/// empty rows, too.
const ROWS: u64 = 128 << 10;

/// Finds rows in the blocks of a file, and caches their positions.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    /// Landmarks by the first byte of a block.
    landmarks: Mutex<BTreeMap<u64, Arc<Landmarks>>>,
    orders: Mutex<BTreeMap<u64, Arc<CooOrder>>>,
}

/// A block, and the current row in it.
#[derive(Debug)]
pub(crate) struct ActiveBlock {
    pub(crate) block: Block,
    pub(crate) position: RowPosition,
    order: Option<Arc<CooOrder>>,
}

impl Finder {
    /// Enters a block at a row of the object.
    pub(crate) fn enter(
        &self,
        window: &mut Window<'_>,
        block: Block,
        row: u64,
    ) -> Result<ActiveBlock> {
        let row = row - block.row;
        let mut position = RowPosition { row, ..RowPosition::default() };
        let mut order = None;
        match block.block_type {
            BlockType::Sparse if block.layout != RowLayout::Arrays && row > 0 => {
                let mut all = lock(&self.landmarks);
                let entry = all.entry(block.start);
                let own = Arc::clone(entry.or_insert_with(|| Arc::new(Landmarks::new(&block))));
                drop(all);
                position = own.find(window, &block, row)?;
            }
            BlockType::UltraSparse => {
                let coo = Coo { file: window.file, block: &block };
                let known = lock(&self.orders).get(&block.start).cloned();
                let own = match known {
                    Some(order) => order,
                    None => {
                        let order = Arc::new(coo.order()?);
                        lock(&self.orders).insert(block.start, Arc::clone(&order));
                        order
                    }
                };
                if matches!(*own, CooOrder::ByRow) {
                    position.entry = coo.lower_bound(row)?;
                }
                order = Some(own);
            }
            _ => {}
        }
        Ok(ActiveBlock { block, position, order })
    }
}

impl ActiveBlock {
    /// Finds the rows from the current one up to `to` that have at most `budget` entries together,
    /// but at least one row. Of a sparse block it finds at most [`ROWS`] or `budget` rows, whichever
    /// is more.
    pub(crate) fn part(&self, window: &mut Window<'_>, to: u64, budget: u64) -> Result<BlockPart> {
        let Self { block, position, .. } = *self;
        let file = window.file;
        let capped = to.min(position.row.saturating_add(budget.max(ROWS)));
        let (end, entries) = match (block.block_type, &self.order) {
            (BlockType::Sparse, _) if block.layout == RowLayout::Arrays => {
                Arrays::of(&block).advance(file, &block, position.row, capped, budget)?
            }
            (BlockType::Sparse, _) => {
                let mut end = position;
                end.advance(window, &block, capped, budget)?;
                (end.row, position.entry..end.entry)
            }
            (BlockType::UltraSparse, Some(order)) => {
                order.advance(Coo { file, block: &block }, position, to, budget)?
            }
            _ => {
                let cols = u64::from(block.cols);
                let end = to.min(position.row.saturating_add((budget / cols).max(1)));
                (end, position.row * cols..end * cols)
            }
        };
        let scattered = matches!(self.order.as_deref(), Some(CooOrder::Any { .. }));
        Ok(BlockPart { block, rows: position.row..end, entries, scattered, stretch: None })
    }
}
