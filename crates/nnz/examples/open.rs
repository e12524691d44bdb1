//! Opens a matrix of any format and prints its header and first entries.
//!
//! ```sh
//! cargo run --example open -- pbmc.bpcells
//! ```

use std::io::Write;

use nnz::{Axis, Error};

/// Prints the shape, the type, the first names and the first ten entries.
///
/// # Errors
///
/// Fails if the matrix cannot be read, or `out` cannot be written.
pub fn run(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let matrix = nnz::open(path)?.into_matrix()?;
    let header = matrix.header();
    writeln!(out, "{} ({})", header.shape, matrix.about()?.format)?;
    writeln!(out, "{} values", header.value_type)?;
    for axis in [Axis::Rows, Axis::Cols] {
        if let Some(first) = matrix.names(axis)?.as_ref().and_then(|names| names.get(0)) {
            writeln!(out, "first of the {axis}: {}", String::from_utf8_lossy(first))?;
        }
    }
    for entry in matrix.entries()?.take(10) {
        let (row, col, value) = entry?;
        writeln!(out, "{row}\t{col}\t{value}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::argument("expected a path"))?;
    run(&path, &mut std::io::stdout())
}
