//! Writing bytes to a staged file or a stream, compressed or not.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use nnz_core::{Error, Result, Written};
use nnz_storage::TemporaryFile;
use nnz_storage::staging::StagedFile;

use super::Target;

pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(Destination),
    Gzip(Box<GzEncoder<Destination>>),
}

enum Destination {
    File(Box<StagedFile>),
    Stream { writer: Box<dyn Write + Send>, bytes: u64 },
}

impl Output {
    pub(super) fn create(target: Target, gzip: bool) -> Result<Self> {
        let (path, destination) = match target {
            Target::File { path, options } => {
                let file = StagedFile::create(&path, options)?;
                (path, Destination::File(Box::new(file)))
            }
            Target::Stream { writer, name } => {
                let bytes = 0;
                (name.into(), Destination::Stream { writer, bytes })
            }
        };
        let sink = if gzip {
            Sink::Gzip(Box::new(GzEncoder::new(destination, Compression::new(6))))
        } else {
            Sink::Plain(destination)
        };
        Ok(Self { path, sink })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a temporary file on a disk with space for the text.
    pub(super) fn spool(&self) -> Result<TemporaryFile> {
        let destination = match &self.sink {
            Sink::Plain(destination) => destination,
            Sink::Gzip(encoder) => encoder.get_ref(),
        };
        let parent = match destination {
            Destination::File(_) => self.path.parent(),
            Destination::Stream { .. } => return TemporaryFile::create(),
        };
        let directory = parent.filter(|parent| !parent.as_os_str().is_empty());
        TemporaryFile::create_in(directory.unwrap_or(Path::new(".")))
    }

    pub(super) fn write(&mut self, text: &[u8]) -> Result<()> {
        let written = match &mut self.sink {
            Sink::Plain(destination) => destination.write_all(text),
            Sink::Gzip(encoder) => encoder.write_all(text),
        };
        self.io(written)
    }

    pub(super) fn finish(self) -> Result<Written> {
        let io = |error| Error::io(&self.path, error);
        let destination = match self.sink {
            Sink::Plain(destination) => destination,
            Sink::Gzip(encoder) => encoder.finish().map_err(io)?,
        };
        let bytes = match destination {
            Destination::File(file) => file.commit()?,
            Destination::Stream { mut writer, bytes } => {
                writer.flush().map_err(io)?;
                bytes
            }
        };
        Ok(Written { bytes })
    }

    pub(super) fn io<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| Error::io(&self.path, error))
    }
}

impl Write for Destination {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(text),
            Self::Stream { writer, bytes } => {
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
