//! Reading an array file: the cells of the stored triangle, column by column.

use nnz_core::{At, Batch, BatchReader, Majors, Order, Result, Values};

use super::banner::{Field, Symmetry};
use super::coordinate::ended;
use super::entries::{Rules, check_diagonal};
use super::fault::{Expected, Fault, position};
use super::line::{Content, content, end_of_line, nth_content};
use super::source::MatrixMarketSource;
use super::value::{Present, Value};
use crate::lines::{Block, LONGEST_LINE, Lines};

pub(super) struct ArrayReader<'a> {
    source: &'a MatrixMarketSource,
    lines: Lines,
    read: u64,
    next: Cell,
}

/// The cell that the next value belongs to.
#[derive(Clone, Copy)]
struct Cell {
    row: u64,
    col: u64,
}

impl<'a> ArrayReader<'a> {
    pub(super) fn new(source: &'a MatrixMarketSource, lines: Lines) -> Self {
        let row = source.rules().symmetry.first_row(0);
        Self { source, lines, read: 0, next: Cell { row, col: 0 } }
    }

    /// Finds the position of a cell, or of its mirror image.
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
            if parse_cells(block.text, rules.field, u64::MAX, &mut values).is_err() {
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

impl Cell {
    /// Says which cells the values of a batch belong to.
    fn place(&mut self, rules: Rules, block: Block<'_>, batch: &mut Batch) -> Result<(), Fault> {
        let values = batch.values.len().unwrap_or(0);
        batch.order = Order::Col;
        batch.majors = Majors::Consecutive(self.col);
        batch.offsets.clear();
        batch.offsets.push(0);
        let starts = batch.minors.spans_mut();
        let mut placed = 0;
        // The last column of a skew-symmetric array has no cell and follows the one before.
        let no_cell = |cell: Cell| cell.row == rules.shape.rows && cell.col < rules.shape.cols;
        while placed < values || no_cell(*self) {
            let Cell { row, col } = *self;
            let left = usize::try_from(rules.shape.rows - row).unwrap_or(usize::MAX);
            let count = left.min(values - placed);
            if row == col && count > 0 && rules.symmetry == Symmetry::Hermitian {
                check_real(&batch.values, placed, block.text)?;
            }
            starts.push(row);
            placed += count;
            batch.offsets.push(placed);
            self.row += count as u64;
            if self.row == rules.shape.rows {
                self.col += 1;
                self.row = rules.symmetry.first_row(self.col);
            }
        }
        Ok(())
    }
}

impl BatchReader for ArrayReader<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let path = self.source.path();
        let stored = self.source.stored();
        let field = self.source.rules().field;
        while let Some(block) = self.lines.next_block()? {
            parse_cells(block.text, field, stored - self.read, &mut batch.values)
                .map_err(|fault| fault.out_of(stored).report(path, block))?;
            let count = batch.values.len().unwrap_or(0);
            if count > 0 {
                self.read += count as u64;
                self.next
                    .place(self.source.rules(), block, batch)
                    .map_err(|fault| fault.report(path, block))?;
                return Ok(true);
            }
        }
        ended(path, &self.lines, self.read, stored)?;
        Ok(false)
    }
}

/// Reads the values of whole lines. More than `limit` are a fault.
pub(crate) fn parse_cells(
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
        // No banner says so.
        Field::Pattern => parse_lines::<Present>(block, limit, values),
    }
}

fn parse_lines<V: Value>(block: &[u8], limit: u64, values: &mut Values) -> Result<(), Fault> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    V::fill(values, |values| {
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
            // Where the line starts is only of interest if something is wrong.
            Some(value) if value[1] != 0.0 => {
                let at = nth_content(block, nth);
                check_diagonal(Symmetry::Hermitian, *value, block, [at, at])
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
