//! Conversions, and what is to be told of them.

use std::io::Write as _;

use nnz::{ConvertOptions, Error, Location, Opened, Place, Silent};

/// Converts a matrix that was opened, and tells on standard error what is to be told of it.
pub(crate) fn convert(
    tool: &str,
    (opened, from): (Opened, &Location),
    to: &Location,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let place = Place::path(from.to_string());
    let summary = nnz::convert_opened(&opened, &place, to, options, &Silent)?;
    let dropped = summary.dropped.iter().map(|what| format!("dropped: {what}"));
    for line in summary.notes.iter().cloned().chain(dropped) {
        let _ = writeln!(std::io::stderr(), "{tool}: {line}");
    }
    Ok(())
}
