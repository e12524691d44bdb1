//! Frames from text and to text, and from one dialect to another.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nnz_core::{Error, ErrorKind, Place, Result, Rounding, ValueType, readable};
use nnz_daphne::csv::{self, CsvReader};
use nnz_daphne::{Column, FrameBatch, FrameReader, FrameSink};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::stdio::{self, TerminalEscapes};
use nnz_storage::{LocalStorage, Opened, Storage};

use super::widen;
use crate::container_target::ends_in;
use crate::daphne::Dialect;
use crate::formats::{
    DAPHNE, DaphneOptions, FormatOptions, Registry, check_options, format_of_path,
};
use crate::{Cancellation, Dataset, Location};

/// Says how a frame is converted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FrameOptions {
    /// The name of the format to write; by default that of the target's extension.
    pub format: Option<&'static str>,
    /// The type of each column of a text; by default they are inferred.
    pub types: Option<Vec<ValueType>>,
    /// The dialect to read; by default it is recognised.
    pub from_dialect: Option<Dialect>,
    /// How a file of DAPHNE is written. Blocks have as many columns as the frame.
    pub format_options: FormatOptions,
    /// Whether text may lose the sign and payload of a NaN.
    pub rounding: Rounding,
    /// Whether the target may be replaced, and is synced.
    pub write: WriteOptions,
    /// Where the source is looked up; by default in the file system.
    pub storage: Option<Arc<dyn Storage>>,
    /// Cancels the conversion.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    FrameOptions {
        format: Option<&'static str>,
        types: Option<Vec<ValueType>>,
        from_dialect: Option<Dialect>,
        format_options: FormatOptions,
        rounding: Rounding,
        write: WriteOptions,
        storage: Option<Arc<dyn Storage>>,
        cancellation: Option<Cancellation>,
    }
}

/// What a conversion came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FrameSummary {
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Bytes read from, where that can be told.
    pub bytes_before: Option<u64>,
    /// Bytes written; `None` for standard output.
    pub bytes_after: Option<u64>,
    /// Seconds it took, the final sync included.
    pub seconds: f64,
    /// What was noticed on the way, and is allowed.
    pub notes: Vec<String>,
}

/// Converts the frame at one place into another place: a text of comma-separated values, or a file
/// of DAPHNE.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, where the target exists and may not be
/// replaced or cannot be written, and where it cannot hold a label, a type or a value exactly.
/// Nothing is left behind then.
pub fn convert(from: &Location, to: &Location, options: &FrameOptions) -> Result<FrameSummary> {
    let started = Instant::now();
    let storage = options.storage.clone().unwrap_or_else(crate::places);
    let (from, to) = (&from.resolve(&*storage)?, &to.resolve(&LocalStorage)?);
    let target = Target::new(to, options)?;
    target.check(options)?;
    let place = from.source_place();
    let mut notes = Vec::new();
    let frame;
    let open_options = super::options(options.from_dialect).storage(Arc::clone(&storage));
    let found = readable(super::detect(from, &open_options))?.flatten();
    let mut reader: Box<dyn FrameReader + '_> = if let Some(Dataset::Table(found)) = found {
        if options.types.is_some() {
            return Err(Error::argument(format!("{from}: a frame has types of its own")));
        }
        frame = found;
        notes.extend(frame.notes().iter().cloned());
        // A few bytes of a header can promise more rows than any disk holds.
        let cells = frame.rows().saturating_mul(frame.columns().len() as u64);
        if let Location::Path { path, .. } = to {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = parent.unwrap_or_else(|| Path::new("."));
            nnz_engine::check_free_space(directory, cells, "what is to be written")?;
        }
        frame.batches(0..frame.rows())?
    } else if options.from_dialect.is_some() {
        return Err(Error::unsupported(place, "holds no frame"));
    } else {
        Box::new(text(from, &storage, options)?)
    };
    let bytes_before = match from {
        Location::Path { path, .. } => {
            readable(storage.metadata(path).map_err(|error| Error::io(path, error)))?
                .map(|found| found.len)
        }
        Location::Stream => None,
    };
    let cols = reader.columns().len() as u64;
    let (rows, bytes_after) =
        target.write(&mut *reader, options).map_err(|error| error.with_context(&place))?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(FrameSummary { rows, cols, bytes_before, bytes_after, seconds, notes })
}

/// Writes rows that are read one after the other, such as those of a frame in memory, as [`convert`] does.
///
/// # Errors
///
/// Fails where the rows cannot be read, where the target exists and may not be replaced or cannot be written, and where
/// it cannot hold a label, a type or a value exactly. Nothing is left behind then.
pub fn write(
    frame: &mut dyn FrameReader,
    to: &Location,
    options: &FrameOptions,
) -> Result<FrameSummary> {
    let started = Instant::now();
    let to = &to.resolve(&LocalStorage)?;
    let target = Target::new(to, options)?;
    target.check(options)?;
    let cols = frame.columns().len() as u64;
    let (rows, bytes_after) = target.write(frame, options)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(FrameSummary { rows, cols, bytes_before: None, bytes_after, seconds, notes: Vec::new() })
}

