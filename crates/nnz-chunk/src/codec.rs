//! The compressions of chunks in HDF5 and Zarr.
//!
//! A codec is a file of this directory and an entry of `CODECS`. One that is written is also a variant of [`Compression`].

pub mod blosc;
pub mod deflate;
pub mod lz4;
mod pcodec;
pub mod zstd;

use std::error::Error;
use std::fmt::Display;
use std::io::Result as IoResult;

use nnz_core::{Place, ValueType};
use serde_json::Value;

use crate::compress::Compression;

/// All codecs.
static CODECS: &[Codec] =
    &[deflate::GZIP, deflate::ZLIB, zstd::CODEC, blosc::CODEC, lz4::CODEC, pcodec::CODEC];

/// A compression of chunks.
#[derive(Debug)]
pub struct Codec {
    /// The name of the [`Compression`], if it is written, and of the codec in version 2 of Zarr.
    pub name: &'static str,
    /// The filter of HDF5 that is written.
    pub hdf5: Option<Hdf5Filter>,
    /// The codec of Zarr.
    pub zarr: ZarrCodec,
}

/// A codec as a filter of HDF5.
#[derive(Debug)]
pub struct Hdf5Filter {
    /// The registered number.
    pub id: u16,
    /// The registered name.
    pub name: &'static str,
    /// Whether it shuffles bytes itself.
    pub shuffles: bool,
    /// Returns the parameters of a level, a size of elements and a size of chunks, in bytes.
    pub parameters: fn(u32, u32, u32) -> Vec<u32>,
    /// Creates the encoder for a level.
    pub encoder: fn(u32) -> Encoder,
    /// Creates a decoder.
    pub decoder: fn() -> Decoder,
}

/// Appends the compressed form of a chunk. The number is the size of an element in bytes.
pub type Encoder = Box<dyn FnMut(&[u8], usize, &mut Vec<u8>) -> IoResult<()> + Send>;

/// Decompresses a chunk into a buffer that it should fill, and returns the length.
pub type Decoder = Box<dyn FnMut(&[u8], &mut [u8]) -> Result<usize, DecodeError> + Send>;

/// A codec of Zarr.
#[derive(Debug)]
pub struct ZarrCodec {
    /// The name in version 3. Codecs of numcodecs have the names that zarr-python uses.
    pub v3: &'static str,
    /// If it compresses numbers in native byte order instead of bytes: whether it supports a type.
    pub numbers: Option<fn(ValueType) -> bool>,
    /// The maximum number of bytes that a stored byte is decoded to.
    pub most_ratio: u64,
    /// Decompresses a chunk.
    pub decompress: Decompress,
    /// `None` if it is only read.
    pub written: Option<ZarrEncoder>,
}

/// Decompresses bytes, or numbers of a type, into the start of a buffer, and returns the length.
pub type Decompress = fn(&[u8], Option<ValueType>, &mut [u8]) -> Result<usize, DecodeError>;

/// How chunks are compressed in Zarr.
#[derive(Debug)]
pub struct ZarrEncoder {
    /// Returns the configuration in version 2 of the format.
    pub v2: fn(Settings) -> Value,
    /// Returns the configuration in version 3 of the format.
    pub v3: fn(Settings) -> Value,
    /// Compresses a chunk.
    pub compress: fn(&[u8], Settings) -> IoResult<Vec<u8>>,
}

/// The level, and the type of elements if they are numbers.
pub type Settings = (u32, Option<ValueType>);

/// The error of a chunk that could not be decoded.
#[derive(Debug)]
pub enum DecodeError {
    /// The stored bytes are damaged.
    Damaged(String),
    /// The decoder failed.
    Failed(Box<dyn Error + Send + Sync>),
    /// They are in a form that is not supported.
    Unsupported(String),
    /// There are more bytes than expected.
    TooLong,
}

impl DecodeError {
    /// Creates the error of damaged bytes.
    #[must_use]
    pub fn damaged(what: &str) -> Self {
        Self::Damaged(what.to_owned())
    }

