//! Stored entries as text.

mod selected;

use nnz_storage::TaskContext;
use std::io::Write;
use std::ops::Range;

use nnz_core::{
    Axis, Batch, BatchReader, BatchUnits, Error, ErrorKind, MatrixSource, Order, Place, Projection,
    Result, SequentialReader, Storage,
};

use crate::Selection;
use crate::check::{Ascent, DuplicateSearch, refuse_repeated};
use crate::flow::Workers;
use crate::sort::{SortPlan, sorted};
use crate::stages::{
    Batches, Builder, DuplicatePolicy, Mirroring, PatternValues, Step, Unique, apply, empty_batch,
    expand, mirror,
};
use selected::AxisSelection;

/// Options of [`cat`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CatOptions {
    /// The rows. Ranges may extend past the end, and the order does not matter.
    pub rows: Option<Selection>,
    /// The columns.
    pub cols: Option<Selection>,
    /// Whether names are written instead of positions, where an axis has names.
    pub names: bool,
    /// Whether entries that follow from the structure are written after those they follow from.
    pub expand: bool,
    /// Handling of duplicate entries. By default, they are written if the format allows them, otherwise an
    /// error.
    pub duplicates: Option<DuplicatePolicy>,
}

nnz_core::setters! {
    CatOptions {
        rows: Option<Selection>,
        cols: Option<Selection>,
        names: bool,
        expand: bool,
        duplicates: Option<DuplicatePolicy>,
    }
}

/// Writes the stored entries of a matrix in storage order, one per line: row, column (both counted
/// from 0) and value, separated by tabs.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if writing fails, and if cancelled. Entries
/// before the error are written.
pub fn cat(
    source: &dyn MatrixSource,
    options: &CatOptions,
    context: &TaskContext,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    let from = &source.place();
    let mut printer =
        Printer::new(source, options, out, context).map_err(|error| error.with_context(from))?;
    let printed = print(source, options, &mut printer, context);
    // Entries before an error are written, too.
    let flushed = printer.flush();
    printed.and(flushed).map_err(|error| error.with_context(from))
}

fn print(
    source: &dyn MatrixSource,
    options: &CatOptions,
    printer: &mut Printer<'_>,
    context: &TaskContext,
) -> Result<()> {
    let header = source.header();
    let search = DuplicateSearch::of(source, options.duplicates);
    let reader = read(source, options, printer, context)?;
    let (empty, workers) =
        (empty_batch(header.order, header.value_type), Workers::of(context).alone());
    if search == DuplicateSearch::Sorting {
        let printing = PrintingReader { reader, printer };
        let units = Box::new(BatchUnits::new(Box::new(printing), empty));
        return refuse_repeated(units, source, context);
    }
    let mut reader = reader;
    let mut batch = empty;
    let mut ascent = Ascent::new(source);
    while reader.next_batch(&mut batch)? {
        workers.check()?;
        printer.print(&batch)?;
        if search == DuplicateSearch::InStorageOrder {
            ascent.watch(&batch);
        }
    }
    drop(reader);
    ascent.finish(source, context)
}

/// Starts reading the selected entries.
fn read<'a>(
    source: &'a dyn MatrixSource,
    options: &CatOptions,
    printer: &Printer<'_>,
    context: &TaskContext,
) -> Result<Batches<'a>> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    let ranges = if source.random_access() && printer.steps.is_empty() {
        printer.axes[usize::from(header.order == Order::Col)].ranges()
    } else {
        std::iter::once(0..majors).collect()
    };
    if options.duplicates != Some(DuplicatePolicy::Sum) {
        // Entries of other columns are not printed.
        let minors = match header.storage == Storage::Dense && printer.steps.is_empty() {
            true => printer.axes[usize::from(header.order == Order::Row)].ranges(),
            false => Vec::new(),
        };
        return Ok(Box::new(Ranges { source, left: ranges.into_iter(), minors, current: None }));
    }
    let whole = match (ranges.first(), ranges.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    };
    let units = source.units(whole, Projection::ALL)?;
    // A mirrored pair counts as one position.
    let builder = Builder::new(header.order, header.shape);
    let mut steps = mirror(header, Mirroring::Fold);
    let directory = context.temporary_directory();
    let mut plan = SortPlan::of(
        source,
        header.order,
        context.memory(),
        &directory,
        Workers::of(context).alone(),
    );
    if let Some(value_type) = PatternValues::of_pattern(header) {
        steps.push(Box::new(PatternValues(value_type)));
        plan.value_type = Some(value_type);
    }
    let (units, _) = sorted(units, &steps, plan, &|_| {})?;
    Ok(Box::new(Unique::new(Box::new(SequentialReader(units)), header.order, builder)))
}

