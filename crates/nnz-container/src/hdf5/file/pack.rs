//! Shuffling and compressing chunks.

use std::io::{Error as IoError, Result as IoResult};

use libdeflater::{CompressionLvl, Compressor};

use crate::compress::Compression;
use crate::hdf5::filters::{BLOSC, DEFLATE, SHUFFLE, ZSTD, shuffle};

/// The form of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hdf5) struct Form {
    /// Size of a chunk in bytes.
    pub(in crate::hdf5) chunk: usize,
    /// Size of an element in bytes, if elements are shuffled; by Blosc if that compresses them.
    pub(in crate::hdf5) shuffle: Option<u32>,
    pub(in crate::hdf5) compression: Compression,
}

/// Returns a compression without filters. Shuffling is part of a [`Form`], and there are no others in HDF5.
pub(in crate::hdf5) fn unfiltered(compression: Compression) -> Compression {
    match compression {
        Compression::Filtered(filters) => filters.method.into(),
        other => other,
    }
}

impl Form {
    /// Returns the filters: the number, name and parameters of each.
    pub(in crate::hdf5) fn filters(&self) -> Vec<(u16, &'static [u8], Vec<u32>)> {
        let compression = unfiltered(self.compression);
        let mut filters: Vec<(u16, &[u8], Vec<u32>)> = Vec::new();
        if let (Some(width), true) = (self.shuffle, compression != Compression::Blosc) {
            filters.push((SHUFFLE, b"shuffle\0", vec![width]));
        }
        match compression {
            Compression::Gzip(level) => filters.push((DEFLATE, b"deflate\0", vec![level])),
            Compression::Zstd(level) => filters.push((ZSTD, b"zstd\0\0\0\0", vec![level])),
            Compression::Blosc => {
                // Versions of the filter and of the format, the sizes of an element and of a chunk, the level, whether
                // bytes are shuffled, and LZ4.
                let width = self.shuffle.unwrap_or(1);
                let chunk = u32::try_from(self.chunk).unwrap_or(u32::MAX);
                let parameters = vec![2, 2, width, chunk, crate::blosc::LEVEL, 1, 1];
                filters.push((BLOSC, b"blosc\0\0\0", parameters));
            }
            _ => {}
        }
        filters
    }

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
    Blosc,
}

impl Packer {
    pub(in crate::hdf5) fn new(compression: Compression) -> Self {
        let method = match unfiltered(compression) {
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
            Compression::Blosc => Method::Blosc,
            // Others are refused before.
            _ => Method::None,
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
            width if matches!(self.method, Method::Blosc) => {
                let width = width.and_then(Result::ok).unwrap_or(1);
                out.extend(crate::blosc::compress(chunk, width));
                return Ok(());
            }
            None => chunk,
            Some(width) => {
                self.shuffled.resize(chunk.len(), 0);
                shuffle(chunk, width.unwrap_or(1), &mut self.shuffled);
                &self.shuffled
            }
        };
        match &mut self.method {
            Method::None | Method::Blosc => out.extend_from_slice(bytes),
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
