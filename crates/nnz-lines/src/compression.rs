//! Compressions of text that are read.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use nnz_core::Place;
use rust_zstd::DecompressReader;

use crate::zip::OnlyMember;

/// The memory limit of xz in KiB: four times as much as its highest level needs.
const XZ_MEMORY: u32 = 256 << 10;

/// The largest window of zstd, as the exponent of two: what `zstd --long` needs.
const ZSTD_WINDOW: u32 = 27;

/// The size of the buffer for compressed bytes.
const BUFFER: usize = 128 << 10;

/// The bytes after the bzip2 level: the start of the first block, or of an empty file.
const BZIP2_BLOCKS: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];

/// Compressions that are not read: the first bytes, the name, and the program that decompresses.
const OTHERS: [(&[u8], &str, &str); 2] =
    [(b"\x04\x22\x4d\x18", "lz4", "lz4cat"), (b"\x1f\x9d", "compress", "zcat")];

/// The compression of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    #[default]
    None,
    /// gzip, also of several members, as bgzip writes it.
    Gzip,
    /// bzip2, also of several streams.
    Bzip2,
    /// xz, also of several streams.
    Xz,
    /// Zstandard, also of several frames.
    Zstd,
    /// A zip file with one member.
    Zip,
}

impl Compression {
    /// The number of bytes by which compressions are recognized.
    pub const START: usize = 10;

    /// Detects the compression from the first bytes.
    ///
    /// ```
    /// use nnz_lines::Compression;
    /// assert_eq!(Compression::of(b"BZh91AY&SY"), Compression::Bzip2);
    /// assert_eq!(Compression::of(b"%%MatrixMarket"), Compression::None);
    /// ```
    #[must_use]
    pub fn of(start: &[u8]) -> Self {
        let is_bzip2 = || {
            let blocks = start.get(4..).unwrap_or_default();
            BZIP2_BLOCKS.iter().any(|block| blocks.starts_with(block))
        };
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', ..] if is_bzip2() => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            // A frame, or one that is skipped.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            _ => Self::None,
        }
    }

    /// Returns the name, or `None` without compression.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Bzip2 => Some("bzip2"),
            Self::Xz => Some("xz"),
            Self::Zstd => Some("zstd"),
            Self::Zip => Some("zip"),
        }
    }

    /// Describes how a file or stream is stored: `gzip file`.
    #[must_use]
    pub fn of_thing(self, thing: &str) -> String {
        self.name().map_or_else(|| thing.to_owned(), |name| format!("{name} {thing}"))
    }

    /// Returns a name without the extension of a compression, and the compression that it states.
    ///
    /// ```
    /// use nnz_lines::Compression;
    /// assert_eq!(Compression::of_name("a.mtx.ZST"), ("a.mtx", Compression::Zstd));
    /// assert_eq!(Compression::of_name("a.mtx"), ("a.mtx", Compression::None));
    /// ```
    #[must_use]
    pub fn of_name(name: &str) -> (&str, Self) {
        const EXTENSIONS: [(&str, Compression); 6] = [
            ("gz", Compression::Gzip),
            ("bz2", Compression::Bzip2),
            ("xz", Compression::Xz),
            ("zst", Compression::Zstd),
            ("zstd", Compression::Zstd),
            ("zip", Compression::Zip),
        ];
        let split = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let found = split.and_then(|(stem, extension)| {
            let found = EXTENSIONS.iter().find(|(own, _)| extension.eq_ignore_ascii_case(own))?;
            Some((stem, found.1))
        });
        found.unwrap_or((name, Self::None))
    }

    /// Decompresses a stream.
    #[must_use]
    pub fn reader(self, reader: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        if self == Self::None {
            return reader;
        }
        if self == Self::Zip {
            return Box::new(OnlyMember::new(reader));
        }
        let (buffered, failed) = buffered(reader);
        let inner: Box<dyn Read + Send> = match self {
            Self::None | Self::Gzip | Self::Zip => return Box::new(Members::new(buffered)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(buffered)),
            Self::Xz => Box::new(XzReader::new_mem_limit(buffered, true, XZ_MEMORY)),
            Self::Zstd => {
                let mut reader = DecompressReader::new(buffered);
                reader.set_window_log_max(ZSTD_WINDOW);
                Box::new(reader)
            }
        };
        Box::new(Checked { inner, name: self.name().unwrap_or_default(), failed })
    }
}

/// Describes how to read a file of a compression that is not read, from its first bytes.
///
/// ```
/// use std::path::Path;
/// let what = nnz_lines::refuse_compressed(b"\x04\x22\x4d\x18", Path::new("a.mtx.lz4")).unwrap();
/// assert_eq!(what, "lz4 compression is not supported; use lz4cat a.mtx.lz4 | nnz VERB -");
/// assert_eq!(nnz_lines::refuse_compressed(b"%%MatrixMarket", Path::new("a.mtx")), None);
/// ```
#[must_use]
pub fn refuse_compressed(start: &[u8], path: &Path) -> Option<String> {
    let (_, name, program) = OTHERS.into_iter().find(|(magic, ..)| start.starts_with(magic))?;
    let shown = Place::path(path);
    let what = format!("{name} compression is not supported; use {program} {shown}");
    let stem = path
        .file_stem()
        .map(Path::new)
        .filter(|stem| stem.extension().is_some_and(|own| own == "tar"));
    Some(match stem {
        // An archive is a file.
        Some(stem) => format!("{what} > {}", Place::path(stem)),
        None => format!("{what} | nnz VERB -"),
    })
}

