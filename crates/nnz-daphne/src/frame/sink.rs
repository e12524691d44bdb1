//! Writing a frame.

use std::path::Path;

use nnz_core::{Error, Place, Result, Shape, ValueType, Values, Written};
use nnz_storage::staging::WriteOptions;

use super::interleave::scatter;
use super::{Column, FrameBatch};
use crate::layout::{self, BlockHead};
use crate::output::Output;
use crate::{BlockType, DataType, Dialect, Meta, MetaColumn, code};

/// Bytes of rows in a block, unless one row has more.
const BYTES: u64 = 16 << 20;

/// Options for writing a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameOptions {
    /// The dialect. DAPHNE reads only its own.
    pub dialect: Dialect,
    /// The number of rows in a block of the published dialect; by default as many as fit into some
    /// megabytes.
    pub block_rows: Option<u32>,
    /// Whether to write a `.meta` file in the published dialect; in other dialects it is always
    /// written.
    pub meta: bool,
}

/// A sink that writes a frame to a file.
///
/// The published dialect has a dense block for each run of consecutive columns of one type, in each
/// band of rows.
pub struct FrameSink {
    output: Output,
    columns: Vec<Column>,
    dialect: Dialect,
    /// The number of rows received.
    rows: u64,
    /// The number of rows in a block.
    block_rows: u64,
    /// Rows of the current, incomplete block.
    pending: Vec<Values>,
}

impl std::fmt::Debug for FrameSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameSink").finish_non_exhaustive()
    }
}

impl FrameSink {
    /// Creates a file with these columns. The number of rows is known when it is finished.
    ///
    /// # Errors
    ///
    /// Fails if the target exists already or cannot be written, or if the dialect cannot represent
    /// a type or a label.
    pub fn create(
        path: &Path,
        columns: &[Column],
        write: WriteOptions,
        options: &FrameOptions,
    ) -> Result<Self> {
        let mut bytes = Vec::new();
        let shape = Shape { rows: 0, cols: columns.len() as u64 };
        let put = layout::put_header(options.dialect, DataType::Frame, shape, columns, &mut bytes);
        put.map_err(|error| error.with_context(&Place::path(path)))?;
        let meta = options.meta || options.dialect != Dialect::Spec;
        let mut output = Output::create(path, write, meta)?;
        output.write(&bytes)?;
        if options.dialect != Dialect::Spec {
            // The position of the only block.
            output.write_zeros(16)?;
        }
        let row: u64 = columns.iter().map(|column| column.value_type.size() as u64).sum();
        let block_rows = match options.block_rows {
            Some(0) => return Err(Error::argument("a block has at least one row")),
            Some(rows) => rows.into(),
            None => (BYTES / row.max(1)).clamp(1, u32::MAX.into()),
        };
        let pending = columns.iter().map(|column| Values::new(column.value_type)).collect();
        let (columns, dialect) = (columns.to_vec(), options.dialect);
        Ok(Self { output, columns, dialect, rows: 0, block_rows, pending })
    }

    /// Writes the next rows.
    ///
    /// # Errors
    ///
    /// Fails if they are not the next ones, have other types, or cannot be written.
    pub fn write(&mut self, batch: &FrameBatch) -> Result<()> {
        let count = batch.rows.end.saturating_sub(batch.rows.start);
        let fits = |(values, column): (&Values, &Column)| {
            values.value_type() == column.value_type
                && values.len().is_some_and(|len| len as u64 == count)
        };
        let columns = batch.columns.len() == self.columns.len()
            && batch.columns.iter().zip(&self.columns).all(fits);
        if batch.rows.start != self.rows || !columns {
            return Err(Error::argument("not the next rows of this frame"));
        }
        if self.columns.is_empty() {
            self.rows += count;
            return Ok(());
        }
        if self.dialect != Dialect::Spec {
            self.rows += count;
            let all = 0..self.columns.len();
            let rows = interleaved(&batch.columns[all]);
            return self.output.write(&rows);
        }
        let mut taken = 0;
        while taken < count {
            let pending = self.pending.first().and_then(Values::len).unwrap_or(0) as u64;
            let now = (self.block_rows - pending).min(count - taken);
            // Rows of a batch, so they fit into memory.
            let range = [taken, taken + now].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            for (into, from) in self.pending.iter_mut().zip(&batch.columns) {
                into.extend_from(from, range[0]..range[1]);
            }
            taken += now;
            self.rows += now;
            if pending + now == self.block_rows {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes a band of blocks.
    fn flush(&mut self) -> Result<()> {
        let rows = self.pending.first().and_then(Values::len).unwrap_or(0);
        if rows == 0 {
            return Ok(());
        }
        let mut col = 0;
        let same_type = |a: &Values, b: &Values| a.value_type() == b.value_type();
        for run in self.pending.chunk_by(same_type) {
            let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let head = BlockHead {
                row: self.rows - rows as u64,
                col,
                rows: narrow(rows),
                cols: narrow(run.len()),
                block_type: BlockType::Dense,
                value_type: run.first().map_or(ValueType::U8, Values::value_type),
                stored: 0,
            };
            let mut bytes = Vec::new();
            head.put(self.dialect, &mut bytes)?;
            self.output.write(&bytes)?;
            self.output.write(&interleaved(run))?;
            col += run.len() as u64;
        }
        self.pending.iter_mut().for_each(Values::clear);
        Ok(())
    }

    /// Finishes the file and moves it to its place.
    ///
    /// # Errors
    ///
    /// Fails if that is not possible; then nothing is left.
    pub fn finish(mut self) -> Result<Written> {
        self.flush()?;
        let rows_at = self.dialect.header_len() - 16;
        self.output.patch(rows_at, &self.rows.to_le_bytes())?;
        let column = |column: &Column| MetaColumn {
            label: column.label.clone(),
            value_type: code::meta_name(column.value_type).unwrap_or_default().to_owned(),
        };
        let meta = Meta {
            num_rows: self.rows,
            num_cols: self.columns.len() as u64,
            schema: Some(self.columns.iter().map(column).collect()),
            ..Meta::default()
        };
        self.output.commit(&meta)
    }
}

/// Interleaves columns by row.
fn interleaved(columns: &[Values]) -> Vec<u8> {
    let stride: usize = columns.iter().map(|values| values.value_type().size()).sum();
    let rows = columns.first().and_then(Values::len).unwrap_or(0);
    let mut bytes = vec![0; rows * stride];
    let mut at = 0;
    for values in columns {
        scatter(values, &mut bytes, stride.max(1), at);
        at += values.value_type().size();
    }
    bytes
}
