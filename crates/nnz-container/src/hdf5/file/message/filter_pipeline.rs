//! The filter pipeline message (section IV.A.2.l), version 1.

use super::super::bytes::PutFields as _;
use super::super::pack::Form;
use super::Message;
use crate::compress::Compression;
use crate::hdf5::filters::{DEFLATE, SHUFFLE, ZSTD};

/// Optional filters may be skipped for a chunk.
const OPTIONAL: u16 = 1;

/// Encodes the filters of a form; `None` if there are none.
pub(in super::super) fn message(form: &Form) -> Option<Message> {
    let mut filters = Vec::new();
    let mut count = 0;
    let mut put = |id: u16, name: &[u8], value: u32| {
        count += 1;
        filters.put_u16(id);
        // Lengths of the names below are multiples of 8.
        filters.put_u16(u16::try_from(name.len()).unwrap_or(0));
        filters.put_u16(OPTIONAL);
        filters.put_u16(1); // values
        filters.extend_from_slice(name);
        filters.put_u32(value);
        filters.put_u32(0); // padding of an odd number of values
    };
    if let Some(width) = form.shuffle {
        put(SHUFFLE, b"shuffle\0", width);
    }
    match form.compression {
        Compression::None => {}
        Compression::Gzip(level) => put(DEFLATE, b"deflate\0", level),
        Compression::Zstd(level) => put(ZSTD, b"zstd\0\0\0\0", level),
    }
    let mut body = vec![1, count, 0, 0, 0, 0, 0, 0];
    body.append(&mut filters);
    (count > 0).then(|| Message::constant(0x000b, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffle_and_deflate_match_h5py() {
        let form = Form { chunk: 16, shuffle: Some(4), compression: Compression::Gzip(4) };
        let expected = [
            &[1, 2, 0, 0, 0, 0, 0, 0][..], // version, filters
            &[2, 0, 8, 0, 1, 0, 1, 0],     // shuffle: 8 bytes of name, optional, one value
            b"shuffle\0",
            &[4, 0, 0, 0, 0, 0, 0, 0], // bytes of an element
            &[1, 0, 8, 0, 1, 0, 1, 0], // deflate
            b"deflate\0",
            &[4, 0, 0, 0, 0, 0, 0, 0], // level
        ];
        assert_eq!(message(&form).unwrap().body, expected.concat());
        let form = Form { chunk: 16, shuffle: None, compression: Compression::None };
        assert_eq!(message(&form), None);
    }
}
