//! An SVMlight file as a matrix source.

use nnz_storage::TaskContext;
use std::ops::Range;
use std::path::Path;

use nnz_core::{
    About, Annotations, At, Axis, Batch, Duplicates, Error, Header, MatrixSource, Minors, Names,
    Order, Projection, Result, Shape, Unit, UnitReader, ValueType,
};
use nnz_storage::{Opened, stdio};

use super::first::FirstWords;
use super::kept::BlockEntries;
use super::labels::LabelTable;
use super::parse::{Visit, parse};
use super::survey::Survey;
use crate::blocks::{Block, Blocks, Start};
use crate::fault::Fault;
use crate::options::{Base, Size};
use crate::text::{Text, stdin_name};
use crate::values::Value;

/// How a file is read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The index of the first column. By default what a comment of scikit-learn states; otherwise 0 if an index is 0,
    /// and 1 if none is.
    pub base: Option<Base>,
    /// The shape. By default as many columns as the largest index requires. The number of rows has to match the
    /// file.
    pub size: Size,
    /// Whether rows begin with a label and a weight, `1:0.5`. By default if all of them do.
    pub label_weights: Option<bool>,
    /// The bytes of entries that are kept, so that the text is not parsed again.
    pub keep: usize,
}

nnz_core::setters! {
    ReadOptions { base: Option<Base>, size: Size, label_weights: Option<bool>, keep: usize }
}

/// A matrix in SVMlight text, by row. Labels, weights and queries are annotations of the rows: `label`,
/// `weight`, `qid`.
///
/// The file is read once when it is opened, on all cores, to find shape and types.
#[derive(Debug)]
pub struct SvmlightSource {
    pub(super) text: Text,
    header: Header,
    base: u64,
    pub(super) survey: Survey,
    notes: Vec<String>,
}

/// Creates a source for a file that has been opened, gzipped or not, or for a pipe, which is copied to a temporary
/// file.
///
/// # Errors
///
/// Fails if the file cannot be read or is broken.
pub fn from_opened(opened: &Opened, options: &ReadOptions) -> Result<SvmlightSource> {
    SvmlightSource::new(Text::open(opened)?, options)
}

/// Opens a matrix on standard input, which is copied to a temporary file.
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn open_stdin(options: &ReadOptions, context: &TaskContext) -> Result<SvmlightSource> {
    SvmlightSource::new(
        Text::from_reader(Box::new(stdio::stdin()), &stdin_name(), context)?,
        options,
    )
}

