//! Decompression.

mod gzip;

use std::cell::Cell;
use std::io::{self, BufReader, Cursor, Read};
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

/// The uncompressed stream.
pub(crate) type Stream<'a> = BufReader<Box<dyn Read + 'a>>;

/// Decompresses the stream if it is compressed.
pub(crate) fn open<'a>(mut reader: impl Read + 'a) -> Result<(Stream<'a>, Compression)> {
    let mut first = Vec::with_capacity(6);
    let read = reader.by_ref().take(6).read_to_end(&mut first);
    read.map_err(|error| Error::new(ErrorKind::Io(error), 0))?;
    if first.starts_with(b"\x28\xb5\x2f\xfd") {
        return Err(Error::unsupported(0, "zstd compression (R 4.5 and newer) is not supported"));
    }
    let compression = Compression::of(&first);
    let failed = Rc::new(Cell::new(false));
    let reader = CompressedStream { reader, failed: Rc::clone(&failed) };
    let all = BufReader::with_capacity(BUFFER, Cursor::new(first).chain(reader));
    let inner: Box<dyn Read + 'a> = match compression {
        Compression::None => Box::new(all),
        Compression::Gzip => Box::new(GzMembers::new(all)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(all)),
        Compression::Xz => Box::new(XzReader::new_mem_limit(all, true, XZ_MEMORY)),
    };
    let inner: Box<dyn Read + 'a> = Box::new(DecompressedStream { inner, failed });
    Ok((BufReader::with_capacity(BUFFER, inner), compression))
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
    let Ok((stream, _)) = open(reader) else { return false };
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
