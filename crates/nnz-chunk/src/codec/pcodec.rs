//! Pcodec: standalone files of numbers, as written by numcodecs.

#[cfg(feature = "pcodec")]
mod numbers;

use nnz_core::ValueType;

#[cfg(feature = "pcodec")]
use super::ZarrEncoder;
use super::{Codec, ZarrCodec};

pub(super) const CODEC: Codec = Codec {
    name: "pcodec",
    hdf5: None,
    zarr: ZarrCodec {
        v3: "numcodecs.pcodec",
        numbers: Some(supports),
        // 2^24 equal numbers of 8 bytes take about 20 bytes.
        most_ratio: 1 << 23,
        #[cfg(feature = "pcodec")]
        decompress: numbers::decompress,
        #[cfg(feature = "pcodec")]
        written: Some(ZarrEncoder {
            v2: |(level, _)| {
                serde_json::json!({
                    "level": level,
                    "mode_spec": "auto",
                    "delta_spec": "auto",
                    "paging_spec": "equal_pages_up_to",
                    "delta_encoding_order": null,
                    "equal_pages_up_to": numbers::PAGE,
                })
            },
            v3: |(level, _)| serde_json::json!({"level": level}),
            compress: numbers::compress,
        }),
        // Not called, as no type is supported.
        #[cfg(not(feature = "pcodec"))]
        decompress: |_, _, _| Ok(0),
        #[cfg(not(feature = "pcodec"))]
        written: None,
    },
};

/// Returns whether numbers of a type are compressed.
fn supports(value_type: ValueType) -> bool {
    use ValueType::{F32, F64, I16, I32, I64, U16, U32, U64};
    matches!(value_type, U16 | U32 | U64 | I16 | I32 | I64 | F32 | F64) && cfg!(feature = "pcodec")
}
