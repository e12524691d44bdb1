//! Reading a file of an archive in place.
//!
//! A file of a plain archive is read at any position, one of a compressed archive from start to end: a position before the
//! last one decompresses the archive from its beginning.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_lines::{Compression, ZipMembers};
use nnz_storage::{Identity, InputFile, ReadAt};

/// An archive as it is stored.
pub(super) struct ArchiveFile {
    pub(super) file: InputFile,
    pub(super) compression: Compression,
    /// A stream of a file that is closed, with which a later file continues.
    idle: Mutex<Option<Stream>>,
}

/// A decompressed archive up to a position.
struct Stream {
    reader: Box<dyn Read + Send>,
    position: u64,
}

impl ArchiveFile {
    pub(super) fn new(file: &InputFile, compression: Compression) -> Self {
        Self { file: file.clone(), compression, idle: Mutex::default() }
    }

    /// Starts reading the decompressed archive: of a zip file, the data of all members, one after another.
    fn reader(&self) -> Box<dyn Read + Send> {
        let reader = Box::new(self.file.reader());
        match self.compression {
            Compression::Zip => Box::new(AllMembers(ZipMembers::new(reader))),
            compression => compression.reader(reader),
        }
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
            None => Stream { reader: self.reader(), position: 0 },
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

/// The data of all members of a zip file.
struct AllMembers(ZipMembers);

impl Read for AllMembers {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(out)?;
            if count > 0 || out.is_empty() || self.0.next_member()?.is_none() {
                return Ok(count);
            }
        }
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
        let read = match self.archive.compression {
            Compression::None => self.archive.file.read_at(out, at)?,
            _ => {
                let mut held = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
                self.archive.read(&mut held, out, at)?
            }
        };
        // The file does not end here.
        if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(read) }
    }

    fn will_read(&self, range: Range<u64>) {
        if self.archive.compression == Compression::None {
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
