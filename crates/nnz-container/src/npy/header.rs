//! The header of an array: magic bytes, version, length, and a dictionary.

use nnz_core::{At, Error, ErrorKind, Place, Result};

use super::dict::{self, Description};
use super::element::Element;
use crate::tree::StoredType;

/// Number of bytes that determine the length of a header.
pub(crate) const PREAMBLE: usize = 12;

/// Maximum length of a header; NumPy's own limit is lower.
pub(crate) const MAX_LEN: usize = 64 << 10;

/// The magic bytes.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// NumPy aligns headers to this size.
const ALIGNMENT: usize = 64;

/// Number of digits that NumPy reserves, so that a length can grow in place.
const DIGITS: usize = 21;

/// Parses the dictionary of a header: returns `descr`, all of it, and its location.
fn parse_dictionary(bytes: &[u8], place: &Place) -> Result<(String, Description, Place)> {
    let before = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    let text = bytes.get(before..).unwrap_or_default();
    let place = place.clone().at(At::Byte(before as u64));
    // Version 3 is UTF-8, the others Latin-1; only ASCII is supported.
    let found = std::str::from_utf8(text).ok().and_then(dict::parse);
    let Some(mut found) = found else {
        let shown = text.trim_ascii_end();
        let shown = shown[..shown.len().min(120)].escape_ascii();
        let expected = "a dict of descr, fortran_order and shape";
        return Err(Error::mismatch(place, format!("the header {shown}"), expected));
    };
    match found.descr.take() {
        Some(descr) => Ok((descr, found, place)),
        None => Err(Error::unsupported(place, "NumPy arrays with fields are not supported")),
    }
}

fn unsupported(descr: &str, place: Place) -> Error {
    let what = match descr {
        "|O" => "NumPy arrays of pickled Python objects are not supported".to_owned(),
        "<f16" | ">f16" | "<c32" | ">c32" => format!(
            "NumPy arrays of long doubles ({descr}) are not supported: their format depends on the machine"
        ),
        _ => format!("NumPy arrays of type {descr:?} are not supported"),
    };
    Error::unsupported(place, what)
}

/// Returns the length of the header that starts with `start`, of at most [`PREAMBLE`] bytes.
pub(crate) fn length(start: &[u8], place: &Place) -> Result<usize> {
    let no_array = || {
        let what = match start {
            [] => "the file is empty".to_owned(),
            _ => "not a NumPy array: the magic bytes are missing".to_owned(),
        };
        Error::new(ErrorKind::Unrecognized(what), place.clone())
    };
    let rest = start.strip_prefix(MAGIC).ok_or_else(no_array)?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(no_array)?;
    let text = match version {
        [1, 0] => rest.first_chunk().map(|length| usize::from(u16::from_le_bytes(*length))),
        [2 | 3, 0] => rest
            .first_chunk()
            .map(|length| usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX)),
        [major, minor] => {
            let found = format!("version {major}.{minor}");
            let place = place.clone().at(At::Byte(6));
            return Err(Error::mismatch(place, found, "version 1.0, 2.0 or 3.0"));
        }
    };
    let text = text.ok_or_else(no_array)?;
    let before = if version[0] == 1 { 10 } else { 12 };
    if text > MAX_LEN - before {
        let place = place.clone().at(At::Byte(8));
        let found = format!("a header of {text} bytes");
        return Err(Error::mismatch(place, found, format!("at most {MAX_LEN}")));
    }
    Ok(before + text)
}

/// Parses a complete header: the type of elements, the shape, and whether the array is in Fortran order.
pub(super) fn parse(bytes: &[u8], place: &Place) -> Result<(StoredType, Vec<u64>, bool)> {
    let (descr, found, place) = parse_dictionary(bytes, place)?;
    let element = match descr.as_str() {
        "<f2" => Some(StoredType::Float16 { big: false }),
        ">f2" => Some(StoredType::Float16 { big: true }),
        _ => Element::parse(&descr).and_then(StoredType::of_numpy),
    };
    let element = element.ok_or_else(|| unsupported(&descr, place))?;
    Ok((element, found.shape, found.fortran))
}

/// Returns the same header as NumPy.
pub(crate) fn write(element: Element, shape: &[u64]) -> Vec<u8> {
    let lengths = match shape {
        [only] => format!("{only},"),
        several => several.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    };
    let descr = element.descr();
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // An array may grow in place along the first dimension.
    if let Some(len) = shape.first() {
        let digits = len.checked_ilog10().map_or(1, |digits| digits + 1);
        let digits = usize::try_from(digits).unwrap_or(DIGITS);
        text.extend(std::iter::repeat_n(' ', DIGITS - digits));
    }
    let bytes = (10 + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', bytes - 10 - text.len() - 1));
    text.push('\n');
    // The dictionary has about 100 bytes, and 20 for each dimension.
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    [&MAGIC[..], &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat()
}
#[cfg(test)]
mod tests {
    use nnz_core::ValueType;

    use super::*;

    #[test]
    fn headers_match_numpy() {
        let element = Element::Number { value_type: ValueType::F64, big: false };
        let bytes = write(element, &[3]);
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
        expected.resize(127, b' ');
        expected.push(b'\n');
        assert_eq!(bytes, expected);
        for len in [0, 9, 10, u64::MAX] {
            let bytes = write(element, &[len]);
            assert_eq!(bytes.len(), 128);
            assert_eq!(length(&bytes[..PREAMBLE], &Place::default()).unwrap(), 128);
            let stored = StoredType::of_numpy(element).unwrap();
            assert_eq!(parse(&bytes, &Place::default()).unwrap(), (stored, vec![len], false));
        }
        let one = write(Element::Unicode { length: 186, big: false }, &[]);
        assert_eq!(one.len(), 128);
        assert!(parse(&one, &Place::default()).unwrap().1.is_empty());
    }

    #[test]
    fn version_2_has_a_longer_length_field() {
        let element = Element::Number { value_type: ValueType::U8, big: false };
        let one = write(element, &[7]);
        for version in [2, 3] {
            let mut bytes = one.clone();
            bytes[6] = version;
            bytes.splice(10..10, [0, 0]);
            assert_eq!(length(&bytes[..PREAMBLE], &Place::default()).unwrap(), 130);
            assert_eq!(parse(&bytes, &Place::default()).unwrap().1, [7]);
        }
        let mut four = one;
        four[6] = 4;
        assert!(length(&four, &Place::default()).is_err());
        assert!(length(b"\x93NUMPY\x02\x00\xff\xff\xff\xff", &Place::default()).is_err());
        assert!(length(b"\x93NUMPY\x01", &Place::default()).is_err());
    }
}
