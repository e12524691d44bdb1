//! Bytes of a text, whatever they come from and whether they are gzipped or not.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use flate2::bufread::GzDecoder;
use nnz_core::{Error, Result};

/// Text that is read from its start to its end.
pub struct Input {
    /// Gives the text, inflated.
    pub reader: Box<dyn Read + Send>,
    /// Whether the text was gzipped.
    pub gzip: bool,
    /// The file, to read it again; anything but a regular file (a pipe, a device) can be read once.
    pub file: Option<TextFile>,
}

/// A regular file that was opened: it stays the same when another takes its name.
#[derive(Clone, Debug)]
pub struct TextFile {
    file: Arc<File>,
    /// Its length in bytes.
    pub len: u64,
}

impl TextFile {
    /// Reads it from its start.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    pub fn read(&self, path: &Path) -> Result<Input> {
        let reader = FileReader { file: Arc::clone(&self.file), position: 0 };
        let mut input = Input::from_reader(Box::new(reader), path)?;
        input.file = Some(self.clone());
        Ok(input)
    }
}

/// A reader with a position of its own.
struct FileReader {
    file: Arc<File>,
    position: u64,
}

impl Read for FileReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(out, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("gzip", &self.gzip)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Input {
    /// Opens a file, a pipe or a device.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read, or is a directory.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |error| Error::io(path, error);
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if metadata.is_dir() {
            return Err(io(io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Self::from_reader(Box::new(file), path);
        }
        TextFile { file: Arc::new(file), len: metadata.len() }.read(path)
    }

    /// Inflates what starts like gzip: the name decides nothing.
    ///
    /// # Errors
    ///
    /// Fails where the first bytes cannot be read.
    pub fn from_reader(mut reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let mut first = Vec::with_capacity(2);
        let two = Read::take(&mut reader, 2).read_to_end(&mut first);
        two.map_err(|error| Error::io(path, error))?;
        let gzip = first == [0x1f, 0x8b];
        let all = Cursor::new(first).chain(reader);
        Ok(Self {
            reader: if gzip {
                let buffered = BufReader::with_capacity(128 << 10, all);
                Box::new(Members::new(buffered))
            } else {
                Box::new(all)
            },
            gzip,
            file: None,
        })
    }
}

/// Inflates members until there are no more bytes.
///
/// Several members after one another are one text: bgzip writes such files. Zeros behind the last
/// one are padding, as tapes have.
#[derive(Debug)]
pub struct Members<R> {
    /// `None` after the last.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    /// Reads members from the start of one.
    pub fn new(reader: R) -> Self {
        Self { member: Some(GzDecoder::new(reader)) }
    }
}

/// Skips zeros; returns whether there was nothing else up to the end.
fn only_zeros(reader: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        let count = bytes.len();
        if count == 0 {
            return Ok(true);
        }
        reader.consume(count);
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            match member.get_mut().fill_buf()?.first().copied() {
                None => self.member = None,
                Some(0x1f) => {
                    self.member = self.member.take().map(|done| GzDecoder::new(done.into_inner()));
                }
                Some(0) if only_zeros(member.get_mut())? => self.member = None,
                Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, NoMember)),
            }
        }
        Ok(0)
    }
}

/// What follows a gzip member is none.
#[derive(Debug)]
pub(crate) struct NoMember;

impl fmt::Display for NoMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trailing bytes that are no gzip member")
    }
}

impl std::error::Error for NoMember {}
