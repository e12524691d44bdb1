//! Every cell of the stored triangle, one a line, column by column.

use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{
    Batch, BatchEncoder, Encoded, Error, ErrorKind, Header, MatrixSink, Place, Result, Triangle,
    Written,
};

use super::super::banner::{Banner, Field, Layout};
use super::Options;
use super::body::Body;
use super::line::Lines;
use super::output::Output;
use super::place::{Places, check_batch};
use super::ready::{Ready, Shared, unknown};
use super::text::{Number, at_entry, with_numbers};

/// Zeros that are written at once.
const ZEROS: usize = 4096;

pub(super) struct ArraySink {
    body: Body,
    encoder: Arc<ArrayEncoder>,
    /// The text of `ZEROS` cells that hold nothing, and of one.
    zeros: Vec<u8>,
    zero_len: usize,
    /// The cell that is written next.
    next: (u64, u64),
    /// The number of the entry that is written next.
    written: u64,
    previous: Option<(u64, u64)>,
    failed: bool,
}

/// Makes text of batches.
struct ArrayEncoder {
    path: PathBuf,
    header: Header,
    places: Places,
    lossy: bool,
    shared: Arc<Shared>,
}

/// The text of a batch, without the zeros between its entries: there may be any number of them.
struct Text {
    text: Ready,
    stretches: Vec<Stretch>,
    /// Number of the first entry.
    first: u64,
    entries: u64,
}

/// Neighbouring cells of a column.
struct Stretch {
    row: u64,
    col: u64,
    count: u64,
    /// Where their text ends.
    end: usize,
}

impl ArraySink {
    pub(super) fn new(output: Output, header: &Header, options: Options) -> Result<Self> {
        let field = match header.value_type {
            value_type if value_type.is_complex() => Field::Complex,
            value_type if value_type.is_integer() => Field::Integer,
            _ => Field::Real,
        };
        let places = Places::new(header);
        let zero: &[u8] = match field {
            Field::Complex => b"0.0 0.0\n",
            Field::Real => b"0.0\n",
            _ => b"0\n",
        };
        let mut body = Body::direct(output);
        let banner = Banner { layout: Layout::Array, field, symmetry: places.symmetry };
        let shape = header.shape;
        let preamble = format!("%%MatrixMarket matrix {banner}\n{} {}\n", shape.rows, shape.cols);
        body.write(preamble.as_bytes())?;
        let encoder = ArrayEncoder {
            path: body.path().to_path_buf(),
            header: header.clone(),
            places,
            lossy: options.lossy,
            shared: Arc::default(),
        };
        Ok(Self {
            body,
            encoder: Arc::new(encoder),
            zeros: zero.repeat(ZEROS),
            zero_len: zero.len(),
            next: (places.symmetry.first_row(0), 0),
            written: 0,
            previous: None,
            failed: false,
        })
    }

    /// Writes zeros up to a cell, of this column or a later one.
    fn fill_to(&mut self, row: u64, col: u64) -> Result<()> {
        while self.next.1 < col {
            self.fill(self.encoder.header.shape.rows.saturating_sub(self.next.0))?;
            self.next.1 += 1;
            self.next.0 = self.encoder.places.symmetry.first_row(self.next.1);
        }
        self.fill(row.saturating_sub(self.next.0))?;
        self.next.0 = self.next.0.max(row);
        Ok(())
    }

    fn fill(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(ZEROS).min(ZEROS);
            self.body.write(&self.zeros[..now * self.zero_len])?;
            count -= now as u64;
        }
        Ok(())
    }

    fn next(&mut self, text: &Text) -> Result<()> {
        if text.first != self.written {
            return Err(Error::argument("a batch that is not the next one"));
        }
        self.written += text.entries;
        let mut start = 0;
        for stretch in &text.stretches {
            let Stretch { row, col, count, end } = *stretch;
            self.check_order(row, col).map_err(|error| {
                let upper = self.encoder.header.structure.triangle() == Some(Triangle::Upper);
                let (row, col) = if upper { (col, row) } else { (row, col) };
                at_entry(error, self.body.path(), row, col)
            })?;
            self.fill_to(row, col)?;
            self.body.write(&text.text.bytes()[start..end])?;
            self.next.0 += count;
            self.previous = Some((self.next.0 - 1, col));
            start = end;
        }
        Ok(())
    }

    /// Checks that a cell is not behind what is written.
    fn check_order(&self, row: u64, col: u64) -> Result<()> {
        if self.previous == Some((row, col)) {
            let kind = ErrorKind::Duplicate { other: None };
            return Err(Error::new(kind, Place::default()));
        }
        if (col, row) < (self.next.1, self.next.0) {
            return Err(Error::argument("an entry that comes after a later one"));
        }
        Ok(())
    }
}

impl ArrayEncoder {
    fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        check_batch(batch, &self.header)?;
        let mut lines = Lines::new(self.shared.buffer());
        let stretches =
            with_numbers!(&batch.values, number => self.stretches(batch, number, &mut lines))?;
        let text = Ready::new(lines.finish(), &self.shared);
        Ok(Text { text, stretches, first, entries: batch.entries() as u64 })
    }

    fn stretches(
        &self,
        batch: &Batch,
        number: impl Fn(usize) -> Number,
        lines: &mut Lines,
    ) -> Result<Vec<Stretch>> {
        let mut stretches: Vec<Stretch> = Vec::new();
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let written = self.places.put(row, col, number(entry)).and_then(|put| {
                let (row, col, number) = put;
                lines.line(|line| {
                    line.number(number, self.lossy)?;
                    line.byte(b'\n');
                    Ok(())
                })?;
                let end = lines.len();
                match stretches.last_mut() {
                    Some(last) if last.col == col && last.row + last.count == row => {
                        last.count += 1;
                        last.end = end;
                    }
                    _ => stretches.push(Stretch { row, col, count: 1, end }),
                }
                Ok(())
            });
            written.map_err(|error| at_entry(error, &self.path, row, col))
        })?;
        Ok(stretches)
    }
}

impl BatchEncoder for ArrayEncoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        match self.text(batch, first) {
            Ok(text) => Ok(Box::new(text)),
            Err(error) => {
                self.shared.fail();
                Err(error)
            }
        }
    }
}

impl MatrixSink for ArraySink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.written)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::<ArrayEncoder>::clone(&self.encoder))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let text = encoded.downcast::<Text>().map_err(|_| unknown())?;
        let written = self.next(&text);
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed || self.encoder.shared.failed() {
            return Err(super::failed(self.body.path()));
        }
        let shape = self.encoder.header.shape;
        // Columns without a cell are not worth counting through: there may be 2^63 of them.
        if !shape.is_empty() {
            self.fill_to(0, shape.cols)?;
        }
        self.body.finish(&[])
    }
}
