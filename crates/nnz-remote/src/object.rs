//! An object that is read at any position, through what was fetched of it.

mod ahead;
mod extents;
mod read;
mod request;

use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nnz_storage::{Identity, ReadAt};

use self::ahead::Stream;
use self::extents::{Content, Extent, Extents, PlannedRanges};
use crate::address::Address;
use crate::client::{Client, ObjectPart};
use crate::failure::Failure;
use crate::shared::Shared;

/// The longest range of one request.
pub(crate) const PIECE: u64 = 8 << 20;

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
    planned: PlannedRanges,
    streams: Vec<Stream>,
    /// The ETag of the object, or its time of modification.
    tag: Option<String>,
    /// Why nothing more can be read.
    failed: Option<Failure>,
    position: u64,
    /// The end of what was announced last, and how many bytes have been announced in order until then.
    announced: (u64, u64),
    /// Reads of bytes that were not announced.
    single: u32,
    closed: bool,
}

/// Why bytes are requested.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
    /// A reader waits for them.
    Read,
    /// They were announced, or are likely to be read next.
    Ahead { announced: bool },
}

impl Inner {
    /// Takes an object of which the length is known.
    pub(crate) fn new(
        client: &Arc<Client>,
        address: Address,
        shared: &Arc<Shared>,
        len: u64,
    ) -> Arc<Self> {
        Arc::new(Self {
            client: Arc::clone(client),
            address,
            shared: Arc::clone(shared),
            len,
            process: std::process::id(),
            state: Mutex::default(),
            arrived: Condvar::new(),
        })
    }

    /// Takes the first part of it that came, which was fetched ahead of its reader or not.
    pub(crate) fn take_first(self: &Arc<Self>, part: ObjectPart, ahead: bool) {
        let (len, stamp) = (part.bytes.len() as u64, self.shared.now());
        let mut state = self.lock();
        state.tag = part.tag;
        if len == 0 {
            return;
        }
        let content = Content::Ready(part.bytes);
        let extent = Extent { len, content, unread: ahead, announced: true, stamp };
        state.extents.0.insert(part.start, extent);
        drop(state);
        self.shared.keep(self, part.start, len, stamp);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_process(&self) -> io::Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(io::Error::other("opened before this process was forked: open it again"))
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
        // A range that cannot be requested now fails when it is read.
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
