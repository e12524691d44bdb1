//! Decoding and encoding chunks.

mod bitshuffle;
mod blosc;
mod blosclz;
mod crc32c;
mod delta;
mod inflate;
mod lz4;
#[cfg(feature = "pcodec")]
mod pcodec;
mod zstd;

use std::borrow::Cow;

use nnz_core::ValueType;

use crate::shuffle::unshuffle;

pub(super) use delta::subtract;
pub(super) use inflate::gzip;
pub(super) use zstd::compress as zstd;

/// A codec of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Zlib,
    Zstd,
    Blosc,
    Lz4,
    /// A checksum after the bytes.
    Crc32c,
    /// Shuffled bytes of elements of this width.
    Shuffle(usize),
    /// Numbers of this type in native byte order.
    #[cfg(feature = "pcodec")]
    Pcodec(ValueType),
    /// Differences of adjacent elements of this width and byte order.
    Delta {
        width: usize,
        big: bool,
    },
}

/// Why a chunk could not be decoded.
#[derive(Debug)]
pub(super) enum Undecoded {
    Damaged(String),
    Unsupported(String),
    /// There are more bytes than expected.
    TooLong,
}

impl Undecoded {
    fn damaged(what: impl std::fmt::Display) -> Self {
        Self::Damaged(what.to_string())
    }
}

/// The codecs of chunks, in the order in which they were applied.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline(Vec<Codec>);

impl Pipeline {
    /// Creates a pipeline; `None` if it compresses twice.
    pub(super) fn new(codecs: Vec<Codec>) -> Option<Self> {
        let compressing = codecs.iter().filter(|codec| codec.compresses()).count();
        (compressing <= 1).then_some(Self(codecs))
    }

    /// Returns whether chunks are stored unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the maximum number of bytes that a stored byte is decoded to.
    pub(super) fn most_ratio(&self) -> u64 {
        self.0.iter().map(|codec| codec.most_ratio()).max().unwrap_or(1)
    }

    /// Decodes a chunk into `out`, which must have the exact length.
    pub(super) fn decode(&self, stored: &[u8], out: &mut [u8]) -> Result<(), Undecoded> {
        let mut bytes = Cow::Borrowed(stored);
        for (at, codec) in self.0.iter().enumerate().rev() {
            if at == 0 && codec.compresses() {
                let found = codec.decompress(&bytes, out)?;
                return same_length(found, out.len());
            }
            bytes = match codec.reverse(bytes)? {
                Reversed::Done(bytes) => bytes,
                Reversed::Compressed(bytes) => {
                    let expected = self.encoded_length(at, out.len());
                    let mut decoded = zeroed(expected)?;
                    let found = codec.decompress(&bytes, &mut decoded)?;
                    same_length(found, expected)?;
                    Cow::Owned(decoded)
                }
            };
        }
        same_length(bytes.len(), out.len())?;
        out.copy_from_slice(&bytes);
        Ok(())
    }

    /// Decodes a chunk of unknown length, of at most `most` bytes.
    pub(super) fn decode_unknown(&self, stored: &[u8], most: usize) -> Result<Vec<u8>, Undecoded> {
        let mut bytes = Cow::Borrowed(stored);
        for codec in self.0.iter().rev() {
            bytes = match codec.reverse(bytes)? {
                Reversed::Done(bytes) => bytes,
                Reversed::Compressed(bytes) => Cow::Owned(codec.decompress_unknown(&bytes, most)?),
            };
        }
        Ok(bytes.into_owned())
    }

    /// Returns the length of the input of codec `at`, if no earlier codec compresses.
    fn encoded_length(&self, at: usize, bytes: usize) -> usize {
        let sums = self.0[..at].iter().filter(|codec| **codec == Codec::Crc32c).count();
        bytes + 4 * sums
    }
}

