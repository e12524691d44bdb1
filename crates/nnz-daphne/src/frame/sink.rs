//! Writing a frame.

use std::path::Path;

use nnz_core::{Error, Place, Result, Shape, ValueType, Values, Written};
use nnz_storage::staging::WriteOptions;

use super::interleave::scatter;
use super::{Column, FrameBatch};
use crate::layout::{self, BlockHead};
use crate::output::Output;
use crate::{BlockType, DataType, Dialect, Meta, MetaColumn, code};

/// Bytes of the rows of a block, unless one row has more.
const BYTES: u64 = 16 << 20;

/// Says how a frame is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameOptions {
    /// The dialect. DAPHNE reads only its own.
    pub dialect: Dialect,
    /// Rows of a block of the published dialect; by default as many as take some megabytes.
    pub block_rows: Option<u32>,
    /// Whether a `.meta` is written beside the published dialect; beside the others it always is.
    pub meta: bool,
}

/// A frame being written to a file.
///
/// The published dialect has a dense block for each run of neighbouring columns of one type, in each
/// band of rows.
pub struct FrameSink {
    output: Output,
    columns: Vec<Column>,
    dialect: Dialect,
    /// Rows that have been taken.
    rows: u64,
    /// Rows of a block.
    together: u64,
    /// Rows that wait for their block to be full.
    waiting: Vec<Values>,
}

impl std::fmt::Debug for FrameSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameSink").finish_non_exhaustive()
    }
}

impl FrameSink {
    /// Starts a file with these columns. The number of rows shows when it is finished.
    ///
    /// # Errors
    ///
    /// Fails where the target is there already or cannot be written, and where the dialect cannot hold a
    /// type or a label.
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
            // Where the only block starts.
            output.write_zeros(16)?;
        }
        let row: u64 = columns.iter().map(|column| column.value_type.size() as u64).sum();
        let together = match options.block_rows {
            Some(0) => return Err(Error::argument("a block has at least one row")),
            Some(rows) => rows.into(),
            None => (BYTES / row.max(1)).clamp(1, u32::MAX.into()),
        };
        let waiting = columns.iter().map(|column| Values::new(column.value_type)).collect();
        let (columns, dialect) = (columns.to_vec(), options.dialect);
        Ok(Self { output, columns, dialect, rows: 0, together, waiting })
    }

    /// Writes the next rows.
    ///
    /// # Errors
    ///
    /// Fails where they are not the next ones, are of other types, or cannot be written.
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
            let waiting = self.waiting.first().and_then(Values::len).unwrap_or(0) as u64;
            let now = (self.together - waiting).min(count - taken);
            // Rows of a batch, which memory holds.
            let range = [taken, taken + now].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
            for (into, from) in self.waiting.iter_mut().zip(&batch.columns) {
                into.extend_from(from, range[0]..range[1]);
            }
            taken += now;
            self.rows += now;
            if waiting + now == self.together {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes a band of blocks.
    fn flush(&mut self) -> Result<()> {
        let rows = self.waiting.first().and_then(Values::len).unwrap_or(0);
        if rows == 0 {
            return Ok(());
        }
        let mut col = 0;
        let alike = |a: &Values, b: &Values| a.value_type() == b.value_type();
        for run in self.waiting.chunk_by(alike) {
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
        self.waiting.iter_mut().for_each(Values::clear);
        Ok(())
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be done; nothing is left behind then.
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

/// Puts columns together row by row.
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
