//! Zstandard.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rust_zstd::{CompressOptions, Compressor, Decompressor};
use serde_json::json;

use super::{Codec, DecodeError, ZarrCodec, ZarrEncoder};
use super::{Decoder, Encoder, Hdf5Filter};

pub(super) const CODEC: Codec = Codec {
    name: "zstd",
    hdf5: Some(Hdf5Filter {
        id: 32015,
        name: "zstd",
        shuffles: false,
        parameters: |level, _, _| vec![level],
        encoder,
        decoder,
    }),
    zarr: ZarrCodec {
        v3: "zstd",
        numbers: None,
        // A run of any length takes a few bytes per block.
        most_ratio: 1 << 16,
        decompress: |bytes, _, out| decompress(&mut Decompressor::new(), bytes, out),
        written: Some(ZarrEncoder {
            v2: |(level, _)| json!({"level": level}),
            v3: |(level, _)| json!({"level": level, "checksum": false}),
            compress: |bytes, (level, _)| Ok(compressor(level).compress_to_vec(bytes)),
        }),
    },
};

/// Decompresses all frames into `out`, with no more memory than the decoded size. Windows of more than 128 MiB are
/// refused, as in other programs.
///
/// # Errors
///
/// Fails if they are damaged, or longer than `out`.
pub fn decompress(
    zstd: &mut Decompressor,
    bytes: &[u8],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let decode = || {
        zstd.reset();
        let (mut read, mut written) = (0, 0);
        loop {
            let before = (read, written);
            let more = zstd.decompress_stream(bytes, &mut read, out, &mut written);
            let more = more.map_err(DecodeError::Damaged)?;
            if more == 0 && read == bytes.len() {
                return Ok(written);
            }
            if more != 0 && written == out.len() && (read, written) == before {
                return Err(DecodeError::TooLong);
            }
            if (read, written) == before {
                return Err(DecodeError::damaged("truncated compressed data"));
            }
        }
    };
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| {
        *zstd = Decompressor::new();
        Err(DecodeError::damaged("inconsistent data"))
    })
}

fn compressor(level: u32) -> Compressor {
    let level = i32::try_from(level).unwrap_or(i32::MAX);
    Compressor::new(CompressOptions { level, ..Default::default() })
}

fn encoder(level: u32) -> Encoder {
    let mut compressor = compressor(level);
    Box::new(move |bytes, _, out| {
        compressor.compress(bytes, out);
        Ok(())
    })
}

fn decoder() -> Decoder {
    let mut zstd = Decompressor::new();
    Box::new(move |bytes, out| decompress(&mut zstd, bytes, out))
}
