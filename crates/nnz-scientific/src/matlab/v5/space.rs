//! The bytes of an element: a part of the file, or its decompressed data.

use std::io::{self, Read};

use flate2::read::ZlibDecoder;
use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::{InputFile, TemporaryFile};

use super::element::Element;
use super::tag::{MATRIX, Tag};

/// Maximum size of decompressed data in memory.
const IN_MEMORY: u64 = 1 << 20;

/// Maximum ratio of deflate.
const MAX_RATIO: u64 = 1032;

/// Compressed bytes at the start of a variable that are kept.
const KEPT: u64 = 64 << 10;

/// Bytes that are decompressed at once.
const BLOCK: usize = 64 << 10;

/// Bytes that are read from low to high offsets.
pub(super) trait Reader {
    /// Fills `out` with the bytes at an offset, which is not before the last one.
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> Result<()>;

    /// Returns an offset for messages: that in the file.
    fn shown(&self, at: u64) -> u64;
}

/// The bytes of an element with random access.
pub(in crate::matlab) enum Space {
    /// The file itself, so that offsets are offsets of the file.
    File(InputFile),
    /// The decompressed element.
    Inflated {
        data: ElementData,
        /// The offset of the compressed data in the file.
        start: u64,
    },
}

/// Decompressed data.
pub(in crate::matlab) enum ElementData {
    Memory(Vec<u8>),
    File(TemporaryFile),
}

impl Space {
    /// Opens an element, which is decompressed if necessary.
    pub(super) fn new(
        file: &InputFile,
        element: Element,
        big: bool,
        place: &Place,
    ) -> Result<Self> {
        if !element.compressed {
            return Ok(Self::File(file.clone()));
        }
        let (mut forward, tag) = Forward::open(file, element, big)?;
        let total = tag.next;
        let mut data = match total <= IN_MEMORY {
            true => ElementData::Memory(Vec::new()),
            false => ElementData::File(TemporaryFile::create(file.context())?),
        };
        let mut block = vec![0; BLOCK];
        let mut at = 0;
        let mut first = forward.first;
        while at < total {
            let left = usize::try_from(total - at).unwrap_or(usize::MAX);
            let part = block.get_mut(..left.min(BLOCK)).unwrap_or_default();
            // The tag has been read.
            let part = match first.take() {
                Some(tag) => {
                    let part = part.get_mut(..tag.len()).unwrap_or_default();
                    part.copy_from_slice(&tag);
                    part
                }
                None => {
                    forward.fill(part)?;
                    part
                }
            };
            match &mut data {
                ElementData::Memory(bytes) => bytes.extend_from_slice(part),
                ElementData::File(temporary) => temporary.write_all(part)?,
            }
            at += part.len() as u64;
        }
        forward.end(place)?;
        Ok(Self::Inflated { data, start: element.at })
    }

    /// Fills `out` with the bytes at an offset.
    pub(super) fn read_at(&self, at: u64, out: &mut [u8], place: &Place) -> Result<()> {
        let short = || {
            let error = io::ErrorKind::UnexpectedEof.into();
            Error::new(ErrorKind::Io(error), place.clone())
        };
        match self {
            Self::File(file) => file
                .read_exact_at(out, at)
                .map_err(|error| Error::new(ErrorKind::Io(error), place.clone())),
            Self::Inflated { data: ElementData::File(file), .. } => file.read_exact_at(out, at),
            Self::Inflated { data: ElementData::Memory(bytes), .. } => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                let part = bytes.get(start..).and_then(|rest| rest.get(..out.len()));
                out.copy_from_slice(part.ok_or_else(short)?);
                Ok(())
            }
        }
    }

    /// Returns an offset for messages: that in the file.
    pub(super) fn shown(&self, at: u64) -> u64 {
        match self {
            Self::File(_) => at,
            Self::Inflated { start, .. } => *start,
        }
    }

    pub(super) fn reader(&self) -> impl Reader + '_ {
        Random(self)
    }
}

impl std::fmt::Debug for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Space").finish_non_exhaustive()
    }
}

struct Random<'a>(&'a Space);

