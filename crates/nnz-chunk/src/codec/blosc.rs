//! Blosc version 1. Chunks with LZ4 and shuffled bytes are written. Chunks of version 2 are also read.

mod bitshuffle;
mod blosclz;
mod decode;
mod encode;
mod packed;
mod snappy;

use nnz_core::ValueType;
use serde_json::json;

use super::Hdf5Filter;
use super::{Codec, ZarrCodec, ZarrEncoder};
pub use {
    bitshuffle::unshuffle_bits,
    decode::{Chunk, Scratch},
};

/// The level in metadata, where other programs have the same for these frames.
const LEVEL: u32 = 5;

pub(super) const CODEC: Codec = Codec {
    name: "blosc",
    hdf5: Some(Hdf5Filter {
        id: 32001,
        name: "blosc",
        shuffles: true,
        // Versions of the filter and of the format, the sizes of an element and of a chunk, the level, whether bytes are
        // shuffled, and LZ4.
        parameters: |_, width, chunk| vec![2, 2, width, chunk, LEVEL, 1, 1],
        encoder: |_| {
            Box::new(|bytes, width, out| {
                out.extend(encode::compress(bytes, width));
                Ok(())
            })
        },
        decoder: || Box::new(decode::decompress),
    }),
    zarr: ZarrCodec {
        v3: "blosc",
        numbers: None,
        // A run of any length takes a few bytes per block.
        most_ratio: 1 << 16,
        decompress: |bytes, _, out| decode::decompress(bytes, out),
        written: Some(ZarrEncoder {
            v2: |(_, number)| {
                let shuffle = u8::from(width(number) > 1);
                json!({"cname": "lz4", "clevel": LEVEL, "shuffle": shuffle, "blocksize": 0})
            },
            v3: |(_, number)| {
                let width = width(number);
                let shuffle = if width > 1 { "shuffle" } else { "noshuffle" };
                json!({"typesize": width, "cname": "lz4", "clevel": LEVEL, "shuffle": shuffle, "blocksize": 0})
            },
            compress: |bytes, (_, number)| Ok(encode::compress(bytes, width(number))),
        }),
    },
};

/// Returns the size of an element in bytes; 1 for what is not a number.
fn width(number: Option<ValueType>) -> usize {
    number.map_or(1, ValueType::size)
}
