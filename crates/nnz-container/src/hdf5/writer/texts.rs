//! Checks of strings before they are written.

use nnz_core::{At, Error, Place, Result};

/// Checks that a string, with index `at` in a list, can be read back unchanged.
pub(super) fn check_text<'a>(string: &'a [u8], at: u64, place: &Place) -> Result<&'a str> {
    let refuse = |expected: &str| {
        let found = format!("the name \"{}\"", string.escape_ascii());
        Error::mismatch(place.clone().at(At::Element(at)), found, expected)
    };
    let text =
        std::str::from_utf8(string).map_err(|_| refuse("UTF-8, as for all text in HDF5 files"))?;
    // It would be read only up to the zero byte.
    if text.contains('\0') {
        return Err(refuse("names without zero bytes, which terminate text in HDF5 files"));
    }
    Ok(text)
}

/// Checks that there are not more strings than stated.
pub(super) fn check_room(found: u64, len: u64, place: &Place) -> Result<()> {
    if found > len {
        let found = format!("more than {len} strings");
        return Err(Error::mismatch(place.clone(), found, format!("the stated {len}")));
    }
    Ok(())
}

/// Checks that there are as many strings as stated.
pub(super) fn check_count(found: u64, len: u64, place: &Place) -> Result<()> {
    if found != len {
        let found = format!("{found} strings");
        return Err(Error::mismatch(place.clone(), found, format!("the stated {len}")));
    }
    Ok(())
}
