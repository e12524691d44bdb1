//! A decompressed entry with random access.

use nnz_storage::TaskContext;
use std::io::{self, Read};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use nnz_core::{Error, ErrorKind, Place, Result};

use nnz_storage::{InputFile, TemporaryFile};

/// Maximum size in memory.
pub(super) const IN_MEMORY: u64 = 1 << 20;

/// Maximum size of an entry that is cached as metadata, such as a description.
const SHORT: u64 = 64 << 10;

/// The compressed bytes of an entry, from the start on.
pub(super) struct CompressedBytes<'a> {
    file: &'a InputFile,
    at: u64,
    left: u64,
    /// Whether the bytes are cached.
    keeps: bool,
}

impl<'a> CompressedBytes<'a> {
    pub(super) fn new(file: &'a InputFile, at: u64, left: u64) -> Self {
        Self { file, at, left, keeps: left <= SHORT }
    }

    /// Decompresses the start of the entry into `out` and returns its length. The compressed bytes
    /// are cached.
    pub(super) fn read_start(self, out: &mut [u8]) -> io::Result<usize> {
        let mut inflater = DeflateDecoder::new(Self { keeps: true, ..self });
        let mut read = 0;
        while read < out.len() {
            match inflater.read(&mut out[read..])? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    }
}

impl Read for CompressedBytes<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let read = if self.keeps && most > 0 {
            self.file.read_metadata_at(&mut out[..most], self.at)?;
            most
        } else {
            self.file.read_at(&mut out[..most], self.at)?
        };
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

/// The data of an entry: in memory if it is short, otherwise in a temporary file.
pub(super) enum EntryData {
    Memory(Vec<u8>),
    File(TemporaryFile),
}

impl EntryData {
    /// Decompresses an entry of `bytes` bytes, and returns its checksum. `damaged` creates the
    /// error of an entry that cannot be decompressed.
    pub(super) fn make(
        packed: CompressedBytes<'_>,
        bytes: u64,
        context: &TaskContext,
        damaged: impl Fn(io::Error) -> Error,
    ) -> Result<(Self, u32)> {
        let mut inflater = DeflateDecoder::new(packed);
        let mut sum = Crc::new();
        let mut made = match bytes <= IN_MEMORY {
            true => Self::Memory(Vec::new()),
            false => Self::File(TemporaryFile::create(context)?),
        };
        let mut block = vec![0; 256 << 10];
        let mut all = 0;
        loop {
            let read = inflater.read(&mut block).map_err(&damaged)?;
            all += read as u64;
            if read == 0 && all == bytes {
                return Ok((made, sum.sum()));
            }
            if read == 0 || all > bytes {
                let what = format!("{all} or more bytes instead of the listed {bytes}");
                return Err(damaged(io::Error::other(what)));
            }
            sum.update(&block[..read]);
            match &mut made {
                Self::Memory(kept) => kept.extend_from_slice(&block[..read]),
                Self::File(file) => file.write_all(&block[..read])?,
            }
        }
    }

    /// Reads bytes of the entry; `place` is its location in errors.
    pub(super) fn read_at(&self, at: u64, out: &mut [u8], place: &Place) -> Result<()> {
        match self {
            Self::File(file) => file.read_exact_at(out, at),
            Self::Memory(kept) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                let part = kept.get(start..).and_then(|rest| rest.get(..out.len()));
                let short = || {
                    let error = io::ErrorKind::UnexpectedEof.into();
                    Error::new(ErrorKind::Io(error), place.clone())
                };
                out.copy_from_slice(part.ok_or_else(short)?);
                Ok(())
            }
        }
    }
}
