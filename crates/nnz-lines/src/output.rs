//! Writing bytes to a staged file or a stream, compressed or not.

use nnz_storage::TaskContext;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use nnz_core::{Error, ErrorKind, Place, Result, Written};
use nnz_storage::TemporaryFile;
use nnz_storage::staging::StagedFile;

use crate::TextTarget;

/// A text that is being written, compressed or not.
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(Destination),
    Gzip(Box<GzEncoder<Destination>>),
}

enum Destination {
    File(Box<StagedFile>),
    Stream { writer: Box<dyn Write + Send>, bytes: u64, context: TaskContext },
}

impl Output {
    /// Creates it. A file appears when it is [finished](Self::finish).
    ///
    /// # Errors
    ///
    /// Fails if the file exists and may not be replaced, or cannot be created, and if its name states a compression that is only
    /// read.
    pub fn create(target: TextTarget, gzip: bool) -> Result<Self> {
        let (path, destination) = match target {
            TextTarget::File { path, options } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if let (_, compression) = crate::Compression::of_name(&name)
                    && let Some(name) = compression.name().filter(|name| *name != "gzip")
                {
                    let what =
                        format!("{name} is read, not written; the extension .gz writes gzip");
                    let kind = ErrorKind::Argument(what);
                    return Err(Error::new(kind, Place::path(&path)));
                }
                let file = StagedFile::create(&path, &options)?;
                (path, Destination::File(Box::new(file)))
            }
            TextTarget::Stream { writer, name, context } => {
                let bytes = 0;
                (name.into(), Destination::Stream { writer, bytes, context })
            }
        };
        let sink = if gzip {
            Sink::Gzip(Box::new(GzEncoder::new(destination, Compression::new(6))))
        } else {
            Sink::Plain(destination)
        };
        Ok(Self { path, sink })
    }

    /// Returns its path, or the name of a stream.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a temporary file on a disk with space for the text.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created.
    pub fn spool(&self) -> Result<TemporaryFile> {
        let destination = match &self.sink {
            Sink::Plain(destination) => destination,
            Sink::Gzip(encoder) => encoder.get_ref(),
        };
        match destination {
            Destination::File(file) => TemporaryFile::create_in(&file.spill_directory()),
            Destination::Stream { context, .. } => TemporaryFile::create(context),
        }
    }

    /// Appends text.
    ///
    /// # Errors
    ///
    /// Fails if the disk is full.
    pub fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = self.write_all(text);
        self.io(written)
    }

    /// Completes the text and moves it to the target.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be done; there is no output then.
    pub fn finish(self) -> Result<Written> {
        let io = |error| Error::io(&self.path, error);
        let destination = match self.sink {
            Sink::Plain(destination) => destination,
            Sink::Gzip(encoder) => encoder.finish().map_err(io)?,
        };
        let bytes = match destination {
            Destination::File(file) => file.commit()?,
            Destination::Stream { mut writer, bytes, .. } => {
                writer.flush().map_err(io)?;
                bytes
            }
        };
        Ok(Written::new(bytes))
    }

    fn io<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| Error::io(&self.path, error))
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Errors do not have the path.
impl Write for Output {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(destination) => destination.write(text),
            Sink::Gzip(encoder) => encoder.write(text),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Plain(destination) => destination.flush(),
            Sink::Gzip(encoder) => encoder.flush(),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(text),
            Self::Stream { writer, bytes, .. } => {
                let count = writer.write(text)?;
                *bytes += count as u64;
                Ok(count)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stream { writer, .. } => writer.flush(),
        }
    }
}