/// Opens a text.
fn text(from: &Location, storage: &Arc<dyn Storage>, options: &FrameOptions) -> Result<CsvReader> {
    match (from, &options.types) {
        (Location::Path { path, group: None }, types) => {
            // What is recognised is no text of columns, whatever it is called.
            let open_options = super::options(None).storage(Arc::clone(storage));
            let found = Registry::default().detect(from, &open_options);
            if readable(found)?.is_some() {
                return Err(Error::argument(format!("{from}: holds no frame")));
            }
            let opened = Opened::new(storage, path)?;
            CsvReader::from_opened(&opened, &csv::ReadOptions { types: types.clone() })
        }
        (Location::Path { .. }, _) => Err(Error::argument(format!("{from}: a text has no groups"))),
        (Location::Stream, Some(types)) => {
            let name = Path::new("standard input");
            CsvReader::from_reader(Box::new(stdio::stdin()), name, types)
        }
        (Location::Stream, None) => {
            let what =
                "types are inferred by reading twice: those of standard input have to be given";
            Err(Error::argument(what))
        }
    }
}

/// What is written.
enum Target<'a> {
    Stream,
    Text(&'a Path),
    Daphne(&'a Path),
}

impl<'a> Target<'a> {
    fn new(to: &'a Location, options: &FrameOptions) -> Result<Self> {
        let path = match to {
            Location::Stream => None,
            Location::Path { path, group: None } => Some(path.as_path()),
            Location::Path { .. } => {
                return Err(Error::argument(format!("{to}: a frame goes to no group")));
            }
        };
        let format = options.format.or_else(|| Some(format_of_path(path?)?.info().name));
        let found = match (path, format) {
            (Some(path), Some(DAPHNE)) => Self::Daphne(path),
            (None, Some(DAPHNE)) => {
                return Err(Error::argument("a file of DAPHNE cannot go to standard output"));
            }
            (None, None) => Self::Stream,
            (Some(path), None) if ends_in(path, &["csv"]) => Self::Text(path),
            _ => {
                let what = "a frame is written to .csv or .dbdf, or in the format daphne";
                return Err(Error::argument(format!("{to}: {what}")));
            }
        };
        let names = options.format_options.names();
        match found {
            Self::Daphne(_) => {
                check_options("a frame of daphne", &["dialect", "block", "meta"], names)?
            }
            Self::Text(_) | Self::Stream => check_options("csv", &[], names)?,
        }
        Ok(found)
    }

    /// Checks that the place may be written, before any work is done.
    fn check(&self, options: &FrameOptions) -> Result<()> {
        match self {
            Self::Stream => Ok(()),
            Self::Text(path) | Self::Daphne(path) => {
                StagedFile::create(path, options.write).map(drop)
            }
        }
    }

    /// Writes all rows. Returns their number, and the bytes if it is a file.
    fn write(
        &self,
        frame: &mut dyn FrameReader,
        options: &FrameOptions,
    ) -> Result<(u64, Option<u64>)> {
        let frame = &mut Cancellable { frame, cancellation: options.cancellation.as_ref() };
        let lossy = options.rounding == Rounding::Nearest;
        let text = |frame: &mut dyn FrameReader, out: &mut dyn Write, name: &Path| {
            let written = csv::write(frame, out, csv::WriteOptions { lossy });
            // What was read says where it is; what could not be written does not.
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
                let mut file = StagedFile::create(path, options.write)?;
                let rows = text(frame, &mut file, path)?;
                Ok((rows, Some(file.commit()?)))
            }
            Self::Daphne(path) => {
                let (rows, bytes) = copy(frame, path, options)?;
                Ok((rows, Some(bytes)))
            }
        }
    }
}

/// Rows that are read until that is cancelled.
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

/// Writes a frame to a file of DAPHNE. Returns the number of rows, and of bytes.
fn copy(frame: &mut dyn FrameReader, path: &Path, options: &FrameOptions) -> Result<(u64, u64)> {
    let DaphneOptions { dialect, block, meta, .. } = DaphneOptions::parse(&options.format_options)?;
    let dialect = dialect.unwrap_or_default();
    let columns = widen::columns(frame.columns(), dialect);
    if block.is_some() && dialect != Dialect::Spec {
        return Err(Error::argument("a frame for DAPHNE has one block"));
    }
    if let Some((_, cols)) = block.filter(|&(_, cols)| u64::from(cols) < columns.len() as u64) {
        let what =
            format!("blocks of a frame have all of its columns: {}, not {cols}", columns.len());
        return Err(Error::argument(what));
    }
    let block_rows = block.map(|(rows, _)| rows);
    let how = nnz_daphne::FrameOptions { dialect, block_rows, meta };
    let mut sink = FrameSink::create(path, &columns, options.write, &how)?;
    let mut batch = FrameBatch::default();
    let mut rows = 0;
    while frame.next_batch(&mut batch)? {
        rows = batch.rows.end;
        widen::widen(&mut batch, &columns)?;
        sink.write(&batch)?;
    }
    Ok((rows, sink.finish()?.bytes))
}
