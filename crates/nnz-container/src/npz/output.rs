//! Writing a zip file entry by entry.

use std::io::{self, Seek, SeekFrom, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::directory::{NO_ROOM, WIDE};

/// Size from which an entry has ZIP64 fields. Incompressible data grows by less than the remaining
/// range.
const LARGE: u64 = 0xf000_0000;

/// The flag for UTF-8 names.
const UTF8: u16 = 1 << 11;

/// 1 January 1980, the earliest date.
const DAY: u32 = 0x0021_0000;

/// A zip file that is being written.
pub(super) struct Output<W: Write + Seek> {
    out: W,
    at: u64,
    directory: Vec<u8>,
    entries: u64,
}

/// An entry without its data.
pub(super) struct EntryHeader<'a> {
    pub(super) name: &'a str,
    /// Uncompressed size in bytes.
    pub(super) bytes: u64,
    pub(super) level: Option<u32>,
}

impl<W: Write + Seek> Output<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, at: 0, directory: Vec::new(), entries: 0 }
    }

    /// Writes an entry, whose data `fill` writes.
    pub(super) fn entry(
        &mut self,
        head: &EntryHeader<'_>,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let offset = self.at;
        let wide = head.bytes >= LARGE;
        let local = self.local(head, wide, 0, 0)?;
        self.out.write_all(&local)?;
        let start = offset + local.len() as u64;
        let (crc, written) = match head.level {
            None => {
                let mut summed = ChecksumWriter::new(&mut self.out);
                fill(&mut summed)?;
                summed.done()
            }
            Some(level) => {
                let counted = ChecksumWriter::new(&mut self.out);
                let encoder = DeflateEncoder::new(counted, Compression::new(level));
                let mut summed = ChecksumWriter::new(encoder);
                fill(&mut summed)?;
                let sums = summed.done();
                summed.into.finish()?;
                sums
            }
        };
        if written != head.bytes {
            let what = format!("{written} bytes were written instead of {}", head.bytes);
            return Err(io::Error::other(what));
        }
        self.at = self.out.stream_position()?;
        let packed = self.at - start;
        self.out.seek(SeekFrom::Start(offset))?;
        let local = self.local(head, wide, crc, packed)?;
        self.out.write_all(&local)?;
        self.out.seek(SeekFrom::Start(self.at))?;
        self.list(head, crc, packed, offset)?;
        self.entries += 1;
        Ok(())
    }

    /// Returns the local header of an entry.
    fn local(
        &self,
        head: &EntryHeader<'_>,
        wide: bool,
        crc: u32,
        packed: u64,
    ) -> io::Result<Vec<u8>> {
        let mut bytes = b"PK\x03\x04".to_vec();
        let sizes = [packed, head.bytes].map(|size| if wide { NO_ROOM } else { size });
        common(&mut bytes, head, wide, crc, sizes)?;
        let extra: &[u64] = if wide { &[head.bytes, packed] } else { &[] };
        finish_header(&mut bytes, head.name, extra, &[])?;
        Ok(bytes)
    }

    /// Adds an entry to the directory.
    fn list(
        &mut self,
        head: &EntryHeader<'_>,
        crc: u32,
        packed: u64,
        offset: u64,
    ) -> io::Result<()> {
        let numbers = [head.bytes, packed, offset];
        let wide: Vec<u64> = numbers.into_iter().filter(|number| *number >= NO_ROOM).collect();
        let bytes = &mut self.directory;
        bytes.extend(b"PK\x01\x02");
        bytes.extend(version(!wide.is_empty()).to_le_bytes());
        let sizes = [packed, head.bytes].map(|size| size.min(NO_ROOM));
        common(bytes, head, !wide.is_empty(), crc, sizes)?;
        // No comment, first disk, no attributes.
        let mut rest = [0; 14];
        rest[10..].copy_from_slice(&narrow(offset.min(NO_ROOM))?.to_le_bytes());
        finish_header(bytes, head.name, &wide, &rest)
    }

    /// Writes the directory and returns the inner writer.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&self.directory)?;
        let bytes = self.directory.len() as u64;
        let (start, end) = (self.at, self.at + bytes);
        let entries = u16::try_from(self.entries).unwrap_or(u16::MAX);
        let mut last = Vec::new();
        if start >= NO_ROOM || bytes >= NO_ROOM || entries == u16::MAX {
            last.extend(b"PK\x06\x06");
            last.extend(44_u64.to_le_bytes());
            last.extend([version(true).to_le_bytes(), version(true).to_le_bytes()].concat());
            last.extend([0; 8]);
            for number in [self.entries, self.entries, bytes, start] {
                last.extend(number.to_le_bytes());
            }
            last.extend(b"PK\x06\x07\0\0\0\0");
            last.extend(end.to_le_bytes());
            last.extend(1_u32.to_le_bytes());
        }
        last.extend(b"PK\x05\x06\0\0\0\0");
        last.extend([entries.to_le_bytes(), entries.to_le_bytes()].concat());
        for number in [bytes, start] {
            last.extend(narrow(number.min(NO_ROOM))?.to_le_bytes());
        }
        last.extend([0; 2]);
        self.out.write_all(&last)?;
        Ok(self.out)
    }
}

/// Returns the version of the format that a reader needs.
fn version(wide: bool) -> u16 {
    if wide { 45 } else { 20 }
}

/// Appends the common fields of both headers of an entry, up to the sizes.
fn common(
    bytes: &mut Vec<u8>,
    head: &EntryHeader<'_>,
    wide: bool,
    crc: u32,
    sizes: [u64; 2],
) -> io::Result<()> {
    let method: u16 = if head.level.is_some() { 8 } else { 0 };
    for number in [version(wide), UTF8, method] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [DAY, crc, narrow(sizes[0])?, narrow(sizes[1])?] {
        bytes.extend(number.to_le_bytes());
    }
    Ok(())
}

/// Appends the lengths of the name and the ZIP64 field, `between`, and the name and the field.
fn finish_header(bytes: &mut Vec<u8>, name: &str, wide: &[u64], between: &[u8]) -> io::Result<()> {
    let mut extra = Vec::new();
    if !wide.is_empty() {
        extra.extend(WIDE.to_le_bytes());
        extra.extend(u16::try_from(8 * wide.len()).unwrap_or(0).to_le_bytes());
        wide.iter().for_each(|number| extra.extend(number.to_le_bytes()));
    }
    let lengths = [name.len(), extra.len()].map(u16::try_from);
    for length in lengths {
        bytes.extend(length.map_err(|_| io::ErrorKind::InvalidFilename)?.to_le_bytes());
    }
    bytes.extend(between);
    bytes.extend(name.as_bytes());
    bytes.extend(extra);
    Ok(())
}

fn narrow(number: u64) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| io::Error::other("an entry grew beyond 4 GiB"))
}

/// Passes on bytes and computes their checksum and number.
struct ChecksumWriter<W> {
    into: W,
    crc: Crc,
    bytes: u64,
}

impl<W> ChecksumWriter<W> {
    fn new(into: W) -> Self {
        Self { into, crc: Crc::new(), bytes: 0 }
    }

    fn done(&self) -> (u32, u64) {
        (self.crc.sum(), self.bytes)
    }
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.into.write(bytes)?;
        self.crc.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.into.flush()
    }
}
