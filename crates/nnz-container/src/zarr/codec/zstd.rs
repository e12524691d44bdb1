//! Zstandard.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rust_zstd::Decompressor;

use super::Undecoded;

/// Maximum window of a frame: 128 MiB, as in other programs.
const WINDOW_LOG: u32 = 27;

/// Decompresses all frames into `out`, with no more memory than the decoded size.
pub(super) fn decompress(bytes: &[u8], out: &mut [u8]) -> Result<usize, Undecoded> {
    catch_unwind(AssertUnwindSafe(|| {
        let mut zstd = Decompressor::new();
        zstd.set_window_log_max(WINDOW_LOG);
        let (mut read, mut written) = (0, 0);
        loop {
            let before = (read, written);
            let more = zstd.decompress_stream(bytes, &mut read, out, &mut written);
            let more = more.map_err(Undecoded::Damaged)?;
            if more == 0 && read == bytes.len() {
                return Ok(written);
            }
            if more != 0 && written == out.len() && (read, written) == before {
                return Err(Undecoded::TooLong);
            }
            if (read, written) == before {
                return Err(Undecoded::damaged("its compressed data is truncated"));
            }
        }
    }))
    .unwrap_or_else(|_| Err(Undecoded::damaged("its data is inconsistent")))
}

/// Compresses into a frame.
pub(in crate::zarr) fn compress(bytes: &[u8], level: u32) -> Vec<u8> {
    rust_zstd::compress(bytes, i32::try_from(level).unwrap_or(i32::MAX))
}
