//! Converting frames from text, to text, and between dialects.

use crate::Context;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use nnz_core::{Error, ErrorKind, Place, Result, Rounding, Shape, ValueType, is_url, readable};
use nnz_daphne::csv::{self, CsvReader};
use nnz_daphne::{Column, Dialect, FrameBatch, FrameReader, FrameSink, FrameSource};
use nnz_storage::Opened;
use nnz_storage::staging::StagedFile;
use nnz_storage::stdio::{self, TerminalEscapes};

use super::widen;
use crate::container_target::ends_in;
use crate::engine::SummaryContent;
use crate::formats::{
    DAPHNE, DaphneOptions, FormatName, FormatOptions, check_options, format_of_path,
};
use crate::{Cancellation, Dataset, Location, OpenOptions, Summary};

/// Options of the conversion of a frame.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FrameOptions {
    /// The name of the format to write; by default from the target's extension.
    pub format: Option<FormatName>,
    /// The types of the columns of a text; by default they are inferred.
    pub types: Option<Vec<ValueType>>,
    /// How the source is opened.
    pub open: OpenOptions,
    /// Options of DAPHNE targets. Blocks have all columns of the frame.
    pub format_options: FormatOptions,
    /// Whether text may drop the sign and payload of a NaN.
    pub rounding: Rounding,
    /// Whether an existing target is replaced, which is refused otherwise.
    pub overwrite: bool,
    /// Whether the target is synced to the disk before it appears.
    pub sync: bool,
}

nnz_core::setters! {
    FrameOptions {
        types: Option<Vec<ValueType>>,
        open: OpenOptions,
        format_options: FormatOptions,
        rounding: Rounding,
        overwrite: bool,
        sync: bool,
    }
}

impl FrameOptions {
    /// Sets [`format`](#structfield.format).
    #[must_use]
    pub fn format(mut self, name: impl Into<FormatName>) -> Self {
        self.format = Some(name.into());
        self
    }
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self {
            format: None,
            types: None,
            open: OpenOptions::new(),
            format_options: FormatOptions::new(),
            rounding: Rounding::default(),
            overwrite: false,
            sync: true,
        }
    }
}

/// The result of a conversion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FrameSummary {
    /// Number of rows.
    pub rows: u64,
    /// Number of columns.
    pub cols: u64,
    /// Bytes of the source, if known.
    pub bytes_before: Option<u64>,
    /// Bytes written; `None` for standard output.
    pub bytes_after: Option<u64>,
    /// Seconds taken, including the final sync.
    pub seconds: f64,
    /// Unusual but allowed properties of the source.
    pub notes: Vec<String>,
}

impl From<FrameSummary> for Summary {
    /// Entries are cells.
    fn from(of: FrameSummary) -> Self {
        Self::default()
            .content(SummaryContent::Table)
            .shape(Shape { rows: of.rows, cols: of.cols })
            .entries(of.rows.saturating_mul(of.cols))
            .bytes_before(of.bytes_before)
            .bytes_after(of.bytes_after.unwrap_or(0))
            .seconds(of.seconds)
            .notes(of.notes)
    }
}

/// Returns whether frames can be written to a location.
pub(crate) fn stores(to: &Location, options: &FrameOptions) -> bool {
    FrameTarget::new(to, options).is_ok()
}

