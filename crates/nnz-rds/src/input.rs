//! The uncompressed stream, however the file is compressed.

mod bzip2;
mod gzip;

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use lzma_rust2::XzReader;

use crate::error::{Error, ErrorKind, Result};
use bzip2::BzDecoder;
use gzip::GzMembers;

/// Bytes that are read at a time.
const BUFFER: usize = 64 << 10;

/// Kibibytes that decompressing xz may take: four times what its highest level does.
const XZ_MEMORY: u32 = 256 << 10;

/// Says how a file is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// It is not.
    #[default]
    None,
    /// gzip, as `saveRDS` does by default.
    Gzip,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
}

impl Compression {
    /// Recognises what a file starts with.
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

    /// Returns its name, or `None` where there is none.
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

/// A stream from its start to its end.
pub(crate) type Stream<'a> = BufReader<Box<dyn Read + 'a>>;

/// Decompresses what starts like something compressed.
pub(crate) fn open<'a>(mut reader: impl Read + 'a) -> Result<(Stream<'a>, Compression)> {
    let mut first = Vec::with_capacity(6);
    let read = reader.by_ref().take(6).read_to_end(&mut first);
    read.map_err(|error| Error::new(ErrorKind::Io(error), 0))?;
    if first.starts_with(b"\x28\xb5\x2f\xfd") {
        return Err(Error::unsupported(
            0,
            "compressed with zstd: only R 4.5 and newer writes that",
        ));
    }
    let compression = Compression::of(&first);
    let all = BufReader::with_capacity(BUFFER, Cursor::new(first).chain(reader));
    let inner: Box<dyn Read + 'a> = match compression {
        Compression::None => Box::new(all),
        Compression::Gzip => Box::new(GzMembers::new(all)),
        Compression::Bzip2 => Box::new(BzDecoder::new(all)),
        Compression::Xz => Box::new(XzReader::new_mem_limit(all, true, XZ_MEMORY)),
    };
    Ok((BufReader::with_capacity(BUFFER, inner), compression))
}

/// Returns whether the uncompressed stream starts like a serialised object, or like the workspace
/// that `save` writes, which is refused with its name when it is read.
///
/// # Errors
///
/// Fails only where the reader itself does: what cannot be decompressed is no object.
pub fn looks_like(reader: impl Read) -> io::Result<bool> {
    let failed = Cell::new(None);
    let looks = starts_like(Watched { reader, failed: &failed });
    failed.take().map_or(Ok(looks), Err)
}

/// A reader whose own error is kept, whatever is made of it.
struct Watched<'a, R> {
    reader: R,
    failed: &'a Cell<Option<io::Error>>,
}

impl<R: Read> Read for Watched<'_, R> {
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
    let Ok((mut stream, _)) = open(reader) else { return false };
    let first = stream.fill_buf().unwrap_or_default();
    let workspace = first.starts_with(b"RDX") || first.starts_with(b"RDA");
    let version = match first {
        [b'X', b'\n', 0, 0, 0, version, ..] | [b'B', b'\n', version, 0, 0, 0, ..] => *version,
        [b'A', b'\n', version, b'\n', ..] => version.wrapping_sub(b'0'),
        _ => 0,
    };
    workspace || matches!(version, 1..=9)
}
