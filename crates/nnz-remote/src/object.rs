//! An object that is read at any position, through what was fetched of it.

mod extents;

use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use nnz_storage::{Identity, ReadAt};

use self::extents::{Content, Extent, Extents, Planned, coalesce};
use crate::address::Address;
use crate::bridge;
use crate::client::Client;
use crate::failure::Failure;
use crate::shared::Shared;

/// The longest range that is asked for.
pub(crate) const PIECE: u64 = 8 << 20;

/// What single reads are rounded to: at first, and after many of them.
const GRAIN: u64 = 16 << 10;
const FEW_READS: u32 = 8;

/// Bytes that one call reads: more are left to the next.
const MOST: u64 = 32 << 20;

/// How far is read ahead at first, and at most; and how many places of an object are followed.
const FIRST_AHEAD: u64 = 128 << 10;
const MOST_AHEAD: u64 = 2 * PIECE;
const STREAMS: usize = 4;

/// An object of which many ranges are wanted is fetched whole where it has at most so many bytes.
const WHOLE: u64 = 8 << 20;
const MANY: usize = 50;

/// An object that was opened.
#[derive(Debug)]
pub(crate) struct Object(pub(crate) Arc<Inner>);

/// An object, shared with the requests for it.
#[derive(Debug)]
pub(crate) struct Inner {
    client: Arc<Client>,
    address: Address,
    shared: Arc<Shared>,
    len: u64,
    process: u32,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    extents: Extents,
    planned: Planned,
    streams: Vec<Stream>,
    /// What tells this state of the object from others.
    tag: Option<String>,
    /// Why nothing more can be read.
    failed: Option<Failure>,
    position: u64,
    /// Reads that asked for something that was not announced.
    single: u32,
    closed: bool,
}

/// A place that is read from in order.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Where the next read starts.
    next: u64,
    /// What was planned up to.
    planned: u64,
    window: u64,
    hits: u32,
}

/// Why bytes are asked for.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
    /// A reader waits for them.
    Read,
    /// They were announced, or are likely to be read next.
    Ahead { announced: bool },
}

impl Inner {
    /// Takes an object of which the length is known, and its beginning where that was fetched.
    pub(crate) fn new(
        client: &Arc<Client>,
        address: Address,
        shared: &Arc<Shared>,
        len: u64,
        tag: Option<String>,
        head: Option<Bytes>,
    ) -> Arc<Self> {
        let mut state = State { tag, ..State::default() };
        let head = head.filter(|head| !head.is_empty());
        let kept = head.as_ref().map(|head| head.len() as u64);
        let stamp = shared.now();
        if let (Some(head), Some(len)) = (head, kept) {
            let content = Content::Ready(head);
            let extent = Extent { len, content, unread: false, announced: true, stamp };
            state.extents.0.insert(0, extent);
        }
        let inner = Arc::new(Self {
            client: Arc::clone(client),
            address,
            shared: Arc::clone(shared),
            len,
            process: std::process::id(),
            state: Mutex::new(state),
            arrived: Condvar::new(),
        });
        if let Some(len) = kept {
            shared.keep(&inner, 0, len, stamp);
        }
        inner
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads some bytes: as many as are here, at least one.
    fn read(self: &Arc<Self>, out: &mut [u8], at: u64) -> io::Result<usize> {
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

    fn check_process(&self) -> io::Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(io::Error::other("it was opened before this process was forked: open it again"))
    }

    /// Asks for what is missing of a range that is read now.
    fn fetch(self: &Arc<Self>, state: &mut State, range: Range<u64>) -> io::Result<()> {
        // What was announced is fetched as it was planned, else reads are rounded.
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

    /// Follows what is read in order, and plans what comes next.
    fn read_ahead(&self, state: &mut State, read: Range<u64>) {
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
    fn pump(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
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

    /// Plans ranges that were announced.
    fn announce(self: &Arc<Self>, ranges: &[Range<u64>]) -> io::Result<()> {
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

    /// Asks for a range in which nothing is here or on its way.
    fn ask(
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
            let end = range.end.min(start + PIECE);
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
                // Who waits for it reads it before it is dropped.
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

    /// Forgets an extent unless it was read since a moment, and returns its length; else when it was read
    /// last.
    pub(crate) fn evict(&self, start: u64, stamp: u64) -> Result<u64, Option<u64>> {
        let mut state = self.lock();
        let extent = state.extents.0.get(&start).ok_or(None)?;
        if extent.unread || extent.stamp != stamp || !matches!(extent.content, Content::Ready(_)) {
            return Err(Some(extent.stamp));
        }
        let len = extent.len;
        state.extents.0.remove(&start);
        Ok(len)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for extent in state.extents.0.values() {
            if extent.unread {
                self.shared.release_ahead(extent.len);
            }
            if matches!(extent.content, Content::Ready(_)) {
                self.shared.forget(extent.len);
            }
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // Requests that were not sent yet are not.
        if Arc::strong_count(&self.0) > 1 {
            self.0.lock().closed = true;
        }
    }
}

/// What has to become of a request: a reader may wait for it.
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
            let ended = Failure::transient("the request was given up");
            self.object.deliver(self.start, Err(ended));
        }
    }
}

impl ReadAt for Object {
    fn len(&self) -> u64 {
        self.0.len
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        self.0.read(out, at)
    }

    fn will_read(&self, range: Range<u64>) {
        self.will_read_all(std::slice::from_ref(&range));
    }

    fn will_read_all(&self, ranges: &[Range<u64>]) {
        // What cannot be asked for now fails when it is read.
        let _ = self.0.announce(ranges);
    }

    fn has_latency(&self) -> bool {
        true
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        let tag = self.0.lock().tag.clone();
        Ok(tag.map(|tag| Identity::new(format!("{}:{tag}", self.0.len))))
    }
}