/// Converts a frame to comma-separated values or a DAPHNE file.
///
/// # Errors
///
/// Fails if the source cannot be read or is broken, if the target exists and may not be replaced or
/// cannot be written, and if it cannot store a label, a type or a value exactly. Nothing is written
/// then.
pub fn convert(
    from: &Location,
    to: &Location,
    options: &FrameOptions,
    context: &Context,
) -> Result<FrameSummary> {
    let started = Instant::now();
    let context = &context.operation();
    let storage = context.storage();
    let (from, to) = (&from.resolve(&**storage)?, &to.resolve_target()?);
    let target = FrameTarget::new(to, options)?;
    target.check(options, context)?;
    let found = readable(super::detect(from, &options.open, context))?.flatten();
    let bytes_before = match from {
        Location::Path { path, .. } => {
            readable(storage.metadata(path).map_err(|error| Error::io(path, error)))?
                .map(|found| found.len)
        }
        Location::Stream => None,
    };
    let summary = if let Some(Dataset::Table(found)) = found {
        write_source(&found, to, options, context)?
    } else if options.open.has_dialect() {
        return Err(Error::unsupported(from.source_place(), "contains no data frame"));
    } else {
        write(&mut text(from, options, context)?, to, options, context)
            .map_err(|error| error.with_context(&from.source_place()))?
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(FrameSummary { bytes_before, seconds, ..summary })
}

/// Writes an open frame, as [`convert`] does.
///
/// # Errors
///
/// Fails as [`convert`].
pub fn write_source(
    frame: &FrameSource,
    to: &Location,
    options: &FrameOptions,
    context: &Context,
) -> Result<FrameSummary> {
    let place = frame.place();
    if options.types.is_some() {
        return Err(Error::argument(format!("{place}: types apply to text only")));
    }
    // A header of a few bytes can state more rows than any disk can store.
    let cells = frame.rows().saturating_mul(frame.columns().len() as u64);
    if let Location::Path { path, .. } = to {
        let directory = match is_url(path) {
            true => context.temporary_directory(),
            false => nnz_engine::directory_of(path),
        };
        nnz_engine::check_free_space(&directory, cells, "the target")?;
    }
    let mut reader = frame.batches(0..frame.rows())?;
    let summary = write(&mut *reader, to, options, context);
    let summary = summary.map_err(|error| error.with_context(&place))?;
    let (bytes_before, notes) = (frame.about().bytes, frame.notes().to_vec());
    Ok(FrameSummary { bytes_before, notes, ..summary })
}

/// Writes rows that are read sequentially, such as the rows of a frame in memory, as [`convert`] does.
///
/// # Errors
///
/// Fails if the rows cannot be read, if the target exists and may not be replaced or cannot be written, and if
/// it cannot store a label, a type or a value exactly. Nothing is written then.
pub fn write(
    frame: &mut dyn FrameReader,
    to: &Location,
    options: &FrameOptions,
    context: &Context,
) -> Result<FrameSummary> {
    let started = Instant::now();
    let to = &to.resolve_target()?;
    let target = FrameTarget::new(to, options)?;
    target.check(options, context)?;
    let cols = frame.columns().len() as u64;
    let (rows, bytes_after) = target.write(frame, options, context)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(FrameSummary { rows, cols, bytes_before: None, bytes_after, seconds, notes: Vec::new() })
}

/// Opens a text.
fn text(from: &Location, options: &FrameOptions, context: &Context) -> Result<CsvReader> {
    match (from, &options.types) {
        (Location::Path { path, group: None }, types) => {
            // A file of another known format is not text, whatever its extension.
            let found = context.detect(from, &options.open);
            if readable(found)?.is_some_and(|found| found.format().info().name != super::CSV) {
                return Err(Error::argument(format!("{from}: contains no data frame")));
            }
            let opened = Opened::new(context, path)?;
            CsvReader::from_opened(&opened, &csv::ReadOptions { types: types.clone() })
        }
        (Location::Path { .. }, _) => {
            Err(Error::argument(format!("{from}: text files have no groups")))
        }
        (Location::Stream, Some(types)) => {
            let name = Path::new("standard input");
            CsvReader::from_reader(Box::new(stdio::stdin()), name, types)
        }
        (Location::Stream, None) => {
            let what = "types cannot be inferred from standard input, which is read only once; set the types";
            Err(Error::argument(what))
        }
    }
}

/// The format of a target.
enum FrameTarget<'a> {
    Stream,
    Text(&'a Path),
    Daphne(&'a Path),
}

impl<'a> FrameTarget<'a> {
    fn new(to: &'a Location, options: &FrameOptions) -> Result<Self> {
        let path = match to {
            Location::Stream => None,
            Location::Path { path, group: None } => Some(path.as_path()),
            Location::Path { .. } => {
                return Err(Error::argument(format!(
                    "{to}: a data frame cannot be written to a group"
                )));
            }
        };
        let format = options.format.or_else(|| Some(format_of_path(path?)?.info().name));
        // Frames are text without names of rows.
        let format = format.filter(|name| *name != super::CSV);
        let found = match (path, format) {
            (Some(path), Some(DAPHNE)) => Self::Daphne(path),
            (None, Some(DAPHNE)) => {
                return Err(Error::argument("a DAPHNE file cannot be written to standard output"));
            }
            (None, None) => Self::Stream,
            (Some(path), None) if ends_in(path, &["csv"]) => Self::Text(path),
            _ => {
                let what =
                    "a table (.csv or DAPHNE data frame) can only be converted to .csv or .dbdf";
                return Err(Error::argument(format!("{to}: {what}")));
            }
        };
        let names = options.format_options.names();
        match found {
            Self::Daphne(path) if ends_in(path, &["csv"]) => {
                let what = ".csv is the extension of text, not of daphne";
                return Err(Error::argument(format!("{to}: {what}")));
            }
            Self::Daphne(_) => {
                check_options("a DAPHNE data frame", &["dialect", "block", "meta"], names)?
            }
            Self::Text(_) | Self::Stream => check_options("csv", &[], names)?,
        }
        Ok(found)
    }

    /// Checks that the target can be written, before any work starts.
    fn check(&self, options: &FrameOptions, context: &Context) -> Result<()> {
        match self {
            Self::Stream => Ok(()),
            Self::Text(path) | Self::Daphne(path) => {
                StagedFile::create(path, &context.output(options.overwrite, options.sync)).map(drop)
            }
        }
    }

    /// Writes all rows. Returns their number, and the bytes of a file.
    fn write(
        &self,
        frame: &mut dyn FrameReader,
        options: &FrameOptions,
        context: &Context,
    ) -> Result<(u64, Option<u64>)> {
        let frame = &mut Cancellable { frame, cancellation: context.cancellation() };
        let lossy = options.rounding == Rounding::Nearest;
        let text = |frame: &mut dyn FrameReader, out: &mut dyn Write, name: &Path| {
            let written = csv::write(frame, out, csv::WriteOptions { lossy });
            // Errors of reading have a location; errors of writing do not.
            written.map_err(|error| match error.kind() {
                ErrorKind::Io(_) => error.with_context(&Place::path(name)),
                _ => error,
            })
        };
        match self {
            Self::Stream => {
                let out = &mut stdio::stdout(TerminalEscapes::Text);
                text(frame, out, Path::new("standard output")).map(|rows| (rows, None))
            }
            Self::Text(path) => {
                let mut file =
                    StagedFile::create(path, &context.output(options.overwrite, options.sync))?;
                let rows = text(frame, &mut file, path)?;
                Ok((rows, Some(file.commit()?)))
            }
            Self::Daphne(path) => {
                let (rows, bytes) = copy(frame, path, options, context)?;
                Ok((rows, Some(bytes)))
            }
        }
    }
}

/// Rows that are read until cancelled.
struct Cancellable<'a> {
    frame: &'a mut dyn FrameReader,
    cancellation: Option<&'a Cancellation>,
}

impl FrameReader for Cancellable<'_> {
    fn columns(&self) -> &[Column] {
        self.frame.columns()
    }

    fn next_batch(&mut self, batch: &mut FrameBatch) -> Result<bool> {
        self.cancellation.map_or(Ok(()), Cancellation::check)?;
        self.frame.next_batch(batch)
    }
}

