//! Splitting blocks into pieces of some rows each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use nnz_core::Result;

use super::{ALL, Arrays, Coo, CooOrder, Landmarks, Part, Piece, RowLayout, Stretches, Walk};
use crate::file::{Buffers, Window};
use crate::lock::lock;
use crate::{Block, BlockType};

/// Finds rows in the blocks of a file, and caches their positions.
#[derive(Debug)]
pub(crate) struct Finder {
    layout: RowLayout,
    /// Landmarks by the first byte of a block.
    landmarks: Mutex<BTreeMap<u64, Arc<Landmarks>>>,
    orders: Mutex<BTreeMap<u64, Arc<CooOrder>>>,
}

/// A block, and the current row in it.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) block: Block,
    walk: Option<Walk>,
    /// The end of a walk that was already made, and its number of entries.
    ahead: Option<(Walk, u64)>,
    order: Option<Arc<CooOrder>>,
}

impl Finder {
    pub(crate) fn new(layout: RowLayout) -> Self {
        Self { layout, landmarks: Mutex::default(), orders: Mutex::default() }
    }

    /// Enters a block at a row of the object.
    pub(crate) fn enter(&self, window: &mut Window<'_>, block: Block, row: u64) -> Result<Active> {
        let mut active = Active { block, walk: None, ahead: None, order: None };
        let row = row - block.row;
        match block.block_type {
            BlockType::Sparse if self.layout != RowLayout::Arrays => {
                active.walk = Some(match row {
                    0 => Walk::start(&block),
                    _ => {
                        let mut all = lock(&self.landmarks);
                        let entry = all.entry(block.start);
                        let own =
                            Arc::clone(entry.or_insert_with(|| Arc::new(Landmarks::new(&block))));
                        drop(all);
                        own.find(window, &block, self.layout, row)?
                    }
                });
            }
            BlockType::UltraSparse => {
                let known = lock(&self.orders).get(&block.start).cloned();
                let order = match known {
                    Some(order) => order,
                    None => {
                        let coo = Coo { file: window.file, block: &block };
                        let order = Arc::new(coo.order()?);
                        lock(&self.orders).insert(block.start, Arc::clone(&order));
                        order
                    }
                };
                active.order = Some(order);
            }
            _ => {}
        }
        Ok(active)
    }

    /// Splits some rows of a block, beginning with the current one, into stretches. Returns `None`
    /// if its cells are stored in another way.
    pub(crate) fn stretches(
        &self,
        active: &Active,
        rows: &Range<u64>,
        buffers: &Arc<Buffers>,
    ) -> Option<Stretches> {
        let end = self.local(&active.block, rows).end;
        let walk = active.walk.filter(|_| active.block.block_type == BlockType::Sparse)?;
        Some(Stretches::new(active.block, self.layout, walk, end, Arc::clone(buffers)))
    }

    /// Finds the rows from `row` up to `to` that have at most `budget` entries of the block, but at
    /// least one row.
    pub(crate) fn reach(
        &self,
        window: &mut Window<'_>,
        active: &mut Active,
        rows: Range<u64>,
        budget: u64,
    ) -> Result<u64> {
        let block = &active.block;
        let Range { start, end } = self.local(block, &rows);
        let local = match (block.block_type, active.walk, &active.order) {
            (BlockType::Dense, ..) => {
                end.min(start.saturating_add((budget / u64::from(block.cols)).max(1)))
            }
            (BlockType::Sparse, Some(mut walk), _) => {
                let passed = walk.advance(window, block, self.layout, end, budget)?;
                active.ahead = Some((walk, passed));
                walk.row
            }
            (BlockType::Sparse, None, _) => {
                Arrays::of(block).advance(window.file, block, start, end, budget)?.0
            }
            (BlockType::UltraSparse, _, Some(order)) => {
                order.advance(Coo { file: window.file, block }, start, end, budget)?
            }
            _ => end,
        };
        Ok(block.row + local)
    }

    /// Returns the piece with some rows, and its number of entries, and advances past it.
    pub(crate) fn piece(
        &self,
        window: &mut Window<'_>,
        active: &mut Active,
        rows: &Range<u64>,
    ) -> Result<(Piece, u64)> {
        let block = active.block;
        let rows = self.local(&block, rows);
        let cells = (rows.end - rows.start).saturating_mul(block.cols.into());
        let (part, entries) = match (block.block_type, &mut active.walk, &active.order) {
            (BlockType::Sparse, Some(walk), _) => {
                let first = walk.at;
                let entries = match active.ahead.take() {
                    Some((ahead, passed)) if ahead.row == rows.end => {
                        *walk = ahead;
                        passed
                    }
                    _ => walk.advance(window, &block, self.layout, rows.end, ALL)?,
                };
                (Part::Rows(first..walk.at), entries)
            }
            (BlockType::Sparse, None, _) => {
                let arrays = Arrays::of(&block);
                let (_, entries) =
                    arrays.advance(window.file, &block, rows.start, rows.end, u64::MAX)?;
                (Part::Arrays, entries)
            }
            (BlockType::UltraSparse, _, Some(order)) => match &**order {
                CooOrder::ByRow => {
                    let coo = Coo { file: window.file, block: &block };
                    let (first, last) = (coo.lower_bound(rows.start)?, coo.lower_bound(rows.end)?);
                    (Part::Coo(first..last), last - first)
                }
                CooOrder::Any { .. } => (Part::Coo(0..block.stored), 0),
            },
            _ => (Part::Cells(0..block.cols.into()), cells),
        };
        Ok((Piece { block, rows, part }, entries))
    }

    /// Splits the piece of one row into pieces of at most `most` entries each.
    pub(crate) fn split(&self, window: &Window<'_>, piece: Piece, most: u64) -> Result<Vec<Piece>> {
        let Piece { block, rows, part } = piece;
        let width = self.layout.width() as u64;
        let stride = width + block.size() as u64;
        let steps = |range: Range<u64>, step: u64| {
            let end = range.end;
            range
                .step_by(usize::try_from(step).unwrap_or(usize::MAX))
                .map(move |start| start..start.saturating_add(step).min(end))
        };
        let parts: Vec<Part> = match part {
            Part::Rows(bytes) => {
                steps(bytes.start + width..bytes.end, most * stride).map(Part::Pairs).collect()
            }
            Part::Arrays => {
                let arrays = Arrays::of(&block);
                let starts = arrays.starts(window.file, &block, rows.start, rows.end)?;
                let entries = match starts.as_slice() {
                    [first, .., last] => *first..*last,
                    _ => 0..0,
                };
                steps(entries, most).map(Part::ArrayEntries).collect()
            }
            Part::Cells(cols) => steps(cols, most).map(Part::Cells).collect(),
            Part::Coo(entries) => steps(entries, most).map(Part::Coo).collect(),
            part => vec![part],
        };
        let piece = |part| Piece { block, rows: rows.clone(), part };
        Ok(parts.into_iter().map(piece).collect())
    }

    /// Converts rows of the object to rows of a block.
    fn local(&self, block: &Block, rows: &Range<u64>) -> Range<u64> {
        rows.start - block.row..rows.end - block.row
    }
}
