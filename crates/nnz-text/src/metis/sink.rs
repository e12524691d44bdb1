//! Writing METIS graphs.

use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{
    Annotations, At, Batch, BatchEncoder, Column, Encoded, Error, Header, MatrixSink, Order, Place,
    Result, SinkCapabilities, ValueType, Written,
};
use nnz_lines::{Output, TextTarget};
use nnz_storage::TemporaryFile;

use super::pairs::Pairs;
use super::{SIZE, weight_names};
use crate::entry_text::write_integer;
use crate::text::is_gzip;

/// Returns what the format supports.
#[must_use]
pub fn capabilities() -> SinkCapabilities {
    const TYPES: &[ValueType] = &[
        ValueType::Bint8,
        ValueType::I8,
        ValueType::I16,
        ValueType::I32,
        ValueType::I64,
        ValueType::U8,
        ValueType::U16,
        ValueType::U32,
    ];
    SinkCapabilities::new(&[Order::Row], TYPES).unique(true).annotations(true)
}

/// Creates a sink. Sizes and weights of vertices come from the annotations `size` and `weight`, or `weight_0`,
/// `weight_1` and so on, of the rows. The text is gzipped if the path ends in `.gz`.
///
/// # Errors
///
/// Fails if the target cannot be created, if the matrix is not square, and if sizes or weights cannot be read or are no
/// nonnegative integers.
pub fn create(
    target: TextTarget,
    header: &Header,
    rows: Option<&dyn Annotations>,
) -> Result<Box<dyn MatrixSink>> {
    if header.shape.rows != header.shape.cols {
        let what = format!("a graph has a square matrix, and this one is {}", header.shape);
        return Err(Error::argument(what));
    }
    let (path, gzip) = match &target {
        TextTarget::File { path, .. } => (path.clone(), is_gzip(path)),
        TextTarget::Stream { name, .. } => (PathBuf::from(name), false),
    };
    let (sizes, weights) = columns(rows)?;
    let output = Output::create(target, gzip)?;
    let body = output.spool()?;
    let edge_weights = !header.iso;
    let words = Words { sizes, weights };
    words.check(header.shape.rows, &path)?;
    let encoder = Arc::new(Encoder { words, edge_weights, path, side: header.shape.rows });
    let pairs = Pairs::default();
    Ok(Box::new(Sink { output, body, encoder, rows: 0, entries: 0, pairs, failed: false }))
}

/// Reads the columns of sizes and weights.
fn columns(rows: Option<&dyn Annotations>) -> Result<(Option<Column>, Vec<Column>)> {
    let Some(rows) = rows else { return Ok((None, Vec::new())) };
    let position = |name: &str| rows.columns().iter().position(|column| column.name == name);
    let read = |index: usize| rows.read_column(index, u64::MAX);
    let sizes = position(SIZE).map(read).transpose()?;
    let mut weights = Vec::new();
    let single = weight_names(1).first().and_then(|name| position(name));
    match single {
        Some(index) => weights.push(read(index)?),
        None => {
            while let Some(index) = weight_names(weights.len() as u64 + 2)
                .get(weights.len())
                .and_then(|name| position(name))
            {
                weights.push(read(index)?);
            }
        }
    }
    Ok((sizes, weights))
}

/// Numbers before the neighbours of each vertex.
struct Words {
    sizes: Option<Column>,
    weights: Vec<Column>,
}

impl Words {
    fn all(&self) -> impl Iterator<Item = &Column> {
        self.sizes.iter().chain(&self.weights)
    }

    /// Fails if a number is not a nonnegative integer.
    fn check(&self, rows: u64, path: &std::path::Path) -> Result<()> {
        let mut text = Vec::new();
        for column in self.all() {
            for row in 0..rows {
                text.clear();
                column.write_text(row, &mut text);
                let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
                if !digits || column.is_missing(row) {
                    let shown = String::from_utf8_lossy(&text);
                    let found =
                        format!("the size or weight \"{}\" of row {row}", shown.escape_debug());
                    return Err(Error::mismatch(Place::path(path), found, "a nonnegative integer"));
                }
            }
        }
        Ok(())
    }

    fn write(&self, row: u64, out: &mut Vec<u8>) {
        for column in self.all() {
            out.push(b' ');
            column.write_text(row, out);
        }
    }
}

struct Encoder {
    words: Words,
    edge_weights: bool,
    path: PathBuf,
    side: u64,
}

/// The neighbours of each row of a batch.
struct Text {
    text: Vec<u8>,
    /// Each row, and where its text ends.
    rows: Vec<(u64, usize)>,
    pairs: Pairs,
    first: u64,
    entries: u64,
}

