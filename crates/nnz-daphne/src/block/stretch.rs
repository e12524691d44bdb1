//! Decoding rows of any length on many threads, in stretches of bytes.
//!
//! The start of the first row in a stretch depends on the rows of the previous stretch, so threads
//! pass it on. Nothing else has to wait: bytes are read before that, and decoded after it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::Result;

use super::{ALL, Block, Bounds, RowLayout, Walk};
use crate::file::{Buffers, DataFile, Window};
use crate::lock::lock;

/// Bytes of a stretch: few enough to stay in the L2 cache together with the decoded entries.
const STRETCH: u64 = 512 << 10;

/// Bytes of a stretch if only few rows are needed.
const SHORT: u64 = 8 << 10;

/// A position in the rows: at the count of a row, or at an entry after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    pub(crate) row: u64,
    /// Entries of the row that are left; 0 if the count is next.
    pub(crate) left: u64,
    at: u64,
}

/// Some rows of a block, split into stretches.
#[derive(Debug)]
pub(crate) struct Stretches {
    block: Block,
    layout: RowLayout,
    /// The first byte of the first stretch.
    first: u64,
    /// The length of each stretch in bytes.
    length: u64,
    /// The row after the last.
    end: u64,
    progress: Mutex<Progress>,
    /// Signals that a stretch was walked through, or given up.
    moved: Condvar,
    buffers: Arc<Buffers>,
}

#[derive(Debug)]
struct Progress {
    /// The known starts of rows in stretches that are not decoded yet.
    starts: BTreeMap<u64, Reached>,
    /// Stretches that are being decoded, and will pass on the start of the next.
    begun: BTreeSet<u64>,
}

/// One stretch, with the counts and the entries that start in it.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    all: Arc<Stretches>,
    number: u64,
}

/// A stretch that was read.
pub(crate) struct Opened<'a> {
    stretches: &'a Stretches,
    buffer: Vec<u8>,
    /// The range of its bytes in the file.
    bytes: Range<u64>,
    /// The position of the first row or entry in it.
    pub(crate) reached: Reached,
}

impl Stretches {
    /// Starts with the rows from the position of a walk up to `end`.
    pub(crate) fn new(
        block: Block,
        layout: RowLayout,
        walk: Walk,
        end: u64,
        buffers: Arc<Buffers>,
    ) -> Self {
        let start = Reached { row: walk.row, left: 0, at: walk.at };
        let progress = Progress { starts: BTreeMap::from([(0, start)]), begun: BTreeSet::new() };
        Self {
            block,
            layout,
            first: walk.at,
            length: length(&block, end.saturating_sub(walk.row)),
            end,
            progress: Mutex::new(progress),
            moved: Condvar::new(),
            buffers,
        }
    }

    /// Returns a stretch; `None` after the last one.
    pub(crate) fn get(self: &Arc<Self>, number: u64) -> Option<Stretch> {
        let ended = || {
            let progress = self.progress();
            progress.starts.last_key_value().is_some_and(|(_, reached)| reached.row >= self.end)
        };
        let matters = number == 0 || self.bytes(number).start < self.block.end && !ended();
        matters.then(|| Stretch { all: Arc::clone(self), number })
    }

    fn bytes(&self, number: u64) -> Range<u64> {
        let start = self.first.saturating_add(number.saturating_mul(self.length));
        start..start.saturating_add(self.length).min(self.block.end)
    }

    /// Returns the bytes of a stretch, and of the rest of an entry that starts in it.
    fn whole_entries(&self, number: u64) -> Range<u64> {
        let Range { start, end } = self.bytes(number);
        let more = (self.layout.width() + self.block.size() - 1) as u64;
        start..end.saturating_add(more).min(self.block.end).max(start)
    }

    /// Walks through the rows of a stretch, and appends to `ends` the end of each among the
    /// entries; the last row may continue after the stretch.
    fn walk(
        &self,
        file: &DataFile,
        number: u64,
        bytes: &[u8],
        mut reached: Reached,
        ends: &mut Vec<usize>,
    ) -> Result<Reached> {
        let Range { start, end } = self.bytes(number);
        let (width, size) = (self.layout.width(), self.block.size());
        let stride = (width + size) as u64;
        let last = |ends: &[usize]| ends.last().copied().unwrap_or(0);
        if reached.left > 0 {
            ends.push(last(ends) + reached.pass(end, stride));
        }
        let skip = |at: u64| usize::try_from(at - start).unwrap_or(usize::MAX);
        // The buffer may be longer than the stretch.
        let bytes = bytes.get(..skip(self.whole_entries(number).end)).unwrap_or_default();
        if reached.left == 0 && reached.at < end && reached.row < self.end {
            let rows = Bounds { rows: self.end - reached.row, entries: self.block.cols, size };
            let within = bytes.get(skip(reached.at)..skip(end)).unwrap_or_default();
            let passed = self.layout.pass(within, rows, ends);
            reached.row += passed.rows;
            reached.at += passed.bytes as u64;
        }
        if reached.left == 0 && reached.at < end && reached.row < self.end {
            // The row continues after the stretch, or is invalid.
            let count = bytes.get(skip(reached.at)..).and_then(|rest| self.layout.count(rest));
            let left = self.block.end.saturating_sub(reached.at + width as u64);
            // There are less than 2^32 columns, so the length in bytes does not overflow.
            let fits = |&count: &u64| count <= self.block.cols.into() && count * stride <= left;
            let Some(count) = count.filter(fits) else { return Err(self.refused(file, reached)) };
            (reached.left, reached.at) = (count, reached.at + width as u64);
            ends.push(last(ends) + reached.pass(end, stride));
        }
        let too_early = reached.row == u64::from(self.block.rows) && reached.at != self.block.end;
        let too_late = reached.row < self.end && end == self.block.end;
        if too_early || too_late {
            return Err(self.refused(file, reached));
        }
        Ok(reached)
    }

