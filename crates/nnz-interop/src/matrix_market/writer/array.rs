//! Every cell of the stored triangle, one a line, column by column.

use nnz_core::{Batch, Error, ErrorKind, Header, MatrixSink, Place, Result, Written};

use super::super::banner::{Banner, Field, Layout};
use super::Options;
use super::body::Body;
use super::output::Output;
use super::place::{Places, check_batch};
use super::text::{Number, at_entry, with_numbers};

/// Zeros that are written at once.
const ZEROS: usize = 4096;

pub(super) struct ArraySink {
    body: Body,
    header: Header,
    places: Places,
    lossy: bool,
    /// The text of `ZEROS` cells that hold nothing, and of one.
    zeros: Vec<u8>,
    zero_len: usize,
    /// The cell that is written next.
    next: (u64, u64),
    previous: Option<(u64, u64)>,
    failed: bool,
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
        body.text.extend_from_slice(preamble.as_bytes());
        Ok(Self {
            body,
            header: header.clone(),
            places,
            lossy: options.lossy,
            zeros: zero.repeat(ZEROS),
            zero_len: zero.len(),
            next: (places.symmetry.first_row(0), 0),
            previous: None,
            failed: false,
        })
    }

    /// Writes zeros up to a cell, of this column or a later one.
    fn fill_to(&mut self, row: u64, col: u64) -> Result<()> {
        while self.next.1 < col {
            self.fill(self.header.shape.rows.saturating_sub(self.next.0))?;
            self.next.1 += 1;
            self.next.0 = self.places.symmetry.first_row(self.next.1);
        }
        self.fill(row.saturating_sub(self.next.0))?;
        self.next.0 = self.next.0.max(row);
        Ok(())
    }

    fn fill(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(ZEROS).min(ZEROS);
            let text = &self.zeros[..now * self.zero_len];
            self.body.text.extend_from_slice(text);
            self.body.flush_full()?;
            count -= now as u64;
        }
        Ok(())
    }

    fn entries(&mut self, batch: &Batch, number: impl Fn(usize) -> Number) -> Result<()> {
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            self.entry(row, col, number(entry))
                .map_err(|error| at_entry(error, self.body.path(), row, col))
        })
    }

    #[inline]
    fn entry(&mut self, row: u64, col: u64, number: Number) -> Result<()> {
        let (row, col, number) = self.places.put(row, col, number)?;
        if self.next != (row, col) {
            if self.previous == Some((row, col)) {
                let kind = ErrorKind::Duplicate { other: None };
                return Err(Error::new(kind, Place::default()));
            }
            if (col, row) < (self.next.1, self.next.0) {
                return Err(Error::argument("an entry that comes after a later one"));
            }
            self.fill_to(row, col)?;
        }
        number.write(&mut self.body.text, self.lossy)?;
        self.body.text.push(b'\n');
        self.previous = Some((row, col));
        self.next.0 += 1;
        self.body.flush_full()
    }
}

impl MatrixSink for ArraySink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        check_batch(batch, &self.header)?;
        let written = with_numbers!(&batch.values, number => self.entries(batch, number));
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed {
            return Err(super::failed(self.body.path()));
        }
        let shape = self.header.shape;
        // Columns without a cell are not worth counting through: there may be 2^63 of them.
        if !shape.is_empty() {
            self.fill_to(0, shape.cols)?;
        }
        self.body.finish(&[])
    }
}
