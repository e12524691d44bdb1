//! Writing entries, one per line.

use nnz_core::{
    Batch, Bint8, Error, ErrorKind, Header, Minors, Order, Place, Result, Scalar, ValueType,
    Values, Written,
};

use super::super::banner::{Banner, Field, Layout, Symmetry};
use super::super::fault::counted;
use super::Options;
use super::body::Body;
use super::line::{self, Lines};
use super::sink::{Form, Rules, Sink};
use super::text::{Number, at_entry, with_numbers};
use nnz_lines::Output;

/// The state of writing entries.
pub(super) struct Entries {
    body: Body,
    /// Known after the first batch, because only a shared value of 1 is a pattern.
    field: Option<Field>,
    previous: Option<(u64, u64)>,
}

/// Properties of the lines of a batch.
pub(super) struct BatchInfo {
    /// The field according to this batch alone.
    field: Field,
    /// Rows and columns of the first and the last entry.
    ends: Option<[(u64, u64); 2]>,
}

impl Entries {
    pub(super) fn sink(output: Output, header: &Header, options: &Options) -> Result<Sink<Self>> {
        let rules = Rules::new(output.path().to_path_buf(), header, options);
        let body = match header.nnz {
            Some(_) => Body::direct(output),
            None => Body::spooled(output)?,
        };
        Ok(Sink::new(Self { body, field: None, previous: None }, rules))
    }

    /// Decides on the field, writes the preamble, and returns the field.
    fn begin(&mut self, rules: &Rules, field: Field) -> Result<Field> {
        if let Some(field) = self.field {
            return Ok(field);
        }
        self.field = Some(field);
        if let Some(stored) = rules.header.nnz {
            self.body.write(&preamble(rules, field, stored))?;
        }
        Ok(field)
    }
}

impl Form for Entries {
    type BatchInfo = BatchInfo;

    fn text(rules: &Rules, batch: &Batch, lines: &mut Lines) -> Result<BatchInfo> {
        let all_one = matches!(&batch.values, Values::Iso(Scalar::Bint8(Bint8(1))));
        let field = field(rules, all_one);
        with_numbers!(&batch.values, number => match field {
            Field::Pattern => write(rules, batch, number, lines, |line, _| {
                line.end_at_blank();
                Ok(())
            }),
            _ => write(rules, batch, number, lines, |line, number| {
                line.number(number, rules.lossy)?;
                line.byte(b'\n');
                Ok(())
            }),
        })?;
        let ends = match batch.entries() {
            0 => None,
            entries => Some([batch.row_col(0), batch.row_col(entries - 1)]),
        };
        Ok(BatchInfo { field, ends })
    }

    fn next(&mut self, rules: &Rules, text: &[u8], known: &BatchInfo) -> Result<()> {
        let field = self.begin(rules, known.field)?;
        if let Some([first, last]) = known.ends
            && self.previous.replace(last) == Some(first)
        {
            let error = Error::new(ErrorKind::Duplicate { other: None }, Place::default());
            return Err(at_entry(error, &rules.path, first.0, first.1));
        }
        match (known.field, field) {
            (Field::Pattern, Field::Integer) => self.body.write(&with_ones(text)),
            (Field::Integer, Field::Pattern) => match without_ones(text) {
                Some(text) => self.body.write(&text),
                None => Err(Error::argument("a pattern whose values are not all 1")),
            },
            _ => self.body.write(text),
        }
    }

    fn finish(mut self, rules: &Rules, written: u64) -> Result<Written> {
        let header = &rules.header;
        if let Some(stored) = header.nnz
            && stored != written
        {
            let place = Place::path(&rules.path);
            let found = format_args!("{} to write", counted(written));
            let expected = format_args!("{stored}, the number in the header");
            return Err(Error::mismatch(place, found, expected));
        }
        // Without any entry, only the header determines the field.
        let field = self.begin(rules, field(rules, header.iso))?;
        self.body.finish(&preamble(rules, field, written))
    }
}

fn preamble(rules: &Rules, field: Field, stored: u64) -> Vec<u8> {
    let banner = Banner { layout: Layout::Coordinate, field, symmetry: rules.places.symmetry };
    let (shape, comments) = (rules.header.shape, &rules.comments);
    let text = format!(
        "%%MatrixMarket matrix {banner}\n{comments}{} {} {stored}\n",
        shape.rows, shape.cols
    );
    text.into_bytes()
}

/// Adds the value 1 to lines of a pattern.
fn with_ones(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.flat_map(|line| [&line[..line.len() - 1], b" 1\n"]).collect::<Vec<_>>().concat()
}

/// Removes the values, if all are 1.
fn without_ones(text: &[u8]) -> Option<Vec<u8>> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let lines: Option<Vec<_>> = lines.map(|line| line.strip_suffix(b" 1\n")).collect();
    lines.map(|lines| lines.into_iter().flat_map(|line| [line, b"\n"]).collect::<Vec<_>>().concat())
}

fn field(rules: &Rules, all_one: bool) -> Field {
    let value_type = rules.header.value_type;
    // A pattern has no sign to flip.
    let signed = rules.places.symmetry == Symmetry::SkewSymmetric;
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

/// Writes a line for each entry; `end` writes its end.
#[inline(always)]
fn write(
    rules: &Rules,
    batch: &Batch,
    number: impl Fn(usize) -> Number,
    lines: &mut Lines,
    end: impl Fn(&mut line::Line<'_>, Number) -> Result<()>,
) -> Result<()> {
    match &batch.minors {
        Minors::U32(minors) => {
            runs(rules, batch, |_, entry| minors[entry].into(), number, lines, end)
        }
        _ => runs(rules, batch, |run, entry| batch.minor(run, entry), number, lines, end),
    }
}

#[inline(always)]
fn runs(
    rules: &Rules,
    batch: &Batch,
    minor: impl Fn(usize, usize) -> u64,
    number: impl Fn(usize) -> Number,
    lines: &mut Lines,
    end: impl Fn(&mut line::Line<'_>, Number) -> Result<()>,
) -> Result<()> {
    let mut previous = None;
    for run in 0..batch.runs() {
        let major = batch.majors.get(run);
        // An index that is too large is an error at its first entry.
        let major_text = line::IndexText::new(major.min(u64::MAX - 1));
        for entry in batch.run(run) {
            let minor = minor(run, entry);
            let (row, col) = batch.order.row_col(major, minor);
            let written = rules.places.put(row, col, number(entry)).and_then(|put| {
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
            written.map_err(|error| at_entry(error, &rules.path, row, col))?;
        }
    }
    Ok(())
}
