//! Reading fragment text.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use nnz_core::{About, Error, Place, Result, StringList, UnitReader};
use nnz_lines::Compression;
use nnz_storage::{InputFile, Opened, stdio};

use super::bgzf::{self, Beginning};
use super::block::TsvBlock;
use super::cells::Cells;
use super::join::Joiner;
use super::lists::Chromosomes;
use super::scan::{Rules, Shared};
use super::units::{CAPACITY, LEAST_CAPACITY, Pieces};

/// Options for reading fragments.
#[derive(Debug, Default)]
pub struct Options {
    /// Whether the end is inclusive: the last position of a fragment.
    pub end_inclusive: bool,
    /// Whether fragments may be in any order.
    pub unsorted: bool,
    /// The selected cells. Without a list, all are selected.
    pub cells: Option<StringList>,
    /// The chromosomes, in the order of their indices. Without a list, indices are assigned in the
    /// order of first occurrence.
    pub chromosomes: Option<Chromosomes>,
}

/// Fragments in text, read from start to end.
pub struct FragmentTsv {
    path: PathBuf,
    kind: TextCompression,
    /// The file, if it can be read again.
    file: Option<InputFile>,
    /// Bytes that are read at once.
    capacity: usize,
    /// A stream, which can be read only once, until it is taken.
    once: Mutex<Option<Box<dyn Read + Send>>>,
}

/// The compression of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextCompression {
    Plain,
    Gzip,
    Bgzip,
    /// Another one, which is decompressed on one thread.
    Other(Compression),
}

/// A text being read.
pub struct Reading {
    /// Iterates over pieces of the text, which any thread can parse.
    pub units: Box<dyn UnitReader<'static, TsvBlock>>,
    /// Joins parsed pieces, in order.
    pub joiner: Joiner,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

/// Opens a file that is plain, gzipped or in BGZF blocks, whatever its name.
///
/// Anything but a regular file, such as a named pipe, can be read only once.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn open(path: &Path) -> Result<FragmentTsv> {
    from_opened(&Opened::local(path)?)
}

/// Creates a source for an open file, or a pipe.
///
/// # Errors
///
/// Fails like [`open`].
pub fn from_opened(opened: &Opened) -> Result<FragmentTsv> {
    let path = opened.path();
    let io = |error| Error::io(path, error);
    match opened {
        Opened::File(file) => {
            let source = FragmentTsv::new(path, Box::new(file.start_reader()))?;
            Ok(FragmentTsv { file: Some(file.clone()), once: Mutex::default(), ..source })
        }
        Opened::Directory(_) => Err(io(io::ErrorKind::IsADirectory.into())),
        Opened::Special(context, name) => {
            FragmentTsv::new(path, context.storage().open_stream(name).map_err(io)?)
        }
    }
}

/// Opens fragments on standard input, which can be read only once.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn open_stdin() -> Result<FragmentTsv> {
    from_reader(Box::new(stdio::stdin()), "standard input")
}

/// Opens fragments from any reader, which can be read only once. Messages use `name`.
///
/// # Errors
///
/// Fails if it cannot be read.
pub fn from_reader(reader: Box<dyn Read + Send>, name: &str) -> Result<FragmentTsv> {
    FragmentTsv::new(Path::new(name), reader)
}

impl FragmentTsv {
    fn new(path: &Path, reader: Box<dyn Read + Send>) -> Result<Self> {
        let (kind, reader) = kind_of(reader).map_err(|error| Error::io(path, error))?;
        let once = Mutex::new(Some(reader));
        Ok(Self { path: path.to_path_buf(), kind, file: None, capacity: CAPACITY, once })
    }

    /// Sets the size of pieces of text. By default they have 512 KiB; smaller sizes are possible
    /// down to 64 KiB. Pieces of compressed text may have up to twice the size.
    #[must_use]
    pub fn in_pieces_of(self, bytes: usize) -> Self {
        Self { capacity: bytes.clamp(LEAST_CAPACITY, CAPACITY), ..self }
    }

    /// Describes how the fragments are stored.
    #[must_use]
    pub fn about(&self) -> About {
        let thing = if self.file.is_some() { "file" } else { "stream" };
        About::new(
            "fragment text",
            match self.kind {
                TextCompression::Plain => thing.to_owned(),
                TextCompression::Gzip => format!("gzip {thing}"),
                TextCompression::Bgzip => format!("bgzip {thing}"),
                TextCompression::Other(compression) => compression.of_thing(thing),
            },
        )
        .bytes(self.file.as_ref().map(InputFile::len))
    }

    /// Returns whether the fragments can be read more than once.
    #[must_use]
    pub fn rereadable(&self) -> bool {
        self.file.is_some()
    }

    /// Starts reading.
    ///
    /// # Errors
    ///
    /// Fails if the text can be read only once and was read already, or if a list is too long.
    pub fn read(&self, options: Options) -> Result<Reading> {
        let place = || Place::path(&self.path);
        let (kind, reader) = if let Some(file) = &self.file {
            kind_of(Box::new(file.reader())).map_err(|error| Error::io(&self.path, error))?
        } else {
            let once = self.once.lock().unwrap_or_else(PoisonError::into_inner).take();
            let reader =
                once.ok_or_else(|| Error::unsupported(place(), "a stream can be read only once"))?;
            (self.kind, reader)
        };
        let cells = Cells::new(options.cells.as_ref())
            .ok_or_else(|| Error::argument("a list of too many cells"))?;
        let rules = Rules {
            end_inclusive: options.end_inclusive,
            sorted: !options.unsorted,
            chromosomes: options.chromosomes,
        };
        let shared = Arc::new(Shared { rules, cells: RwLock::new(cells) });
        let gzip = matches!(kind, TextCompression::Gzip | TextCompression::Bgzip);
        let pieces = Pieces::new(reader, gzip, &self.path, Arc::clone(&shared), self.capacity);
        Ok(Reading { units: Box::new(pieces), joiner: Joiner::new(&self.path, shared) })
    }
}

/// Detects the compression of a text by its first bytes, and returns a reader of the whole text: decompressed, except gzip.
fn kind_of(
    mut reader: Box<dyn Read + Send>,
) -> io::Result<(TextCompression, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    // The length of the header of a block without additional fields.
    Read::take(&mut reader, 18).read_to_end(&mut first)?;
    let kind = match bgzf::beginning(&first) {
        Beginning::Block { .. } => TextCompression::Bgzip,
        Beginning::Gzip => TextCompression::Gzip,
        Beginning::Short if first.len() > 1 => TextCompression::Gzip,
        Beginning::Short | Beginning::Other => match Compression::of(&first) {
            Compression::None => TextCompression::Plain,
            other => TextCompression::Other(other),
        },
    };
    let all = Box::new(Cursor::new(first).chain(reader));
    Ok(match kind {
        TextCompression::Other(other) => (kind, other.reader(all)),
        kind => (kind, all),
    })
}

impl std::fmt::Debug for FragmentTsv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FragmentTsv")
            .field("path", &self.path)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
