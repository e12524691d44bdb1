//! Objects of servers without ranges: a copy in a temporary file, which grows as it is read.

use crate::shared::Shared;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nnz_core::Cancellation;
use nnz_storage::{Identity, ReadAt, TemporaryFile};

use crate::address::Address;
use crate::bridge;
use crate::client::{Body, Client, Web};
use crate::failure::Failure;

/// Maximum number of retries of an incomplete body.
const RETRIES: u32 = 4;

/// Default maximum size of a copy in bytes.
pub(crate) const LIMIT: u64 = 4 << 30;

/// An object that is copied.
#[derive(Debug)]
pub(crate) struct Spool {
    copy: Arc<Copy>,
    len: u64,
    cancellation: Cancellation,
}

#[derive(Debug)]
struct Copy {
    file: TemporaryFile,
    limit: u64,
    state: Mutex<State>,
    grown: Condvar,
}

#[derive(Debug, Default)]
struct State {
    written: u64,
    /// Set at the end: the length, or why there is none.
    end: Option<Result<u64, Failure>>,
    closed: bool,
}

impl Spool {
    /// Starts to copy what the server sends.
    pub(crate) fn start(
        client: &Arc<Client>,
        address: &Address,
        body: Body,
        limit: u64,
        shared: &Shared,
    ) -> io::Result<Self> {
        if let Some(len) = body.len.filter(|len| *len > limit) {
            return Err(too_long(&format!("{len}"), limit).into());
        }
        let file = TemporaryFile::create_in(&shared.temporary).map_err(io::Error::other)?;
        let (state, grown) = (Mutex::default(), Condvar::new());
        let copy = Arc::new(Copy { file, limit, state, grown });
        let len = body.len;
        let task = copy_all(Arc::clone(client), address.clone(), Arc::clone(&copy), body);
        drop(bridge::handle()?.spawn(task));
        let mut spool = Self { copy, len: 0, cancellation: shared.cancellation.clone() };
        spool.len = match len {
            Some(len) => len,
            // Its length is known only at its end.
            None => spool.wait(u64::MAX)?,
        };
        Ok(spool)
    }

    /// Waits until so many bytes are there, or it ends; returns how many there are.
    fn wait(&self, wanted: u64) -> io::Result<u64> {
        let mut state = self.copy.lock();
        loop {
            match &state.end {
                Some(Err(failure)) if state.written < wanted => return Err(failure.clone().into()),
                Some(Ok(len)) => return Ok(*len),
                _ if state.written >= wanted => return Ok(state.written),
                _ => {}
            }
            let waited = self.copy.grown.wait_timeout(state, bridge::TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if self.cancellation.is_cancelled() {
                return Err(bridge::cancelled());
            }
        }
    }
}

impl Copy {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, end: Result<u64, Failure>) {
        self.lock().end.get_or_insert(end);
        self.grown.notify_all();
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.copy.lock().closed = true;
    }
}

impl ReadAt for Spool {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        if at >= self.len || out.is_empty() {
            return Ok(0);
        }
        let there = self.wait(at + 1)?;
        let count = usize::try_from(there.saturating_sub(at)).unwrap_or(usize::MAX).min(out.len());
        self.copy.file.read_exact_at(&mut out[..count], at).map_err(io::Error::other)?;
        Ok(count)
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        Ok(None)
    }
}

fn too_long(len: &str, limit: u64) -> Failure {
    let text = format!(
        "the server does not support range requests, and {len} bytes exceed the limit of {limit} for a \
         temporary copy (storage option spool_limit)"
    );
    Failure::new(io::ErrorKind::Unsupported, text)
}

/// Copies a body to its end, from the start again where it was cut.
async fn copy_all(client: Arc<Client>, address: Address, copy: Arc<Copy>, mut body: Body) {
    let Client::Web(web) = &*client else { return };
    let _end = End(Arc::clone(&copy));
    let tag = body.tag.clone();
    let mut retries = 0;
    loop {
        match copy_once(&copy, body).await {
            Ok(len) => return copy.finish(Ok(len)),
            Err(failure) if failure.transient && retries < RETRIES => retries += 1,
            Err(failure) => return copy.finish(Err(failure)),
        }
        match again(web, &address, retries).await {
            Ok(same) if same.tag == tag => body = same,
            Ok(_) => return copy.finish(Err(Failure::changed())),
            Err(failure) => return copy.finish(Err(failure)),
        }
    }
}

async fn again(web: &Web, address: &Address, retries: u32) -> Result<Body, Failure> {
    tokio::time::sleep(std::time::Duration::from_millis(100) * 2_u32.pow(retries)).await;
    web.whole(address).await
}

/// Copies a body; what was written before is skipped.
async fn copy_once(copy: &Copy, mut body: Body) -> Result<u64, Failure> {
    let known = copy.lock().written;
    let mut position = 0_u64;
    while let Some(chunk) = body.next().await? {
        let (start, end) = (position, position + chunk.len() as u64);
        position = end;
        if end > copy.limit {
            return Err(too_long("the received", copy.limit));
        }
        let skipped = usize::try_from(known.saturating_sub(start)).unwrap_or(usize::MAX);
        let Some(new) = chunk.get(skipped..).filter(|new| !new.is_empty()) else { continue };
        let written = copy.file.write_all_at(new, end - new.len() as u64);
        written.map_err(|error| Failure::new(io::ErrorKind::Other, error.to_string()))?;
        let mut state = copy.lock();
        state.written = end;
        if state.closed {
            return Err(Failure::new(io::ErrorKind::Other, "closed"));
        }
        drop(state);
        copy.grown.notify_all();
    }
    match body.len {
        Some(len) if len != position => {
            Err(Failure::transient("the server sent fewer bytes than announced"))
        }
        _ => Ok(position),
    }
}

/// Ends a copy whatever happens, as somebody may wait for it.
struct End(Arc<Copy>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.finish(Err(Failure::transient("the request ended without a response")));
    }
}
