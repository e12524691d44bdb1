//! Text input from any source, compressed or not.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::Path;

use nnz_core::{Error, Place, Result};
use nnz_storage::{InputFile, Opened};

use crate::compression::{Compression, refuse_compressed};
use crate::encoding::Unmarked;

/// A text that is read from start to end.
pub struct Input {
    /// The decompressed text, without a byte order mark.
    pub reader: Box<dyn Read + Send>,
    /// Its compression.
    pub compression: Compression,
    /// The file, to read it again; `None` for pipes and devices.
    pub file: Option<InputFile>,
}

impl Input {
    /// Starts reading an opened file. The part that is read here is kept, so that
    /// [`from_file`](Self::from_file) does not read it again.
    ///
    /// # Errors
    ///
    /// Fails if it is a directory, or cannot be read.
    pub fn open(opened: &Opened) -> Result<Self> {
        match opened {
            Opened::File(file) => Self::start_of(file),
            Opened::Directory(directory) => {
                Err(Error::io(directory.path(), io::ErrorKind::IsADirectory.into()))
            }
            Opened::Special(context, path) => {
                let stream =
                    context.storage().open_stream(path).map_err(|error| Error::io(path, error))?;
                Self::from_reader(stream, path)
            }
        }
    }

    /// Starts reading a file, as [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn start_of(file: &InputFile) -> Result<Self> {
        let input = Self::from_reader(Box::new(file.start_reader()), file.path())?;
        Ok(Self { file: Some(file.clone()), ..input })
    }

    /// Reads a file from start to end.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn from_file(file: &InputFile) -> Result<Self> {
        let input = Self::from_reader(Box::new(file.reader()), file.path())?;
        Ok(Self { file: Some(file.clone()), ..input })
    }

    /// Decompresses the text if it begins like a compressed one, whatever its name, and skips a byte order mark.
    /// Reading fails if it is UTF-16 or no text.
    ///
    /// # Errors
    ///
    /// Fails if the first bytes cannot be read.
    pub fn from_reader(reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let Self { reader, compression, file } = Self::binary(reader, path)?;
        Ok(Self { reader: Box::new(Unmarked::new(reader)), compression, file })
    }

    /// Decompresses what is not text, as [`from_reader`](Self::from_reader).
    ///
    /// # Errors
    ///
    /// Fails if the first bytes cannot be read.
    pub fn binary(mut reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let mut first = Vec::with_capacity(Compression::START);
        let read = Read::take(&mut reader, Compression::START as u64).read_to_end(&mut first);
        read.map_err(|error| Error::io(path, error))?;
        if let Some(what) = refuse_compressed(&first, path) {
            return Err(Error::unsupported(Place::path(path), what));
        }
        let compression = Compression::of(&first);
        let all = Box::new(Cursor::new(first).chain(reader));
        Ok(Self { reader: compression.reader(all), compression, file: None })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("compression", &self.compression)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
