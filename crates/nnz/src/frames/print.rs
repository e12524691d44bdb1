//! The cells of a frame as text.

use std::io::Write;
use std::ops::Range;

use nnz_core::{Error, ErrorKind, Place, Result, Scalar, write_scalar};
use nnz_daphne::{FrameBatch, FrameSource};

/// Writes cells by row, one per line: row, column (both counted from 0) and value, separated by
/// tabs.
///
/// Ranges may extend past the end. Cells before an error are written.
///
/// # Errors
///
/// Fails if the frame cannot be read or is broken, and if writing fails.
pub fn print(
    frame: &FrameSource,
    rows: Range<u64>,
    cols: Range<u64>,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let cols = cols.start..cols.end.min(frame.columns().len() as u64);
    if cols.is_empty() {
        // There can be any number of rows without cells.
        return Ok(());
    }
    let end = rows.end.min(frame.rows());
    let mut reader = frame.batches(rows.start.min(end)..end)?;
    let mut batch = FrameBatch::default();
    let mut text = Vec::new();
    while reader.next_batch(&mut batch)? {
        for (at, row) in batch.rows.clone().enumerate() {
            for (col, values) in (0_u64..).zip(&batch.columns) {
                if !cols.contains(&col) {
                    continue;
                }
                for position in [row, col] {
                    write_scalar(&mut text, Scalar::U64(position), "");
                    text.push(b'\t');
                }
                values.write_text(at, &mut text, "\t");
                text.push(b'\n');
            }
            if text.len() > 64 << 10 {
                flush(&mut text, out)?;
            }
        }
    }
    flush(&mut text, out)
}

fn flush(text: &mut Vec<u8>, out: &mut dyn Write) -> Result<()> {
    let written = out.write_all(text);
    text.clear();
    written.map_err(|error| Error::new(ErrorKind::Io(error), Place::path("standard output")))
}
