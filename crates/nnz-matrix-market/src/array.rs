//! Reading an array file: the elements of the stored triangle, by column.

use nnz_core::{At, Batch, Majors, Order, Result, Unit, UnitReader, Values};

use super::banner::{Field, Symmetry};
use super::entries::{Rules, check_diagonal};
use super::fault::{Expected, Fault, position};
use super::line::{Content, content, end_of_line, nth_content};
use super::source::{MatrixMarketSource, Progress};
use super::value::{PatternValue, Value};
use nnz_lines::{LONGEST_LINE, Lines, OwnedBlock};

pub(super) struct ArrayReader<'a> {
    source: &'a MatrixMarketSource,
    lines: Lines,
    progress: Progress,
    next: Position,
}

/// A block that is not parsed yet.
struct ArrayUnit<'a> {
    source: &'a MatrixMarketSource,
    block: OwnedBlock,
    /// The number of values left in the file from this block on.
    left: u64,
    first: Position,
}

/// The position of the next value.
#[derive(Clone, Copy)]
struct Position {
    row: u64,
    col: u64,
}

impl<'a> ArrayReader<'a> {
    pub(super) fn new(source: &'a MatrixMarketSource, lines: Lines) -> Self {
        let row = source.rules().symmetry.first_row(0);
        Self { source, lines, progress: Progress::default(), next: Position { row, col: 0 } }
    }

    /// Finds the position of an element, or of its mirror image.
    pub(super) fn locate(mut self, row: u64, col: u64) -> Result<Vec<At>> {
        let rules = self.source.rules();
        let (row, col) = match rules.symmetry {
            Symmetry::General => (row, col),
            _ => (row.max(col), row.min(col)),
        };
        let first = rules.symmetry.first_row(col);
        if row >= rules.shape.rows || col >= rules.shape.cols || row < first {
            return Ok(Vec::new());
        }
        let (rows, cols) = (u128::from(rules.shape.rows), u128::from(col));
        let before = match rules.symmetry {
            Symmetry::General => cols * rows,
            Symmetry::Symmetric | Symmetry::Hermitian => cols * (2 * rows + 1 - cols) / 2,
            Symmetry::SkewSymmetric => cols * (2 * rows - 1 - cols) / 2,
        };
        let mut left = before + u128::from(row - first);
        let mut values = Values::Iso(nnz_core::Scalar::F64(0.0));
        while let Some(block) = self.lines.next_block()? {
            if parse_values(block.text, rules.field, u64::MAX, &mut values).is_err() {
                break;
            }
            let count = values.len().unwrap_or(0);
            if left < count as u128 {
                let nth = usize::try_from(left).unwrap_or(usize::MAX);
                return Ok(vec![position(block, nth_content(block.text, nth))]);
            }
            left -= count as u128;
        }
        Ok(Vec::new())
    }
}

impl Position {
    /// Moves past some values, and calls `run` with the first position and the number of values in each
    /// column.
    fn advance(&mut self, rules: Rules, mut values: u64, mut run: impl FnMut(Self, u64)) {
        if values == 0 {
            return;
        }
        // The last column of a skew-symmetric array has no element and is included with the one
        // before.
        let has_no_elements = |at: Self| at.row == rules.shape.rows && at.col < rules.shape.cols;
        while values > 0 || has_no_elements(*self) {
            let count = values.min(rules.shape.rows - self.row);
            run(*self, count);
            values -= count;
            self.row += count;
            if self.row == rules.shape.rows {
                self.col += 1;
                self.row = rules.symmetry.first_row(self.col);
            }
        }
    }

    /// Sets the positions of the values of a batch, from this position on.
    fn place(mut self, rules: Rules, text: &[u8], batch: &mut Batch) -> Result<(), Fault> {
        batch.order = Order::Col;
        batch.majors = Majors::Consecutive(self.col);
        let offsets = &mut batch.offsets;
        offsets.clear();
        offsets.push(0);
        let starts = batch.minors.spans_mut();
        let values = &batch.values;
        let mut placed = 0;
        let mut checked = Ok(());
        self.advance(rules, values.len().unwrap_or(0) as u64, |Self { row, col }, count| {
            if row == col && count > 0 && rules.symmetry == Symmetry::Hermitian && checked.is_ok() {
                checked = check_real(values, placed, text);
            }
            starts.push(row);
            // No more than the number of values in the batch.
            placed += usize::try_from(count).unwrap_or(usize::MAX);
            offsets.push(placed);
        });
        checked
    }
}

impl<'a> UnitReader<'a> for ArrayReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        while let Some(block) = self.lines.next_owned()? {
            if block.contents > 0 {
                let left = self.progress.take(block.contents, self.source.stored());
                let first = self.next;
                self.next.advance(self.source.rules(), block.contents.min(left), |_, _| {});
                let source = self.source;
                return Ok(Some(Box::new(ArrayUnit { source, block, left, first })));
            }
        }
        Ok(None)
    }

    fn end(&mut self) -> Result<()> {
        self.progress.end(self.source, &self.lines)
    }
}

impl Unit for ArrayUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let block = self.block.block();
        let rules = self.source.rules();
        parse_values(block.text, rules.field, self.left, &mut batch.values)
            .and_then(|()| self.first.place(rules, block.text, batch))
            .map_err(|fault| self.source.refuse(fault, block))
    }
}

/// Reads the values of whole lines. More than `limit` are a fault.
pub(crate) fn parse_values(
    block: &[u8],
    field: Field,
    limit: u64,
    values: &mut Values,
) -> Result<(), Fault> {
    match field {
        Field::Integer => parse_lines::<i64>(block, limit, values),
        Field::Unsigned => parse_lines::<u64>(block, limit, values),
        Field::Real => parse_lines::<f64>(block, limit, values),
        Field::Complex => parse_lines::<[f64; 2]>(block, limit, values),
        // Not possible: the banner of an array has another field.
        Field::Pattern => parse_lines::<PatternValue>(block, limit, values),
    }
}

fn parse_lines<V: Value>(block: &[u8], limit: u64, values: &mut Values) -> Result<(), Fault> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    V::fill(values, |values| {
        values.clear();
        let mut at = 0;
        while at < block.len() {
            let start = at;
            let first = match content(block, at) {
                Content::At(first) => first,
                Content::None(next) => {
                    at = next;
                    continue;
                }
            };
            if values.len() == limit {
                let expected = Expected::NoMoreThan(limit as u64);
                return Err(Fault { at: first, expected });
            }
            let (value, end) = V::parse(block, first)?;
            at = end_of_line(block, end)?;
            if at - start > LONGEST_LINE {
                let at = start + LONGEST_LINE;
                let expected = Expected::ShorterLine;
                return Err(Fault { at, expected });
            }
            values.push(value);
        }
        Ok(())
    })
}

/// Checks that a value on the diagonal of a hermitian array is real.
fn check_real(values: &Values, nth: usize, block: &[u8]) -> Result<(), Fault> {
    match values {
        Values::ComplexF64(values) => match values.get(nth) {
            // The start of the line is only needed for an error.
            Some(value) if value[1] != 0.0 => {
                let at = nth_content(block, nth);
                check_diagonal(Symmetry::Hermitian, *value, block, [at, at])
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
