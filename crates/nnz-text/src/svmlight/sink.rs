//! Writing SVMlight text.

use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{
    Annotations, At, Batch, BatchEncoder, Column, ColumnType, ColumnValues, Encoded, Error, Header,
    MatrixSink, Order, Place, Result, SinkCapabilities, Written,
};
use nnz_lines::{Output, TextTarget};

use super::{LABEL, QUERY, WEIGHT};
use crate::entry_text::{VALUE_TYPES, write_integer, write_value};
use crate::options::Base;
use crate::text::is_gzip;

/// How a file is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The index of the first column; by default 1.
    pub base: Base,
    /// Whether NaNs with a payload are written as `nan`.
    pub lossy: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { base: Base::One, lossy: false }
    }
}

nnz_core::setters! { WriteOptions { base: Base, lossy: bool } }

/// Returns what the format supports.
#[must_use]
pub fn capabilities() -> SinkCapabilities {
    SinkCapabilities::new(&[Order::Row], VALUE_TYPES).unique(true).annotations(true)
}

/// Returns whether the rows have weights that are written: an annotation `weight` of numbers beside a `label` of numbers.
#[must_use]
pub fn has_weights(rows: &dyn Annotations) -> bool {
    let is_real = |name: &str| {
        let mut columns = rows.columns().iter();
        let column = columns.find(|column| column.name == name);
        column.is_some_and(
            |column| matches!(column.column_type, ColumnType::Number(of) if !of.is_complex()),
        )
    };
    is_real(LABEL) && is_real(WEIGHT)
}

/// Creates a sink. Labels come from the annotation `label` of the rows, or are 0; queries come from `qid`, and weights
/// from `weight`, if there are labels. The text is gzipped if the path ends in `.gz`.
///
/// # Errors
///
/// Fails if the target cannot be created, and if labels, weights or queries cannot be read or written.
pub fn create(
    target: TextTarget,
    header: &Header,
    rows: Option<&dyn Annotations>,
    options: WriteOptions,
) -> Result<Box<dyn MatrixSink>> {
    let (path, gzip) = match &target {
        TextTarget::File { path, .. } => (path.clone(), is_gzip(path)),
        TextTarget::Stream { name, .. } => (PathBuf::from(name), false),
    };
    let column = |name: &str| -> Result<Option<Column>> {
        let Some(rows) = rows else { return Ok(None) };
        let index = rows.columns().iter().position(|column| column.name == name);
        index.map(|index| rows.read_column(index, u64::MAX)).transpose()
    };
    let weighted = rows.is_some_and(has_weights);
    let weights = if weighted { column(WEIGHT)? } else { None };
    let prefixes = Prefixes { labels: column(LABEL)?, weights, queries: column(QUERY)? };
    prefixes.check(&path)?;
    let output = Output::create(target, gzip)?;
    let encoder = Arc::new(Encoder { prefixes, options, path, header: header.clone() });
    Ok(Box::new(Sink { output, encoder, rows: 0, entries: 0, failed: false }))
}

/// Columns written before the entries of each row.
struct Prefixes {
    labels: Option<Column>,
    weights: Option<Column>,
    queries: Option<Column>,
}

