//! Uploading one object, in parts if it is large.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use nnz_storage::staging::UploadFile;
use object_store::MultipartUpload;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};

use super::job::Job;
use super::{MOST_PARTS, PARTS};
use crate::client::send;
use crate::failure::Failure;

/// Bytes in memory, in units of `UNIT`.
const UNIT: u64 = 4 << 10;
const IN_MEMORY: u32 = 64 << 8;

/// Parts of an object at the same time.
const AT_ONCE: usize = 8;

/// Limits shared by all objects of an upload.
pub(super) struct Limits(Arc<Semaphore>);

impl Limits {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(usize::try_from(IN_MEMORY).unwrap_or(usize::MAX))))
    }

    /// Waits until so many bytes may be in memory, which they are until the permit is dropped.
    async fn acquire(&self, len: u64) -> Result<OwnedSemaphorePermit, Failure> {
        let units = u32::try_from(len.div_ceil(UNIT)).unwrap_or(u32::MAX).clamp(1, IN_MEMORY);
        // It is never closed.
        Arc::clone(&self.0).acquire_many_owned(units).await.map_err(|_| Failure::cancelled())
    }
}

impl Job {
    /// Writes an object, which must be new if there is a token.
    pub(super) async fn put(
        self: &Arc<Self>,
        key: &str,
        file: &Arc<UploadFile>,
        token: Option<&str>,
    ) -> Result<(), Failure> {
        let len = file.len();
        if len > self.part_size.saturating_mul(PARTS) {
            return self.put_parts(key, file, token).await;
        }
        let _permit = self.stop.unless_stopped(self.limits.acquire(len)).await?;
        let bytes = read(file, 0, len).await?;
        let request = async {
            match token {
                Some(token) => self.store.put_new(key, bytes, token).await,
                None => self.store.put(key, bytes).await,
            }
        };
        self.stop.unless_stopped(request).await
    }

    async fn put_parts(
        self: &Arc<Self>,
        key: &str,
        file: &Arc<UploadFile>,
        token: Option<&str>,
    ) -> Result<(), Failure> {
        let started = self.store.start_parts(key, token);
        let mut upload = self.stop.unless_stopped(started).await?;
        let done = async {
            self.send_parts(file, upload.as_mut()).await?;
            let complete = self.store.complete_parts(key, upload.as_mut(), token);
            self.stop.unless_stopped(complete).await
        };
        let done = done.await;
        if done.is_err() {
            // Remaining parts would be billed. The error of the upload is returned.
            let _ = upload.abort().await;
        }
        done
    }

    async fn send_parts(
        self: &Arc<Self>,
        file: &Arc<UploadFile>,
        upload: &mut dyn MultipartUpload,
    ) -> Result<(), Failure> {
        let len = file.len();
        let size = self.part_size.max(len.div_ceil(MOST_PARTS));
        let mut sending = JoinSet::new();
        let mut at = 0;
        while at < len {
            self.check()?;
            let count = size.min(len - at);
            let permit = self.stop.unless_stopped(self.limits.acquire(count)).await?;
            let bytes = read(file, at, count).await?;
            // The numbers of parts are in the order of these calls.
            let request = send(upload.put_part(bytes.into()));
            let job = Arc::clone(self);
            sending.spawn(async move {
                let request =
                    async { request.await.map_err(|error| job.store.failed_writing(error)) };
                let done = job.stop.unless_stopped(request).await;
                drop(permit);
                done
            });
            at += count;
            if sending.len() == AT_ONCE {
                joined(sending.join_next().await)?;
            }
        }
        while let Some(done) = sending.join_next().await {
            joined(Some(done))?;
        }
        Ok(())
    }
}

/// Returns the result of a task, if there is one.
pub(super) fn joined<T>(
    done: Option<Result<Result<T, Failure>, JoinError>>,
) -> Result<Option<T>, Failure> {
    match done {
        Some(Ok(done)) => done.map(Some),
        Some(Err(_)) => Err(Failure::new(io::ErrorKind::Other, "the request thread ended")),
        None => Ok(None),
    }
}

/// Reads a part of a local file.
async fn read(file: &Arc<UploadFile>, at: u64, len: u64) -> Result<Bytes, Failure> {
    let file = Arc::clone(file);
    let read = tokio::task::spawn_blocking(move || {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, at)?;
        Ok::<_, io::Error>(Bytes::from(bytes))
    });
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(io::ErrorKind::Other, format!("cannot read the data to upload: {error}"))
    };
    match read.await {
        Ok(read) => read.map_err(|error| failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}
