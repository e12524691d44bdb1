//! Requests for ranges, and what becomes of them.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::extents::{Content, Extent, piece_end};
use super::{Inner, PIECE, Reason, State};
use crate::bridge;
use crate::failure::Failure;

impl Inner {
    /// Asks for a range in which nothing is here or on its way.
    pub(super) fn ask(
        self: &Arc<Self>,
        state: &mut State,
        range: Range<u64>,
        reason: Reason,
    ) -> io::Result<()> {
        // It is there before anything waits for it.
        let requests = bridge::handle()?;
        state.planned.remove(&range);
        let mut start = range.start;
        while start < range.end {
            let end = piece_end(start, range.end, PIECE);
            let extent = Extent {
                len: end - start,
                content: Content::Pending,
                unread: reason != Reason::Read,
                announced: reason == Reason::Ahead { announced: true },
                stamp: self.shared.now(),
            };
            state.extents.0.insert(start, extent);
            let delivery = Delivery { object: Arc::clone(self), start, delivered: false };
            drop(requests.spawn(delivery.fetch(start..end)));
            start = end;
        }
        Ok(())
    }

    /// Notes what arrived.
    fn deliver(self: &Arc<Self>, start: u64, answer: Result<Bytes, Failure>) {
        let mut state = self.lock();
        let Some(extent) = state.extents.0.get_mut(&start) else { return };
        let mut kept = None;
        match answer {
            Ok(bytes) => {
                extent.content = Content::Ready(bytes);
                // Waiting readers read it before it is dropped.
                extent.stamp = self.shared.now();
                kept = Some((extent.len, extent.stamp));
            }
            Err(failure) => {
                if std::mem::take(&mut extent.unread) {
                    self.shared.release_ahead(extent.len);
                }
                let stale = failure.kind == io::ErrorKind::StaleNetworkFileHandle;
                extent.content = Content::Failed(failure.clone());
                if stale {
                    state.failed = Some(failure);
                }
            }
        }
        drop(state);
        self.arrived.notify_all();
        if let Some((len, stamp)) = kept {
            self.shared.keep(self, start, len, stamp);
        }
    }

    /// Returns the tag, or takes the first one.
    fn check_tag(&self, tag: Option<String>) -> Result<(), Failure> {
        let mut state = self.lock();
        match (&state.tag, tag) {
            (Some(before), Some(now)) if *before != now => Err(Failure::changed()),
            (None, Some(tag)) => {
                state.tag = Some(tag);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The result of a request. Without one, dropping it fails the extent, as a reader may wait for it.
struct Delivery {
    object: Arc<Inner>,
    start: u64,
    delivered: bool,
}

impl Delivery {
    async fn fetch(mut self, range: Range<u64>) {
        let object = Arc::clone(&self.object);
        let len = range.end - range.start;
        let answer = object.shared.limited(len, self.request(range)).await;
        self.delivered = true;
        object.deliver(self.start, answer);
    }

    async fn request(&self, range: Range<u64>) -> Result<Bytes, Failure> {
        let object = &*self.object;
        let tag = {
            let state = object.lock();
            if state.closed {
                return Err(Failure::transient("closed"));
            }
            state.tag.clone()
        };
        let len = range.end - range.start;
        let started = Instant::now();
        let part = object.client.range(&object.address, range, tag.as_deref()).await?;
        object.shared.measured(len, started.elapsed());
        if part.total != object.len {
            return Err(Failure::changed());
        }
        object.check_tag(part.tag)?;
        Ok(part.bytes)
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.delivered {
            let ended = Failure::transient("the request ended without a response");
            self.object.deliver(self.start, Err(ended));
        }
    }
}
