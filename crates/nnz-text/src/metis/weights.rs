//! Sizes and weights of vertices as annotations of the rows.

use nnz_core::{
    Annotations, Column, ColumnInfo, ColumnType, ColumnValues, Error, ErrorKind, Result, ValueType,
    Values,
};

use super::parse::Visit;
use super::source::MetisSource;
use super::{SIZE, weight_names};
use crate::blocks::Block;
use crate::fault::Fault;

/// The table of the vertices. A column is read from the file when it is needed.
pub(super) struct WeightTable<'a> {
    source: &'a MetisSource,
    columns: Vec<ColumnInfo>,
}

impl<'a> WeightTable<'a> {
    /// Returns the table; `None` if vertices have neither sizes nor weights.
    pub(super) fn new(source: &'a MetisSource) -> Option<Self> {
        let size = source.graph.sizes.then(|| SIZE.to_owned());
        let names = size.into_iter().chain(weight_names(source.graph.weights));
        let column_type = ColumnType::Number(ValueType::I64);
        let columns: Vec<_> = names.map(|name| ColumnInfo::new(name, column_type)).collect();
        (!columns.is_empty()).then_some(Self { source, columns })
    }
}

impl Annotations for WeightTable<'_> {
    fn columns(&self) -> &[ColumnInfo] {
        &self.columns
    }

    fn len(&self) -> u64 {
        self.source.graph.vertices
    }

    fn read_column(&self, column: usize, memory: u64) -> Result<Column> {
        if column >= self.columns.len() {
            return Err(Error::argument(format!("there is no column {column}")));
        }
        let needed = self.len().saturating_mul(8);
        if needed > memory {
            let kind = ErrorKind::Memory { needed, allowed: memory };
            return Err(Error::new(kind, self.source.text.place()));
        }
        let mut values = Vec::new();
        self.source.visit_all(
            |_| Collector { column: column as u64, values: Vec::new() },
            |mut block| {
                values.append(&mut block.values);
                Ok(())
            },
        )?;
        if values.len() as u64 != self.len() {
            return Err(self.source.text.changed());
        }
        Ok(Column { values: ColumnValues::Numbers(Values::from(values)), missing: None })
    }
}

/// Collects one word of each vertex.
struct Collector {
    column: u64,
    values: Vec<i64>,
}

impl Visit for Collector {
    fn vertex(&mut self, _: &Block, _: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn leading(&mut self, number: u64, value: u64) -> Result<(), Fault> {
        if number == self.column {
            self.values.push(i64::try_from(value).unwrap_or(i64::MAX));
        }
        Ok(())
    }

    fn neighbour(&mut self, _: &Block, _: u64, _: u64, _: usize) -> Result<(), Fault> {
        Ok(())
    }
}
