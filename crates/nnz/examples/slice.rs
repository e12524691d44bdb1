//! Writes some rows and columns of a matrix, selected by name and by position.
//!
//! ```sh
//! cargo run --example slice -- pbmc.bpcells markers.mtx CD3E,CD8A
//! ```

use nnz::Context;
use nnz::{ConvertOptions, Error, Selection};

/// Writes the named rows and the first hundred columns.
///
/// # Errors
///
/// Fails if the source cannot be read, if a name does not identify one row, or if the target exists or
/// cannot be written.
pub fn run(from: &str, to: &str, names: &str) -> Result<(), Error> {
    let cols = nnz::open(from)?.into_matrix()?.header().shape.cols;
    let rows = Selection::names(names.split(','));
    let cols = Selection::ranges(std::iter::once(0..cols.min(100)));
    nnz::slice(from, to, [&rows, &cols], &ConvertOptions::default(), &Context::default())?;
    Ok(())
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or_else(|| Error::argument("expected SRC DST NAMES"));
    run(&next()?, &next()?, &next()?)
}
