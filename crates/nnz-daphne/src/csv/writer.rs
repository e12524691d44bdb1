//! Writing a frame as text.

use std::io::Write;

use nnz_core::{At, Error, Place, Result, Scalar, Values};

use super::field::has_text;
use crate::{FrameBatch, FrameReader};

/// Bytes of text in the buffer.
const BUFFER: usize = 256 << 10;

/// Options for writing text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// Whether to write NaN with a sign or a payload, which are lost, instead of failing.
    pub lossy: bool,
}

/// Writes a frame as text. Returns the number of rows.
///
/// ```
/// # use nnz_daphne::{Column, FrameBatch, FrameReader};
/// # struct One(bool, Vec<Column>);
/// # impl FrameReader for One {
/// #     fn columns(&self) -> &[Column] { &self.1 }
/// #     fn next_batch(&mut self, batch: &mut FrameBatch) -> nnz_core::Result<bool> {
/// #         batch.rows = 0..1;
/// #         batch.columns = vec![nnz_core::Values::F64(vec![-0.0])];
/// #         Ok(!std::mem::replace(&mut self.0, true))
/// #     }
/// # }
/// # let value_type = nnz_core::ValueType::F64;
/// # let mut frame = One(false, vec![Column { label: "a, b".to_owned(), value_type }]);
/// let mut text = Vec::new();
/// nnz_daphne::csv::write(&mut frame, &mut text, nnz_daphne::csv::WriteOptions::default())?;
/// assert_eq!(text, b"\"a, b\"\n-0.0\n");
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the frame cannot be read, has no columns, or has a NaN that text cannot represent, or
/// if the text cannot be written.
pub fn write(
    frame: &mut dyn FrameReader,
    out: &mut dyn Write,
    options: WriteOptions,
) -> Result<u64> {
    let io = |error: std::io::Error| Error::new(nnz_core::ErrorKind::Io(error), Place::default());
    if frame.columns().is_empty() {
        let what = "a frame without columns cannot be written as comma-separated values";
        return Err(Error::unsupported(Place::default(), what));
    }
    let labels = frame.columns().iter().map(|column| column.label.as_bytes());
    // Readers remove a byte order mark, unless it is quoted.
    let marked = frame.columns().iter().any(|column| column.label.starts_with('\u{feff}'));
    let style = if marked { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
    let mut header = csv::WriterBuilder::new().quote_style(style).from_writer(Vec::new());
    let written = header.write_record(labels);
    written.map_err(|error| io(error.into()))?;
    let mut text = header.into_inner().map_err(|error| io(error.into_error()))?;
    let mut batch = FrameBatch::default();
    let mut rows = 0;
    while frame.next_batch(&mut batch)? {
        let count = batch.columns.first().and_then(Values::len).unwrap_or(0);
        for row in 0..count {
            for (number, values) in batch.columns.iter().enumerate() {
                if number > 0 {
                    text.push(b',');
                }
                let value = values.get(row);
                if let Some(value) = value.filter(|&value| !options.lossy && !has_text(value)) {
                    let (row, col) = (batch.rows.start + row as u64, number as u64);
                    let place = Place::default().at(At::Entry { row, col });
                    let found = format!("{value} of the bits {}", bits(value));
                    let expected = "a number that text can represent exactly";
                    return Err(Error::mismatch(place, found, expected));
                }
                values.write_text(row, &mut text, ",");
            }
            text.push(b'\n');
            if text.len() >= BUFFER {
                out.write_all(&text).map_err(io)?;
                text.clear();
            }
        }
        rows += count as u64;
    }
    out.write_all(&text).map_err(io)?;
    out.flush().map_err(io)?;
    Ok(rows)
}

/// Formats the bits of a NaN.
fn bits(value: Scalar) -> String {
    match value {
        Scalar::F32(v) => format!("{:#x}", v.to_bits()),
        Scalar::F64(v) => format!("{:#x}", v.to_bits()),
        other => other.to_string(),
    }
}
