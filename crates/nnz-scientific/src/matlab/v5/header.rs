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
        None if is_v4(&start) => {
            let what = "a MAT-file of version 4, which is not supported; MATLAB writes version 5 with \
                        save -v7, SciPy with savemat(..., format=\"5\")";
            Err(Error::unsupported(file.place(), what))
        }
        None if is_octave(&start) => Err(Error::unsupported(file.place(), OCTAVE)),
        None => {
            let what = "not a MAT-file: no byte order at byte 126".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), file.place()))
        }
    }
}

/// Returns whether a file starts like one in Octave's own text or binary format.
fn is_octave(start: &[u8]) -> bool {
    let starts: [&[u8]; 3] = [b"# Created by Octave", b"Octave-1-L", b"Octave-1-B"];
    starts.iter().any(|own| start.starts_with(own))
}

/// Returns whether a file starts like one of version 4: type, rows, columns, whether it is complex, and the length
/// of the name, in either byte order.
fn is_v4(start: &[u8]) -> bool {
    let Some(first) = start.get(..20) else { return false };
    let field = |at: usize, big: bool| {
        let bytes: [u8; 4] = first.get(at..at + 4)?.try_into().ok()?;
        Some(if big { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
    };
    [false, true].into_iter().any(|big| {
        let fields = [0, 4, 8, 12, 16].map(|at| field(at, big).unwrap_or(-1));
        let [kind, rows, cols, complex, name] = fields;
        (0..5000).contains(&kind)
            && rows >= 0
            && cols >= 0
            && (0..2).contains(&complex)
            && (1..256).contains(&name)
    })
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

    #[test]
    fn version_4_is_told_by_its_fields() {
        // Type 0 (double), 2 x 3, real, the name "A".
        let fields = [0_i32, 2, 3, 0, 2];
        let little: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        assert!(is_v4(&little));
        let big: Vec<u8> = [1000_i32, 2, 3, 0, 2].iter().flat_map(|f| f.to_be_bytes()).collect();
        assert!(is_v4(&big));
        assert!(!is_v4(&little[..19]) && !is_v4(b"%%MatrixMarket matrix coordinate"));
    }
}
