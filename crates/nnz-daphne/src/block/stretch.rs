//! Decoding rows of any length on many threads, in stretches of bytes.
//!
//! The start of the first row in a stretch depends on the rows of the previous stretch, so a thread
//! has to wait for it. Bytes are read before that, and decoded after it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::{Error, Result};

use super::{Block, BlockPart, RowPosition};
use crate::file::{Buffers, DataFile, Window};
use crate::lock::lock;

/// Bytes of a stretch: few enough to stay in the L2 cache together with the decoded entries.
const STRETCH: u64 = 512 << 10;

/// Bytes of a stretch if only few rows are needed.
const SHORT: u64 = 8 << 10;

/// Some rows of a block, split into stretches.
#[derive(Debug)]
pub(crate) struct Stretches {
    block: Block,
    /// The first byte of the first stretch.
    first: u64,
    /// The length of each stretch in bytes.
    length: u64,
    /// The rows.
    rows: Range<u64>,
    progress: Mutex<Progress>,
    /// Signals that the end of a stretch was found, or that decoding it failed.
    moved: Condvar,
    buffers: Arc<Buffers>,
}

#[derive(Debug)]
struct Progress {
    /// The positions at which stretches start that are not decoded yet, as far as they are known.
    starts: BTreeMap<u64, RowPosition>,
    /// Stretches that are being decoded, which finds the start of the next.
    begun: BTreeSet<u64>,
}

/// One stretch, with the counts and the entries that start in it.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    all: Arc<Stretches>,
    number: u64,
}

impl Stretches {
    /// Starts with the rows from a position up to `end`.
    pub(crate) fn new(
        block: Block,
        position: RowPosition,
        end: u64,
        buffers: Arc<Buffers>,
    ) -> Self {
        let progress = Progress { starts: BTreeMap::from([(0, position)]), begun: BTreeSet::new() };
        Self {
            block,
            first: position.at(&block),
            length: length(&block, end.saturating_sub(position.row)),
            rows: position.row..end,
            progress: Mutex::new(progress),
            moved: Condvar::new(),
            buffers,
        }
    }

    /// Returns the rows of a stretch; `None` after the last one.
    pub(crate) fn part(self: &Arc<Self>, number: u64) -> Option<BlockPart> {
        let ended = || {
            let progress = self.progress();
            progress
                .starts
                .last_key_value()
                .is_some_and(|(_, position)| position.row >= self.rows.end)
        };
        let matters = number == 0 || self.bytes(number).start < self.block.end && !ended();
        matters.then(|| BlockPart {
            block: self.block,
            rows: self.rows.clone(),
            entries: 0..self.block.stored,
            scattered: true,
            stretch: Some(Stretch { all: Arc::clone(self), number }),
        })
    }

    fn bytes(&self, number: u64) -> Range<u64> {
        let start = self.first.saturating_add(number.saturating_mul(self.length));
        start..start.saturating_add(self.length).min(self.block.end)
    }

    /// Returns the bytes of a stretch, and of the rest of an entry that starts in it.
    fn whole_entries(&self, number: u64) -> Range<u64> {
        let Range { start, end } = self.bytes(number);
        let more = self.block.stride() as u64 - 1;
        start..end.saturating_add(more).min(self.block.end).max(start)
    }

    /// Advances through the rows of a stretch, and appends to `ends` the end of each among the
    /// entries; the last row may continue after the stretch.
    fn advance(
        &self,
        file: &DataFile,
        number: u64,
        bytes: &[u8],
        mut position: RowPosition,
        ends: &mut Vec<usize>,
    ) -> Result<RowPosition> {
        let block = &self.block;
        let Range { start, end } = self.bytes(number);
        let skip = |at: u64| usize::try_from(at - start).unwrap_or(usize::MAX);
        // The buffer may be longer than the stretch.
        let bytes = bytes.get(..skip(self.whole_entries(number).end)).unwrap_or_default();
        let last = |ends: &[usize]| ends.last().copied().unwrap_or(0);
        if position.left > 0 {
            ends.push(last(ends) + position.pass_entries(block, end));
        }
        let more = |position: RowPosition| {
            (position.left == 0 && position.row < self.rows.end && position.at(block) < end)
                .then(|| skip(position.at(block)))
        };
        if let Some(at) = more(position) {
            let whole = bytes.get(at..skip(end)).unwrap_or_default();
            position.pass_rows(block, whole, self.rows.end, ends);
        }
        if let Some(at) = more(position) {
            // The row continues after the stretch, or is invalid.
            let count = bytes.get(at..).and_then(|rest| block.layout.count(rest));
            let count = count.ok_or_else(|| self.too_short(file, position))?;
            position.begin_row(file, block, count)?;
            ends.push(last(ends) + position.pass_entries(block, end));
        }
        position.check_end(file, block)?;
        if position.row < self.rows.end && end == block.end {
            return Err(self.too_short(file, position));
        }
        Ok(position)
    }

