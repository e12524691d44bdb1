//! Compressing chunks, several at a time.

use std::sync::{Mutex, PoisonError};

use flate2::{Compress, Compression, FlushCompress, Status};
use nnz_core::{Error, ErrorKind, Place, Result};

use crate::hdf5::filters::shuffle;

/// Shuffles and compresses whole chunks on several threads, and returns them in order.
pub(super) fn chunks(
    bytes: &[u8],
    chunk: usize,
    width: usize,
    level: u32,
    threads: usize,
    place: &Place,
) -> Result<Vec<Vec<u8>>> {
    let threads = threads.clamp(1, (bytes.len() / chunk.max(1)).max(1));
    // Each takes the next chunk when it is done with one: they may take differently long.
    let ahead = Mutex::new(bytes.chunks_exact(chunk).enumerate());
    let work = || -> Result<Vec<(usize, Vec<u8>)>> {
        let mut packer = Packer::new(chunk, width, level);
        let mut done = Vec::new();
        loop {
            let next = ahead.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, chunk)) = next else { return Ok(done) };
            done.push((at, packer.pack(chunk, place)?));
        }
    };
    let mut done = if threads == 1 {
        work()?
    } else {
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                match other.join() {
                    Ok(more) => {
                        done = done.and_then(|mut done| {
                            done.append(&mut more?);
                            Ok(done)
                        });
                    }
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        })?
    };
    done.sort_unstable_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, packed)| packed).collect())
}

/// What one thread compresses with.
struct Packer {
    deflater: Compress,
    width: usize,
    shuffled: Vec<u8>,
    packed: Vec<u8>,
}

impl Packer {
    fn new(chunk: usize, width: usize, level: u32) -> Self {
        Self {
            deflater: Compress::new(Compression::new(level), true),
            width,
            shuffled: vec![0; chunk],
            // Data that cannot be compressed grow by less than this.
            packed: vec![0; chunk + chunk / 64 + 1024],
        }
    }

    fn pack(&mut self, chunk: &[u8], place: &Place) -> Result<Vec<u8>> {
        shuffle(chunk, self.width, &mut self.shuffled);
        self.deflater.reset();
        let status =
            self.deflater.compress(&self.shuffled, &mut self.packed, FlushCompress::Finish);
        let length = usize::try_from(self.deflater.total_out()).unwrap_or(usize::MAX);
        match (status, self.packed.get(..length)) {
            (Ok(Status::StreamEnd), Some(packed)) => Ok(packed.to_vec()),
            _ => {
                let error = std::io::Error::other("a chunk cannot be compressed");
                Err(Error::new(ErrorKind::Io(error), place.clone()))
            }
        }
    }
}