/// Writes a frame to a DAPHNE file. Returns the numbers of rows and bytes.
fn copy(
    frame: &mut dyn FrameReader,
    path: &Path,
    options: &FrameOptions,
    context: &Context,
) -> Result<(u64, u64)> {
    let DaphneOptions { dialect, block, meta, .. } = DaphneOptions::parse(&options.format_options)?;
    let dialect = dialect.unwrap_or_default();
    let columns = widen::columns(frame.columns(), dialect);
    if block.is_some() && dialect != Dialect::Spec {
        return Err(Error::argument("frames in DAPHNE's own dialect have one block"));
    }
    if let Some((_, cols)) = block.filter(|&(_, cols)| u64::from(cols) < columns.len() as u64) {
        let what = format!("blocks of a frame have all {} columns, not {cols}", columns.len());
        return Err(Error::argument(what));
    }
    let block_rows = block.map(|(rows, _)| rows);
    let how = nnz_daphne::FrameOptions { dialect, block_rows, meta };
    let mut sink =
        FrameSink::create(path, &columns, context.output(options.overwrite, options.sync), &how)?;
    let mut batch = FrameBatch::default();
    let mut rows = 0;
    while frame.next_batch(&mut batch)? {
        rows = batch.rows.end;
        widen::widen(&mut batch, &columns)?;
        sink.write(&batch)?;
    }
    Ok((rows, sink.finish()?.bytes))
}
