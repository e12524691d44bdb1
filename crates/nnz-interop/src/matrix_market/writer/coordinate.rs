//! Entries, one a line.

use nnz_core::{
    Batch, Bint8, Error, ErrorKind, Header, MatrixSink, Place, Result, Scalar, ValueType, Values,
    Written,
};

use super::super::banner::{Banner, Field, Layout, Symmetry};
use super::super::fault::counted;
use super::Options;
use super::body::Body;
use super::output::Output;
use super::place::{Places, check_batch};
use super::text::{Number, at_entry, with_numbers};

pub(super) struct CoordinateSink {
    body: Body,
    header: Header,
    places: Places,
    lossy: bool,
    /// Known with the first batch, as only a shared value of 1 makes a pattern.
    field: Option<Field>,
    written: u64,
    previous: Option<(u64, u64)>,
    failed: bool,
}

impl CoordinateSink {
    pub(super) fn new(output: Output, header: &Header, options: Options) -> Result<Self> {
        Ok(Self {
            body: match header.stored {
                Some(_) => Body::direct(output),
                None => Body::spooled(output)?,
            },
            header: header.clone(),
            places: Places::new(header),
            lossy: options.lossy,
            field: None,
            written: 0,
            previous: None,
            failed: false,
        })
    }

    /// Returns the field, after deciding it and writing what precedes the entries.
    fn begin(&mut self, all_one: bool) -> Field {
        if let Some(field) = self.field {
            return field;
        }
        let value_type = self.header.value_type;
        // A pattern has no sign to turn.
        let signed = self.places.symmetry == Symmetry::SkewSymmetric;
        let field = if value_type == ValueType::Bint8 && all_one && !signed {
            Field::Pattern
        } else if value_type.is_complex() {
            Field::Complex
        } else if value_type.is_integer() {
            Field::Integer
        } else {
            Field::Real
        };
        self.field = Some(field);
        if let Some(stored) = self.header.stored {
            let text = self.preamble(field, stored);
            self.body.text.extend_from_slice(&text);
        }
        field
    }

    fn preamble(&self, field: Field, stored: u64) -> Vec<u8> {
        let banner = Banner { layout: Layout::Coordinate, field, symmetry: self.places.symmetry };
        let shape = self.header.shape;
        format!("%%MatrixMarket matrix {banner}\n{} {} {stored}\n", shape.rows, shape.cols)
            .into_bytes()
    }

    fn entries(
        &mut self,
        batch: &Batch,
        field: Field,
        number: impl Fn(usize) -> Number,
    ) -> Result<()> {
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            self.entry(row, col, field, number(entry))
                .map_err(|error| at_entry(error, self.body.path(), row, col))
        })
    }

    #[inline]
    fn entry(&mut self, row: u64, col: u64, field: Field, number: Number) -> Result<()> {
        let (row, col, number) = self.places.put(row, col, number)?;
        if self.previous.replace((row, col)) == Some((row, col)) {
            let kind = ErrorKind::Duplicate { other: None };
            return Err(Error::new(kind, Place::default()));
        }
        let text = &mut self.body.text;
        let mut decimal = itoa::Buffer::new();
        text.extend_from_slice(decimal.format(row + 1).as_bytes());
        text.push(b' ');
        text.extend_from_slice(decimal.format(col + 1).as_bytes());
        if field != Field::Pattern {
            text.push(b' ');
            number.write(text, self.lossy)?;
        } else if number != Number::Integer(1) {
            return Err(Error::argument("a pattern whose values are not all 1"));
        }
        text.push(b'\n');
        self.written += 1;
        self.body.flush_full()
    }
}

impl MatrixSink for CoordinateSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        check_batch(batch, &self.header)?;
        let all_one = matches!(&batch.values, Values::Iso(Scalar::Bint8(Bint8(1))));
        let field = self.begin(all_one);
        let written = with_numbers!(&batch.values, number => self.entries(batch, field, number));
        self.failed |= written.is_err();
        written
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        if self.failed {
            return Err(super::failed(self.body.path()));
        }
        if let Some(stored) = self.header.stored
            && stored != self.written
        {
            let place = Place::path(self.body.path());
            let found = format_args!("{} to write", counted(self.written));
            let expected = format_args!("{stored}, as was announced");
            return Err(Error::mismatch(place, found, expected));
        }
        // Without any entry, the header alone says what they would have been.
        let field = self.begin(self.header.iso);
        let before = self.preamble(field, self.written);
        self.body.finish(&before)
    }
}