/// A compressed stream, which remembers whether reading it failed.
pub(crate) struct Source {
    reader: Box<dyn Read + Send>,
    failed: Arc<AtomicBool>,
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(out);
        let is_fault = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.failed.fetch_or(read.as_ref().is_err_and(is_fault), Ordering::Relaxed);
        read
    }
}

/// Buffers a compressed stream. Returns also whether reading it failed.
pub(crate) fn buffered(reader: Box<dyn Read + Send>) -> (BufReader<Source>, Failed) {
    let failed = Failed(Arc::default());
    let source = Source { reader, failed: Arc::clone(&failed.0) };
    (BufReader::with_capacity(BUFFER, source), failed)
}

/// Whether reading a compressed stream failed.
#[derive(Debug)]
pub(crate) struct Failed(Arc<AtomicBool>);

impl Failed {
    /// Adds the name of the compression to an error of a decoder, which is damage of the data if the stream was read.
    pub(crate) fn describe(&self, error: io::Error, name: &'static str) -> io::Error {
        let kind = match error.kind() {
            io::ErrorKind::Interrupted => return error,
            _ if self.0.load(Ordering::Relaxed) => return error,
            kind @ (io::ErrorKind::UnexpectedEof | io::ErrorKind::OutOfMemory) => kind,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, Damaged { name, error })
    }
}

/// A decompressed stream. All errors but those of the compressed stream are damage of the data.
struct Checked {
    inner: Box<dyn Read + Send>,
    name: &'static str,
    failed: Failed,
}

impl Read for Checked {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.inner.read(out).map_err(|error| self.failed.describe(error, self.name))
    }
}

/// Compressed data that is damaged or truncated.
#[derive(Debug)]
pub(crate) struct Damaged {
    /// The name of the compression.
    pub(crate) name: &'static str,
    error: io::Error,
}

/// Returns whether an error is one of compressed data, which [`read_error`](crate::read_error) describes.
#[must_use]
pub fn is_damage(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Damaged>())
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Damaged {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Decompresses gzip members until the end.
///
/// Several members are one text, as written by bgzip. Zeros after the last one are padding, as on
/// tapes.
#[derive(Debug)]
pub struct Members<R> {
    /// `None` after the last.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    /// Starts at the first member.
    pub fn new(reader: R) -> Self {
        Self { member: Some(GzDecoder::new(reader)) }
    }
}

/// Skips zeros; returns whether there is nothing else up to the end.
fn only_zeros(reader: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
        let count = bytes.len();
        if count == 0 {
            return Ok(true);
        }
        reader.consume(count);
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            match member.get_mut().fill_buf()?.first().copied() {
                None => self.member = None,
                Some(0x1f) => {
                    self.member = self.member.take().map(|done| GzDecoder::new(done.into_inner()));
                }
                Some(0) if only_zeros(member.get_mut())? => self.member = None,
                Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, NoMember)),
            }
        }
        Ok(0)
    }
}

/// Bytes after a gzip member that are not a member.
#[derive(Debug)]
pub(crate) struct NoMember;

impl fmt::Display for NoMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trailing bytes that are not a gzip member")
    }
}

impl std::error::Error for NoMember {}

#[cfg(test)]
mod tests {
    use std::fs;

    use nnz_testing::command::testdata;

    use super::*;

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let compression = Compression::of(&bytes);
        let mut text = Vec::new();
        compression.reader(Box::new(io::Cursor::new(bytes))).read_to_end(&mut text).map(|_| text)
    }

    fn files() -> impl Iterator<Item = (Compression, Vec<u8>)> {
        let names = ["a.mtx.bz2", "a.mtx.xz", "a.mtx.zst", "a.mtx.zip", "streamed.mtx.zip"];
        names.into_iter().map(|name| {
            let bytes = fs::read(testdata().join("reports/compressed-text").join(name)).unwrap();
            assert_eq!(Compression::of_name(name).1, Compression::of(&bytes), "{name}");
            (Compression::of(&bytes), bytes)
        })
    }

    #[test]
    fn files_of_other_programs_are_read() {
        for (compression, bytes) in files() {
            let text = read(bytes.clone()).unwrap();
            assert_eq!(text, b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n");
            // Several streams, and frames, are one text.
            if compression != Compression::Zip {
                assert_eq!(read([&*bytes, &bytes].concat()).unwrap(), [&*text, &text].concat());
            }
        }
    }

    #[test]
    fn damage_is_an_error() {
        for (compression, bytes) in files() {
            let text = read(bytes.clone()).unwrap();
            for len in Compression::START..bytes.len() {
                // Of a zip file, the directory at the end is not read.
                match read(bytes[..len].to_vec()) {
                    Ok(found) => assert!(compression == Compression::Zip && found == text),
                    Err(error) => assert!(
                        matches!(
                            error.kind(),
                            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
                        ),
                        "{compression:?} {len}: {error:?}"
                    ),
                }
            }
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    if Compression::of(&damaged) != compression {
                        continue;
                    }
                    // What is read is the text, unless the changed bytes are not covered by a checksum.
                    if let Ok(found) = read(damaged) {
                        assert_eq!(found, text, "{compression:?} {at} {bit}");
                    }
                }
            }
        }
    }

    #[test]
    fn zip_files_have_one_text() {
        let error = read(nnz_testing::zip::pack_zip(&[("a", b"1\n"), ("b", b"2\n")])).unwrap_err();
        assert!(error.to_string().contains("several members"), "{error}");
        assert!(read(nnz_testing::zip::pack_zip(&[("folder/", b"")])).is_err());
        let one = nnz_testing::zip::pack_zip(&[("folder/", b""), ("folder/a", b"1\n")]);
        assert_eq!(read(one).unwrap(), b"1\n");
    }
}
