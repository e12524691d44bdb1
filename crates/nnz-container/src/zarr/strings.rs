//! Chunks of strings of variable length.

use nnz_core::{Error, Result};

use super::chunks::{StoredArray, decode_error};
use super::metadata::DataType;

/// Maximum size of a chunk of strings.
const MAX_LEN: u64 = 256 << 20;

/// Number of chunks that are announced at a time.
pub(super) const ANNOUNCED: u64 = 8;

/// Reads a chunk with the expected number of strings; `None` if it is not stored.
pub(super) fn read(stored: &StoredArray, number: u64) -> Result<Option<Vec<u8>>> {
    let metadata = &stored.metadata;
    let place = || stored.place_of(number);
    let Some(located) = stored.find(number)? else { return Ok(None) };
    let least = metadata.chunk.saturating_mul(metadata.min_bytes());
    if located.bytes > MAX_LEN || least > MAX_LEN {
        let found = format!("a chunk of {} bytes for {least} or more", located.bytes);
        return Err(Error::mismatch(place(), found, "at most 256 MiB"));
    }
    let bytes = stored.bytes(&located)?;
    let texts = metadata.data_type == DataType::Texts;
    let most = if texts { MAX_LEN } else { least };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let decoded = metadata.pipeline.decode_unknown(&bytes, most);
    let chunk = decoded.map_err(|why| decode_error(why, place(), "a chunk", most))?;
    let found = chunk.len() as u64;
    let count = chunk.first_chunk().map(|count| u32::from_le_bytes(*count));
    let whole = match texts {
        true => count.map(u64::from) == Some(metadata.chunk),
        false => found == least,
    };
    if whole {
        return Ok(Some(chunk));
    }
    let found = format!("a chunk of {found} bytes with a wrong number of strings");
    Err(Error::mismatch(place(), found, format!("{} strings", metadata.chunk)))
}
