//! Writes a CSR matrix from `indptr`, `indices` and `data`, as in SciPy.
//!
//! ```sh
//! cargo run --example write -- out.bpcells
//! ```

use nnz::Context;
use nnz::{Axis, ConvertOptions, CsMatrix, Error, Order, Shape, WriteMatrix as _};

/// Writes a matrix of two rows and three columns, in the format of the extension.
///
/// ```text
///     a  b  c
/// x   5  0  6
/// y   0  7  0
/// ```
///
/// # Errors
///
/// Fails if the target exists or cannot be written.
pub fn run(path: &str) -> Result<(), Error> {
    let shape = Shape { rows: 2, cols: 3 };
    let indptr = vec![0, 2, 3];
    let indices = vec![0_u32, 2, 1];
    let data = vec![5_u32, 6, 7];
    CsMatrix::from_parts(shape, Order::Row, indptr, indices, data)?
        .with_names(Axis::Rows, ["x", "y"])?
        .with_names(Axis::Cols, ["a", "b", "c"])?
        .write(path, &ConvertOptions::default(), &Context::default())?;
    Ok(())
}

fn main() -> Result<(), Error> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::argument("expected a path"))?;
    run(&path)
}