impl Encoder {
    fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        let mut text = Vec::with_capacity(batch.entries().saturating_mul(8));
        let (mut rows, mut pairs) = (Vec::with_capacity(batch.runs()), Pairs::default());
        for run in 0..batch.runs() {
            let row = batch.majors.get(run);
            for entry in batch.run(run) {
                let col = batch.minor(run, entry);
                let refuse = |found: String, expected: &str| {
                    let place = Place::path(&self.path).at(At::Entry { row, col });
                    Err(Error::mismatch(place, found, expected))
                };
                if row >= self.side || col >= self.side {
                    return refuse("an entry outside the matrix".to_owned(), "a position inside");
                }
                if row == col {
                    return refuse(
                        "an entry on the diagonal".to_owned(),
                        "a graph without edges from a vertex to itself",
                    );
                }
                let value = batch.values.get(entry).and_then(nnz_core::Scalar::to_f64);
                text.push(b' ');
                write_integer(&mut text, col + 1);
                let start = text.len();
                text.push(b' ');
                batch.values.write_text(entry, &mut text, " ");
                let weight = text.get(start + 1..).unwrap_or_default();
                let weight = nnz_lines::digits::digits(weight, 0).map_or(0, |(weight, _)| weight);
                if !value.is_some_and(|value| value >= 1.0) {
                    let found = format!("the weight {}", value.unwrap_or(f64::NAN));
                    return refuse(found, "a positive integer");
                }
                if !self.edge_weights {
                    text.truncate(start);
                }
                pairs.add(row + 1, col + 1, weight);
            }
            rows.push((row, text.len()));
        }
        Ok(Text { text, rows, pairs, first, entries: batch.entries() as u64 })
    }
}

impl BatchEncoder for Encoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        Ok(Box::new(self.text(batch, first)?))
    }
}

struct Sink {
    output: Output,
    /// The lines of vertices, which follow the header with the number of edges.
    body: TemporaryFile,
    encoder: Arc<Encoder>,
    /// The number of rows whose line has begun.
    rows: u64,
    entries: u64,
    pairs: Pairs,
    failed: bool,
}

impl Sink {
    /// Begins the lines of the rows before `end`.
    fn begin(&mut self, end: u64, lines: &mut Vec<u8>) -> Result<()> {
        while self.rows < end {
            if self.rows > 0 {
                lines.push(b'\n');
            }
            self.encoder.words.write(self.rows, lines);
            self.rows += 1;
            if lines.len() > 64 << 10 {
                self.body.write_all(lines)?;
                lines.clear();
            }
        }
        Ok(())
    }

    fn next(&mut self, text: &Text) -> Result<()> {
        if text.first != self.entries {
            return Err(Error::argument("a batch out of order"));
        }
        self.entries += text.entries;
        self.pairs.join(&text.pairs);
        let (mut lines, mut start) = (Vec::new(), 0);
        for &(row, end) in &text.rows {
            self.begin(row.saturating_add(1), &mut lines)?;
            lines.extend_from_slice(text.text.get(start..end).unwrap_or_default());
            start = end;
        }
        self.body.write_all(&lines)
    }

    /// Returns the first line.
    fn header(&self) -> String {
        let words = &self.encoder.words;
        let weights = words.weights.len();
        let digits = [words.sizes.is_some(), weights > 0, self.encoder.edge_weights];
        let fmt: String = digits.map(|digit| if digit { '1' } else { '0' }).iter().collect();
        let mut line = format!("{} {}", self.encoder.side, self.entries / 2);
        if fmt != "000" {
            line += &format!(" {fmt}");
        }
        if weights > 1 {
            line += &format!(" {weights}");
        }
        line + "\n"
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
        if self.pairs.unpaired().is_some() || !self.entries.is_multiple_of(2) {
            let place = Place::path(&self.encoder.path);
            let expected = "a symmetric matrix, since edges of a graph have no direction";
            return Err(Error::mismatch(place, "a matrix that is not symmetric", expected));
        }
        let mut lines = Vec::new();
        self.begin(self.encoder.side, &mut lines)?;
        if self.encoder.side > 0 {
            lines.push(b'\n');
        }
        self.body.write_all(&lines)?;
        let header = self.header();
        self.output.write(header.as_bytes())?;
        self.body.rewind();
        let mut buffer = vec![0; 256 << 10];
        loop {
            let count = self.body.read(&mut buffer)?;
            if count == 0 {
                return self.output.finish();
            }
            self.output.write(buffer.get(..count).unwrap_or_default())?;
        }
    }
}
