//! Reading bytes: those that are here, after waiting for those that are not.

use std::io;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

use super::extents::Content;
use super::{Inner, PIECE, Reason, State};
use crate::bridge;

/// Size in bytes to which single reads are rounded at first, and the number of reads after which it grows.
pub(super) const GRAIN: u64 = 16 << 10;
const FEW_READS: u32 = 8;

/// Bytes that one call reads: more are left to the next.
const MOST: u64 = 32 << 20;

impl Inner {
    /// Reads some bytes: as many as are here, at least one.
    pub(super) fn read(self: &Arc<Self>, out: &mut [u8], at: u64) -> io::Result<usize> {
        self.check_process()?;
        let end = at.saturating_add((out.len() as u64).min(MOST)).min(self.len);
        let Some(wanted) = end.checked_sub(at).filter(|wanted| *wanted > 0) else { return Ok(0) };
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let out = out.get_mut(..wanted).unwrap_or_default();
        let mut done = 0;
        let mut guessed = false;
        let mut state = self.lock();
        loop {
            if let Some(failed) = &state.failed {
                return Err(failed.clone().into());
            }
            let position = at + done as u64;
            match state.extents.at(position) {
                Some((start, extent)) => match &extent.content {
                    Content::Ready(bytes) => {
                        let skipped = usize::try_from(position - start).unwrap_or(usize::MAX);
                        let part = bytes.get(skipped..).unwrap_or_default();
                        let out = out.get_mut(done..).unwrap_or_default();
                        let count = part.len().min(out.len());
                        out[..count].copy_from_slice(&part[..count]);
                        done += count;
                        guessed |= !extent.announced;
                        extent.stamp = self.shared.now();
                        if std::mem::take(&mut extent.unread) {
                            self.shared.release_ahead(extent.len);
                        }
                        if done == wanted || count == 0 {
                            break;
                        }
                    }
                    Content::Pending => {
                        let waited = self.arrived.wait_timeout(state, bridge::TICK);
                        state = waited.unwrap_or_else(PoisonError::into_inner).0;
                        if self.shared.cancellation.is_cancelled() {
                            return Err(bridge::cancelled());
                        }
                    }
                    Content::Failed(failure) => {
                        let failure = failure.clone();
                        // Another read asks again.
                        state.extents.0.remove(&start);
                        return Err(failure.into());
                    }
                },
                None => {
                    guessed = true;
                    self.fetch(&mut state, position..end)?;
                }
            }
        }
        if guessed {
            self.read_ahead(&mut state, at..end);
        }
        state.position = end;
        self.pump(&mut state)?;
        Ok(done)
    }

    /// Requests the missing bytes of a range that is read now.
    fn fetch(self: &Arc<Self>, state: &mut State, range: Range<u64>) -> io::Result<()> {
        // Announced ranges are fetched as planned, other reads are rounded.
        let grain = GRAIN << (state.single / FEW_READS).min(2);
        let mut from = range.start;
        while from < range.end {
            let (part, planned) = match state.planned.at(from) {
                Some(planned) => {
                    let start = planned.start.max(from.saturating_sub(PIECE / 2));
                    (start..planned.end.min((start + PIECE).max(range.end)), true)
                }
                None => {
                    state.single = state.single.saturating_add(1);
                    (from / grain * grain..range.end.div_ceil(grain).saturating_mul(grain), false)
                }
            };
            let part = part.start..part.end.min(self.len);
            for missing in state.extents.missing(&part) {
                // A rounded range does not reach into what is here to fetch beyond it.
                if planned || (missing.start < range.end && missing.end > range.start) {
                    self.ask(state, missing, Reason::Read)?;
                }
            }
            from = part.end.max(from + 1);
        }
        Ok(())
    }
}
