//! Reading a file of an archive in place.
//!
//! A file of a plain archive is read at any position, one of a gzipped archive from start to end: a position before the
//! last one decompresses the archive from its beginning.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, ErrorKind};
use nnz_lines::Input;
use nnz_storage::{Identity, InputFile, ReadAt};

/// An archive as it is stored.
pub(super) struct ArchiveFile {
    pub(super) file: InputFile,
    pub(super) gzip: bool,
    /// A stream of a file that is closed, with which a later file continues.
    idle: Mutex<Option<Stream>>,
}

/// A decompressed archive up to a position.
struct Stream {
    reader: Box<dyn Read + Send>,
    position: u64,
}

impl ArchiveFile {
    pub(super) fn new(file: &InputFile, gzip: bool) -> Self {
        Self { file: file.clone(), gzip, idle: Mutex::default() }
    }

    /// Fills a part of `out` from a position on, by continuing a stream that has not passed it.
    fn read(&self, held: &mut Option<Stream>, out: &mut [u8], at: u64) -> io::Result<usize> {
        let before = |stream: &Stream| stream.position <= at;
        let mut stream = held.take().filter(before);
        if stream.is_none() {
            stream = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take().filter(before);
        }
        let mut stream = match stream {
            Some(stream) => stream,
            None => {
                let input = Input::binary(Box::new(self.file.reader()), self.file.path())
                    .map_err(into_io)?;
                Stream { reader: input.reader, position: 0 }
            }
        };
        let skipped = Read::take(&mut stream.reader, at - stream.position);
        stream.position += io::copy(&mut { skipped }, &mut io::sink())?;
        let read = match stream.position == at {
            true => stream.reader.read(out)?,
            false => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        stream.position += read as u64;
        *held = Some(stream);
        Ok(read)
    }
}

fn into_io(error: Error) -> io::Error {
    match error.into_parts().0 {
        ErrorKind::Io(error) => error,
        kind => io::Error::other(kind.to_string()),
    }
}

impl fmt::Debug for ArchiveFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveFile").field("file", &self.file).finish_non_exhaustive()
    }
}

/// An open file of an archive.
pub(super) struct Member {
    archive: Arc<ArchiveFile>,
    /// Its data in the decompressed archive.
    range: Range<u64>,
    stream: Mutex<Option<Stream>>,
}

impl Member {
    /// Opens the file whose data is at a range of the decompressed archive.
    pub(super) fn new(archive: &Arc<ArchiveFile>, range: Range<u64>) -> Self {
        Self { archive: Arc::clone(archive), range, stream: Mutex::default() }
    }
}

impl ReadAt for Member {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let most = usize::try_from(self.len().saturating_sub(at)).unwrap_or(usize::MAX);
        let most = most.min(out.len());
        let out = out.get_mut(..most).unwrap_or_default();
        if out.is_empty() {
            return Ok(0);
        }
        let at = self.range.start.saturating_add(at);
        let read = match self.archive.gzip {
            false => self.archive.file.read_at(out, at)?,
            true => {
                let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
                self.archive.read(&mut held, out, at)?
            }
        };
        // The file does not end here.
        if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
    }

    fn will_read(&self, range: Range<u64>) {
        if !self.archive.gzip {
            let at = |at: u64| self.range.start.saturating_add(at).min(self.range.end);
            self.archive.file.will_read(at(range.start)..at(range.end));
        }
    }

    fn has_latency(&self) -> bool {
        self.archive.file.has_latency()
    }

    fn identity(&self) -> io::Result<Option<Identity>> {
        self.archive.file.identity()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let stream = self.stream.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if stream.is_some() {
            *self.archive.idle.lock().unwrap_or_else(PoisonError::into_inner) = stream;
        }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("range", &self.range).finish_non_exhaustive()
    }
}
