//! A Matrix Market file as a matrix source.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use nnz_core::{
    About, At, Axis, Batch, Error, Header, MatrixSource, Metadata, Names, Order, Place, Projection,
    Repairs, Result, UnitReader, Values,
};
use nnz_storage::{InputFile, Opened, stdio};

use super::array::ArrayReader;
use super::banner::Layout;
use super::comment::Comment;
use super::coordinate::{AboveDiagonalTotal, CoordinateReader};
use super::entries::Rules;
use super::fault::{Fault, counted};
use super::peek::{Guess, PEEK, guess_order};
use super::preamble::Preamble;
use nnz_lines::{Block, Lines};
use nnz_lines::{Compression, Input};

/// A matrix in Matrix Market text, read from start to end.
///
/// For a coordinate file, [`Header::order`] and [`Header::sorted_majors`] are guessed from the
/// first 64 KiB of entries. The rest may be different, so callers have to check the order while
/// they read.
pub struct MatrixMarketSource {
    path: PathBuf,
    preamble: Preamble,
    /// The number of entries according to the sizes, unless it was repaired.
    stored: u64,
    comment: Comment,
    header: Header,
    origin: Origin,
    noted: Mutex<AboveDiagonalTotal>,
}

/// The source of the text.
struct Origin {
    compression: Compression,
    /// The file, if it can be read again.
    file: Option<InputFile>,
    /// The archive that the file is in.
    archive: Option<&'static str>,
    /// How often the file has been read.
    readings: AtomicUsize,
    /// For a stream, which can be read once: lines after the preamble, until they are taken.
    once: Mutex<Option<Lines>>,
}

/// Opens a file, compressed or not.
///
/// Anything but a regular file, such as a named pipe, can be read only once.
///
/// # Errors
///
/// Fails if the file cannot be read, or if its banner or sizes are not valid for a matrix.
pub fn open(path: &Path) -> Result<MatrixMarketSource> {
    from_opened(&Opened::local(path)?)
}

/// Creates a source for a file that has been opened, compressed or not, or for a pipe.
///
/// # Errors
///
/// Fails like [`open`].
pub fn from_opened(opened: &Opened) -> Result<MatrixMarketSource> {
    MatrixMarketSource::new(opened.path(), Input::open(opened)?)
}

/// Opens a file of an archive.
pub(crate) fn from_archive(file: InputFile, archive: &'static str) -> Result<MatrixMarketSource> {
    let mut source = from_opened(&Opened::File(file))?;
    source.origin.archive = Some(archive);
    Ok(source)
}

/// Opens a matrix on standard input, which can be read only once.
///
/// # Errors
///
/// Fails if the banner or the sizes are not valid for a matrix.
pub fn open_stdin() -> Result<MatrixMarketSource> {
    from_reader(Box::new(stdio::stdin()), "standard input")
}

/// Opens a matrix from any reader, which can be read only once. Messages use `name`.
///
/// ```
/// use nnz_core::MatrixSource;
/// let text = b"%%MatrixMarket matrix coordinate real general\n3 2 1\n1 2 0.5\n";
/// let matrix = nnz_matrix_market::from_reader(Box::new(&text[..]), "example")?;
/// assert_eq!(matrix.header().shape.to_string(), "3 x 2");
/// assert_eq!(matrix.header().nnz, Some(1));
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the banner or the sizes are not valid for a matrix.
pub fn from_reader(reader: Box<dyn Read + Send>, name: &str) -> Result<MatrixMarketSource> {
    let path = Path::new(name);
    MatrixMarketSource::new(path, Input::from_reader(reader, path)?)
}

impl MatrixMarketSource {
    fn new(path: &Path, input: Input) -> Result<Self> {
        let mut lines = Lines::new(input.reader, path);
        lines.keep_comments();
        let preamble = Preamble::read(&mut lines, path)?;
        let comment = Comment::of(&lines.take_comments());
        let guess = match preamble.banner.layout {
            Layout::Array => Guess { order: Order::Col, ascend: true },
            Layout::Coordinate => {
                guess_order(lines.peek(PEEK)?, preamble.rules(Order::Col), preamble.stored)
            }
        };
        Ok(Self {
            path: path.to_path_buf(),
            preamble,
            stored: preamble.stored,
            comment,
            header: preamble.header(guess),
            origin: Origin {
                compression: input.compression,
                readings: AtomicUsize::new(0),
                once: Mutex::new(input.file.is_none().then_some(lines)),
                file: input.file,
                archive: None,
            },
            noted: Mutex::default(),
        })
    }

    /// Returns the lines after the preamble.
    fn lines(&self) -> Result<Lines> {
        let place = || Place::path(&self.path);
        let Some(file) = &self.origin.file else {
            let once = &self.origin.once;
            let lines = once.lock().unwrap_or_else(PoisonError::into_inner).take();
            return lines
                .ok_or_else(|| Error::unsupported(place(), "a stream can be read only once"));
        };
        // The first pass continues after the preamble; later ones read the file again.
        match self.origin.readings.fetch_add(1, Ordering::Relaxed) {
            0 => file.check_unchanged()?,
            _ => file.forget(),
        }
        let mut lines = Lines::new(Input::from_file(file)?.reader, &self.path);
        if Preamble::read(&mut lines, &self.path)? != self.preamble {
            let found = "a different banner or different sizes";
            return Err(Error::mismatch(place(), found, "the same as when the file was opened"));
        }
        Ok(lines)
    }

    pub(super) fn rules(&self) -> Rules {
        self.preamble.rules(self.header.order)
    }

