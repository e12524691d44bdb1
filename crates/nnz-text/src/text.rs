//! A text that is read several times from start to end.

use nnz_storage::TaskContext;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{About, Error, Place, Result};
use nnz_lines::{Compression, Input};
use nnz_storage::{InputFile, Opened, ReadAt, TemporaryFile};

/// A file, compressed or not, or a copy of a stream.
///
/// Shape and types are not stated in the formats of this crate, so a text is read once to find them, and again for its
/// entries. A stream is first copied to a temporary file, as it is: compressed if it is compressed.
pub(crate) struct Text {
    file: InputFile,
    compression: Compression,
    stream: bool,
    /// Whether the file has been read once.
    read: AtomicBool,
}

impl Text {
    /// Takes an opened file, or copies a pipe.
    pub(crate) fn open(opened: &Opened) -> Result<Self> {
        match opened {
            Opened::File(file) => {
                let compression = Compression::of(&file.start(Compression::START)?);
                let read = AtomicBool::new(false);
                Ok(Self { file: file.clone(), compression, stream: false, read })
            }
            Opened::Directory(directory) => {
                Err(Error::io(directory.path(), io::ErrorKind::IsADirectory.into()))
            }
            Opened::Special(context, path) => {
                let stream =
                    context.storage().open_stream(path).map_err(|error| Error::io(path, error))?;
                Self::from_reader(stream, path, context)
            }
        }
    }

    /// Copies a stream. Messages use `name`.
    pub(crate) fn from_reader(
        mut reader: Box<dyn Read + Send>,
        name: &Path,
        context: &TaskContext,
    ) -> Result<Self> {
        let mut copy = TemporaryFile::create(context)?;
        let mut buffer = vec![0; 256 << 10];
        let (mut len, mut start) = (0_u64, Vec::<u8>::new());
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Error::io(name, error)),
            };
            let bytes = buffer.get(..count).unwrap_or_default();
            start.extend(bytes.iter().take(Compression::START.saturating_sub(start.len())));
            copy.write_all(bytes)?;
            len += count as u64;
        }
        let file = InputFile::from_reader(name, Arc::new(StreamCopy { file: copy, len }), context);
        let compression = Compression::of(&start);
        Ok(Self { file, compression, stream: true, read: AtomicBool::new(false) })
    }

    /// Starts reading, decompressed and without a byte order mark.
    pub(crate) fn reader(&self) -> Result<Box<dyn Read + Send>> {
        // Bytes kept while the format was detected are only used by the first pass.
        if self.read.swap(true, Ordering::Relaxed) {
            self.file.forget();
        }
        Ok(Input::from_file(&self.file)?.reader)
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    pub(crate) fn place(&self) -> Place {
        self.file.place()
    }

    /// Returns the context in which it was opened.
    pub(crate) fn context(&self) -> &TaskContext {
        self.file.context()
    }

    /// Returns the size of the file, which may be compressed.
    pub(crate) fn len(&self) -> u64 {
        self.file.len()
    }

    /// Describes how it is stored.
    pub(crate) fn about(&self, format: &str, variant: Option<String>) -> About {
        let container = self.compression.of_thing(if self.stream { "stream" } else { "file" });
        About::new(format, container)
            .dialect(variant)
            .bytes((!self.stream).then(|| self.file.len()))
    }

    /// Returns the error for a text that was different when it was read before.
    pub(crate) fn changed(&self) -> Error {
        Error::new(nnz_core::ErrorKind::Changed, self.place())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Text").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// The copy of a stream.
#[derive(Debug)]
struct StreamCopy {
    file: TemporaryFile,
    len: u64,
}

impl ReadAt for StreamCopy {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX);
        let count = out.len().min(left);
        let Some(out) = out.get_mut(..count) else { return Ok(0) };
        self.file.read_exact_at(out, at).map_err(io::Error::other)?;
        Ok(count)
    }
}

/// Returns whether the extension of a target asks for gzip.
pub(crate) fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// The path of a text in messages.
pub(crate) fn stdin_name() -> PathBuf {
    PathBuf::from("standard input")
}
