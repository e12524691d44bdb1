//! Entries, one a line.

use std::path::PathBuf;
use std::sync::Arc;

use nnz_core::{
    Batch, BatchEncoder, Bint8, Encoded, Error, ErrorKind, Header, MatrixSink, Minors, Order,
    Place, Result, Scalar, ValueType, Values, Written,
};

use super::super::banner::{Banner, Field, Layout, Symmetry};
use super::super::fault::counted;
use super::Options;
use super::body::Body;
use super::line::{self, Lines};
use super::output::Output;
use super::place::{Places, check_batch};
use super::ready::{Ready, Shared, unknown};
use super::text::{Number, at_entry, with_numbers};

pub(super) struct CoordinateSink {
    body: Body,
    encoder: Arc<CoordinateEncoder>,
    /// Known with the first batch, as only a shared value of 1 makes a pattern.
    field: Option<Field>,
    written: u64,
    previous: Option<(u64, u64)>,
    failed: bool,
}

/// Makes text of batches.
struct CoordinateEncoder {
    path: PathBuf,
    header: Header,
    places: Places,
    lossy: bool,
    shared: Arc<Shared>,
}

/// The text of a batch.
struct Text {
    text: Ready,
    /// What the lines are those of, going by this batch alone.
    field: Field,
    /// Number of the first entry.
    first: u64,
    entries: u64,
    /// Rows and columns of the first and the last entry.
    ends: Option<[(u64, u64); 2]>,
}

impl CoordinateSink {
    pub(super) fn new(output: Output, header: &Header, options: Options) -> Result<Self> {
        let encoder = CoordinateEncoder {
            path: output.path().to_path_buf(),
            header: header.clone(),
            places: Places::new(header),
            lossy: options.lossy,
            shared: Arc::default(),
        };
        Ok(Self {
            body: match header.stored {
                Some(_) => Body::direct(output),
                None => Body::spooled(output)?,
            },
            encoder: Arc::new(encoder),
            field: None,
            written: 0,
            previous: None,
            failed: false,
        })
    }

    /// Returns the field, after deciding it and writing what precedes the entries.
    fn begin(&mut self, field: Field) -> Result<Field> {
        if let Some(field) = self.field {
            return Ok(field);
        }
        self.field = Some(field);
        if let Some(stored) = self.encoder.header.stored {
            let text = self.preamble(field, stored);
            self.body.write(&text)?;
        }
        Ok(field)
    }

    fn preamble(&self, field: Field, stored: u64) -> Vec<u8> {
        let symmetry = self.encoder.places.symmetry;
        let banner = Banner { layout: Layout::Coordinate, field, symmetry };
        let shape = self.encoder.header.shape;
        format!("%%MatrixMarket matrix {banner}\n{} {} {stored}\n", shape.rows, shape.cols)
            .into_bytes()
    }

    fn next(&mut self, text: &Text) -> Result<()> {
        if text.first != self.written {
            return Err(Error::argument("a batch that is not the next one"));
        }
        let field = self.begin(text.field)?;
        if let Some([first, last]) = text.ends
            && self.previous.replace(last) == Some(first)
        {
            let error = Error::new(ErrorKind::Duplicate { other: None }, Place::default());
            return Err(at_entry(error, self.body.path(), first.0, first.1));
        }
        self.written += text.entries;
        match (text.field, field) {
            (Field::Pattern, Field::Integer) => self.body.write(&with_ones(text.text.bytes())),
            (Field::Integer, Field::Pattern) => match without_ones(text.text.bytes()) {
                Some(text) => self.body.write(&text),
                None => Err(Error::argument("a pattern whose values are not all 1")),
            },
            _ => self.body.write(text.text.bytes()),
        }
    }
}

/// Adds the value 1 to lines of a pattern.
fn with_ones(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.flat_map(|line| [&line[..line.len() - 1], b" 1\n"]).collect::<Vec<_>>().concat()
}

/// Leaves out values, if all are 1.
fn without_ones(text: &[u8]) -> Option<Vec<u8>> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let lines: Option<Vec<_>> = lines.map(|line| line.strip_suffix(b" 1\n")).collect();
    lines.map(|lines| lines.into_iter().flat_map(|line| [line, b"\n"]).collect::<Vec<_>>().concat())
}

impl CoordinateEncoder {
    fn field(&self, all_one: bool) -> Field {
        let value_type = self.header.value_type;
        // A pattern has no sign to turn.
        let signed = self.places.symmetry == Symmetry::SkewSymmetric;
        if value_type == ValueType::Bint8 && all_one && !signed {
            Field::Pattern
        } else if value_type.is_complex() {
            Field::Complex
        } else if value_type.is_integer() {
            Field::Integer
        } else {
            Field::Real
        }
    }

