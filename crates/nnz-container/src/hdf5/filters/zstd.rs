//! Zstandard decompression.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rust_zstd::Decompressor;

use super::{Undecoded, same_length};

/// Decompresses all frames into `out`. The decompressor is reused for the next chunk.
pub(super) fn decompress(
    kept: &mut Option<Decompressor>,
    from: &[u8],
    out: &mut [u8],
) -> Result<(), Undecoded> {
    let zstd = kept.get_or_insert_with(Decompressor::new);
    let decode = || {
        zstd.reset();
        let (mut read, mut written) = (0, 0);
        loop {
            let before = (read, written);
            let more = zstd.decompress_stream(from, &mut read, out, &mut written)?;
            let stuck = before == (read, written);
            match (more, read == from.len()) {
                (0, true) => return Ok(written),
                _ if !stuck => {}
                _ if written == out.len() => return Err("it decompresses to more".to_owned()),
                _ => return Err("its compressed data is truncated".to_owned()),
            }
        }
    };
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(written)) => same_length(written, out.len()),
        Ok(Err(error)) => Err(Undecoded::Damaged(error)),
        Err(_) => {
            *kept = None;
            Err(Undecoded::Damaged("its data is inconsistent".to_owned()))
        }
    }
}
