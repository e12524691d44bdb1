//! Decompression.

mod gzip;

use std::cell::Cell;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::rc::Rc;

use bzip2::bufread::MultiBzDecoder;
use lzma_rust2::XzReader;

use crate::error::{Error, ErrorKind, Result};
use gzip::GzMembers;

/// Bytes that are read to recognize an object: its versions, as text.
const START: u64 = 64;

/// The number of bytes that are read at once.
const BUFFER: usize = 64 << 10;

/// Memory limit for xz in KiB: four times as much as the highest level needs.
const XZ_MEMORY: u32 = 256 << 10;

/// The compression of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    #[default]
    None,
    /// gzip, the default of `saveRDS`.
    Gzip,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
}

impl Compression {
    /// Detects the compression from the first bytes.
    fn of(first: &[u8]) -> Self {
        if first.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if first.starts_with(b"BZh") {
            Self::Bzip2
        } else if first.starts_with(b"\xfd7zXZ\0") {
            Self::Xz
        } else {
            Self::None
        }
    }

    /// Returns the name of the compression, or `None` if there is none.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Bzip2 => Some("bzip2"),
            Self::Xz => Some("xz"),
        }
    }
}

/// A reader that can skip bytes.
pub trait SkipRead: Read {
    /// Skips bytes.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer, or if they cannot be read.
    fn skip(&mut self, count: u64) -> io::Result<()>;
}

/// A reader that reads what it skips.
pub(crate) struct Reading<R>(pub(crate) R);

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl<R: Read> SkipRead for Reading<R> {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.0.by_ref().take(count), &mut io::sink())?;
        if skipped < count { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// A reader after its first bytes, which have been read from it.
struct Rest<R> {
    first: Cursor<Vec<u8>>,
    reader: R,
}

impl<R: Read> Read for Rest<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.first.read(out)? {
            0 => self.reader.read(out),
            count => Ok(count),
        }
    }
}

impl<R: SkipRead> SkipRead for Rest<R> {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        let left = self.first.get_ref().len() as u64 - self.first.position();
        let here = left.min(count);
        self.first.set_position(self.first.position() + here);
        if count > here { self.reader.skip(count - here) } else { Ok(()) }
    }
}

/// The uncompressed stream.
pub(crate) type Stream<'a> = BufReader<Box<dyn SkipRead + 'a>>;

impl SkipRead for Stream<'_> {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        let here = (self.buffer().len() as u64).min(count);
        self.consume(usize::try_from(here).unwrap_or(0));
        if count > here { self.get_mut().skip(count - here) } else { Ok(()) }
    }
}

/// Decompresses the stream if it is compressed.
pub(crate) fn open<'a>(mut reader: impl SkipRead + 'a) -> Result<(Stream<'a>, Compression)> {
    let mut first = Vec::with_capacity(6);
    let read = reader.by_ref().take(6).read_to_end(&mut first);
    read.map_err(|error| Error::new(ErrorKind::Io(error), 0))?;
    if first.starts_with(b"\x28\xb5\x2f\xfd") {
        return Err(Error::unsupported(0, "zstd compression (R 4.5 and newer) is not supported"));
    }
    let compression = Compression::of(&first);
    let rest = Rest { first: Cursor::new(first), reader };
    if compression == Compression::None {
        return Ok((BufReader::with_capacity(BUFFER, Box::new(rest)), compression));
    }
    let failed = Rc::new(Cell::new(false));
    let rest = CompressedStream { reader: rest, failed: Rc::clone(&failed) };
    let all = BufReader::with_capacity(BUFFER, rest);
    let inner: Box<dyn Read + 'a> = match compression {
        Compression::Gzip => Box::new(GzMembers::new(all)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(all)),
        _ => Box::new(XzReader::new_mem_limit(all, true, XZ_MEMORY)),
    };
    let inner = Reading(DecompressedStream { inner, failed });
    Ok((BufReader::with_capacity(BUFFER, Box::new(inner)), compression))
}

