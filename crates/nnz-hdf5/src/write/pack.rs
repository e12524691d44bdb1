//! Shuffling and compressing chunks.

use std::io::Result as IoResult;

use crate::filters::SHUFFLE;
use nnz_chunk::Compression;
use nnz_chunk::codec::{self, Encoder, Hdf5Filter};
use nnz_chunk::shuffle::shuffle;

/// The form of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Size of a chunk in bytes.
    pub(crate) chunk: usize,
    /// Size of an element in bytes, if elements are shuffled; by Blosc if that compresses them.
    pub(crate) shuffle: Option<u32>,
    pub(crate) compression: Compression,
}

/// Returns the filter of a compression, and the level. Shuffling is part of a [`Form`].
pub(crate) fn filter(compression: Compression) -> Option<(&'static Hdf5Filter, u32)> {
    let (codec, level) = codec::of(compression)?;
    Some((codec.hdf5.as_ref()?, level))
}

impl Form {
    /// Returns the filters: the number, name and parameters of each.
    pub(crate) fn filters(&self) -> Vec<(u16, &'static str, Vec<u32>)> {
        let codec = filter(self.compression);
        let mut filters = Vec::new();
        if let Some(width) = self.shuffle
            && !codec.is_some_and(|(codec, _)| codec.shuffles)
        {
            filters.push((SHUFFLE, "shuffle", vec![width]));
        }
        if let Some((codec, level)) = codec {
            let chunk = u32::try_from(self.chunk).unwrap_or(u32::MAX);
            let parameters = (codec.parameters)(level, self.shuffle.unwrap_or(1), chunk);
            filters.push((codec.id, codec.name, parameters));
        }
        filters
    }

    /// Returns whether chunks are stored unchanged.
    pub(crate) fn is_plain(&self) -> bool {
        self.shuffle.is_none() && self.compression == Compression::None
    }
}

/// The compressor of a thread.
pub(crate) struct Packer {
    compression: Compression,
    /// The encoder, and whether it shuffles bytes.
    encoder: Option<(Encoder, bool)>,
    shuffled: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(compression: Compression) -> Self {
        let encoder = filter(compression);
        let encoder = encoder.map(|(codec, level)| ((codec.encoder)(level), codec.shuffles));
        Self { compression, encoder, shuffled: Vec::new() }
    }

    /// Returns the compression it was created for.
    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// Appends the stored form of a chunk.
    pub(crate) fn pack(
        &mut self,
        chunk: &[u8],
        width: Option<u32>,
        out: &mut Vec<u8>,
    ) -> IoResult<()> {
        let element = width.and_then(|width| usize::try_from(width).ok()).unwrap_or(1);
        let shuffles = self.encoder.as_ref().is_some_and(|(_, shuffles)| *shuffles);
        let bytes = match width {
            Some(_) if !shuffles => {
                self.shuffled.resize(chunk.len(), 0);
                shuffle(chunk, element, &mut self.shuffled);
                &self.shuffled
            }
            _ => chunk,
        };
        match &mut self.encoder {
            None => out.extend_from_slice(bytes),
            Some((encode, _)) => encode(bytes, element, out)?,
        }
        Ok(())
    }
}
