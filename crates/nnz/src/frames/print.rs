//! The cells of a frame as text.

use std::io::Write;
use std::ops::Range;

use nnz_core::{Error, ErrorKind, Place, Result, Scalar, write_scalar};
use nnz_daphne::{FrameBatch, FrameSource};

/// Writes cells row by row, one a line: row and column counted from 0, and the value, with tabs
/// between.
///
/// Ranges may end past the last row or column. What was read before an error is written.
///
/// # Errors
///
/// Fails where the frame cannot be read or is broken, and where writing fails.
pub fn print(
    frame: &FrameSource,
    rows: Range<u64>,
    cols: Range<u64>,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let cols = cols.start..cols.end.min(frame.columns().len() as u64);
    if cols.is_empty() {
        // Rows without a cell may be any number.
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
