//! Deflate: gzip and zlib in Zarr, zlib in HDF5.

use std::io::{Error as IoError, Read, Result as IoResult, Write};

use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};
use serde_json::json;

use super::{Codec, DecodeError, Settings, ZarrCodec, ZarrEncoder};
use super::{Decoder, Encoder, Hdf5Filter};

pub(super) const GZIP: Codec = Codec {
    name: "gzip",
    hdf5: Some(Hdf5Filter {
        id: 1,
        name: "deflate",
        shuffles: false,
        parameters: |level, _, _| vec![level],
        encoder,
        decoder,
    }),
    zarr: ZarrCodec {
        v3: "gzip",
        numbers: None,
        most_ratio: 1032,
        decompress: |bytes, _, out| fill(MultiGzDecoder::new(bytes), out),
        written: Some(ZarrEncoder {
            v2: |(level, _)| json!({"level": level}),
            v3: |(level, _)| json!({"level": level}),
            compress,
        }),
    },
};

pub(super) const ZLIB: Codec = Codec {
    name: "zlib",
    hdf5: None,
    zarr: ZarrCodec {
        v3: "numcodecs.zlib",
        numbers: None,
        most_ratio: 1032,
        decompress: |bytes, _, out| unzlib(bytes, out),
        written: None,
    },
};

/// Decompresses a zlib stream into the start of `out`.
///
/// # Errors
///
/// Fails if it is damaged, or longer than `out`.
pub fn unzlib(bytes: &[u8], out: &mut [u8]) -> Result<usize, DecodeError> {
    fill(ZlibDecoder::new(bytes), out)
}

fn fill(mut from: impl Read, out: &mut [u8]) -> Result<usize, DecodeError> {
    let mut read = 0;
    while read < out.len() {
        match from.read(&mut out[read..]).map_err(DecodeError::failed)? {
            0 => return Ok(read),
            more => read += more,
        }
    }
    // Reads to the end, where checksums are verified.
    match from.read(&mut [0]).map_err(DecodeError::failed)? {
        0 => Ok(read),
        _ => Err(DecodeError::TooLong),
    }
}

/// Compresses with gzip.
fn compress(bytes: &[u8], (level, _): Settings) -> IoResult<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn encoder(level: u32) -> Encoder {
    let level = i32::try_from(level).ok().and_then(|level| CompressionLvl::new(level).ok());
    let mut compressor = Compressor::new(level.unwrap_or_default());
    Box::new(move |bytes, _, out| {
        // Incompressible data grows.
        let before = out.len();
        out.resize(before + compressor.zlib_compress_bound(bytes.len()), 0);
        let packed = compressor.zlib_compress(bytes, &mut out[before..]);
        let packed = packed.map_err(|_| IoError::other("a chunk cannot be compressed"))?;
        out.truncate(before + packed);
        Ok(())
    })
}

fn decoder() -> Decoder {
    let mut inflater = Decompressor::new();
    Box::new(move |bytes, out| {
        inflater.zlib_decompress(bytes, out).map_err(|error| {
            DecodeError::damaged(match error {
                DecompressionError::InsufficientSpace => "more decompressed bytes than expected",
                DecompressionError::BadData => "invalid or truncated compressed data",
            })
        })
    })
}