impl Reader for Random<'_> {
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> Result<()> {
        match self.0 {
            Space::File(file) => file.read_metadata_at(out, at).map_err(|error| file.error(error)),
            Space::Inflated { .. } => self.0.read_at(at, out, &Place::default()),
        }
    }

    fn shown(&self, at: u64) -> u64 {
        self.0.shown(at)
    }
}

/// The compressed bytes of an element.
struct CompressedElement<'a> {
    file: &'a InputFile,
    at: u64,
    left: u64,
    /// Bytes that are kept, as they are read to list the variable, and again to open it.
    kept: u64,
}

impl Read for CompressedElement<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let read = match out.get_mut(..most) {
            Some(part) if most > 0 && most as u64 <= self.kept => {
                self.file.read_metadata_at(part, self.at)?;
                self.kept -= most as u64;
                most
            }
            Some(part) if most > 0 => self.file.read_at(part, self.at)?,
            _ => 0,
        };
        self.at += read as u64;
        self.left -= read as u64;
        Ok(read)
    }
}

/// A compressed element that is decompressed from start to end, without being kept.
pub(super) struct Forward<'a> {
    file: &'a InputFile,
    element: Element,
    inflater: ZlibDecoder<CompressedElement<'a>>,
    /// The offset of the next byte.
    position: u64,
    /// The bytes of the tag.
    first: Option<[u8; 8]>,
}

impl<'a> Forward<'a> {
    /// Starts decompressing, and reads the tag of the variable.
    pub(super) fn open(file: &'a InputFile, element: Element, big: bool) -> Result<(Self, Tag)> {
        let packed = CompressedElement { file, at: element.at, left: element.bytes, kept: KEPT };
        let inflater = ZlibDecoder::new(packed);
        let mut forward = Self { file, element, inflater, position: 0, first: None };
        let mut bytes = [0; 8];
        forward.fill(&mut bytes)?;
        forward.first = Some(bytes);
        let place = file.place().at(At::Byte(element.at));
        let Some(tag) = Tag::parse(bytes, 0, big).filter(|tag| tag.kind == MATRIX && tag.data == 8)
        else {
            let found = format!("the bytes {}", bytes.escape_ascii());
            return Err(Error::mismatch(place, found, "the tag of a variable"));
        };
        if tag.next > element.bytes.saturating_mul(MAX_RATIO) {
            let found =
                format!("{} compressed bytes that decompress to {}", element.bytes, tag.next);
            return Err(Error::mismatch(place, found, "more compressed bytes"));
        }
        // Data is not padded at the end.
        Ok((forward, Tag { next: tag.data + tag.bytes, ..tag }))
    }

    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        self.inflater.read_exact(out).map_err(|error| self.damaged(error))?;
        self.position += out.len() as u64;
        Ok(())
    }

    /// Checks that the data ends, and its checksum.
    fn end(mut self, place: &Place) -> Result<()> {
        let more = self.inflater.read(&mut [0]).map_err(|error| self.damaged(error))?;
        if more == 0 {
            return Ok(());
        }
        let place = place.clone().at(At::Byte(self.element.at));
        let found = "more data than the size of the variable";
        Err(Error::mismatch(place, found, format!("{} bytes", self.position)))
    }

    /// Creates an error of decompression: the file cannot be read, or is damaged.
    fn damaged(&self, error: io::Error) -> Error {
        if error.raw_os_error().is_some() {
            return self.file.error(error);
        }
        let place = self.file.place().at(At::Byte(self.element.at));
        let found = format!("damaged data ({error})");
        Error::mismatch(place, found, "data compressed by zlib").with_source(error)
    }
}

impl Reader for Forward<'_> {
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> Result<()> {
        if at < self.position {
            let place = self.file.place().at(At::Byte(self.element.at));
            return Err(Error::mismatch(place, "overlapping elements", "consecutive elements"));
        }
        let mut block = [0; 4096];
        while self.position < at {
            let left = usize::try_from(at - self.position).unwrap_or(usize::MAX);
            let count = left.min(block.len());
            self.fill(block.get_mut(..count).unwrap_or_default())?;
        }
        self.fill(out)
    }

    fn shown(&self, _: u64) -> u64 {
        self.element.at
    }
}
