//! Writing edge lists.

use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{
    At, Batch, BatchEncoder, Encoded, Error, Header, MatrixSink, Names, Order, Place, Result,
    SinkCapabilities, StringList, Written,
};
use nnz_lines::{Output, TextTarget};

use crate::entry_text::{VALUE_TYPES, write_integer, write_value};
use crate::options::Base;
use crate::text::is_gzip;

/// How a file is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The id of the first node; by default 0.
    pub base: Base,
    /// Whether values are written as weights.
    pub weights: bool,
    /// Whether nodes are written as their names.
    pub names: bool,
    /// Whether NaNs with a payload are written as `nan`.
    pub lossy: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { base: Base::Zero, weights: true, names: false, lossy: false }
    }
}

nnz_core::setters! { WriteOptions { base: Base, weights: bool, names: bool, lossy: bool } }

/// Returns what the format supports. Names are stored if nodes are written as names.
#[must_use]
pub fn capabilities(options: WriteOptions) -> SinkCapabilities {
    SinkCapabilities::new(&[Order::Row, Order::Col], VALUE_TYPES).unique(true).names(options.names)
}

/// Creates a sink. The text is gzipped if the path ends in `.gz`.
///
/// # Errors
///
/// Fails if the target cannot be created, if values are left out that are not 1, and if nodes are written as names
/// and rows or columns have none, or one that is not a word.
pub fn create(
    target: TextTarget,
    header: &Header,
    names: [Option<Names<'_>>; 2],
    options: WriteOptions,
) -> Result<Box<dyn MatrixSink>> {
    let (path, gzip) = match &target {
        TextTarget::File { path, .. } => (path.clone(), is_gzip(path)),
        TextTarget::Stream { name, .. } => (PathBuf::from(name), false),
    };
    let names = match options.names {
        true => Some(names.map(|names| words(names, &path))),
        false => None,
    };
    let names = match names {
        Some([rows, cols]) => {
            let names = [rows?, cols?];
            if names[0] != names[1] {
                let what = "nodes are written as names, but rows and columns have different names";
                return Err(Error::argument(what));
            }
            Some(names)
        }
        None => None,
    };
    let output = Output::create(target, gzip)?;
    let encoder = Arc::new(Encoder { names, options, path, header: header.clone() });
    Ok(Box::new(Sink { output, encoder, entries: 0, failed: false }))
}

/// Reads the names of an axis, each of which has to be a word.
fn words(names: Option<Names<'_>>, path: &std::path::Path) -> Result<StringList> {
    let Some(mut names) = names else {
        let what = "nodes are written as names, but rows or columns have none";
        return Err(Error::argument(what));
    };
    let list = names.list()?;
    for name in list.iter() {
        let is_word = |byte: &u8| !matches!(byte, 0..=b' ' | b',' | b'"' | b'#' | 0x7f);
        let begins = name.first().is_some_and(|first| !matches!(first, b'%' | b'{'));
        if !begins || !name.iter().all(is_word) {
            let found = format!("the name \"{}\"", String::from_utf8_lossy(name).escape_debug());
            return Err(Error::mismatch(
                Place::path(path),
                found,
                "a name without blanks, commas, quotes and #",
            ));
        }
    }
    Ok(list)
}

struct Encoder {
    names: Option<[StringList; 2]>,
    options: WriteOptions,
    path: PathBuf,
    header: Header,
}

/// The lines of a batch.
struct Text {
    text: Vec<u8>,
    first: u64,
    entries: u64,
}

impl Encoder {
    fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        let mut text = Vec::with_capacity(batch.entries().saturating_mul(16));
        let mut one = Vec::new();
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let done = self.line(batch, entry, [row, col], &mut text, &mut one);
            done.map_err(|error| {
                error.with_context(&Place::path(&self.path).at(At::Entry { row, col }))
            })
        })?;
        Ok(Text { text, first, entries: batch.entries() as u64 })
    }

    #[inline]
    fn line(
        &self,
        batch: &Batch,
        entry: usize,
        nodes: [u64; 2],
        text: &mut Vec<u8>,
        one: &mut Vec<u8>,
    ) -> Result<()> {
        let [row, col] = nodes;
        let shape = self.header.shape;
        if row >= shape.rows || col >= shape.cols {
            let expected = format_args!("a position inside {shape}");
            return Err(Error::mismatch(Place::default(), "an entry outside the matrix", expected));
        }
        match &self.names {
            None => {
                write_integer(text, row.saturating_add(self.options.base.number()));
                text.push(b' ');
                write_integer(text, col.saturating_add(self.options.base.number()));
            }
            Some([rows, cols]) => {
                text.extend_from_slice(rows.get(row).unwrap_or_default());
                text.push(b' ');
                text.extend_from_slice(cols.get(col).unwrap_or_default());
            }
        }
        if self.options.weights {
            text.push(b' ');
            write_value(text, &batch.values, entry, self.options.lossy)?;
        } else {
            one.clear();
            write_value(one, &batch.values, entry, true)?;
            if !matches!(&**one, b"1" | b"1.0") {
                let found = format!("the value {}", String::from_utf8_lossy(one));
                let expected = "1, since this file has no weights";
                return Err(Error::mismatch(Place::default(), found, expected));
            }
        }
        text.push(b'\n');
        Ok(())
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
    entries: u64,
    failed: bool,
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
        if text.first != self.entries {
            return Err(Error::argument("a batch out of order"));
        }
        self.entries += text.entries;
        let written = self.output.write(&text.text);
        self.failed |= written.is_err();
        written
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        match self.failed {
            true => Err(Error::argument("an earlier batch was not written")),
            false => self.output.finish(),
        }
    }
}
