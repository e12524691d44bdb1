//! A file that is read at any position.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nnz_core::{At, Error, ErrorKind, Place, Result};

use crate::lock::lock;

/// A file of known length, read at any position from many threads.
#[derive(Debug)]
pub(crate) struct InputFile {
    path: PathBuf,
    file: File,
    len: u64,
}

impl InputFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let io = |error| Error::io(path, error);
        // Opening a pipe would wait for ever.
        let found = path.metadata().map_err(io)?;
        if !found.is_file() {
            let what = "not a regular file: blocks are read at any position".to_owned();
            return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
        }
        let file = File::open(path).map_err(io)?;
        Ok(Self { path: path.to_path_buf(), file, len: found.len() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Names a byte of the file.
    pub(crate) fn at(&self, byte: u64) -> Place {
        Place::path(&*self.path).at(At::Byte(byte))
    }

    /// Makes the error that something else was expected at a byte.
    pub(crate) fn mismatch(
        &self,
        byte: u64,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Error {
        Error::mismatch(self.at(byte), found, expected)
    }

    /// Fills `out` with the bytes from `start` on.
    pub(crate) fn read(&self, start: u64, out: &mut [u8]) -> Result<()> {
        match self.file.read_exact_at(out, start) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                let expected = format_args!("{} bytes from byte {start} on", out.len());
                Err(self.mismatch(self.len, "the end of the file", expected))
            }
            other => other.map_err(|error| Error::io(&self.path, error)),
        }
    }

    /// Reads `len` bytes, which have been checked to be there.
    pub(crate) fn bytes(&self, start: u64, len: u64) -> Result<Vec<u8>> {
        let mut bytes = self.room(len)?;
        self.read(start, &mut bytes)?;
        Ok(bytes)
    }

    fn room(&self, len: u64) -> Result<Vec<u8>> {
        let kind = ErrorKind::Memory { needed: len, allowed: self.len };
        let refuse = || Error::new(kind, Place::path(&*self.path));
        let len = usize::try_from(len).ok().filter(|&len| len as u64 <= self.len);
        len.and_then(|len| bytemuck::allocation::try_zeroed_vec(len).ok()).ok_or_else(refuse)
    }
}

/// Buffers to be used again, which many threads share.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// Buffers that are kept.
    const MOST: usize = 8;

    /// Reads some bytes of a file, no more than memory has for sure, into a buffer that may be longer.
    pub(crate) fn read(&self, file: &InputFile, bytes: Range<u64>) -> Result<Vec<u8>> {
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

/// Reads a file front to back, or by leaps, through a buffer.
pub(crate) struct Window<'a> {
    pub(crate) file: &'a InputFile,
    buffer: Vec<u8>,
    /// The position of the first byte of the buffer.
    start: u64,
    /// Bytes of the buffer that hold something.
    filled: usize,
    size: usize,
}

impl<'a> Window<'a> {
    pub(crate) fn new(file: &'a InputFile, size: usize) -> Self {
        Self { file, buffer: Vec::new(), start: 0, filled: 0, size }
    }

    /// Returns the bytes from `start` on that are in the buffer, at least `least` of them.
    ///
    /// `end` is where what is read ends; a byte that lies past it is missing, and an error.
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
            let found = format_args!("{available} bytes before the end");
            return Err(self.file.mismatch(start + available, found, format_args!("{least}")));
        }
        let size = usize::try_from(available).unwrap_or(usize::MAX).min(self.size.max(least));
        self.filled = 0;
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        self.file.read(start, &mut self.buffer[..size])?;
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

/// Turns numbers of `size` bytes from the order of the file into that of the machine, or back.
pub(crate) fn swap_on_big_endian(bytes: &mut [u8], size: usize) {
    if cfg!(target_endian = "big") && size > 1 {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}
