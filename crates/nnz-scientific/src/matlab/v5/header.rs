//! "MAT-File Header": text, version, and byte order.

use nnz_core::{At, Error, ErrorKind, Result};
use nnz_storage::InputFile;

use crate::matlab::OCTAVE;

/// Its size: 116 bytes of text, 8 of the offset of the subsystem data, 2 of the version, 2 of the byte
/// order.
pub(super) const LEN: u64 = 128;

/// Returns whether a file starts like a MAT-file of version 5. `start` has its first 128 bytes.
#[must_use]
pub fn is_v5(start: &[u8]) -> bool {
    byte_order(start).is_some_and(|(_, version)| version == 0x0100)
        && start.first().is_some_and(|byte| *byte != 0)
}

/// Returns whether numbers are big-endian, and the version.
fn byte_order(start: &[u8]) -> Option<(bool, u16)> {
    let version = [*start.get(124)?, *start.get(125)?];
    match start.get(126..128)? {
        b"IM" => Some((false, u16::from_le_bytes(version))),
        b"MI" => Some((true, u16::from_be_bytes(version))),
        _ => None,
    }
}

/// Reads the header; returns whether numbers are big-endian.
pub(super) fn read(file: &InputFile) -> Result<bool> {
    let start = file.start(512)?;
    match byte_order(&start) {
        Some((big, 0x0100)) => Ok(big),
        Some((_, version)) => {
            let place = file.place().at(At::Byte(124));
            Err(Error::mismatch(place, format!("version {version:#06x}"), "0x0100 (version 5)"))
        }
        None if is_octave(&start) => Err(Error::unsupported(file.place(), OCTAVE)),
        None => {
            let what = "not a MAT-file: no byte order at byte 126, as in version 5, and no header of version 4 with numbers in \
                        IEEE format"
                .to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), file.place()))
        }
    }
}

/// Returns whether a file starts like one in Octave's own text or binary format.
fn is_octave(start: &[u8]) -> bool {
    let starts: [&[u8]; 3] = [b"# Created by Octave", b"Octave-1-L", b"Octave-1-B"];
    starts.iter().any(|own| start.starts_with(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_order_is_that_of_the_last_bytes() {
        let mut start = vec![b' '; 128];
        start[124..].copy_from_slice(b"\x00\x01IM"); // version 0x0100
        assert!(is_v5(&start));
        start[124..].copy_from_slice(b"\x01\x00MI");
        assert!(is_v5(&start));
        start[124..].copy_from_slice(b"\x00\x02IM"); // version 7.3
        assert!(!is_v5(&start));
        assert!(!is_v5(&start[..127]));
    }
}
