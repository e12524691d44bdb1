//! Reads a matrix column by column, in bounded memory.
//!
//! ```sh
//! cargo run --example columns -- pbmc.bpcells
//! ```

use std::io::Write;

use nnz::{Batch, Error, Order, Projection, Values};

/// Prints the number of entries of each column that has any.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is stored row by row, or `out` cannot be written.
pub fn run(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn std::error::Error>> {
    let matrix = nnz::open(path)?.into_matrix()?;
    let header = matrix.header();
    if header.order != Order::Col || !header.sorted_majors {
        return Err("stored by row; nnz convert --order col stores it by column".into());
    }
    // The buffers of the batch are reused.
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut batches = matrix.batches(0..header.shape.cols, Projection::ALL)?;
    let mut current = None;
    while batches.next_batch(&mut batch)? {
        // A run has entries of one column. A column can continue in the next run or batch.
        for run in 0..batch.runs() {
            let (col, count) = (batch.majors.get(run), batch.run(run).len());
            current = match current {
                Some((last, sum)) if last == col => Some((col, sum + count)),
                last => {
                    if let Some((last, sum)) = last {
                        writeln!(out, "{last}\t{sum}")?;
                    }
                    Some((col, count))
                }
            };
        }
    }
    if let Some((last, sum)) = current {
        writeln!(out, "{last}\t{sum}")?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::argument("expected a path"))?;
    run(&path, &mut std::io::stdout())
}
