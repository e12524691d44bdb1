//! Compressing chunks, several at a time.

use std::sync::{Mutex, PoisonError};

use libdeflater::{CompressionLvl, Compressor};
use nnz_core::{Error, ErrorKind, Place, Result};

use super::Compression;
use crate::hdf5::filters::shuffle;

/// The form of chunks: their bytes, the bytes of an element, and how they are compressed.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) chunk: usize,
    pub(super) width: usize,
    pub(super) compress: Compression,
}

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
        let mut packer = Packer::new(form);
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
    width: usize,
    shuffled: Vec<u8>,
    /// Room for what a chunk is compressed to.
    packed: Vec<u8>,
    method: Method,
}

enum Method {
    Deflate(Compressor),
    Zstd(Box<rust_zstd::Compressor>),
}

impl Packer {
    fn new(form: Form) -> Self {
        let chunk = form.chunk;
        let method = match form.compress {
            Compression::Zstd(level) => {
                let level = i32::try_from(level).unwrap_or(i32::MAX);
                let options = rust_zstd::CompressOptions { level, ..Default::default() };
                Method::Zstd(Box::new(rust_zstd::Compressor::new(options)))
            }
            Compression::None => Self::deflate(0),
            Compression::Gzip(level) => Self::deflate(level),
        };
        Self { width: form.width, shuffled: vec![0; chunk], packed: Vec::new(), method }
    }

    fn deflate(level: u32) -> Method {
        let level = i32::try_from(level).ok().and_then(|level| CompressionLvl::new(level).ok());
        Method::Deflate(Compressor::new(level.unwrap_or_default()))
    }

    fn pack(&mut self, chunk: &[u8], place: &Place) -> Result<Vec<u8>> {
        shuffle(chunk, self.width, &mut self.shuffled);
        let packed = match &mut self.method {
            Method::Deflate(compressor) => {
                // What cannot be compressed grows.
                self.packed.resize(compressor.zlib_compress_bound(chunk.len()), 0);
                let packed = compressor.zlib_compress(&self.shuffled, &mut self.packed);
                packed.ok().and_then(|len| self.packed.get(..len)).map(<[u8]>::to_vec)
            }
            Method::Zstd(compressor) => Some(compressor.compress_to_vec(&self.shuffled)),
        };
        packed.ok_or_else(|| {
            let error = std::io::Error::other("a chunk cannot be compressed");
            Error::new(ErrorKind::Io(error), place.clone())
        })
    }
}
