//! Writing rows in order, with the cells that have no entries.

use std::sync::{Arc, Mutex};

use nnz_core::{
    At, Batch, BatchEncoder, Encoded, Error, Header, MatrixSink, Place, Result, Values, Written,
};

use super::WriteOptions;
use super::encode::{CellRange, Encoder, Shared, Text};
use super::header::RowStarts;
use super::output::Output;

/// The cells without entries that are written at once.
const BLANKS: usize = 4096;

/// A sink that writes a table.
pub(super) struct Sink {
    output: Output,
    rows: RowStarts,
    encoder: Arc<Encoder>,
    /// The text of `BLANKS` cells without an entry.
    blanks: Vec<u8>,
    /// The next cell to be written.
    next: (u64, u64),
    /// The number of entries written.
    written: u64,
    failed: bool,
    start: Vec<u8>,
}

impl Sink {
    pub(super) fn new(
        output: Output,
        rows: RowStarts,
        header: &Header,
        options: &WriteOptions,
    ) -> Result<Self> {
        let separator = options.kind.separator();
        let mut encoder = Encoder {
            path: output.path().to_path_buf(),
            header: header.clone(),
            separator,
            lossy: options.lossy,
            blank: Vec::new(),
            spare: Mutex::default(),
        };
        let zero = || Values::try_zeroed(header.value_type, 1).and_then(|zero| zero.get(0));
        let mut blank = vec![separator];
        if let Some(fill) = header.fill.or_else(zero) {
            let written = encoder.scalar(&mut blank, fill);
            written.map_err(|error| error.with_context(&Place::path(output.path())))?;
        }
        let blanks = blank.repeat(BLANKS);
        encoder.blank = blank;
        Ok(Self {
            output,
            rows,
            encoder: Arc::new(encoder),
            blanks,
            next: (0, 0),
            written: 0,
            failed: false,
            start: Vec::new(),
        })
    }

    /// Writes the cells before a position.
    fn fill_to(&mut self, row: u64, col: u64) -> Result<()> {
        let (cols, len) = (self.encoder.header.shape.cols, self.encoder.blank.len());
        while self.next.0 < row {
            self.begin_row()?;
            self.output.repeat(&self.blanks, len, cols - self.next.1)?;
            self.output.write(b"\n")?;
            self.next = (self.next.0 + 1, 0);
        }
        if col > self.next.1 {
            self.begin_row()?;
            self.output.repeat(&self.blanks, len, col - self.next.1)?;
            self.next.1 = col;
        }
        Ok(())
    }

    /// Writes the start of the row if it is not written yet.
    fn begin_row(&mut self) -> Result<()> {
        if self.next.1 > 0 {
            return Ok(());
        }
        self.start.clear();
        let written = self.rows.write(self.next.0, &mut self.start);
        written.map_err(|error| error.with_context(&Place::path(self.output.path())))?;
        self.output.write(&self.start)
    }

    fn put(&mut self, text: &Text) -> Result<()> {
        if text.first != self.written {
            return Err(Error::argument("a batch out of order"));
        }
        self.written += text.entries;
        let mut start = 0;
        for &CellRange { row, col, count, end } in &text.ranges {
            if (row, col) < self.next {
                let place = Place::path(self.output.path()).at(At::Entry { row, col });
                let (row, col) = self.next;
                let expected = format!("row {row}, column {col} or later");
                return Err(Error::mismatch(place, "an entry out of order", expected));
            }
            self.fill_to(row, col)?;
            self.begin_row()?;
            self.output.write(text.text.get(start..end).unwrap_or_default())?;
            self.next.1 = col + count;
            start = end;
        }
        Ok(())
    }
}

impl MatrixSink for Sink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = Shared(Arc::clone(&self.encoder)).text(batch, self.written);
        let written = encoded.and_then(|text| self.put(&text));
        self.failed |= written.is_err();
        written
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::new(Shared(Arc::clone(&self.encoder))))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let text = encoded
            .downcast::<Text>()
            .map_err(|_| Error::argument("a batch that was encoded for another sink"))?;
        let written = self.put(&text);
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed {
            let what = "an entry could not be written, so the matrix is not complete";
            return Err(Error::unsupported(Place::path(self.output.path()), what));
        }
        // A row that is complete still needs its line end.
        let rows = self.encoder.header.shape.rows;
        self.fill_to(rows, 0)?;
        self.output.finish()
    }
}
