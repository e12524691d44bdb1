//! Decoding of chunks.
//!
//! A filter is a file of this directory and an entry of [`FILTERS`], or a codec that Zarr also has.

mod bits;
mod bitshuffle;
mod blosc2;
mod bzip2;
mod fletcher32;
mod lz4;
mod lzf;
mod nbit;
mod scale_offset;
mod szip;
#[cfg(test)]
mod tests;

use std::mem;

use nnz_chunk::codec::{self, DecodeError, Decoder, same_length};
use nnz_chunk::shuffle::unshuffle;

pub(crate) const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
const SCALE_OFFSET: u16 = 6;
const BLOSC2: u16 = 32026;

/// Decodes bytes with parameters into the start of a buffer, which has the maximum size, and returns the length.
type Decode = fn(&[u8], &[u32], &mut [u8]) -> Result<usize, DecodeError>;

/// The names and decoders of filters other than codecs.
const FILTERS: &[(u16, &str, Option<Decode>)] = &[
    (SHUFFLE, "shuffle", Some(decode_shuffle)),
    (FLETCHER32, "fletcher32", None),
    (4, "szip", Some(szip::decode)),
    (5, "nbit", Some(nbit::decode)),
    (SCALE_OFFSET, "scaleoffset", Some(scale_offset::decode)),
    (305, "lzo", None),
    (307, "bzip2", Some(bzip2::decode)),
    (32000, "lzf", Some(lzf::decode)),
    (32004, "lz4", Some(lz4::decode)),
    (32008, "bitshuffle", Some(bitshuffle::decode)),
    (32013, "zfp", None),
    (32017, "sz", None),
    (BLOSC2, "blosc2", Some(blosc2::decode)),
];

/// The filters of chunks, in the order in which they were applied.
#[derive(Debug)]
pub(crate) struct Pipeline(Vec<Filter>);

/// A filter: its registered number, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) id: u16,
    pub(crate) parameters: Vec<u32>,
}

/// Buffers that are reused for each chunk.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The last decoder of a codec, and the number of its filter.
    decoder: Option<(u16, Decoder)>,
    /// The output of the last filter, and a buffer for the output of the next one.
    decoded: Vec<u8>,
    next: Vec<u8>,
}

impl Pipeline {
    pub(crate) fn new(filters: Vec<Filter>) -> Self {
        Self(filters)
    }

    /// Returns the names of all filters.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|filter| name(filter.id)).collect()
    }

    /// Returns whether chunks are stored unchanged if these filters were skipped.
    pub(crate) fn is_plain(&self, skipped: u32) -> bool {
        self.active(skipped).next().is_none()
    }

    /// Returns the maximum number of bytes that a stored byte is decoded to.
    pub(crate) fn most_ratio(&self) -> u64 {
        let ratio = |filter: &Filter| match filter.id {
            // The maximum of deflate.
            ..=FLETCHER32 => 1032,
            // A chunk of equal values takes a few bytes.
            SCALE_OFFSET | BLOSC2 => 1 << 24,
            // Some other filters store a run of any length in a few bytes per block.
            _ => 1 << 16,
        };
        self.0.iter().map(ratio).max().unwrap_or(1032)
    }

    fn active(&self, skipped: u32) -> impl Iterator<Item = &Filter> {
        let skips = move |at: usize| at < 32 && skipped & (1 << at) != 0;
        self.0.iter().enumerate().filter(move |(at, _)| !skips(*at)).map(|(_, f)| f)
    }

    /// Decodes a chunk into `out`, which must have the exact length.
    ///
    /// Filters are reversed one by one, the last first. Checksums are verified when it is their
    /// turn.
    pub(crate) fn decode(
        &self,
        stored: &[u8],
        skipped: u32,
        out: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<(), DecodeError> {
        let filters: Vec<&Filter> = self.active(skipped).collect();
        let mut filters = &filters[..];
        let Scratch { decoder, decoded, next } = scratch;
        // The remaining input is `stored`, and later the start of `decoded`.
        let (mut bytes, mut length) = (Some(stored), stored.len());
        while let Some((last, before)) = filters.split_last() {
            filters = before;
            let encoded = bytes.unwrap_or(decoded).get(..length).unwrap_or(&[]);
            if last.id == FLETCHER32 {
                length = fletcher32::verify(encoded)?.len();
            } else if before.is_empty() {
                return same_length(last.decode(encoded, out, decoder)?, out.len());
            } else {
                let most = most_encoded(before, out.len());
                if next.len() < most {
                    next.resize(most, 0);
                }
                length = last.decode(encoded, &mut next[..most], decoder)?;
                mem::swap(decoded, next);
                bytes = None;
            }
        }
        same_length(length, out.len())?;
        out.copy_from_slice(bytes.unwrap_or(decoded).get(..length).unwrap_or(&[]));
        Ok(())
    }
}

