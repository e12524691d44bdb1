//! What is checked of strings before they are written.

use nnz_core::{At, Error, Place, Result};

/// Checks that a string, number `at` of a list, is read back as it is.
pub(super) fn check_text<'a>(string: &'a [u8], at: u64, place: &Place) -> Result<&'a str> {
    let refuse = |expected: &str| {
        let found = format!("the name \"{}\"", string.escape_ascii());
        Error::mismatch(place.clone().at(At::Element(at)), found, expected)
    };
    let text = std::str::from_utf8(string)
        .map_err(|_| refuse("UTF-8, which all text in an HDF5 file is"))?;
    // It would be read up to there.
    if text.contains('\0') {
        return Err(refuse("names without zero bytes, which end text in an HDF5 file"));
    }
    Ok(text)
}

/// Checks that there are not more strings than was said.
pub(super) fn check_room(found: u64, len: u64, place: &Place) -> Result<()> {
    if found > len {
        let found = format!("more than {len} strings");
        return Err(Error::mismatch(place.clone(), found, format!("{len}, as was said before")));
    }
    Ok(())
}

/// Checks that there are as many strings as was said.
pub(super) fn check_count(found: u64, len: u64, place: &Place) -> Result<()> {
    if found != len {
        let found = format!("{found} strings");
        return Err(Error::mismatch(place.clone(), found, format!("{len}, as was said before")));
    }
    Ok(())
}