/// Opens a matrix from bytes. Messages use `name`.
///
/// ```
/// use nnz_core::MatrixSource;
/// let matrix = nnz_text::svmlight::from_bytes(b"-1 1:0.5 3:2\n1 2:4\n", "example", &Default::default(), &Default::default())?;
/// assert_eq!(matrix.header().shape.to_string(), "2 x 3");
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails as [`from_opened`].
pub fn from_bytes(
    bytes: &'static [u8],
    name: &str,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<SvmlightSource> {
    SvmlightSource::new(Text::from_reader(Box::new(bytes), Path::new(name), context)?, options)
}

impl SvmlightSource {
    fn new(text: Text, options: &ReadOptions) -> Result<Self> {
        let first_words = FirstWords::of(&text, options.label_weights)?;
        let mut survey = Survey::of(&text, first_words, options.keep)?;
        let mut notes = Vec::new();
        if first_words.is_guess() {
            let what = "rows begin with LABEL:WEIGHT, as XGBoost reads them; the option \
                        label-weights sets it";
            notes.push(what.to_owned());
        }
        let base = match (options.base, survey.stated_base, survey.smallest) {
            (Some(base), ..) => base.number(),
            (None, _, Some(0)) => 0,
            (None, Some(stated), _) => stated,
            (None, None, Some(_)) => {
                let what = "no index is 0, so columns are counted from 1; the option base sets it";
                notes.push(what.to_owned());
                1
            }
            (None, None, None) => 1,
        };
        let needed = survey.largest.map_or(0, |largest| (largest + 1).saturating_sub(base));
        if let Some(rows) = options.size.rows.filter(|rows| *rows != survey.rows) {
            let found = match survey.rows {
                1 => "1 row".to_owned(),
                count => format!("{count} rows"),
            };
            let expected = format!("{rows}, as the option shape states");
            return Err(Error::mismatch(text.place(), found, expected));
        }
        let cols = options.size.cols.unwrap_or(needed);
        // The error for an index outside of the shape has its position in the text.
        if survey.smallest.is_some_and(|least| least < base) || needed > cols || cols > 1 << 32 {
            survey.kept = None;
        }
        let header =
            Header::new(Shape { rows: survey.rows, cols }, Order::Row, survey.values.value_type())
                .sorted_indices(survey.unsorted.then_some(false))
                .nnz(survey.entries)
                .duplicates(Duplicates::Refused);
        Ok(Self { text, header, base, survey, notes })
    }

    /// Returns the row of the first run of a block.
    fn first_row(&self, block: u64, continues: bool) -> Result<u64> {
        let before = usize::try_from(block).ok();
        let before = before.and_then(|index| self.survey.rows_before.get(index).copied());
        let first = before.and_then(|before| before.checked_sub(u64::from(continues)));
        first.ok_or_else(|| self.text.changed())
    }

    fn decode<V: Value>(&self, block: &Block, batch: &mut Batch) -> Result<()> {
        let first = self.first_row(block.index, block.start == Start::Word)?;
        batch.order = Order::Row;
        batch.majors = nnz_core::Majors::Consecutive(first);
        let Batch { offsets, minors, values, .. } = batch;
        offsets.clear();
        let values = V::vec_mut(values);
        values.clear();
        let narrow = self.header.shape.cols <= 1 << 32;
        let mut visit = Decoder {
            base: self.base,
            cols: self.header.shape.cols,
            offsets,
            narrow: Vec::new(),
            wide: Vec::new(),
            values,
        };
        match narrow {
            true => visit.narrow = std::mem::take(minors.u32_mut()),
            false => visit.wide = std::mem::take(minors.u64_mut()),
        }
        if block.start == Start::Word {
            visit.offsets.push(0);
        }
        let parsed = parse(block, self.survey.first_words, &mut visit);
        visit.offsets.push(visit.values.len());
        // Without a row there is no run.
        *minors = match narrow {
            true => Minors::U32(visit.narrow),
            false => Minors::U64(visit.wide),
        };
        parsed.map_err(|fault| fault.report(&self.text, block))?;
        if first.saturating_add(batch.runs() as u64) > self.header.shape.rows {
            return Err(self.text.changed());
        }
        Ok(())
    }
}

/// Fills a batch.
struct Decoder<'a, V> {
    base: u64,
    cols: u64,
    /// The start of each row, and at the end the start of the next one.
    offsets: &'a mut Vec<usize>,
    narrow: Vec<u32>,
    wide: Vec<u64>,
    values: &'a mut Vec<V>,
}

impl<V: Value> Visit for Decoder<'_, V> {
    fn row(&mut self, _: &[u8], _: usize) -> Result<(), Fault> {
        self.offsets.push(self.values.len());
        Ok(())
    }

    #[inline]
    fn entry(
        &mut self,
        text: &[u8],
        index: u64,
        index_at: usize,
        at: usize,
    ) -> Result<usize, Fault> {
        let col = index.wrapping_sub(self.base);
        if col >= self.cols {
            let expected = match self.cols {
                _ if index < self.base => format!("an index of at least {}", self.base),
                0 => "no entry, since there are no columns".to_owned(),
                cols => format!("an index from {} to {}", self.base, cols - 1 + self.base),
            };
            return Err(Fault::new(index_at, expected));
        }
        let parsed = V::parse(text, at).map_err(|why| Fault::number(at, why, "a number"))?;
        match u32::try_from(col) {
            Ok(col) if self.cols <= 1 << 32 => self.narrow.push(col),
            _ => self.wide.push(col),
        }
        self.values.push(parsed.0);
        Ok(parsed.1)
    }
}

