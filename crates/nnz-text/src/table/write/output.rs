//! Writing bytes to a staged file or a stream, compressed or not.

use std::io::{self, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use nnz_core::{Error, Result, Written};
use nnz_lines::Target;
use nnz_storage::staging::StagedFile;

/// Bytes that are written at once.
const CHUNK: usize = 256 << 10;

pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
    /// Text that is not written yet.
    text: Vec<u8>,
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
                (name.into(), Destination::Stream { writer, bytes: 0 })
            }
        };
        let sink = match gzip {
            true => Sink::Gzip(Box::new(GzEncoder::new(destination, Compression::new(6)))),
            false => Sink::Plain(destination),
        };
        Ok(Self { path, sink, text: Vec::new() })
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Writes text; short pieces are buffered.
    pub(super) fn write(&mut self, text: &[u8]) -> Result<()> {
        if self.text.len() + text.len() < CHUNK {
            self.text.extend_from_slice(text);
            return Ok(());
        }
        let Self { path, sink, text: buffered } = self;
        let all = sink.write_all(buffered).and_then(|()| sink.write_all(text));
        buffered.clear();
        all.map_err(|error| Error::io(path, error))
    }

    /// Repeats a piece of text.
    pub(super) fn repeat(&mut self, pieces: &[u8], len: usize, mut count: u64) -> Result<()> {
        let most = (pieces.len() / len.max(1)) as u64;
        while count > 0 && most > 0 {
            let now = count.min(most);
            let bytes = usize::try_from(now).unwrap_or(0) * len;
            self.write(pieces.get(..bytes).unwrap_or_default())?;
            count -= now;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Written> {
        let io = |error| Error::io(&self.path, error);
        self.sink.write_all(&self.text).map_err(io)?;
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
}

impl Sink {
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(destination) => destination.write_all(text),
            Self::Gzip(encoder) => encoder.write_all(text),
        }
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
