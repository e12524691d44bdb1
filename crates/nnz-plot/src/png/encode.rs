//! The bytes of a PNG file: a header, one compressed image, an end ("PNG Specification", third edition).

use std::io::Write as _;

use flate2::{Compression, Crc, write::ZlibEncoder};

use super::raster::Raster;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Encodes pixels of three bytes, without filters: figures have large areas of one colour.
pub(super) fn encode(raster: &Raster) -> Vec<u8> {
    let mut header = Vec::with_capacity(13);
    header.extend(raster.width().to_be_bytes());
    header.extend(raster.height().to_be_bytes());
    // 8 bits per channel, true colour, deflate, adaptive filters, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut image = ZlibEncoder::new(Vec::new(), Compression::new(6));
    for row in raster.rows() {
        // Writing to a vector does not fail.
        let _ = image.write_all(&[0]).and_then(|()| image.write_all(row));
    }
    let image = image.finish().unwrap_or_default();
    let mut file = SIGNATURE.to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &image);
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    // A picture has less than 2^31 bytes.
    file.extend(u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes());
    let mut sum = Crc::new();
    sum.update(&name);
    sum.update(content);
    file.extend(name);
    file.extend(content);
    file.extend(sum.sum().to_be_bytes());
}
