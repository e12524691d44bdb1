//! Writing bytes to a staged file or a stream.

use std::io::{self, Write};

use flate2::Compression as Level;
use flate2::write::GzEncoder;
use nnz_core::Result;
use nnz_storage::staging::StagedFile;

use super::super::TextTarget;
use super::Compression;

pub(super) enum Output {
    Plain(Destination),
    Gzip(Box<GzEncoder<Destination>>),
}

pub(super) enum Destination {
    File(Box<StagedFile>),
    Stream { writer: Box<dyn Write + Send>, bytes: u64 },
}

impl Output {
    pub(super) fn create(target: TextTarget, compression: Compression) -> Result<Self> {
        let destination = match target {
            TextTarget::File { path, options } => {
                Destination::File(Box::new(StagedFile::create(&path, &options)?))
            }
            TextTarget::Stream { writer, .. } => Destination::Stream { writer, bytes: 0 },
        };
        Ok(match compression {
            Compression::Gzip => Self::Gzip(Box::new(GzEncoder::new(destination, Level::new(6)))),
            Compression::None | Compression::Bgzip => Self::Plain(destination),
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(destination) => destination.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
        }
    }

    /// Finishes compressed data.
    pub(super) fn close(self) -> io::Result<Destination> {
        match self {
            Self::Plain(destination) => Ok(destination),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stream { writer, bytes: sum } => {
                let count = writer.write(bytes)?;
                *sum += count as u64;
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
