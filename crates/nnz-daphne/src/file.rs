//! A file that is read at any position.

use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::{InputFile, Opened};

use crate::lock::lock;

/// A file of known length, read at any position from many threads.
#[derive(Debug)]
pub(crate) struct DataFile(InputFile);

impl DataFile {
    pub(crate) fn new(file: InputFile) -> Self {
        Self(file)
    }

    /// Opens a regular file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::from_opened(&Opened::local(path)?)
    }

    /// Creates a file from an open input.
    pub(crate) fn from_opened(opened: &Opened) -> Result<Self> {
        match opened.file() {
            Some(file) if file.is_empty() => {
                let what = "the file is empty".to_owned();
                let place = Place::path(opened.path()).at(At::Byte(0));
                Err(Error::new(ErrorKind::Unrecognized(what), place))
            }
            Some(file) => Ok(Self::new(file.clone())),
            None => {
                let what = "not a regular file, which is required to read blocks at any position"
                    .to_owned();
                Err(Error::new(ErrorKind::Unrecognized(what), Place::path(opened.path())))
            }
        }
    }

    /// Returns the file with this suffix next to it; `None` if there is none.
    pub(crate) fn sidecar(&self, suffix: &str) -> Result<Option<InputFile>> {
        self.0.sidecar(suffix)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn len(&self) -> u64 {
        self.0.len()
    }

    /// Returns the location of a byte.
    pub(crate) fn at(&self, byte: u64) -> Place {
        self.0.place().at(At::Byte(byte))
    }

    /// Returns the error for an unexpected value at a byte.
    pub(crate) fn mismatch(
        &self,
        byte: u64,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Error {
        Error::mismatch(self.at(byte), found, expected)
    }

    /// Reads bytes from `start` on into `out`.
    pub(crate) fn read(&self, start: u64, out: &mut [u8]) -> Result<()> {
        self.0.read_exact_at(out, start).map_err(|error| self.read_error(error, start, out.len()))
    }

    /// Reads bytes with metadata, which are cached.
    pub(crate) fn read_metadata(&self, start: u64, out: &mut [u8]) -> Result<()> {
        self.0
            .read_metadata_at(out, start)
            .map_err(|error| self.read_error(error, start, out.len()))
    }

    fn read_error(&self, error: std::io::Error, start: u64, len: usize) -> Error {
        if error.kind() != std::io::ErrorKind::UnexpectedEof {
            return self.0.error(error);
        }
        let expected = format_args!("{len} bytes from byte {start} on");
        self.mismatch(self.len(), "the end of the file", expected)
    }

    /// Reads `len` bytes, which were checked to exist.
    pub(crate) fn bytes(&self, start: u64, len: u64) -> Result<Vec<u8>> {
        let mut bytes = self.allocate(len)?;
        self.read(start, &mut bytes)?;
        Ok(bytes)
    }

    fn allocate(&self, len: u64) -> Result<Vec<u8>> {
        let kind = ErrorKind::Memory { needed: len, allowed: self.len() };
        let refuse = || Error::new(kind, self.0.place());
        let len = usize::try_from(len).ok().filter(|&len| len as u64 <= self.len());
        len.and_then(|len| bytemuck::allocation::try_zeroed_vec(len).ok()).ok_or_else(refuse)
    }
}

/// Buffers for reuse, shared by threads.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// The largest number of unused buffers.
    const MOST: usize = 8;

    /// Reads some bytes of a file, which fit into memory, into a buffer that may be longer.
    pub(crate) fn read(&self, file: &DataFile, bytes: Range<u64>) -> Result<Vec<u8>> {
        let len = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
        let mut buffer = lock(&self.spare).pop().unwrap_or_default();
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        file.read(bytes.start, &mut buffer[..len])?;
        Ok(buffer)
    }

    pub(crate) fn give_back(&self, buffer: Vec<u8>) {
        let mut spare = lock(&self.spare);
        if spare.len() < Self::MOST {
            spare.push(buffer);
        }
    }
}

/// Reads a file sequentially, or with gaps, through a buffer.
pub(crate) struct Window<'a> {
    pub(crate) file: &'a DataFile,
    buffer: Vec<u8>,
    /// The position of the first byte of the buffer.
    start: u64,
    /// The number of valid bytes in the buffer.
    filled: usize,
    size: usize,
    /// Whether the bytes are metadata, which is cached.
    keeps: bool,
}

impl<'a> Window<'a> {
    pub(crate) fn new(file: &'a DataFile, size: usize) -> Self {
        Self { file, buffer: Vec::new(), start: 0, filled: 0, size, keeps: false }
    }

    /// Creates a window for headers, which are cached.
    pub(crate) fn of_headers(file: &'a DataFile, size: usize) -> Self {
        Self { keeps: true, ..Self::new(file, size) }
    }

    /// Returns the bytes from `start` on that are in the buffer, at least `least` of them.
    ///
    /// `end` is the end of the readable range; it is an error if bytes after it are needed.
    pub(crate) fn at(&mut self, start: u64, least: usize, end: u64) -> Result<&[u8]> {
        let held = |window: &Self| {
            let skip = usize::try_from(start.checked_sub(window.start)?).ok()?;
            (skip.checked_add(least)? <= window.filled).then_some(skip)
        };
        if let Some(skip) = held(self) {
            let available = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
            let upto = self.filled.min(skip.saturating_add(available));
            return Ok(&self.buffer[skip..upto.max(skip + least)]);
        }
        let available = end.min(self.file.len()).saturating_sub(start);
        if available < least as u64 {
            let found = format_args!("{available} bytes before the end of the file");
            let expected = format_args!("at least {least}");
            return Err(self.file.mismatch(start + available, found, expected));
        }
        let size = usize::try_from(available).unwrap_or(usize::MAX).min(self.size.max(least));
        self.filled = 0;
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        match self.keeps {
            true => self.file.read_metadata(start, &mut self.buffer[..size])?,
            false => self.file.read(start, &mut self.buffer[..size])?,
        }
        (self.start, self.filled) = (start, size);
        Ok(&self.buffer[..size])
    }

    /// Reads a fixed number of bytes.
    pub(crate) fn take<const N: usize>(&mut self, start: u64, end: u64) -> Result<[u8; N]> {
        let mut taken = [0; N];
        taken.copy_from_slice(&self.at(start, N, end)?[..N]);
        Ok(taken)
    }

    pub(crate) fn u32(&mut self, start: u64, end: u64) -> Result<u32> {
        self.take(start, end).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, start: u64, end: u64) -> Result<u64> {
        self.take(start, end).map(u64::from_le_bytes)
    }
}

/// Converts numbers of `size` bytes between the byte order of the file and the native one.
pub(crate) fn swap_on_big_endian(bytes: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") && size > 1 {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}