    /// Returns the error for invalid rows, by walking through them without stretches.
    #[cold]
    fn refused(&self, file: &DataFile, Reached { row, at, .. }: Reached) -> nnz_core::Error {
        let mut window = Window::new(file, 1);
        let rows = u64::from(self.block.rows);
        let walked = Walk { row, at }.advance(&mut window, &self.block, self.layout, rows, ALL);
        walked.err().unwrap_or_else(|| self.block.changed(file))
    }

    /// Waits until the position of the first row in a stretch is known, or finds it.
    fn start(&self, file: &DataFile, number: u64) -> Result<Reached> {
        let mut progress = self.progress();
        loop {
            // There is one, because decoding a stretch adds the next.
            let Some((&nearest, &reached)) = progress.starts.range(..=number).next_back() else {
                return Err(self.block.changed(file));
            };
            if nearest == number {
                return Ok(reached);
            }
            if progress.begun.contains(&nearest) {
                progress = self.moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // No thread is about to find it.
            drop(progress);
            let buffer = self.buffers.read(file, self.whole_entries(nearest))?;
            let next = self.walk(file, nearest, &buffer, reached, &mut Vec::new())?;
            self.buffers.give_back(buffer);
            progress = self.progress();
            progress.starts.insert(nearest + 1, next);
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }
}

/// Returns the length of stretches for a number of rows: twice their average size, so that little
/// else is read.
fn length(block: &Block, rows: u64) -> u64 {
    let all = u128::from(block.end - block.start) * 2;
    let share = all * u128::from(rows) / u128::from(block.rows.max(1));
    u64::try_from(share).unwrap_or(STRETCH).clamp(SHORT, STRETCH)
}

impl Reached {
    /// Skips the entries of a row that start before byte `end`, and returns their number.
    fn pass(&mut self, end: u64, stride: u64) -> usize {
        let passed = self.left.min(end.saturating_sub(self.at).div_ceil(stride));
        self.at += passed * stride;
        self.left -= passed;
        self.row += u64::from(self.left == 0);
        // They are in a buffer, so the number fits.
        usize::try_from(passed).unwrap_or(usize::MAX)
    }
}

/// A stretch that is being decoded. If it is given up, other threads continue without it.
struct Begun<'a> {
    stretches: &'a Stretches,
    number: u64,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.stretches.progress().begun.remove(&self.number);
        self.stretches.moved.notify_all();
    }
}

impl Stretch {
    /// Reads the stretch, and appends to `ends` the end of each row among its entries.
    pub(crate) fn open(&self, file: &DataFile, ends: &mut Vec<usize>) -> Result<Opened<'_>> {
        let Self { all: stretches, number } = self;
        stretches.progress().begun.insert(*number);
        let begun = Begun { stretches, number: *number };
        let bytes = stretches.whole_entries(*number);
        let buffer = stretches.buffers.read(file, bytes.clone())?;
        let reached = stretches.start(file, *number)?;
        let next = stretches.walk(file, *number, &buffer, reached, ends)?;
        let mut progress = stretches.progress();
        progress.starts.remove(number);
        progress.starts.insert(number + 1, next);
        drop(progress);
        drop(begun);
        Ok(Opened { stretches, buffer, bytes, reached })
    }
}

impl Opened<'_> {
    /// Returns the bytes from the first row on, and their position in the file.
    pub(crate) fn bytes(&self) -> (u64, &[u8]) {
        // Bytes after the last row are not needed.
        let skip = self.reached.at.checked_sub(self.bytes.start);
        let skip = skip.and_then(|skip| usize::try_from(skip).ok());
        let len = usize::try_from(self.bytes.end - self.bytes.start).unwrap_or(usize::MAX);
        (self.reached.at, skip.and_then(|skip| self.buffer.get(skip..len)).unwrap_or_default())
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.stretches.buffers.give_back(std::mem::take(&mut self.buffer));
    }
}
