//! Writing every element of the stored triangle, one per line, by column.

use nnz_core::{Batch, Error, ErrorKind, Header, Place, Result, Triangle, Written};

use super::super::banner::{Banner, Field, Layout};
use super::Options;
use super::body::Body;
use super::line::Lines;
use super::sink::{Form, Rules, Sink};
use super::text::{Number, at_entry, with_numbers};
use nnz_lines::Output;

/// Zeros that are written at once.
const ZEROS: usize = 4096;

/// Writes all elements, one per line.
pub(super) struct ArrayForm {
    body: Body,
    /// The text of `ZEROS` elements without an entry, and of one.
    zeros: Vec<u8>,
    zero_len: usize,
    /// The next element to be written.
    next: (u64, u64),
    previous: Option<(u64, u64)>,
}

/// Consecutive elements of a column.
pub(super) struct ElementRange {
    row: u64,
    col: u64,
    count: u64,
    /// The end of their text.
    end: usize,
}

impl ArrayForm {
    pub(super) fn sink(output: Output, header: &Header, options: &Options) -> Result<Sink<Self>> {
        let field = match header.value_type {
            value_type if value_type.is_complex() => Field::Complex,
            value_type if value_type.is_integer() => Field::Integer,
            _ => Field::Real,
        };
        let rules = Rules::new(output.path().to_path_buf(), header, options);
        let zero: &[u8] = match field {
            Field::Complex => b"0.0 0.0\n",
            Field::Real => b"0.0\n",
            _ => b"0\n",
        };
        let mut body = Body::direct(output);
        let symmetry = rules.places.symmetry;
        let banner = Banner { layout: Layout::Array, field, symmetry };
        let shape = header.shape;
        let Rules { comments, .. } = &rules;
        let preamble =
            format!("%%MatrixMarket matrix {banner}\n{comments}{} {}\n", shape.rows, shape.cols);
        body.write(preamble.as_bytes())?;
        let form = Self {
            body,
            zeros: zero.repeat(ZEROS),
            zero_len: zero.len(),
            next: (symmetry.first_row(0), 0),
            previous: None,
        };
        Ok(Sink::new(form, rules))
    }

    /// Writes zeros up to an element, in this or a later column.
    fn fill_to(&mut self, rules: &Rules, row: u64, col: u64) -> Result<()> {
        while self.next.1 < col {
            self.fill(rules.header.shape.rows.saturating_sub(self.next.0))?;
            self.next.1 += 1;
            self.next.0 = rules.places.symmetry.first_row(self.next.1);
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

    /// Checks that an element has not been written yet.
    fn check_order(&self, row: u64, col: u64) -> Result<()> {
        if self.previous == Some((row, col)) {
            let kind = ErrorKind::Duplicate { other: None };
            return Err(Error::new(kind, Place::default()));
        }
        if (col, row) < (self.next.1, self.next.0) {
            return Err(Error::argument("an entry out of order"));
        }
        Ok(())
    }
}

impl Form for ArrayForm {
    /// Zeros between the ranges are not in the text, because there may be any number of them.
    type BatchInfo = Vec<ElementRange>;

    fn text(rules: &Rules, batch: &Batch, lines: &mut Lines) -> Result<Vec<ElementRange>> {
        with_numbers!(&batch.values, number => ranges(rules, batch, number, lines))
    }

    fn next(&mut self, rules: &Rules, text: &[u8], ranges: &Vec<ElementRange>) -> Result<()> {
        let mut start = 0;
        for &ElementRange { row, col, count, end } in ranges {
            self.check_order(row, col).map_err(|error| {
                let upper = rules.header.structure.triangle() == Some(Triangle::Upper);
                let (row, col) = if upper { (col, row) } else { (row, col) };
                at_entry(error, &rules.path, row, col)
            })?;
            self.fill_to(rules, row, col)?;
            self.body.write(&text[start..end])?;
            self.next.0 += count;
            self.previous = Some((self.next.0 - 1, col));
            start = end;
        }
        Ok(())
    }

    fn finish(mut self, rules: &Rules, _: u64) -> Result<Written> {
        let shape = rules.header.shape;
        // Empty columns are skipped, because there may be 2^63 of them.
        if !shape.is_empty() {
            self.fill_to(rules, 0, shape.cols)?;
        }
        self.body.finish(&[])
    }
}

/// Writes values, and returns the elements they belong to.
fn ranges(
    rules: &Rules,
    batch: &Batch,
    number: impl Fn(usize) -> Number,
    lines: &mut Lines,
) -> Result<Vec<ElementRange>> {
    let mut ranges: Vec<ElementRange> = Vec::new();
    batch.try_for_each(|entry, major, minor| {
        let (row, col) = batch.order.row_col(major, minor);
        let written = rules.places.put(row, col, number(entry)).and_then(|put| {
            let (row, col, number) = put;
            lines.line(|line| {
                line.number(number, rules.lossy)?;
                line.byte(b'\n');
                Ok(())
            })?;
            let end = lines.len();
            match ranges.last_mut() {
                Some(last) if last.col == col && last.row + last.count == row => {
                    last.count += 1;
                    last.end = end;
                }
                _ => ranges.push(ElementRange { row, col, count: 1, end }),
            }
            Ok(())
        });
        written.map_err(|error| at_entry(error, &rules.path, row, col))
    })?;
    Ok(ranges)
}
