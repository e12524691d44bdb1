//! Checking positions of entries: inside their block, in order, no duplicates.

use nnz_core::{Batch, ErrorKind, Order, Result, Values};

use super::Check;
use super::values::ValueCheck;
use crate::block::{BlockQueue, Coo, Decoder, Finder, scan};
use crate::file::Window;
use crate::object::Object;
use crate::{Block, BlockType, Dialect};

/// The largest number of columns of a row that is kept for sorting.
const LONGEST_ROW: usize = 1 << 24;

/// Entries that are decoded together.
const TOGETHER: u64 = 1 << 18;

/// Bytes that are read at once to find rows.
const WINDOW: usize = 64 << 10;

/// The columns of the current row.
#[derive(Default)]
struct Row {
    number: u64,
    /// Columns, and the positions of their entries.
    columns: Vec<(u64, u64)>,
    ascends: bool,
    /// The number of columns, including those that are not kept.
    len: usize,
}

impl Check<'_> {
    /// Checks the contents of a block.
    pub(super) fn block(&mut self, object: &Object, block: &Block) -> Result<()> {
        let mut held = ValueCheck::new(object, block);
        if block.block_type == BlockType::Dense {
            return held.elements(self);
        }
        let file = &object.file;
        let ultra = block.block_type == BlockType::UltraSparse;
        let mut row = Row::default();
        let mut last = None;
        let mut outside = [false; 2];
        let mut disorder = None;
        let mut repeated: Option<(u64, u64)> = None;
        let mut too_long = false;
        scan(file, block, 0..block.rows.into(), &mut |entry| {
            let places = [(entry.row, block.rows, "row", 0), (entry.col, block.cols, "column", 4)];
            for (reported, (found, all, side, at)) in outside.iter_mut().zip(places) {
                if found >= all.into() && !*reported {
                    *reported = true;
                    let at = if ultra { entry.at + at } else { entry.at };
                    let message =
                        format!("found {side} {found} in the {block}, expected less than {all}");
                    self.fault(file.at(at), message);
                }
            }
            let place = (entry.row, entry.col);
            if last >= Some(place) {
                if last == Some(place) {
                    repeated.get_or_insert((entry.at, entry.col));
                } else {
                    disorder.get_or_insert((entry.at, entry.row, entry.col));
                }
            }
            last = Some(place);
            if !ultra {
                if row.number != entry.row || row.len == 0 {
                    row.repeated(&mut repeated);
                    row.start(entry.row);
                }
                too_long |= row.push(entry.col, entry.at);
            }
            held.push(self, entry)
        })?;
        row.repeated(&mut repeated);
        held.flush(self)?;
        if repeated.is_none() && ultra && disorder.is_some() && outside == [false; 2] {
            repeated = twice(object, block)?;
        }
        if let Some((at, col)) = repeated {
            let message = format!("column {col} is stored twice in the same row of the {block}");
            self.fault(file.at(at), message);
        }
        if let Some((at, row, col)) = disorder {
            let message = format!("row {row}, column {col} is out of order in the {block}");
            match (ultra, object.dialect) {
                (false, Dialect::Spec) => self.fault(file.at(at), message),
                // COO has no defined order, and DAPHNE writes columns as they are in memory.
                _ => self.note(file.at(at), message),
            }
        }
        if too_long {
            let message =
                format!("a row of the {block} has too many entries to check for duplicates");
            self.note(file.at(block.start), message);
        }
        Ok(())
    }
}

impl Row {
    fn start(&mut self, number: u64) {
        self.number = number;
        self.columns.clear();
        self.len = 0;
        self.ascends = true;
    }

    /// Adds a column. Returns whether there are too many, and they are unsorted.
    fn push(&mut self, col: u64, at: u64) -> bool {
        self.len += 1;
        self.ascends &= self.columns.last().is_none_or(|&(last, _)| last < col);
        if self.columns.len() < LONGEST_ROW {
            self.columns.push((col, at));
        }
        !self.ascends && self.len > LONGEST_ROW
    }

    /// Finds a duplicate column that is not next to the first.
    fn repeated(&mut self, repeated: &mut Option<(u64, u64)>) {
        if self.ascends || repeated.is_some() {
            return;
        }
        self.columns.sort_unstable();
        let pair = self.columns.windows(2).find(|pair| pair[0].0 == pair[1].0);
        *repeated = pair.map(|pair| (pair[1].1, pair[1].0));
    }
}

/// Finds a duplicate position in an unsorted ultra-sparse block.
fn twice(object: &Object, block: &Block) -> Result<Option<(u64, u64)>> {
    let file = &object.file;
    let finder = Finder::default();
    let blocks = [*block];
    let mut window = Window::new(file, WINDOW);
    let mut queue = BlockQueue::new(&blocks, &finder, 0..object.shape.cols);
    let decoder = Decoder { file, cols: object.shape.cols };
    let value_type = block.value_type.unwrap_or(nnz_core::ValueType::U8);
    let mut batch = Batch::new(Order::Row, Values::new(value_type));
    let mut row = block.row;
    while row < block.row_end() {
        let Some(stop) = queue.enter(&mut window, &(row..block.row_end()))? else { break };
        let (band, parts) = queue.parts(&mut window, row..stop, TOGETHER)?;
        for part in parts {
            match decoder.entries(&part, &mut batch) {
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => return Ok(None),
                other => other?,
            }
            for run in 0..batch.runs() {
                let mut minors: Vec<u64> =
                    batch.run(run).map(|entry| batch.minor(run, entry)).collect();
                minors.sort_unstable();
                if let Some(pair) = minors.windows(2).find(|pair| pair[0] == pair[1]) {
                    let (row, col) = (batch.majors.get(run) - block.row, pair[0] - block.col);
                    return second(Coo { file, block }, row, col).map(Some);
                }
            }
        }
        row = band.end;
    }
    Ok(None)
}

/// Finds the byte of the second entry at a position.
fn second(coo: Coo<'_>, row: u64, col: u64) -> Result<(u64, u64)> {
    let mut at = 0;
    let mut found = 0;
    coo.scan(0..coo.block.stored, &mut |number, r, c, _| {
        if (u64::from(r), u64::from(c)) == (row, col) {
            found += 1;
            if found == 2 {
                at = coo.at(number);
            }
        }
        Ok(())
    })?;
    Ok((at, col))
}