impl Prefixes {
    /// Refuses what readers do not parse.
    fn check(&self, path: &std::path::Path) -> Result<()> {
        let refuse = |row: u64, column: &str, found: &[u8], expected: &str| {
            let place = Place::path(path);
            let shown = String::from_utf8_lossy(found);
            let found = format!("{column} \"{}\" of row {row}", shown.escape_debug());
            Err(Error::mismatch(place, found, expected))
        };
        if let Some(ColumnValues::Numbers(values)) =
            self.labels.as_ref().map(|labels| &labels.values)
            && values.value_type().is_complex()
        {
            return refuse(0, LABEL, b"", "real numbers");
        }
        if let (Some(labels), Some(weights)) = (&self.labels, &self.weights)
            && let Some(row) =
                (0..labels.len()).find(|row| labels.is_missing(*row) && !weights.is_missing(*row))
        {
            return refuse(row, LABEL, b"", "a label before the weight");
        }
        let mut text = Vec::new();
        for (name, column) in [(LABEL, &self.labels), (QUERY, &self.queries)] {
            let Some(column) = column else { continue };
            let is_number = matches!(column.values, ColumnValues::Numbers(_));
            for row in 0..column.len() {
                text.clear();
                if column.is_missing(row) {
                    continue;
                }
                if name == QUERY {
                    column.write_text(row, &mut text);
                    let end = nnz_lines::number::integer(&text, 0).map(|(_, end)| end);
                    if end != Some(text.len()) {
                        return refuse(row, name, &text, "an integer");
                    }
                } else if !is_number {
                    column.write_text(row, &mut text);
                    let numbers = |text: &[u8]| text.split(|byte| *byte == b',').all(is_label);
                    if !text.is_empty() && !numbers(&text) {
                        return refuse(row, name, &text, "a number, or several with commas");
                    }
                } else {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Appends label, weight and query of a row.
    fn write(&self, row: u64, out: &mut Vec<u8>) {
        match &self.labels {
            None => out.push(b'0'),
            Some(labels) if labels.is_missing(row) => {}
            Some(labels) => match (&labels.values, usize::try_from(row)) {
                // Complex labels were refused.
                (ColumnValues::Numbers(values), Ok(row)) => {
                    let _ = write_value(out, values, row, true);
                }
                _ => labels.write_text(row, out),
            },
        }
        if let Some(weights) = self.weights.as_ref().filter(|weights| !weights.is_missing(row))
            && let (ColumnValues::Numbers(values), Ok(row)) =
                (&weights.values, usize::try_from(row))
        {
            out.push(b':');
            let _ = write_value(out, values, row, true);
        }
        if let Some(queries) = self.queries.as_ref().filter(|queries| !queries.is_missing(row)) {
            out.extend_from_slice(b" qid:");
            queries.write_text(row, out);
        }
    }
}

fn is_label(text: &[u8]) -> bool {
    nnz_lines::number::number(text, 0).is_ok_and(|(_, end)| end == text.len())
}

struct Encoder {
    prefixes: Prefixes,
    options: WriteOptions,
    path: PathBuf,
    header: Header,
}

/// The text of a batch: the entries of its first row, then whole rows.
struct Text {
    text: Vec<u8>,
    /// First and last row.
    rows: Option<(u64, u64)>,
    /// Where rows without entries are missing in the text, as position and rows.
    gaps: Vec<(usize, u64, u64)>,
    first: u64,
    entries: u64,
}

impl Encoder {
    fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        let mut text = Vec::with_capacity(batch.entries().saturating_mul(16));
        let (mut rows, mut gaps): (Option<(u64, u64)>, _) = (None, Vec::new());
        let shape = self.header.shape;
        for run in 0..batch.runs() {
            let row = batch.majors.get(run);
            match &mut rows {
                None => rows = Some((row, row)),
                Some((_, last)) if *last == row => {}
                Some((_, last)) => {
                    let next = last.saturating_add(1);
                    text.push(b'\n');
                    if row > next {
                        gaps.push((text.len(), next, row));
                    }
                    self.prefixes.write(row, &mut text);
                    *last = row;
                }
            }
            for entry in batch.run(run) {
                let col = batch.minor(run, entry);
                if row >= shape.rows || col >= shape.cols {
                    let expected = format_args!("a position inside {shape}");
                    let place = self.entry(row, col);
                    return Err(Error::mismatch(place, "an entry outside the matrix", expected));
                }
                text.push(b' ');
                write_integer(&mut text, col.saturating_add(self.options.base.number()));
                text.push(b':');
                write_value(&mut text, &batch.values, entry, self.options.lossy)
                    .map_err(|error| error.with_context(&self.entry(row, col)))?;
            }
        }
        Ok(Text { text, rows, gaps, first, entries: batch.entries() as u64 })
    }

    fn entry(&self, row: u64, col: u64) -> Place {
        Place::path(&self.path).at(At::Entry { row, col })
    }
}

impl BatchEncoder for Encoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        Ok(Box::new(self.text(batch, first)?))
    }
}

struct Sink {
    output: Output,
    encoder: Arc<Encoder>,
    /// The number of rows whose line has begun.
    rows: u64,
    entries: u64,
    failed: bool,
}

impl Sink {
    /// Begins the lines of the rows before `end`.
    fn begin(&mut self, end: u64) -> Result<()> {
        let mut line = Vec::new();
        while self.rows < end {
            if self.rows > 0 {
                line.push(b'\n');
            }
            self.encoder.prefixes.write(self.rows, &mut line);
            self.rows += 1;
            if line.len() > 64 << 10 || self.rows == end {
                self.output.write(&line)?;
                line.clear();
            }
        }
        Ok(())
    }

    fn next(&mut self, text: &Text) -> Result<()> {
        if text.first != self.entries {
            return Err(Error::argument("a batch out of order"));
        }
        self.entries += text.entries;
        let Some((first, last)) = text.rows else { return Ok(()) };
        self.begin(first.saturating_add(1))?;
        let mut start = 0;
        for &(end, from, to) in &text.gaps {
            self.output.write(text.text.get(start..end).unwrap_or_default())?;
            let mut lines = Vec::new();
            for row in from..to {
                self.encoder.prefixes.write(row, &mut lines);
                lines.push(b'\n');
                if lines.len() > 64 << 10 {
                    self.output.write(&lines)?;
                    lines.clear();
                }
            }
            self.output.write(&lines)?;
            start = end;
        }
        self.output.write(text.text.get(start..).unwrap_or_default())?;
        self.rows = self.rows.max(last.saturating_add(1));
        Ok(())
    }
}

impl MatrixSink for Sink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let text = self.encoder.text(batch, self.entries)?;
        self.write_encoded(Box::new(text))
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::<Encoder>::clone(&self.encoder))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let text = encoded.downcast::<Text>();
        let text =
            text.map_err(|_| Error::argument("a batch that was encoded for another sink"))?;
        let written = self.next(&text);
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed {
            return Err(Error::argument("an earlier batch was not written"));
        }
        let rows = self.encoder.header.shape.rows;
        self.begin(rows)?;
        if rows > 0 {
            self.output.write(b"\n")?;
        }
        self.output.finish()
    }
}