/// The result of reversing a codec.
enum Reversed<'a> {
    Done(Cow<'a, [u8]>),
    /// Its decoded length must be known first.
    Compressed(Cow<'a, [u8]>),
}

impl Codec {
    fn compresses(self) -> bool {
        !matches!(self, Self::Crc32c | Self::Shuffle(_) | Self::Delta { .. })
    }

    fn most_ratio(self) -> u64 {
        match self {
            Self::Gzip | Self::Zlib => 1032,
            Self::Lz4 => 256,
            // They can store a run of any length in a few bytes per block.
            Self::Zstd | Self::Blosc => 1 << 16,
            // 2^24 equal numbers of 8 bytes take about 20 bytes.
            #[cfg(feature = "pcodec")]
            Self::Pcodec(_) => 1 << 23,
            Self::Crc32c | Self::Shuffle(_) | Self::Delta { .. } => 1,
        }
    }

    fn reverse(self, bytes: Cow<'_, [u8]>) -> Result<Reversed<'_>, Undecoded> {
        Ok(Reversed::Done(match self {
            Self::Crc32c => match bytes {
                Cow::Borrowed(bytes) => Cow::Borrowed(crc32c::verify(bytes)?),
                Cow::Owned(bytes) => Cow::Owned(crc32c::verify(&bytes)?.to_vec()),
            },
            Self::Shuffle(width) => {
                let mut out = zeroed(bytes.len())?;
                unshuffle(&bytes, width, &mut out);
                Cow::Owned(out)
            }
            Self::Delta { width, big } => {
                let mut out = bytes.into_owned();
                delta::add_up(&mut out, width, big);
                Cow::Owned(out)
            }
            _ => return Ok(Reversed::Compressed(bytes)),
        }))
    }

    /// Decompresses into `out` and returns the length.
    fn decompress(self, bytes: &[u8], out: &mut [u8]) -> Result<usize, Undecoded> {
        match self {
            Self::Gzip => inflate::ungzip(bytes, out),
            Self::Zlib => inflate::unzlib(bytes, out),
            Self::Zstd => zstd::decompress(bytes, out),
            Self::Lz4 => lz4::decompress(bytes, out),
            Self::Blosc => blosc::decompress(bytes, out),
            #[cfg(feature = "pcodec")]
            Self::Pcodec(value_type) => pcodec::decompress(bytes, value_type, out),
            Self::Crc32c | Self::Shuffle(_) | Self::Delta { .. } => Ok(0),
        }
    }

    /// Decompresses bytes of unknown length, doubling the buffer.
    fn decompress_unknown(self, bytes: &[u8], most: usize) -> Result<Vec<u8>, Undecoded> {
        // Not more than the maximum ratio allows, whatever the data states.
        let ratio = usize::try_from(self.most_ratio()).unwrap_or(usize::MAX);
        let most = most.min(bytes.len().saturating_mul(ratio));
        let mut room = bytes.len().saturating_mul(4).max(64 << 10).min(most);
        loop {
            let mut out = zeroed(room)?;
            match self.decompress(bytes, &mut out) {
                Ok(found) => {
                    out.truncate(found);
                    return Ok(out);
                }
                Err(Undecoded::TooLong) if room < most => room = room.saturating_mul(2).min(most),
                Err(error) => return Err(error),
            }
        }
    }
}

/// The number of numbers of a page of pcodec, as in other programs.
pub(super) const PCODEC_PAGE: usize = 1 << 18;

/// Returns whether pcodec compresses numbers of a type.
pub(super) fn has_pcodec(value_type: ValueType) -> bool {
    use ValueType::{F32, F64, I16, I32, I64, U16, U32, U64};
    matches!(value_type, U16 | U32 | U64 | I16 | I32 | I64 | F32 | F64) && cfg!(feature = "pcodec")
}

/// Returns the codec for numbers of a type and byte order that pcodec has compressed, if it is supported.
pub(super) fn pcodec_of(value_type: ValueType, big: bool) -> Option<Codec> {
    let supported = has_pcodec(value_type) && big == cfg!(target_endian = "big");
    #[cfg(feature = "pcodec")]
    return supported.then_some(Codec::Pcodec(value_type));
    #[cfg(not(feature = "pcodec"))]
    return None.filter(|_: &Codec| supported);
}

/// Compresses numbers with pcodec.
pub(super) fn pcodec(bytes: &[u8], value_type: ValueType, level: u32) -> std::io::Result<Vec<u8>> {
    #[cfg(feature = "pcodec")]
    return pcodec::compress(bytes, value_type, level);
    #[cfg(not(feature = "pcodec"))]
    {
        let _ = (bytes, value_type, level);
        Err(std::io::Error::other("this build has no pcodec"))
    }
}

/// Allocates zeros, which are committed only when they are written.
pub(super) fn zeroed(bytes: usize) -> Result<Vec<u8>, Undecoded> {
    bytemuck::allocation::try_zeroed_vec(bytes)
        .map_err(|()| Undecoded::Damaged(format!("there is no memory for its {bytes} bytes")))
}

fn same_length(found: usize, expected: usize) -> Result<(), Undecoded> {
    if found == expected {
        return Ok(());
    }
    Err(Undecoded::Damaged(format!("it has {found} bytes")))
}