    fn text(&self, batch: &Batch, first: u64) -> Result<Text> {
        check_batch(batch, &self.header)?;
        let all_one = matches!(&batch.values, Values::Iso(Scalar::Bint8(Bint8(1))));
        let field = self.field(all_one);
        let mut lines = Lines::new(self.shared.buffer());
        with_numbers!(&batch.values, number => match field {
            Field::Pattern => self.lines(batch, number, &mut lines, |line, _| {
                line.end_at_blank();
                Ok(())
            }),
            _ => self.lines(batch, number, &mut lines, |line, number| {
                line.number(number, self.lossy)?;
                line.byte(b'\n');
                Ok(())
            }),
        })?;
        let ends = match batch.entries() {
            0 => None,
            entries => Some([batch.row_col(0), batch.row_col(entries - 1)]),
        };
        let entries = batch.entries() as u64;
        let text = Ready::new(lines.finish(), &self.shared);
        Ok(Text { text, field, first, entries, ends })
    }

    /// Writes a line for each entry, whose end is left to `end`.
    #[inline(always)]
    fn lines(
        &self,
        batch: &Batch,
        number: impl Fn(usize) -> Number,
        lines: &mut Lines,
        end: impl Fn(&mut line::Line<'_>, Number) -> Result<()>,
    ) -> Result<()> {
        match &batch.minors {
            Minors::U32(minors) => {
                self.runs(batch, |_, entry| minors[entry].into(), number, lines, end)
            }
            _ => self.runs(batch, |run, entry| batch.minor(run, entry), number, lines, end),
        }
    }

    #[inline(always)]
    fn runs(
        &self,
        batch: &Batch,
        minor: impl Fn(usize, usize) -> u64,
        number: impl Fn(usize) -> Number,
        lines: &mut Lines,
        end: impl Fn(&mut line::Line<'_>, Number) -> Result<()>,
    ) -> Result<()> {
        let mut previous = None;
        for run in 0..batch.runs() {
            let major = batch.majors.get(run);
            // One that is too large is refused with its first entry.
            let major_text = line::Place::new(major.min(u64::MAX - 1));
            for entry in batch.run(run) {
                let minor = minor(run, entry);
                let (row, col) = batch.order.row_col(major, minor);
                let written = self.places.put(row, col, number(entry)).and_then(|put| {
                    if previous.replace((major, minor)) == Some((major, minor)) {
                        let kind = ErrorKind::Duplicate { other: None };
                        return Err(Error::new(kind, Place::default()));
                    }
                    lines.line(|line| {
                        let (put_row, put_col, number) = put;
                        if (put_row, put_col) != (row, col) {
                            line.index(put_row);
                            line.index(put_col);
                        } else if batch.order == Order::Row {
                            line.place(&major_text);
                            line.index(minor);
                        } else {
                            line.index(minor);
                            line.place(&major_text);
                        }
                        end(line, number)
                    })
                });
                written.map_err(|error| at_entry(error, &self.path, row, col))?;
            }
        }
        Ok(())
    }
}

impl BatchEncoder for CoordinateEncoder {
    fn encode(&self, batch: &Batch, first: u64) -> Result<Encoded> {
        match self.text(batch, first) {
            Ok(text) => Ok(Box::new(text)),
            Err(error) => {
                self.shared.fail();
                Err(error)
            }
        }
    }
}

impl MatrixSink for CoordinateSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let encoded = self.encoder.encode(batch, self.written)?;
        self.write_encoded(encoded)
    }

    fn encoder(&self) -> Option<Arc<dyn BatchEncoder>> {
        Some(Arc::<CoordinateEncoder>::clone(&self.encoder))
    }

    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        let text = encoded.downcast::<Text>().map_err(|_| unknown())?;
        let written = self.next(&text);
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed || self.encoder.shared.failed() {
            return Err(super::failed(self.body.path()));
        }
        let header = &self.encoder.header;
        if let Some(stored) = header.stored
            && stored != self.written
        {
            let place = Place::path(self.body.path());
            let found = format_args!("{} to write", counted(self.written));
            let expected = format_args!("{stored}, as was announced");
            return Err(Error::mismatch(place, found, expected));
        }
        // Without any entry, the header alone says what they would have been.
        let field = self.encoder.field(header.iso);
        let field = self.begin(field)?;
        let before = self.preamble(field, self.written);
        self.body.finish(&before)
    }
}
