//! Decoding blocks of rows.

use nnz_core::{
    At, Batch, Error, ErrorKind, Order, Place, Result, Rounding, Unit, UnitReader, ValueType,
    Values,
};

use super::blocks::{Block, Blocks};
use super::rows::parse_as;
use super::source::TableSource;

/// Lists the blocks of a table.
pub(super) struct TableUnits<'a> {
    pub(super) source: &'a TableSource,
    /// The text; `None` if the values were kept.
    pub(super) text: Option<Blocks>,
    pub(super) block: usize,
    pub(super) first: u64,
}

/// The rows of a block.
struct Rows<'a> {
    source: &'a TableSource,
    first: u64,
    rows: u64,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Kept(&'a Values),
    Text(Block),
}

impl<'a> UnitReader<'a> for TableUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        loop {
            let rows = self.source.rows().get(self.block).copied();
            let cells = match (&mut self.text, self.source.kept()) {
                (None, kept) => match kept.get(self.block) {
                    Some(values) => Cells::Kept(values),
                    None => return Ok(None),
                },
                (Some(text), _) => match (text.next_block()?, rows) {
                    (Some(block), Some(_)) => Cells::Text(block),
                    (None, None) => return Ok(None),
                    _ => return Err(self.source.changed()),
                },
            };
            let (source, first, rows) = (self.source, self.first, rows.unwrap_or(0));
            self.block += 1;
            self.first += rows;
            if rows > 0 {
                return Ok(Some(Box::new(Rows { source, first, rows, cells })));
            }
        }
    }
}

impl Unit for Rows<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let header = self.source.table_header();
        let value_type = header.value_type;
        let rows = match &self.cells {
            Cells::Kept(values) if values.value_type() == value_type => {
                if batch.values.value_type() != value_type {
                    batch.values = Values::new(value_type);
                }
                batch.values.clear();
                batch.values.extend_from(values, 0..values.len().unwrap_or(0));
                self.rows
            }
            Cells::Kept(values) => {
                let cast = values.cast_into(value_type, Rounding::Refused, &mut batch.values);
                cast.map_err(|offender| {
                    // Not possible: the type holds all values.
                    let (cols, index) = (header.shape.cols.max(1), offender.index as u64);
                    let at = At::Entry { row: self.first + index / cols, col: index % cols };
                    let (found, target) = (offender.found, value_type);
                    let kind = ErrorKind::Inexact { found, target, holds: None };
                    Error::new(kind, Place::default().at(at))
                })?;
                self.rows
            }
            Cells::Text(block) => {
                let (text, layout) = (block.text(), self.source.layout());
                let parsed = match value_type {
                    ValueType::F64 => parse_as::<f64>(text, layout, &mut batch.values),
                    ValueType::U64 => parse_as::<u64>(text, layout, &mut batch.values),
                    _ => parse_as::<i64>(text, layout, &mut batch.values),
                };
                parsed.map_err(|fault| fault.report(self.source.path(), text, block.line))?
            }
        };
        if rows != self.rows {
            return Err(self.source.changed());
        }
        let cols = header.shape.cols;
        batch.order = Order::Row;
        // A text of so many cells would be too long for any disk.
        let start = self.first.saturating_mul(cols);
        batch.span_elements(start..start.saturating_add(rows.saturating_mul(cols)), cols);
        if cols == 0 {
            batch.offsets.resize(1, 0);
        }
        Ok(())
    }
}
