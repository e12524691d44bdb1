//! State shared by all objects of a storage: limits, memory, and how fast the server was so far.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use nnz_core::Cancellation;
use tokio::sync::Semaphore;

use crate::object::Inner;

/// Requests at the same time, which are connections.
const REQUESTS: usize = 64;

/// Bytes that are fetched at the same time, in units of `UNIT`.
const UNIT: u64 = 4 << 10;
const FLYING: u32 = 64 << 8;

/// Bytes that are kept after they were read, and bytes that are fetched before they are read.
const KEPT: u64 = 64 << 20;
const AHEAD: u64 = 64 << 20;

/// Limits on the gaps in bytes that are fetched too, to save a request. Beyond, a slow answer of a busy machine would
/// multiply the bytes.
const GAPS: (u64, u64) = (32 << 10, 128 << 10);

/// Shared by the objects of one storage.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) cancellation: Cancellation,
    /// The directory for temporary copies of objects from servers without ranges.
    pub(crate) temporary: PathBuf,
    requests: Semaphore,
    flying: Semaphore,
    clock: AtomicU64,
    kept: AtomicU64,
    ahead: AtomicU64,
    /// Extents that are kept, from the one that was read longest ago, as far as is known.
    queue: Mutex<VecDeque<Entry>>,
    /// Microseconds of a small request, and bytes a second of large ones.
    latency: AtomicU64,
    bandwidth: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    object: Weak<Inner>,
    start: u64,
    stamp: u64,
}

impl Shared {
    pub(crate) fn new(cancellation: Cancellation, temporary: PathBuf) -> Arc<Self> {
        Arc::new(Self {
            cancellation,
            temporary,
            requests: Semaphore::new(REQUESTS),
            flying: Semaphore::new(usize::try_from(FLYING).unwrap_or(usize::MAX)),
            clock: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            ahead: AtomicU64::new(0),
            queue: Mutex::default(),
            latency: AtomicU64::new(0),
            bandwidth: AtomicU64::new(0),
        })
    }

    /// Waits until a request for so many bytes may start, and runs it.
    pub(crate) async fn limited<T>(&self, len: u64, request: impl Future<Output = T>) -> T {
        let units = u32::try_from(len.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, FLYING);
        // They are never closed.
        let _one = self.requests.acquire().await;
        let _bytes = self.flying.acquire_many(units).await;
        request.await
    }

    /// Notes how long a request took.
    pub(crate) fn measured(&self, len: u64, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        let mix = |known: &AtomicU64, new: u64| {
            let old = known.load(Ordering::Relaxed);
            let mixed = if old == 0 { new } else { old / 4 * 3 + new / 4 };
            known.store(mixed, Ordering::Relaxed);
        };
        if len <= 64 << 10 {
            mix(&self.latency, micros);
        } else if len >= 1 << 20 {
            let spent = micros.saturating_sub(self.latency.load(Ordering::Relaxed)).max(1000);
            mix(&self.bandwidth, len.saturating_mul(1_000_000) / spent);
        }
    }

    /// Returns how many bytes between two ranges are fetched rather than asking twice: what comes in the
    /// time of one request of many. A server that is not known has 30 ms and 140 MB/s.
    pub(crate) fn gap(&self) -> u64 {
        let known = |value: &AtomicU64, default: u64| match value.load(Ordering::Relaxed) {
            0 => default,
            value => value,
        };
        let latency = known(&self.latency, 30_000);
        let bandwidth = known(&self.bandwidth, 140_000_000);
        (latency.saturating_mul(bandwidth) / 1_000_000 / REQUESTS as u64).clamp(GAPS.0, GAPS.1)
    }

    /// Takes memory for bytes that are fetched before they are read; false if there is none.
    pub(crate) fn take_ahead(&self, len: u64) -> bool {
        let taken = self.ahead.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
            (taken == 0 || taken + len <= AHEAD).then_some(taken + len)
        });
        taken.is_ok()
    }

    pub(crate) fn release_ahead(&self, len: u64) {
        self.ahead.fetch_sub(len, Ordering::AcqRel);
    }

    pub(crate) fn forget(&self, len: u64) {
        self.kept.fetch_sub(len, Ordering::AcqRel);
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Keeps an extent that arrived, and drops what was not read for longest where there are too many.
    /// The caller holds no lock.
    pub(crate) fn keep(&self, object: &Arc<Inner>, start: u64, len: u64, stamp: u64) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push_back(Entry { object: Arc::downgrade(object), start, stamp });
        let mut kept = self.kept.fetch_add(len, Ordering::AcqRel) + len;
        for _ in 0..queue.len() {
            if kept <= KEPT + self.ahead.load(Ordering::Acquire) {
                return;
            }
            let Some(entry) = queue.pop_front() else { return };
            let Some(object) = entry.object.upgrade() else { continue };
            // Those that were fetched ahead have a limit of their own.
            match object.evict(entry.start, entry.stamp) {
                Ok(len) => {
                    kept = kept.saturating_sub(len);
                    self.forget(len);
                }
                Err(Some(stamp)) => queue.push_back(Entry { stamp, ..entry }),
                Err(None) => {}
            }
            // This may be the last reference to the object.
            drop(object);
        }
    }
}
