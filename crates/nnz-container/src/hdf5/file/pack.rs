//! Shuffling and compressing chunks.

use std::io::{Error as IoError, Result as IoResult};

use libdeflater::{CompressionLvl, Compressor};

use crate::compress::Compression;
use crate::hdf5::filters::shuffle;

/// The form of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hdf5) struct Form {
    /// Size of a chunk in bytes.
    pub(in crate::hdf5) chunk: usize,
    /// Size of an element in bytes, if elements are shuffled.
    pub(in crate::hdf5) shuffle: Option<u32>,
    pub(in crate::hdf5) compression: Compression,
}

impl Form {
    /// Returns whether chunks are stored unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.shuffle.is_none() && self.compression == Compression::None
    }
}

/// The compressor of a thread.
pub(in crate::hdf5) struct Packer {
    compression: Compression,
    method: Method,
    shuffled: Vec<u8>,
}

enum Method {
    None,
    Deflate(Compressor),
    Zstd(Box<rust_zstd::Compressor>),
}

impl Packer {
    pub(in crate::hdf5) fn new(compression: Compression) -> Self {
        let method = match compression {
            Compression::None => Method::None,
            Compression::Gzip(level) => {
                let level = i32::try_from(level).ok();
                let level = level.and_then(|level| CompressionLvl::new(level).ok());
                Method::Deflate(Compressor::new(level.unwrap_or_default()))
            }
            Compression::Zstd(level) => {
                let level = i32::try_from(level).unwrap_or(i32::MAX);
                let options = rust_zstd::CompressOptions { level, ..Default::default() };
                Method::Zstd(Box::new(rust_zstd::Compressor::new(options)))
            }
        };
        Self { compression, method, shuffled: Vec::new() }
    }

    /// Returns the compression it was created for.
    pub(super) fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends the stored form of a chunk.
    pub(in crate::hdf5) fn pack(
        &mut self,
        chunk: &[u8],
        width: Option<u32>,
        out: &mut Vec<u8>,
    ) -> IoResult<()> {
        let bytes = match width.map(usize::try_from) {
            None => chunk,
            Some(width) => {
                self.shuffled.resize(chunk.len(), 0);
                shuffle(chunk, width.unwrap_or(1), &mut self.shuffled);
                &self.shuffled
            }
        };
        match &mut self.method {
            Method::None => out.extend_from_slice(bytes),
            Method::Deflate(compressor) => {
                // Incompressible data grows.
                let before = out.len();
                out.resize(before + compressor.zlib_compress_bound(bytes.len()), 0);
                let packed = compressor.zlib_compress(bytes, &mut out[before..]);
                let packed = packed.map_err(|_| IoError::other("a chunk cannot be compressed"))?;
                out.truncate(before + packed);
            }
            Method::Zstd(compressor) => out.extend(compressor.compress_to_vec(bytes)),
        }
        Ok(())
    }
}
