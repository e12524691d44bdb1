//! Fetching ahead of the reader: what was announced, and what follows what is read in order.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::extents::coalesce;
use super::read::GRAIN;
use super::{Inner, PIECE, Reason, State};

/// Initial and maximum number of bytes to read ahead, and the maximum number of sequential reads of an object that are
/// followed.
const FIRST_AHEAD: u64 = 128 << 10;
const MOST_AHEAD: u64 = 2 * PIECE;
const STREAMS: usize = 4;

/// Minimum size of a request where ranges have been announced in order for some time.
const FOLLOWING: u64 = 1 << 20;

/// The bytes that have to be announced in order before. What is fetched past the end of a part that another process
/// reads is little in comparison.
const IN_ORDER: u64 = 8 << 20;

/// An object of which many ranges are wanted is fetched whole where it has at most so many bytes.
const WHOLE: u64 = 8 << 20;
const MANY: usize = 50;

/// A place that is read from in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// Where the next read starts.
    next: u64,
    /// The end of the planned bytes.
    planned: u64,
    window: u64,
    hits: u32,
}

impl Inner {
    /// Follows what is read in order, and plans what comes next.
    pub(super) fn read_ahead(&self, state: &mut State, read: Range<u64>) {
        let slack = (read.end - read.start).saturating_mul(2).max(GRAIN);
        let near = |stream: &&mut Stream| stream.next.abs_diff(read.start) <= slack;
        let Some(stream) = state.streams.iter_mut().find(near) else {
            if state.streams.len() == STREAMS {
                state.streams.remove(0);
            }
            let (next, window) = (read.end, FIRST_AHEAD);
            state.streams.push(Stream { next, planned: next, window, hits: 0 });
            return;
        };
        stream.next = stream.next.max(read.end);
        stream.hits += 1;
        stream.planned = stream.planned.max(stream.next);
        if stream.hits < 2 || stream.next + stream.window / 2 < stream.planned {
            return;
        }
        let end = (stream.next + stream.window).min(self.len);
        let from = std::mem::replace(&mut stream.planned, end);
        stream.window = (stream.window * 4).min(MOST_AHEAD);
        if from < end {
            for part in state.extents.missing(&(from..end)) {
                state.planned.add(part, false);
            }
        }
    }

    /// Asks for what was planned, as long as there is memory for it.
    pub(super) fn pump(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        while let Some((range, announced)) = state.planned.next(state.position, PIECE) {
            if !self.shared.take_ahead(range.end - range.start) {
                return Ok(());
            }
            state.planned.remove(&range);
            let missing = state.extents.missing(&range);
            let wanted: u64 = missing.iter().map(|part| part.end - part.start).sum();
            self.shared.release_ahead(range.end - range.start - wanted);
            for part in missing {
                self.ask(state, part, Reason::Ahead { announced })?;
            }
        }
        Ok(())
    }

    /// Plans more than was announced where short ranges are announced in order.
    fn follow(&self, state: &mut State, joined: &mut [Range<u64>], gap: u64) {
        let (Some(first), Some(last)) = (joined.first().cloned(), joined.last().cloned()) else {
            return;
        };
        let (end, bytes) = state.announced;
        let before = if first.start.abs_diff(end) <= gap { bytes } else { 0 };
        state.announced = (last.end, before.saturating_add(last.end.saturating_sub(first.start)));
        if let [only] = joined
            && before >= IN_ORDER
            && !state.extents.missing(only).is_empty()
        {
            only.end = only.end.max((only.start + FOLLOWING).min(self.len));
        }
    }

    /// Plans ranges that were announced.
    pub(super) fn announce(self: &Arc<Self>, ranges: &[Range<u64>]) -> io::Result<()> {
        self.check_process()?;
        let gap = self.shared.gap();
        let clipped = ranges.iter().map(|range| range.start..range.end.min(self.len));
        let clipped: Vec<_> = clipped.filter(|range| range.start < range.end).collect();
        let mut joined = coalesce(&clipped, gap);
        if joined.len() > MANY && self.len <= WHOLE {
            joined.clear();
            joined.push(0..self.len);
        }
        let mut state = self.lock();
        self.follow(&mut state, &mut joined, gap);
        for range in joined {
            for part in state.extents.missing(&range) {
                state.planned.add(part, true);
            }
        }
        if let Some(first) = clipped.iter().map(|range| range.start).min() {
            state.position = first;
        }
        self.pump(&mut state)
    }
}
