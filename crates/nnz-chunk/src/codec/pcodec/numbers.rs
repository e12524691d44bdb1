//! Files of numbers.

use std::io::{Error as IoError, Result as IoResult};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytemuck::{Pod, Zeroable};
use nnz_core::ValueType;
use pco::data_types::Number;
use pco::standalone::{simple_compress, simple_decompress_into};
use pco::{ChunkConfig, PagingSpec};

use crate::codec::{DecodeError, Settings};

/// The number of numbers of a page, as in other programs.
pub(super) const PAGE: usize = 1 << 18;

/// Decompresses numbers into `out` and returns the length in bytes.
pub(super) fn decompress(
    bytes: &[u8],
    value_type: Option<ValueType>,
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    match value_type {
        Some(ValueType::U16) => decompress_to::<u16>(bytes, out),
        Some(ValueType::U32) => decompress_to::<u32>(bytes, out),
        Some(ValueType::U64) => decompress_to::<u64>(bytes, out),
        Some(ValueType::I16) => decompress_to::<i16>(bytes, out),
        Some(ValueType::I32) => decompress_to::<i32>(bytes, out),
        Some(ValueType::I64) => decompress_to::<i64>(bytes, out),
        Some(ValueType::F32) => decompress_to::<f32>(bytes, out),
        Some(ValueType::F64) => decompress_to::<f64>(bytes, out),
        _ => Err(DecodeError::Unsupported("pcodec is not supported for this type".to_owned())),
    }
}

fn decompress_to<T: Number + Pod + Zeroable>(
    bytes: &[u8],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let mut moved = Vec::new();
    let len = out.len() / size_of::<T>();
    let numbers = match bytemuck::try_cast_slice_mut::<u8, T>(out) {
        Ok(numbers) => numbers,
        Err(_) => {
            moved.resize(len, T::zeroed());
            &mut moved[..]
        }
    };
    let decoded = catch_unwind(AssertUnwindSafe(|| simple_decompress_into(bytes, numbers)));
    let progress = match decoded {
        Ok(done) => done.map_err(DecodeError::failed)?,
        Err(_) => return Err(DecodeError::damaged("inconsistent data")),
    };
    if !progress.finished {
        return Err(DecodeError::TooLong);
    }
    if !moved.is_empty() {
        let moved: &[u8] = bytemuck::cast_slice(&moved);
        out[..moved.len()].copy_from_slice(moved);
    }
    Ok(progress.n_processed * size_of::<T>())
}

/// Compresses numbers.
pub(super) fn compress(bytes: &[u8], (level, number): Settings) -> IoResult<Vec<u8>> {
    match number {
        Some(ValueType::U16) => compress_from::<u16>(bytes, level),
        Some(ValueType::U32) => compress_from::<u32>(bytes, level),
        Some(ValueType::U64) => compress_from::<u64>(bytes, level),
        Some(ValueType::I16) => compress_from::<i16>(bytes, level),
        Some(ValueType::I32) => compress_from::<i32>(bytes, level),
        Some(ValueType::I64) => compress_from::<i64>(bytes, level),
        Some(ValueType::F32) => compress_from::<f32>(bytes, level),
        Some(ValueType::F64) => compress_from::<f64>(bytes, level),
        _ => Err(IoError::other("pcodec is not supported for this type")),
    }
}

fn compress_from<T: Number + Pod>(bytes: &[u8], level: u32) -> IoResult<Vec<u8>> {
    let numbers: Vec<T> = bytemuck::pod_collect_to_vec(bytes);
    let level = usize::try_from(level).unwrap_or(usize::MAX);
    let config = ChunkConfig::default()
        .with_compression_level(level)
        .with_paging_spec(PagingSpec::EqualPagesUpTo(PAGE));
    simple_compress(&numbers, &config).map_err(IoError::other)
}
