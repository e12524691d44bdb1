//! Strings, which are stored with the length of the longest.

use std::io::{self, Write};
use std::path::Path;

use nnz_core::{At, Error, ErrorKind, Place, Result, StringReader};

use super::element::Element;
use super::header;
use nnz_storage::Texts;

/// Appends 32-bit code points as UTF-8, without the zeros at the end.
pub(crate) fn decode(element: &[u8], big: bool, text: &mut Vec<u8>) -> Result<(), u32> {
    let codes = element.as_chunks().0;
    let read = |bytes: &[u8; 4]| match big {
        true => u32::from_be_bytes(*bytes),
        false => u32::from_le_bytes(*bytes),
    };
    let end = codes.iter().rposition(|code| read(code) != 0).map_or(0, |last| last + 1);
    for code in codes[..end].iter().map(read) {
        let letter = char::from_u32(code).ok_or(code)?;
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

/// Checks that a string can be read back unchanged: zeros at its end are padding.
pub(crate) fn check_text<'a>(string: &'a [u8], place: &Place, number: u64) -> Result<&'a str> {
    let text = std::str::from_utf8(string).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| {
        let shown = string[..string.len().min(80)].escape_ascii();
        let place = place.clone().at(At::Element(number));
        Error::mismatch(place, format!("the string \"{shown}\""), "UTF-8 without zero bytes")
    })
}

/// Buffers strings, and returns the number of code points of the longest.
pub(crate) fn spool_strings(
    strings: &mut dyn StringReader,
    directory: &Path,
    place: &Place,
    texts: &mut Texts,
) -> Result<u64> {
    let mut longest = 0;
    while let Some(string) = strings.next_string()? {
        let text = check_text(string, place, texts.len())?;
        longest = longest.max(text.chars().count() as u64);
        texts
            .append(text, directory)
            .map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))?;
    }
    Ok(longest)
}

/// Writes an array of strings, of which the longest has `longest` code points.
pub(crate) fn write_strings(
    (texts, longest): (Texts, u64),
    shape: &[u64],
    out: &mut dyn Write,
) -> io::Result<()> {
    let element = unicode(longest);
    out.write_all(&header::write(element, shape))?;
    let size = usize::try_from(element.size().unwrap_or(u64::MAX)).map_err(io::Error::other)?;
    texts.drain(|text| {
        let text = std::str::from_utf8(text).map_err(io::Error::other)?;
        let mut codes = 0;
        for letter in text.chars() {
            out.write_all(&u32::from(letter).to_le_bytes())?;
            codes += 4;
        }
        let mut rest = size.saturating_sub(codes);
        while rest > 0 {
            let now = rest.min(ZEROS.len());
            out.write_all(&ZEROS[..now])?;
            rest -= now;
        }
        Ok(())
    })
}

const ZEROS: [u8; 256] = [0; 256];

/// Returns the type of strings of which the longest has `longest` code points.
pub(crate) fn unicode(longest: u64) -> Element {
    // NumPy has no strings of length 0.
    Element::Unicode { length: longest.max(1), big: false }
}
