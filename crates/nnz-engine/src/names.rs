//! Names as text.

use std::io::Write;

use nnz_core::{At, Error, ErrorKind, Place, Result, StringReader};

use crate::fragments::shown;

/// Prints names, one per line.
///
/// # Errors
///
/// Fails if they cannot be read or written, and if one has a tab or a line break, which would make
/// it ambiguous. Names before the error are printed.
pub fn print_names(names: &mut dyn StringReader, out: &mut dyn Write) -> Result<()> {
    let failed = |error| Error::new(ErrorKind::Io(error), Place::path("standard output"));
    let mut number = 0;
    while let Some(name) = names.next_string()? {
        check_one_line(name, number)?;
        out.write_all(name).and_then(|()| out.write_all(b"\n")).map_err(failed)?;
        number += 1;
    }
    Ok(())
}

/// Checks that the name at a position has no tab and no line break.
///
/// # Errors
///
/// Fails if it has one.
pub fn check_one_line(name: &[u8], number: u64) -> Result<()> {
    if !name.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        return Ok(());
    }
    let place = Place::default().at(At::Element(number));
    let expected = "a name without tabs and line breaks";
    Err(Error::mismatch(place, format!("name {}", shown(name)), expected))
}
