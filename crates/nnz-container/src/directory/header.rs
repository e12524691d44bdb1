//! The 8-byte header with the type of an array file.

use nnz_core::{Error, Place, Result, ValueType};

/// Length of a header.
pub(super) const LEN: usize = 8;

/// The types of array files and their headers.
const HEADERS: [(ValueType, &[u8; LEN]); 4] = [
    (ValueType::U32, b"UINT32v1"),
    (ValueType::U64, b"UINT64v1"),
    (ValueType::F32, b"FLOATSv1"),
    (ValueType::F64, b"DOUBLEv1"),
];

/// The types of array files.
pub(crate) const TYPES: &[ValueType] =
    &[ValueType::U32, ValueType::U64, ValueType::F32, ValueType::F64];

/// Returns the header of a type, or `None` if array files do not support it.
pub(super) fn of(value_type: ValueType) -> Option<&'static [u8; LEN]> {
    HEADERS.iter().find(|(t, _)| *t == value_type).map(|(_, header)| *header)
}

/// Parses a header. `found` may be shorter than a header.
pub(super) fn parse(found: &[u8], place: &Place) -> Result<ValueType> {
    if let Some((value_type, _)) = HEADERS.iter().find(|(_, header)| header[..] == *found) {
        return Ok(*value_type);
    }
    let found = if found.len() < LEN {
        format!("a file of {} bytes", found.len())
    } else if HEADERS.iter().any(|(_, header)| swapped(header) == *found) {
        format!("the header {} of a big-endian file", quote(found))
    } else {
        format!("the header {}", quote(found))
    };
    let expected = "one of the headers UINT32v1, UINT64v1, FLOATSv1, DOUBLEv1";
    Err(Error::mismatch(place.clone(), found, expected))
}

/// Returns the header of a big-endian machine: `TNIU1v23` for `UINT32v1`.
fn swapped(header: &[u8; LEN]) -> [u8; LEN] {
    let mut bytes = *header;
    bytes[..4].reverse();
    bytes[4..].reverse();
    bytes
}

fn quote(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_parsed() {
        let place = Place::default();
        assert_eq!(parse(b"FLOATSv1", &place).unwrap(), ValueType::F32);
        assert_eq!(of(ValueType::U64), Some(b"UINT64v1"));
        assert_eq!(of(ValueType::I8), None);
        for (found, message) in [
            (&b"TNIU1v23"[..], "found the header \"TNIU1v23\" of a big-endian file"),
            (b"UINT32v2", "found the header \"UINT32v2\""),
            (b"", "found a file of 0 bytes"),
            (b"\x00\x01\x02\x03\x04\x05\x06\xff", r#"found the header "\x00\x01\x02"#),
        ] {
            let text = parse(found, &place).unwrap_err().to_string();
            assert!(text.starts_with(message), "{text}");
        }
    }
}
