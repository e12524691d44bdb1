//! A pool of threads that compress chunks in the background.

use std::io::{Error as IoError, Result as IoResult};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::pack::{Form, Packer};

/// Stored chunks, contiguous, with the size of each.
#[derive(Default)]
pub(crate) struct EncodedChunks {
    pub(crate) bytes: Vec<u8>,
    pub(crate) sizes: Vec<u32>,
}

/// Chunks that are compressed now or later.
pub(crate) enum Pending {
    Done(IoResult<EncodedChunks>),
    Running(Receiver<IoResult<EncodedChunks>>),
}

impl Pending {
    /// Waits for the chunks.
    pub(crate) fn wait(self) -> IoResult<EncodedChunks> {
        match self {
            Self::Done(packed) => packed,
            Self::Running(packed) => packed
                .recv()
                .unwrap_or_else(|_| Err(IoError::other("a compression thread has ended"))),
        }
    }
}

struct Job {
    chunks: Vec<u8>,
    form: Form,
    packed: SyncSender<IoResult<EncodedChunks>>,
}

/// A pool of threads that compress. They are started with the first chunks.
pub(crate) struct Pool {
    threads: usize,
    jobs: Option<Sender<Job>>,
    workers: Vec<JoinHandle<()>>,
    /// The compressor of the calling thread, if it is the only one.
    own: Option<Packer>,
}

impl Pool {
    pub(crate) fn new(threads: usize) -> Self {
        Self { threads, jobs: None, workers: Vec::new(), own: None }
    }

    /// Compresses complete chunks: immediately with one thread, otherwise in the background.
    pub(crate) fn pack(&mut self, chunks: Vec<u8>, form: Form) -> Pending {
        if self.threads > 1
            && let Ok(jobs) = self.start()
        {
            let (packed, pending) = sync_channel(1);
            // The threads end after the sender, so this does not fail. If it did, waiting would
            // fail.
            let _ = jobs.send(Job { chunks, form, packed });
            return Pending::Running(pending);
        }
        Pending::Done(pack(&mut self.own, &chunks, form))
    }

    fn start(&mut self) -> IoResult<&Sender<Job>> {
        if self.jobs.is_none() {
            let (sender, jobs) = channel();
            let jobs = Arc::new(Mutex::new(jobs));
            for _ in 0..self.threads {
                let jobs = Arc::clone(&jobs);
                let worker = std::thread::Builder::new().name("nnz-compress".to_owned());
                match worker.spawn(move || work(&jobs)) {
                    Ok(worker) => self.workers.push(worker),
                    // Fewer threads are sufficient.
                    Err(_) if !self.workers.is_empty() => break,
                    Err(error) => {
                        self.threads = 1;
                        return Err(error);
                    }
                }
            }
            self.jobs = Some(sender);
        }
        self.jobs.as_ref().ok_or_else(|| IoError::other("no compression thread was started"))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// Compresses until the channel is closed.
fn work(jobs: &Mutex<Receiver<Job>>) {
    let mut packer = None;
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { chunks, form, packed }) = next else { return };
        // The receiver is gone if the file is not written to the end.
        let _ = packed.send(pack(&mut packer, &chunks, form));
    }
}

fn pack(packer: &mut Option<Packer>, chunks: &[u8], form: Form) -> IoResult<EncodedChunks> {
    let packer = match packer {
        Some(packer) if packer.compression() == form.compression => packer,
        other => other.insert(Packer::new(form.compression)),
    };
    let mut packed = EncodedChunks::default();
    for chunk in chunks.chunks_exact(form.chunk) {
        let before = packed.bytes.len();
        packer.pack(chunk, form.shuffle, &mut packed.bytes)?;
        let size = u32::try_from(packed.bytes.len() - before);
        packed.sizes.push(size.map_err(|_| IoError::other("a chunk of 4 GiB or more"))?);
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnz_chunk::Compression;

    #[test]
    fn chunks_are_the_same_for_any_number_of_threads() {
        let form = Form { chunk: 100, shuffle: Some(4), compression: Compression::Gzip(6) };
        let chunks = |job: u8| (0..300).map(|at: u32| at.to_le_bytes()[0] / (job + 1)).collect();
        let packed = |threads| -> Vec<Vec<u8>> {
            let mut pool = Pool::new(threads);
            let pending: Vec<_> = (0..50).map(|job| pool.pack(chunks(job), form)).collect();
            let packed = pending.into_iter().map(|pending| pending.wait().unwrap());
            packed.inspect(|packed| assert_eq!(packed.sizes.len(), 3)).map(|p| p.bytes).collect()
        };
        let one = packed(1);
        assert!(one == packed(2));
        assert!(one == packed(7));
    }
}