/// Decompresses the stream on another thread, if it is compressed and a thread can be started.
pub(crate) fn open_ahead(
    reader: impl SkipRead + Clone + Send + 'static,
) -> Result<(Stream<'static>, Compression)> {
    let (stream, compression) = open(reader.clone())?;
    if compression == Compression::None {
        return Ok((stream, compression));
    }
    drop(stream);
    let (sender, blocks) = std::sync::mpsc::sync_channel(BLOCKS_AHEAD);
    let decompress = {
        let reader = reader.clone();
        move || {
            let mut stream = match open(reader) {
                Ok((stream, _)) => stream,
                Err(error) => {
                    let _ = sender.send(Err(io::Error::other(error)));
                    return;
                }
            };
            loop {
                let mut block = Vec::with_capacity(BLOCK_AHEAD);
                let read = stream.by_ref().take(BLOCK_AHEAD as u64).read_to_end(&mut block);
                let is_end = block.len() < BLOCK_AHEAD;
                let failed = read.err();
                // What was read before an error is used.
                if sender.send(Ok(block)).is_err() {
                    return;
                }
                if let Some(error) = failed {
                    let _ = sender.send(Err(error));
                    return;
                }
                if is_end {
                    return;
                }
            }
        }
    };
    let thread = std::thread::Builder::new().name("nnz-rds".to_owned());
    match thread.spawn(decompress) {
        Ok(_) => {
            let blocks = Ahead { blocks, block: Cursor::new(Vec::new()) };
            Ok((BufReader::with_capacity(BUFFER, Box::new(Reading(blocks))), compression))
        }
        Err(_) => open(reader),
    }
}

/// The number of bytes of a block that is decompressed ahead.
const BLOCK_AHEAD: usize = 256 << 10;

/// The largest number of blocks that are decompressed ahead.
const BLOCKS_AHEAD: usize = 8;

/// A stream that another thread decompresses, in blocks.
struct Ahead {
    blocks: std::sync::mpsc::Receiver<io::Result<Vec<u8>>>,
    block: Cursor<Vec<u8>>,
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.block.read(out)? {
                0 if !out.is_empty() => match self.blocks.recv() {
                    Ok(block) => self.block = Cursor::new(block?),
                    // The thread has sent everything.
                    Err(_) => return Ok(0),
                },
                count => return Ok(count),
            }
        }
    }
}

/// The compressed stream, which notes that it could not be read.
struct CompressedStream<R> {
    reader: R,
    failed: Rc<Cell<bool>>,
}

impl<R: Read> Read for CompressedStream<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out);
        self.failed.set(read.is_err());
        read
    }
}

/// The decompressed stream. If the compressed one could be read, an error means that it is damaged: decompressors
/// have errors of several kinds.
struct DecompressedStream<'a> {
    inner: Box<dyn Read + 'a>,
    failed: Rc<Cell<bool>>,
}

impl Read for DecompressedStream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.inner.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => error,
            _ if self.failed.get() => error,
            _ => io::Error::new(io::ErrorKind::InvalidData, error),
        })
    }
}

/// Returns whether the uncompressed stream starts like a serialized object, or like a workspace
/// written by `save`, for which [`read`](crate::read) returns a specific error.
///
/// # Errors
///
/// Fails only if the reader does: data that cannot be decompressed is not an object.
pub fn looks_like(reader: impl Read) -> io::Result<bool> {
    let failed = Cell::new(None);
    let looks = starts_like(ErrorRecorder { reader, failed: &failed });
    failed.take().map_or(Ok(looks), Err)
}

/// A reader that keeps its last error, even if the caller discards it.
struct ErrorRecorder<'a, R> {
    reader: R,
    failed: &'a Cell<Option<io::Error>>,
}

impl<R: Read> Read for ErrorRecorder<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader.read(out).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed.set(Some(error));
            }
            kind.into()
        })
    }
}

fn starts_like(reader: impl Read) -> bool {
    let Ok((stream, _)) = open(Reading(reader)) else { return false };
    let mut first = Vec::new();
    // The bytes before an error decide.
    let _ = stream.take(START).read_to_end(&mut first);
    let first = &*first;
    match first {
        [b'X', b'\n', 0, 0, 0, version, ..] | [b'B', b'\n', version, 0, 0, 0, ..] => {
            matches!(version, 1..=9)
        }
        [b'R', b'D', b'X' | b'A' | b'B', b'1'..=b'9', rest @ ..] => {
            let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
            matches!(rest, [b'\n', b'X' | b'A' | b'B', b'\n' | b'\r', ..])
        }
        _ => starts_like_text(first),
    }
}

/// Returns whether text starts with the form, its version, and two versions of R: `A`, 2 or 3, 197888, 131840. A table with
/// a column `A` does not.
fn starts_like_text(first: &[u8]) -> bool {
    /// R 1.0.0.
    const OLDEST: u32 = 1 << 16;
    let mut lines = first.split(|&byte| byte == b'\n');
    let mut line = || lines.next().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let is_form = line() == Some(b"A") && matches!(line(), Some(b"2" | b"3"));
    let mut is_version = || {
        let text = line().and_then(|line| std::str::from_utf8(line).ok());
        text.and_then(|text| text.parse().ok()).is_some_and(|version: u32| version >= OLDEST)
    };
    is_form && is_version() && is_version()
}