impl Filter {
    /// Decodes into the start of `out`, which has the maximum size, and returns the length.
    fn decode(
        &self,
        encoded: &[u8],
        out: &mut [u8],
        kept: &mut Option<(u16, Decoder)>,
    ) -> Result<usize, DecodeError> {
        if let Some((.., decode)) = FILTERS.iter().find(|(id, ..)| *id == self.id) {
            let decode = decode.ok_or_else(|| self.unsupported())?;
            return decode(encoded, &self.parameters, out);
        }
        if kept.as_ref().is_none_or(|(of, _)| *of != self.id) {
            let codec = codec::of_hdf5(self.id).ok_or_else(|| self.unsupported())?;
            *kept = Some((self.id, (codec.decoder)()));
        }
        match kept {
            Some((_, decode)) => decode(encoded, out),
            None => Err(self.unsupported()),
        }
    }

    fn unsupported(&self) -> DecodeError {
        let id = self.id;
        let name =
            known(id).map_or_else(|| format!("number {id}"), |name| format!("{name} ({id})"));
        DecodeError::Unsupported(format!("the HDF5 filter {name} is not supported"))
    }
}

/// Reverses the filter shuffle, whose parameter is the size of an element.
fn decode_shuffle(stored: &[u8], parameters: &[u32], out: &mut [u8]) -> Result<usize, DecodeError> {
    let width = parameters.first().copied().unwrap_or(0);
    unshuffle(stored, size(width), out.get_mut(..stored.len()).ok_or(DecodeError::TooLong)?);
    Ok(stored.len())
}

/// Returns the name of a filter, if it is known.
fn known(id: u16) -> Option<&'static str> {
    let codec = codec::of_hdf5(id).map(|codec| codec.name);
    codec.or_else(|| FILTERS.iter().find(|(known, ..)| *known == id).map(|(_, name, _)| *name))
}

/// Returns the name of a filter.
fn name(id: u16) -> String {
    known(id).map_or_else(|| format!("filter {id}"), str::to_owned)
}

/// Converts a number of bytes or elements.
fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn truncated() -> DecodeError {
    DecodeError::damaged("its data is truncated")
}

/// Returns the maximum encoded size of a chunk of `bytes` bytes.
///
/// Compressors add little to incompressible data. The worst is LZ4 with blocks of one byte, which
/// takes five times as much; several such filters are not expected.
fn most_encoded(filters: &[&Filter], bytes: usize) -> usize {
    let added = |filter: &&Filter| match filter.id {
        SHUFFLE => 0,
        FLETCHER32 => fletcher32::BYTES,
        _ => 1 << 12,
    };
    let compressed = filters.iter().any(|filter| !matches!(filter.id, SHUFFLE | FLETCHER32));
    let factor = if compressed { 5 } else { 1 };
    filters.iter().map(added).fold(bytes.saturating_mul(factor), usize::saturating_add)
}
