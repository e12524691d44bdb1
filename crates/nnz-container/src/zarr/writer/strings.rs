//! Writing a list of strings.

use nnz_core::{At, Error, Place, Result, StringReader};

use super::array::put_chunk;
use super::target::Target;
use super::{ZarrOptions, metadata};

/// Strings of a chunk unless told.
const CHUNK: usize = 16 << 10;

/// Writes an array of strings, a chunk at a time.
pub(super) fn write(
    target: &Target,
    name: &str,
    strings: &mut dyn StringReader,
    options: ZarrOptions,
    place: &Place,
) -> Result<()> {
    let chunk = options.chunk.map_or(CHUNK, |_| options.chunk_elements());
    let (mut bytes, mut number) = (Vec::new(), 0);
    let mut len = 0_u64;
    while let Some(string) = strings.next_string()? {
        append(&mut bytes, check(string, place, len)?, place)?;
        len += 1;
        if len.is_multiple_of(chunk as u64) {
            put_chunk(target, name, number, &counted(&bytes, chunk), options.compress, place)?;
            bytes.clear();
            number += 1;
        }
    }
    // A shorter list than a chunk gets a shorter chunk.
    let chunk = if number == 0 { options.fitting_chunk(len).min(chunk) } else { chunk };
    let last = usize::try_from(len % chunk as u64).unwrap_or(0);
    if !bytes.is_empty() {
        // A chunk is always stored whole.
        let missing = if last == 0 { 0 } else { chunk - last };
        bytes.resize(bytes.len() + 4 * missing, 0);
        put_chunk(target, name, number, &counted(&bytes, chunk), options.compress, place)?;
    }
    let text = metadata::strings(len, chunk, options.compress);
    target.put(&format!("{name}/zarr.json"), text.as_bytes())
}

fn check<'a>(string: &'a [u8], place: &Place, number: u64) -> Result<&'a str> {
    crate::npy::check_text(string, place, number)
}

/// Appends a string behind its length.
fn append(bytes: &mut Vec<u8>, text: &str, place: &Place) -> Result<()> {
    let length = i32::try_from(text.len()).map_err(|_| {
        let found = format!("a string of {} bytes", text.len());
        Error::mismatch(place.clone().at(At::Byte(0)), found, "fewer than 2 GiB")
    })?;
    bytes.extend(length.to_le_bytes());
    bytes.extend(text.as_bytes());
    Ok(())
}

/// Puts the number of strings before them.
fn counted(strings: &[u8], count: usize) -> Vec<u8> {
    let count = u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
    [&count[..], strings].concat()
}
