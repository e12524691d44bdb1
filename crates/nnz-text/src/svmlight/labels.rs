//! Labels, weights and queries as annotations of the rows.

use nnz_core::{
    Annotations, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind, Result,
    StringList, ValueType, Values,
};
use nnz_lines::number::{Number, number};

use super::parse::{Visit, parse};
use super::source::SvmlightSource;
use super::{LABEL, QUERY, WEIGHT};
use crate::fault::{Fault, word_end};
use crate::scan::scan;
use crate::values::Value;

/// The table of the rows. A column is read from the file when it is needed.
pub(super) struct LabelTable<'a> {
    source: &'a SvmlightSource,
    columns: Vec<ColumnInfo>,
}

impl<'a> LabelTable<'a> {
    /// Returns the table; `None` if no row has a label, a weight or a query.
    pub(super) fn new(source: &'a SvmlightSource) -> Option<Self> {
        let mut columns = Vec::new();
        let mut add = |name: &str, column_type| {
            columns.push(ColumnInfo::new(name, column_type));
        };
        if source.survey.labels.rows > 0 {
            add(LABEL, source.survey.labels.column_type());
        }
        if source.survey.weights.rows > 0 {
            add(WEIGHT, source.survey.weights.column_type());
        }
        if source.survey.queries > 0 {
            add(QUERY, ColumnType::Number(ValueType::I64));
        }
        (!columns.is_empty()).then_some(Self { source, columns })
    }

    /// Reads a column of numbers.
    fn numbers<V: Value>(&self, what: RowPart) -> Result<Column> {
        let (mut values, mut missing) = (Vec::<V>::new(), Vec::new());
        self.read(what, |rows| {
            for row in rows.numbers {
                missing.push(row.is_none());
                values.push(row.map_or_else(|| V::of(Number::Real(f64::NAN)), V::of));
            }
            Ok(())
        })?;
        let missing = missing.contains(&true).then_some(missing);
        Ok(Column { values: ColumnValues::Numbers(Values::from(values)), missing })
    }

    /// Reads a column as it is written.
    fn strings(&self, what: RowPart) -> Result<Column> {
        let mut list = StringList::new();
        self.read(what, |rows| {
            let mut start = 0;
            rows.ends.into_iter().try_for_each(|end| {
                let label = rows.text.get(start..end).unwrap_or_default();
                start = end;
                list.try_push(label)
            })
        })?;
        Ok(Column { values: ColumnValues::Strings(list), missing: None })
    }

    fn read(&self, what: RowPart, mut take: impl FnMut(Rows) -> Result<()> + Send) -> Result<()> {
        let (text, mut rows) = (&self.source.text, 0_u64);
        scan(
            text,
            b'#',
            |block| {
                let mut visit = Collector { what, rows: Rows::default() };
                match parse(block, self.source.survey.first_words, &mut visit) {
                    Ok(()) => Ok(visit.rows),
                    Err(fault) => Err(fault.report(text, block)),
                }
            },
            |block| {
                rows += block.numbers.len().max(block.ends.len()) as u64;
                take(block)
            },
        )?;
        if rows != self.source.survey.rows {
            return Err(text.changed());
        }
        Ok(())
    }
}

impl Annotations for LabelTable<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.source.survey.rows
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        let Some(info) = self.columns.get(column) else {
            return Err(Error::argument(format!("there is no column {column}")));
        };
        // A value, and whether it is missing.
        let needed = self.len().saturating_mul(9);
        if needed > memory {
            let kind = ErrorKind::Memory { needed, allowed: memory };
            return Err(Error::new(kind, self.source.text.place()));
        }
        match (&*info.name, info.column_type) {
            (QUERY, _) => self.numbers::<i64>(RowPart::Query),
            (WEIGHT, ColumnType::String) => self.strings(RowPart::WeightText),
            (WEIGHT, ColumnType::Number(ValueType::I64)) => self.numbers::<i64>(RowPart::Weight),
            (WEIGHT, _) => self.numbers::<f64>(RowPart::Weight),
            (_, ColumnType::String) => self.strings(RowPart::Text),
            (_, ColumnType::Number(ValueType::I64)) => self.numbers::<i64>(RowPart::Label),
            _ => self.numbers::<f64>(RowPart::Label),
        }
    }
}

/// The part of each row to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowPart {
    /// The label.
    Label,
    /// The labels as they are written.
    Text,
    /// The weight.
    Weight,
    /// The weight as it is written.
    WeightText,
    /// The query.
    Query,
}

/// Values read from the rows of a block.
#[derive(Default)]
struct Rows {
    numbers: Vec<Option<Number>>,
    text: Vec<u8>,
    /// The end of the text of each row.
    ends: Vec<usize>,
}

struct Collector {
    what: RowPart,
    rows: Rows,
}

impl Visit for Collector {
    fn row(&mut self, labels: &[u8], _: usize) -> Result<(), Fault> {
        match self.what {
            RowPart::Label => {
                self.rows.numbers.push(number(labels, 0).ok().map(|(number, _)| number));
            }
            RowPart::Query | RowPart::Weight => self.rows.numbers.push(None),
            RowPart::WeightText => self.rows.ends.push(self.rows.text.len()),
            RowPart::Text => {
                self.rows.text.extend_from_slice(labels);
                self.rows.ends.push(self.rows.text.len());
            }
        }
        Ok(())
    }

    fn weight(&mut self, weight: &[u8], _: usize) -> Result<(), Fault> {
        match (self.what, self.rows.numbers.last_mut(), self.rows.ends.last_mut()) {
            (RowPart::Weight, Some(last), _) => {
                *last = number(weight, 0).ok().map(|(number, _)| number);
            }
            (RowPart::WeightText, _, Some(end)) => {
                self.rows.text.extend_from_slice(weight);
                *end = self.rows.text.len();
            }
            _ => {}
        }
        Ok(())
    }

    fn query(&mut self, query: i64) -> Result<(), Fault> {
        if let (RowPart::Query, Some(last)) = (self.what, self.rows.numbers.last_mut()) {
            *last = Some(match u64::try_from(query) {
                Ok(query) => Number::Unsigned(query),
                Err(_) => Number::Negative(query),
            });
        }
        Ok(())
    }

    #[inline]
    fn entry(&mut self, text: &[u8], _: u64, _: usize, at: usize) -> Result<usize, Fault> {
        // It was checked when the file was opened.
        let end = word_end(text, at);
        let word = text.get(at..end).unwrap_or_default();
        Ok(memchr::memchr(b'#', word).map_or(end, |len| at + len))
    }
}
