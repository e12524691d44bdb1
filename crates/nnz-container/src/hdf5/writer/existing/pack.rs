//! Compressing chunks, several at a time.

use std::sync::{Mutex, PoisonError};

use nnz_core::{Error, ErrorKind, Place, Result};

use crate::hdf5::file::{Form, Packer};

/// Shuffles and compresses whole chunks on several threads, and returns them in order.
pub(super) fn chunks(
    bytes: &[u8],
    form: Form,
    threads: usize,
    place: &Place,
) -> Result<Vec<Vec<u8>>> {
    let threads = threads.clamp(1, (bytes.len() / form.chunk.max(1)).max(1));
    // Each takes the next chunk when it is done with one: they may take differently long.
    let ahead = Mutex::new(bytes.chunks_exact(form.chunk).enumerate());
    let work = || -> Result<Vec<(usize, Vec<u8>)>> {
        let mut packer = Packer::new(form.compression);
        let mut done = Vec::new();
        loop {
            let next = ahead.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((at, chunk)) = next else { return Ok(done) };
            let mut packed = Vec::new();
            let result = packer.pack(chunk, form.shuffle, &mut packed);
            result.map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
            done.push((at, packed));
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