struct Reader<'a> {
    source: &'a SvmlightSource,
    blocks: Blocks,
    entries: u64,
}

struct SvmlightUnit<'a> {
    source: &'a SvmlightSource,
    block: Block,
}

impl<'a> UnitReader<'a> for Reader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some(block) = self.blocks.next_block()? else { return Ok(None) };
        Ok(Some(Box::new(SvmlightUnit { source: self.source, block })))
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.entries += entries;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self.entries == self.source.survey.entries {
            true => Ok(()),
            false => Err(self.source.text.changed()),
        }
    }
}

impl Unit for SvmlightUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        match self.source.header.value_type {
            ValueType::I64 => self.source.decode::<i64>(&self.block, batch),
            ValueType::U64 => self.source.decode::<u64>(&self.block, batch),
            _ => self.source.decode::<f64>(&self.block, batch),
        }
    }
}

/// Reads the entries that were kept.
struct KeptReader<'a> {
    source: &'a SvmlightSource,
    blocks: &'a [BlockEntries],
    block: u64,
}

struct KeptUnit<'a> {
    source: &'a SvmlightSource,
    kept: &'a BlockEntries,
    first: u64,
}

impl<'a> UnitReader<'a> for KeptReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let Some((kept, rest)) = self.blocks.split_first() else { return Ok(None) };
        let first = self.source.first_row(self.block, kept.continues)?;
        self.blocks = rest;
        self.block += 1;
        Ok(Some(Box::new(KeptUnit { source: self.source, kept, first })))
    }
}

impl Unit for KeptUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, kept, first } = *self;
        match kept.fill(first, source.base, source.header.value_type, batch) {
            true => Ok(()),
            false => Err(source.text.changed()),
        }
    }
}

impl MatrixSource for SvmlightSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let about = self.text.about("SVMlight", Some(format!("base {}", self.base)));
        Ok(about.notes(self.notes.clone()))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        Ok(match axis {
            Axis::Rows => LabelTable::new(self).map(|table| Box::new(table) as _),
            Axis::Cols => None,
        })
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        if majors != (0..self.header.shape.rows) {
            let what = "a text can only be read as a whole, not by a range of rows";
            return Err(Error::unsupported(self.text.place(), what));
        }
        if let Some(kept) = &self.survey.kept {
            return Ok(Box::new(KeptReader { source: self, blocks: &kept.blocks, block: 0 }));
        }
        let blocks = Blocks::new(&self.text, b'#')?;
        Ok(Box::new(Reader { source: self, blocks, entries: 0 }))
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let mut found = Vec::new();
        let mut blocks = Blocks::new(&self.text, b'#')?;
        while let Some(block) = blocks.next_block()? {
            let wanted = (row, col.saturating_add(self.base));
            let next = self.first_row(block.index, false)?;
            let mut visit = Locator { wanted, next, found: Vec::new() };
            // Errors were reported when the file was opened.
            let _ = parse(&block, self.survey.first_words, &mut visit);
            found.extend(visit.found.iter().map(|at| block.position(*at)));
            if found.len() >= 2 || visit.next > row.saturating_add(1) {
                break;
            }
        }
        found.truncate(2);
        Ok(found)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

/// Finds the entries of a row and index.
struct Locator {
    wanted: (u64, u64),
    /// The row after the current one.
    next: u64,
    found: Vec<usize>,
}

impl Visit for Locator {
    fn row(&mut self, _: &[u8], _: usize) -> Result<(), Fault> {
        self.next += 1;
        Ok(())
    }

    fn entry(
        &mut self,
        text: &[u8],
        index: u64,
        index_at: usize,
        at: usize,
    ) -> Result<usize, Fault> {
        if (self.next.wrapping_sub(1), index) == self.wanted {
            self.found.push(index_at);
        }
        let parsed = f64::parse(text, at).map_err(|why| Fault::number(at, why, "a number"));
        parsed.map(|(_, end)| end)
    }
}