    /// Returns the error for a block that ends before the count of a row.
    #[cold]
    fn too_short(&self, file: &DataFile, position: RowPosition) -> Error {
        let mut window = Window::new(file, 1);
        let read = window.at(position.at(&self.block), self.block.width(), self.block.end);
        read.err().unwrap_or_else(|| self.block.changed(file))
    }

    /// Waits until the position of the first row in a stretch is known, or finds it.
    fn start(&self, file: &DataFile, number: u64) -> Result<RowPosition> {
        let mut progress = self.progress();
        loop {
            // There is one, because decoding a stretch adds the next.
            let Some((&nearest, &position)) = progress.starts.range(..=number).next_back() else {
                return Err(self.block.changed(file));
            };
            if nearest == number {
                return Ok(position);
            }
            if progress.begun.contains(&nearest) {
                progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // No other thread is decoding this stretch.
            drop(progress);
            let buffer = self.buffers.read(file, self.whole_entries(nearest))?;
            let next = self.advance(file, nearest, &buffer, position, &mut Vec::new())?;
            self.buffers.give_back(buffer);
            progress = self.progress();
            progress.starts.insert(nearest + 1, next);
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }
}

/// Returns the length of stretches for a number of rows: twice their average size, so that few
/// other rows are read.
fn length(block: &Block, rows: u64) -> u64 {
    let all = u128::from(block.end - block.start) * 2;
    let share = all * u128::from(rows) / u128::from(block.rows.max(1));
    u64::try_from(share).unwrap_or(STRETCH).clamp(SHORT, STRETCH)
}

/// Marks a stretch as being decoded. If decoding fails, other threads find the start of the next.
struct StretchGuard<'a> {
    stretches: &'a Stretches,
    number: u64,
}

impl Drop for StretchGuard<'_> {
    fn drop(&mut self) {
        self.stretches.progress().begun.remove(&self.number);
        self.stretches.moved.notify_all();
    }
}

impl Stretch {
    /// Reads the stretch, and appends to `ends` the end of each row among its entries. Calls `decode`
    /// with the position of the first row or entry, and the bytes from there on.
    pub(crate) fn read<T>(
        &self,
        file: &DataFile,
        ends: &mut Vec<usize>,
        decode: impl FnOnce(RowPosition, &[u8], &[usize]) -> Result<T>,
    ) -> Result<T> {
        let Self { all: stretches, number } = self;
        stretches.progress().begun.insert(*number);
        let guard = StretchGuard { stretches, number: *number };
        let bytes = stretches.whole_entries(*number);
        let buffer = stretches.buffers.read(file, bytes.clone())?;
        let position = stretches.start(file, *number)?;
        let next = stretches.advance(file, *number, &buffer, position, ends)?;
        let mut progress = stretches.progress();
        progress.starts.remove(number);
        progress.starts.insert(number + 1, next);
        drop(progress);
        drop(guard);
        // Bytes after the last row are not needed.
        let within =
            |at: u64| usize::try_from(at.saturating_sub(bytes.start)).unwrap_or(usize::MAX);
        let held = within(position.at(&stretches.block))..within(bytes.end);
        let decoded = decode(position, buffer.get(held).unwrap_or_default(), ends);
        stretches.buffers.give_back(buffer);
        decoded
    }
}
