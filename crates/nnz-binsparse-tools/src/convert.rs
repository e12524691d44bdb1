//! Converting, and printing notes.

use nnz::{Context, ConvertOptions, Error, Location, MatrixSource};

/// Converts an open matrix, and prints notes and what was dropped on standard error.
///
/// # Errors
///
/// Fails as the conversion does.
pub fn convert(
    tool: &str,
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let summary = nnz::convert_source(source, to, options, &Context::default())?;
    let dropped = summary.dropped.iter().map(|what| format!("dropped: {what}"));
    for line in summary.notes.iter().cloned().chain(dropped) {
        nnz_cli::stdio::print_message(&format!("{tool}: {line}"));
    }
    Ok(())
}