    /// Returns the error for a fault in a block.
    #[cold]
    pub(super) fn refuse(&self, fault: Fault, block: Block<'_>) -> Error {
        fault.out_of(self.stored).report(&self.path, block)
    }

    /// Returns the number of entries according to the sizes, or of elements for an array.
    pub(super) fn stored(&self) -> u64 {
        self.stored
    }

    /// Counts the entries, and corrects the number in the sizes if it is wrong. If there are fewer
    /// entries, or the last line has no line end, the caller has to confirm that the file is
    /// complete.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or may be truncated.
    pub fn repair_count(mut self, repairs: &Repairs) -> Result<Self> {
        if self.preamble.banner.layout == Layout::Array {
            return Ok(self);
        }
        if self.origin.file.is_none() {
            let what = "entries are counted in a first pass, but a stream can be read only once";
            return Err(Error::unsupported(Place::path(&self.path), what));
        }
        let mut lines = self.lines()?;
        let (mut count, mut second) = (0_u64, false);
        while let Some(block) = lines.next_owned()? {
            count += block.contents;
            second |= has_banner(block.block().text);
        }
        if count == self.stored {
            return Ok(self);
        }
        let place = Place::path(&self.path);
        let stated =
            format!("the size line states {}, but there are {count}", counted(self.stored));
        if second {
            let what = format!("{stated}: there is a second banner, so there may be two matrices");
            return Err(Error::unsupported(place, what));
        }
        if !repairs.is_complete() && (count < self.stored || !self.ends_a_line()?) {
            let what = format!("{stated}: it may be truncated");
            let error = Error::unsupported(place, what);
            return Err(error.with_hint("complete", "reads the entries that are there"));
        }
        repairs.add(place, stated);
        self.stored = count;
        self.header.nnz = Some(count);
        Ok(self)
    }

    /// Returns whether the text ends with a line end, by reading it to its end.
    fn ends_a_line(&self) -> Result<bool> {
        let Some(file) = &self.origin.file else { return Ok(true) };
        let mut reader = Input::from_file(file)?.reader;
        let mut buffer = vec![0; 64 << 10];
        let mut last = None;
        loop {
            let count = reader.read(&mut buffer).map_err(|error| Error::io(&self.path, error))?;
            let Some(end) = count.checked_sub(1) else { return Ok(last == Some(b'\n')) };
            last = buffer.get(end).copied();
        }
    }

    pub(super) fn empty_batch(&self) -> Batch {
        Batch::new(self.header.order, Values::new(self.header.value_type))
    }

    /// Stores what a complete pass has noticed.
    pub(super) fn note(&self, noted: &AboveDiagonalTotal) {
        *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = noted.clone();
    }
}

/// Counts the entries, or values of an array, in the blocks already taken.
///
/// They are counted as non-empty lines: a block in which this is wrong is an error.
#[derive(Default)]
pub(super) struct Progress {
    read: u64,
}

impl Progress {
    /// Counts the entries of a block, and returns how many are left from its start.
    pub(super) fn take(&mut self, count: u64, stored: u64) -> u64 {
        let left = stored.saturating_sub(self.read);
        self.read += count;
        left
    }

    /// Checks at the end of the file that the number of entries is right.
    pub(super) fn end(&self, source: &MatrixMarketSource, lines: &Lines) -> Result<()> {
        let stored = source.stored();
        if self.read == stored {
            return Ok(());
        }
        let at = At::Line { line: lines.line(), column: 1 };
        Err(Error::mismatch(
            Place::path(&source.path).at(at),
            format_args!("the end of the file after {}", counted(self.read)),
            format_args!("{stored}"),
        ))
    }
}

impl MatrixSource for MatrixMarketSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let thing = if self.origin.file.is_some() { "file" } else { "stream" };
        let container = match self.origin.archive {
            Some(archive) => archive.to_owned(),
            None => self.origin.compression.of_thing(thing),
        };
        Ok(About::new("Matrix Market", container)
            .dialect(self.preamble.banner.to_string())
            .bytes(self.origin.file.as_ref().map(InputFile::len)))
    }

    fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
        Ok(None)
    }

    fn random_access(&self) -> bool {
        false
    }

    fn rereadable(&self) -> bool {
        self.origin.file.is_some()
    }

    fn units(&self, majors: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let all = 0..self.header.shape.major(self.header.order);
        if majors != all {
            let what = "a text can only be read as a whole, not by a range of rows or columns";
            return Err(Error::unsupported(Place::path(&self.path), what));
        }
        let lines = self.lines()?;
        Ok(match self.preamble.banner.layout {
            Layout::Coordinate => Box::new(CoordinateReader::new(self, lines)),
            Layout::Array => Box::new(ArrayReader::new(self, lines)),
        })
    }

    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        if !self.rereadable() {
            return Ok(Vec::new());
        }
        let lines = self.lines()?;
        match self.preamble.banner.layout {
            Layout::Coordinate => CoordinateReader::new(self, lines).locate(row, col),
            Layout::Array => ArrayReader::new(self, lines).locate(row, col),
        }
    }

    fn metadata(&self) -> Metadata {
        self.comment.metadata()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.comment.notes();
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if let (count, Some(first)) = (noted.count, &noted.first) {
            let symmetry = self.preamble.banner.symmetry;
            notes.push(format!(
                "{} above the diagonal, but a {symmetry} file stores the lower triangle; \
                 the first is at {first}",
                counted(count),
            ));
        }
        notes
    }
}

impl std::fmt::Debug for MatrixMarketSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixMarketSource")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// Returns whether a text contains a banner.
fn has_banner(text: &[u8]) -> bool {
    const START: &[u8] = b"%%matrixmarket";
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.any(|line| line.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START)))
}