/// Reads ranges of majors in sequence.
struct Ranges<'a> {
    source: &'a dyn MatrixSource,
    left: std::vec::IntoIter<Range<u64>>,
    /// The selected minors, if the source may leave out others.
    minors: Vec<Range<u64>>,
    current: Option<Batches<'a>>,
}

impl BatchReader for Ranges<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        loop {
            if let Some(current) = &mut self.current
                && current.next_batch(batch)?
            {
                return Ok(true);
            }
            self.current = None;
            let Some(range) = self.left.next() else { return Ok(false) };
            let some = match self.minors.is_empty() {
                true => None,
                false => self.source.units_within(range.clone(), &self.minors, Projection::ALL)?,
            };
            let units = match some {
                Some(units) => units,
                None => self.source.units(range, Projection::ALL)?,
            };
            self.current = Some(Box::new(SequentialReader(units)));
        }
    }
}

/// Writes entries as lines.
struct Printer<'a> {
    /// Rows and columns.
    axes: [AxisSelection; 2],
    /// Steps on entries before they are written.
    steps: Vec<Box<dyn Step>>,
    /// The text of the major of a run.
    major: Vec<u8>,
    text: Vec<u8>,
    out: &'a mut (dyn Write + Send),
}

impl<'a> Printer<'a> {
    fn new(
        source: &dyn MatrixSource,
        options: &CatOptions,
        out: &'a mut (dyn Write + Send),
        context: &TaskContext,
    ) -> Result<Self> {
        let header = source.header();
        let steps = match options.expand {
            true if options.duplicates == Some(DuplicatePolicy::Sum) => {
                mirror(header, Mirroring::Expand)
            }
            true => expand(header).0,
            false => Vec::new(),
        };
        let select = |axis, selection: &Option<Selection>| {
            let names = options.names.then_some(context.memory());
            AxisSelection::new(source, axis, selection.as_ref(), names)
        };
        Ok(Self {
            axes: [select(Axis::Rows, &options.rows)?, select(Axis::Cols, &options.cols)?],
            steps,
            major: Vec::new(),
            text: Vec::with_capacity(128 << 10),
            out,
        })
    }

    fn print(&mut self, batch: &Batch) -> Result<()> {
        if self.steps.is_empty() {
            return self.lines(batch);
        }
        let (mut changed, mut spare) = (batch.clone(), batch.clone());
        apply(&self.steps, &mut changed, &mut spare)?;
        self.lines(&changed)
    }

    fn lines(&mut self, batch: &Batch) -> Result<()> {
        for run in 0..batch.runs() {
            let (entries, major) = (batch.run(run), batch.majors.get(run));
            let [rows, cols] = &self.axes;
            let by_row = batch.order == Order::Row;
            let (along, across) = if by_row { (rows, cols) } else { (cols, rows) };
            let Some(number) = along.find(major).filter(|_| !entries.is_empty()) else { continue };
            // All entries of a run share it.
            self.major.clear();
            along.write(major, number, &mut self.major);
            for entry in entries {
                let minor = batch.minor(run, entry);
                let Some(number) = across.find(minor) else { continue };
                if by_row {
                    self.text.extend_from_slice(&self.major);
                    self.text.push(b'\t');
                    across.write(minor, number, &mut self.text);
                } else {
                    across.write(minor, number, &mut self.text);
                    self.text.push(b'\t');
                    self.text.extend_from_slice(&self.major);
                }
                self.text.push(b'\t');
                batch.values.write_text(entry, &mut self.text, "\t");
                self.text.push(b'\n');
                if self.text.len() > 64 << 10 {
                    write(self.out, &mut self.text)?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        write(self.out, &mut self.text)
    }
}

/// Writes the collected text.
fn write(out: &mut (dyn Write + Send), text: &mut Vec<u8>) -> Result<()> {
    out.write_all(text)
        .map_err(|error| Error::new(ErrorKind::Io(error), Place::path("standard output")))?;
    text.clear();
    Ok(())
}

/// Prints batches that are read for another purpose.
struct PrintingReader<'a, 'b, 'c> {
    reader: Batches<'a>,
    printer: &'b mut Printer<'c>,
}

impl BatchReader for PrintingReader<'_, '_, '_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let more = self.reader.next_batch(batch)?;
        if more {
            self.printer.print(batch)?;
        }
        Ok(more)
    }
}
