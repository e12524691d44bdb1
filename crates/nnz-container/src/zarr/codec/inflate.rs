//! gzip and zlib.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use flate2::write::GzEncoder;

use super::Undecoded;

pub(super) fn ungzip(bytes: &[u8], out: &mut [u8]) -> Result<usize, Undecoded> {
    fill(MultiGzDecoder::new(bytes), out)
}

pub(super) fn unzlib(bytes: &[u8], out: &mut [u8]) -> Result<usize, Undecoded> {
    fill(ZlibDecoder::new(bytes), out)
}

fn fill(mut from: impl Read, out: &mut [u8]) -> Result<usize, Undecoded> {
    let mut read = 0;
    while read < out.len() {
        match from.read(&mut out[read..]).map_err(Undecoded::damaged)? {
            0 => return Ok(read),
            more => read += more,
        }
    }
    // Reads to the end, where checksums are verified.
    match from.read(&mut [0]).map_err(Undecoded::damaged)? {
        0 => Ok(read),
        _ => Err(Undecoded::TooLong),
    }
}

/// Compresses with gzip.
pub(in crate::zarr) fn gzip(bytes: &[u8], level: u32) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes)?;
    encoder.finish()
}
