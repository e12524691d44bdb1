//! Conversions, and what is to be told of them.

use nnz::{ConvertOptions, Error, Location, MatrixSource, NoProgress};

/// Converts a matrix that was opened, and tells on standard error what is to be told of it.
pub fn convert(
    tool: &str,
    (source, from): (&dyn MatrixSource, &Location),
    to: &Location,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let place = from.source_place();
    let summary = nnz::convert_source(source, &place, to, options, &NoProgress)?;
    let dropped = summary.dropped.iter().map(|what| format!("dropped: {what}"));
    for line in summary.notes.iter().cloned().chain(dropped) {
        nnz_cli::stdio::print_message(&format!("{tool}: {line}"));
    }
    Ok(())
}
