//! A fragment text that can be read.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use nnz_core::{About, Error, Place, Result, StringList, UnitReader};
use nnz_storage::{InputFile, Opened, stdio};

use super::bgzf::{self, Beginning};
use super::block::TsvBlock;
use super::cells::Cells;
use super::join::Joiner;
use super::lists::Chromosomes;
use super::scan::{Rules, Shared};
use super::units::{CAPACITY, LEAST_CAPACITY, Pieces};

/// Says how fragments are read.
#[derive(Debug, Default)]
pub struct Options {
    /// Whether the end is the last base of a fragment, not the one behind it.
    pub end_inclusive: bool,
    /// Whether fragments may come in any order.
    pub unsorted: bool,
    /// The cells that are wanted. Without a list, all are.
    pub cells: Option<StringList>,
    /// The chromosomes there are, in the order they get their numbers. Without a list, they get
    /// them as they come.
    pub chromosomes: Option<Chromosomes>,
}

/// Fragments in text, read from its start to its end.
pub struct FragmentTsv {
    path: PathBuf,
    kind: Kind,
    /// The file, where it can be read again.
    file: Option<InputFile>,
    /// Bytes that are read at once.
    capacity: usize,
    /// What can be read once, until it is taken.
    once: Mutex<Option<Box<dyn Read + Send>>>,
}

/// How text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Gzip,
    Bgzip,
}

/// A text that is being read.
pub struct Reading {
    /// Yields pieces of the text, which any thread can decode.
    pub units: Box<dyn UnitReader<'static, TsvBlock>>,
    /// Brings decoded pieces together, in turn.
    pub joiner: Joiner,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

/// Opens a file, be it plain, gzipped or of BGZF blocks: its name decides nothing.
///
/// Anything but a regular file, such as a named pipe, can be read once.
///
/// # Errors
///
/// Fails where the file cannot be read.
pub fn open(path: &Path) -> Result<FragmentTsv> {
    from_opened(&Opened::local(path)?)
}

/// Takes a file that was opened, or a pipe.
///
/// # Errors
///
/// Fails as [`open`].
pub fn from_opened(opened: &Opened) -> Result<FragmentTsv> {
    let path = opened.path();
    let io = |error| Error::io(path, error);
    match opened {
        Opened::File(file) => {
            let source = FragmentTsv::new(path, Box::new(file.start_reader()))?;
            Ok(FragmentTsv { file: Some(file.clone()), once: Mutex::default(), ..source })
        }
        Opened::Directory(_) => Err(io(io::ErrorKind::IsADirectory.into())),
        Opened::Special(storage, name) => {
            FragmentTsv::new(path, storage.open_stream(name).map_err(io)?)
        }
    }
}

/// Reads fragments from standard input, once.
///
/// # Errors
///
/// Fails where it cannot be read.
pub fn open_stdin() -> Result<FragmentTsv> {
    from_reader(Box::new(stdio::stdin()), "standard input")
}

/// Reads fragments from any reader, once. Messages say `name`.
///
/// # Errors
///
/// Fails where it cannot be read.
pub fn from_reader(reader: Box<dyn Read + Send>, name: &str) -> Result<FragmentTsv> {
    FragmentTsv::new(Path::new(name), reader)
}

impl FragmentTsv {
    fn new(path: &Path, reader: Box<dyn Read + Send>) -> Result<Self> {
        let (kind, reader) = kind_of(reader).map_err(|error| Error::io(path, error))?;
        let once = Mutex::new(Some(reader));
        Ok(Self { path: path.to_path_buf(), kind, file: None, capacity: CAPACITY, once })
    }

    /// Yields pieces of about so many bytes of text. They have half a mebibyte unless this says
    /// less, and in compressed text up to twice that; 64 KiB are the least.
    #[must_use]
    pub fn in_pieces_of(self, bytes: usize) -> Self {
        Self { capacity: bytes.clamp(LEAST_CAPACITY, CAPACITY), ..self }
    }

    /// Describes how the fragments are stored.
    #[must_use]
    pub fn about(&self) -> About {
        let thing = if self.file.is_some() { "file" } else { "stream" };
        About {
            format: "fragment text".to_owned(),
            container: match self.kind {
                Kind::Plain => thing.to_owned(),
                Kind::Gzip => format!("gzip {thing}"),
                Kind::Bgzip => format!("bgzip {thing}"),
            },
            bytes: self.file.as_ref().map(InputFile::len),
            ..About::default()
        }
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
    /// Fails where the text was read before and can be only once, or a list is too long.
    pub fn read(&self, options: Options) -> Result<Reading> {
        let place = || Place::path(&self.path);
        let (kind, reader) = if let Some(file) = &self.file {
            kind_of(Box::new(file.reader())).map_err(|error| Error::io(&self.path, error))?
        } else {
            let once = self.once.lock().unwrap_or_else(PoisonError::into_inner).take();
            let reader =
                once.ok_or_else(|| Error::unsupported(place(), "it can be read only once"))?;
            (self.kind, reader)
        };
        let cells = Cells::new(options.cells.as_ref())
            .ok_or_else(|| Error::argument("a list of more cells than can be numbered"))?;
        let rules = Rules {
            end_inclusive: options.end_inclusive,
            sorted: !options.unsorted,
            chromosomes: options.chromosomes,
        };
        let shared = Arc::new(Shared { rules, cells: RwLock::new(cells) });
        let gzip = kind != Kind::Plain;
        let pieces = Pieces::new(reader, gzip, &self.path, Arc::clone(&shared), self.capacity);
        Ok(Reading { units: Box::new(pieces), joiner: Joiner::new(&self.path, shared) })
    }
}

/// Recognises by its first bytes how a text is stored, and returns a reader of all of them.
fn kind_of(mut reader: Box<dyn Read + Send>) -> io::Result<(Kind, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    // As many as the header of a block has, if nothing is added to what has to be there.
    Read::take(&mut reader, 18).read_to_end(&mut first)?;
    let kind = match bgzf::beginning(&first) {
        Beginning::Block { .. } => Kind::Bgzip,
        Beginning::Gzip => Kind::Gzip,
        Beginning::Short if first.len() > 1 => Kind::Gzip,
        Beginning::Short | Beginning::Other => Kind::Plain,
    };
    Ok((kind, Box::new(Cursor::new(first).chain(reader))))
}

impl std::fmt::Debug for FragmentTsv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FragmentTsv")
            .field("path", &self.path)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
