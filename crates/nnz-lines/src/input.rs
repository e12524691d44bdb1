//! Text input from any source, with or without gzip.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use nnz_core::{Error, Place, Result};
use nnz_storage::{InputFile, Opened};

use crate::encoding::Unmarked;

/// Compressions of text that are not read: the first bytes, the name, and the program that decompresses.
const COMPRESSIONS: [(&[u8], &str, &str); 5] = [
    (b"BZh", "bzip2", "bzcat"),
    (b"\xfd7zXZ\0", "xz", "xzcat"),
    (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4cat"),
    (b"\x1f\x9d", "compress", "zcat"),
];

/// The bytes after the bzip2 level: the start of the first block, or of an empty file.
const BZIP2_BLOCKS: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];

/// Number of bytes by which compressions are recognized.
const MAGIC: usize = 10;

/// Describes how to read a file that is compressed by another program than gzip, from its first bytes.
///
/// ```
/// use std::path::Path;
/// let what = nnz_lines::refuse_compressed(b"BZh91AY&SY", Path::new("a.mtx.bz2")).unwrap();
/// assert_eq!(what, "bzip2 compression is not supported; use bzcat a.mtx.bz2 | nnz VERB -");
/// assert_eq!(nnz_lines::refuse_compressed(b"%%MatrixMarket", Path::new("a.mtx")), None);
/// ```
#[must_use]
pub fn refuse_compressed(start: &[u8], path: &Path) -> Option<String> {
    let is_bzip2 = || {
        let blocks = start.get(4..).unwrap_or_default();
        BZIP2_BLOCKS.iter().any(|block| blocks.starts_with(block))
    };
    let (_, name, program) = COMPRESSIONS
        .into_iter()
        .find(|(magic, name, _)| start.starts_with(magic) && (*name != "bzip2" || is_bzip2()))?;
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

/// A text that is read from start to end.
pub struct Input {
    /// The decompressed text, without a byte order mark.
    pub reader: Box<dyn Read + Send>,
    /// Whether it is gzipped.
    pub gzip: bool,
    /// The file, to read it again; `None` for pipes and devices.
    pub file: Option<InputFile>,
}

impl Input {
    /// Starts reading an opened file. The part that is read here is kept, so that
    /// [`from_file`](Self::from_file) does not read it again.
    ///
    /// # Errors
    ///
    /// Fails if it is a directory, or cannot be read.
    pub fn open(opened: &Opened) -> Result<Self> {
        match opened {
            Opened::File(file) => Self::start_of(file),
            Opened::Directory(directory) => {
                Err(Error::io(directory.path(), io::ErrorKind::IsADirectory.into()))
            }
            Opened::Special(context, path) => {
                let stream =
                    context.storage().open_stream(path).map_err(|error| Error::io(path, error))?;
                Self::from_reader(stream, path)
            }
        }
    }

    /// Starts reading a file, as [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn start_of(file: &InputFile) -> Result<Self> {
        let input = Self::from_reader(Box::new(file.start_reader()), file.path())?;
        Ok(Self { file: Some(file.clone()), ..input })
    }

    /// Reads a file from start to end.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn from_file(file: &InputFile) -> Result<Self> {
        let input = Self::from_reader(Box::new(file.reader()), file.path())?;
        Ok(Self { file: Some(file.clone()), ..input })
    }

    /// Decompresses the text if it begins like gzip, whatever its name, and skips a byte order mark.
    /// Reading fails if it is UTF-16 or no text.
    ///
    /// # Errors
    ///
    /// Fails if the first bytes cannot be read.
    pub fn from_reader(reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let Self { reader, gzip, file } = Self::binary(reader, path)?;
        Ok(Self { reader: Box::new(Unmarked::new(reader)), gzip, file })
    }

    /// Decompresses what is not text, as [`from_reader`](Self::from_reader).
    ///
    /// # Errors
    ///
    /// Fails if the first bytes cannot be read.
    pub fn binary(mut reader: Box<dyn Read + Send>, path: &Path) -> Result<Self> {
        let mut first = Vec::with_capacity(MAGIC);
        let read = Read::take(&mut reader, MAGIC as u64).read_to_end(&mut first);
        read.map_err(|error| Error::io(path, error))?;
        if let Some(what) = refuse_compressed(&first, path) {
            return Err(Error::unsupported(Place::path(path), what));
        }
        let gzip = first.starts_with(&[0x1f, 0x8b]);
        let all = Cursor::new(first).chain(reader);
        Ok(Self {
            reader: if gzip {
                let buffered = BufReader::with_capacity(128 << 10, all);
                Box::new(Members::new(buffered))
            } else {
                Box::new(all)
            },
            gzip,
            file: None,
        })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("gzip", &self.gzip)
            .field("file", &self.file)
            .finish_non_exhaustive()
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