    /// Creates the error of a decoder that failed.
    #[must_use]
    pub fn failed(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Failed(error.into())
    }

    /// Converts it to an error at a location. `found` describes a damaged chunk.
    pub fn error(
        self,
        place: Place,
        found: impl FnOnce(&str) -> String,
        expected: impl Display,
    ) -> nnz_core::Error {
        let damaged = |what: &str| nnz_core::Error::mismatch(place.clone(), found(what), expected);
        match self {
            Self::Unsupported(what) => nnz_core::Error::unsupported(place, what),
            Self::Damaged(what) => damaged(&what),
            Self::TooLong => damaged("more decompressed bytes than expected"),
            Self::Failed(error) => damaged(&error.to_string()).with_source(error),
        }
    }
}

/// Returns the codec of a compression without its filters, and the level; `None` for no compression.
pub fn of(compression: Compression) -> Option<(&'static Codec, u32)> {
    let (name, level) = compression.codec()?;
    Some((named(name)?, level.unwrap_or(0)))
}

/// Returns the codec with a filter number in HDF5.
pub fn of_hdf5(id: u16) -> Option<&'static Hdf5Filter> {
    CODECS.iter().filter_map(|codec| codec.hdf5.as_ref()).find(|filter| filter.id == id)
}

/// Returns the codec with a name in version 2 of Zarr.
pub fn named(name: &str) -> Option<&'static Codec> {
    CODECS.iter().find(|codec| codec.name == name)
}

/// Returns the codec with a name in version 3 of Zarr. Codecs of bytes have their name also with and without the prefix
/// of numcodecs.
pub fn of_zarr_v3(name: &str) -> Option<&'static Codec> {
    let short = name.strip_prefix("numcodecs.").unwrap_or(name);
    CODECS.iter().find(|codec| match codec.zarr.numbers {
        Some(_) => codec.zarr.v3 == name,
        None => codec.name == short,
    })
}

impl Codec {
    /// Returns whether it compresses bytes, or numbers of this type in a byte order.
    pub fn supports(&self, number: Option<ValueType>, big: bool) -> bool {
        let Some(supports) = self.zarr.numbers else { return true };
        number.is_some_and(supports) && big == cfg!(target_endian = "big")
    }
}

/// Allocates zeros, which are committed only when they are written.
///
/// # Errors
///
/// Fails if there is no memory for them.
pub fn zeroed(bytes: usize) -> Result<Vec<u8>, DecodeError> {
    bytemuck::allocation::try_zeroed_vec(bytes)
        .map_err(|()| DecodeError::Damaged(format!("{bytes} bytes do not fit in memory")))
}

/// Checks the length of what was decoded.
///
/// # Errors
///
/// Fails if it is not the expected one.
pub fn same_length(found: usize, expected: usize) -> Result<(), DecodeError> {
    if found == expected {
        return Ok(());
    }
    Err(DecodeError::Damaged(format!("{found} bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress;

    #[test]
    fn errors_of_decoders_are_kept_as_causes() {
        let failed = DecodeError::failed(std::io::Error::other("corrupt deflate stream"));
        let found = |what: &str| format!("a damaged chunk: {what}");
        let error = failed.error(Place::default(), found, "4 bytes");
        let message = "found a damaged chunk: corrupt deflate stream, expected 4 bytes";
        assert_eq!(error.to_string(), message);
        assert!(error.source().is_some_and(|cause| cause.is::<std::io::Error>()));
    }

    #[test]
    #[cfg(feature = "pcodec")]
    fn every_compression_has_a_codec_that_is_written() {
        for compression in compress::ALL.iter().map(|named| (named.make)(1)) {
            let codec = of(compression).map(|(codec, _)| codec.zarr.written.is_some());
            assert_eq!(codec, Some(true), "{compression}");
        }
        assert!(of(Compression::None).is_none());
    }
}
