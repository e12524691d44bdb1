//! The central directory at the end of a zip file.

use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

/// Maximum size of the directory.
const MAX_LEN: u64 = 64 << 20;

/// Size of the end record, and maximum length of the comment after it.
const END: usize = 22;
const COMMENT: usize = 65_535;

/// The ID of the ZIP64 extra field, and the value of 32-bit fields that it replaces.
pub(super) const WIDE: u16 = 1;
pub(super) const NO_ROOM: u64 = 0xffff_ffff;

/// An entry of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DirectoryEntry {
    pub(super) name: String,
    pub(super) method: u16,
    pub(super) encrypted: bool,
    pub(super) crc: u32,
    /// Stored size in bytes.
    pub(super) packed: u64,
    /// Uncompressed size in bytes.
    pub(super) bytes: u64,
    /// The offset of its local header.
    pub(super) offset: u64,
}

/// Reads all entries, except those that macOS adds.
pub(super) fn read(file: &InputFile, place: &Place) -> Result<Vec<DirectoryEntry>> {
    // The end, and most directories.
    let len = file.len();
    file.will_read(len.saturating_sub(END as u64 + COMMENT as u64)..len);
    let end = EndRecord::find(file, file.len(), place)?;
    let damaged = |found: String, expected: &str| {
        Error::mismatch(place.clone().at(At::Byte(end.at)), found, expected)
    };
    let start = end.at.checked_sub(end.bytes);
    // Offsets do not include data before the zip file, such as a self-extractor.
    let Some((start, shift)) = start.and_then(|start| Some((start, start.checked_sub(end.start)?)))
    else {
        let found = format!("a directory of {} bytes at byte {}", end.bytes, end.start);
        return Err(damaged(found, "a directory that ends at this byte"));
    };
    if end.bytes > MAX_LEN {
        return Err(damaged(format!("a directory of {} bytes", end.bytes), "at most 64 MiB"));
    }
    let mut directory = vec![0; usize::try_from(end.bytes).unwrap_or(0)];
    read_at(file, start, &mut directory, place)?;
    let mut rest = Fields(&directory);
    let mut entries = Vec::new();
    while !rest.0.is_empty() {
        let at = start + (directory.len() - rest.0.len()) as u64;
        let Some(mut entry) = read_entry(&mut rest) else {
            let place = place.clone().at(At::Byte(at));
            return Err(Error::mismatch(place, "other bytes", "an entry of the zip directory"));
        };
        entry.offset = entry.offset.saturating_add(shift);
        entries.push(entry);
    }
    if entries.len() as u64 != end.entries {
        let found = format!("{} entries", entries.len());
        return Err(damaged(found, &format!("{}, the number in the end record", end.entries)));
    }
    entries.retain(|entry| !is_of_macos(&entry.name));
    Ok(entries)
}

/// Returns whether macOS adds entries of this name: they are no members.
fn is_of_macos(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.starts_with("._") || last == ".DS_Store" || name.starts_with("__MACOSX/")
}

/// The end record.
struct EndRecord {
    /// The end of the directory.
    at: u64,
    entries: u64,
    bytes: u64,
    start: u64,
}

impl EndRecord {
    fn find(file: &InputFile, bytes: u64, place: &Place) -> Result<Self> {
        let no_zip = || {
            let what = "not a zip file, or truncated: no central directory at its end".to_owned();
            Error::new(ErrorKind::Unrecognized(what), place.clone())
        };
        let mut tail = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX).min(END + COMMENT)];
        let first = bytes - tail.len() as u64;
        read_at(file, first, &mut tail, place)?;
        // The comment extends to the end of the file: bytes that look like a record are not
        // sufficient.
        let is_end = |at: &usize| {
            let comment = tail[*at + 20..].first_chunk().map(|n| u16::from_le_bytes(*n));
            tail[*at..].starts_with(b"PK\x05\x06")
                && comment.is_some_and(|len| at + END + usize::from(len) == tail.len())
        };
        let last = tail.len().checked_sub(END).ok_or_else(no_zip)?;
        let at = (0..=last).rev().find(is_end).ok_or_else(no_zip)?;
        let mut record = Fields(&tail[at + 4..]);
        let narrow = (|| {
            let (disk, start_disk) = (record.u16()?, record.u16()?);
            let (_, entries) = (record.u16()?, record.u16()?);
            Some((disk, start_disk, entries, record.u32()?, record.u32()?))
        })();
        let (disk, start_disk, entries, size, start) = narrow.ok_or_else(no_zip)?;
        let wide = at.checked_sub(20).and_then(|at| tail.get(at..at + 20));
        if let Some(locator) = wide.filter(|locator| locator.starts_with(b"PK\x06\x07")) {
            return Self::wide(file, locator, place);
        }
        if (disk, start_disk) != (0, 0) {
            return Err(Error::unsupported(
                place.clone(),
                "multi-part zip files are not supported",
            ));
        }
        Ok(Self {
            at: first + at as u64,
            entries: entries.into(),
            bytes: size.into(),
            start: start.into(),
        })
    }

    /// Reads the ZIP64 end record.
    fn wide(file: &InputFile, locator: &[u8], place: &Place) -> Result<Self> {
        let damaged = || {
            let found = "a damaged end of a zip file";
            Error::mismatch(place.clone(), found, "a ZIP64 record")
        };
        let mut locator = Fields(&locator[8..]);
        let at = locator.u64().ok_or_else(damaged)?;
        let mut record = [0; 56];
        read_at(file, at, &mut record, place).map_err(|_| damaged())?;
        let mut fields = Fields(record.strip_prefix(b"PK\x06\x06").ok_or_else(damaged)?);
        let found = (|| {
            fields.skip(20)?;
            let (_, entries) = (fields.u64()?, fields.u64()?);
            Some((entries, fields.u64()?, fields.u64()?))
        })();
        let (entries, bytes, start) = found.ok_or_else(damaged)?;
        Ok(Self { at, entries, bytes, start })
    }
}

fn read_entry(rest: &mut Fields<'_>) -> Option<DirectoryEntry> {
    rest.0 = rest.0.strip_prefix(b"PK\x01\x02")?;
    rest.skip(4)?;
    let (flags, method) = (rest.u16()?, rest.u16()?);
    rest.skip(4)?;
    let (crc, packed, bytes) = (rest.u32()?, rest.u32()?, rest.u32()?);
    let (name, extra, comment) = (rest.u16()?, rest.u16()?, rest.u16()?);
    rest.skip(8)?;
    let offset = rest.u32()?;
    let name = rest.take(name.into())?;
    let mut extra = Fields(rest.take(extra.into())?);
    rest.skip(comment.into())?;
    let (mut packed, mut bytes) = (u64::from(packed), u64::from(bytes));
    let mut offset = u64::from(offset);
    while let Some(kind) = extra.u16() {
        let length = extra.u16()?;
        let mut field = Fields(extra.take(length.into())?);
        if kind == WIDE {
            // It has the numbers that did not fit, in this order.
            for number in [&mut bytes, &mut packed, &mut offset] {
                if *number == NO_ROOM {
                    *number = field.u64()?;
                }
            }
        }
    }
    Some(DirectoryEntry {
        name: String::from_utf8_lossy(name).into_owned(),
        method,
        encrypted: flags & 1 != 0,
        crc,
        packed,
        bytes,
        offset,
    })
}

/// Little-endian fields in sequence.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn skip(&mut self, bytes: usize) -> Option<()> {
        self.take(bytes).map(drop)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.take(2)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take(8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }
}

/// Reads metadata of entries, which is cached.
pub(super) fn read_at(file: &InputFile, at: u64, out: &mut [u8], place: &Place) -> Result<()> {
    file.read_metadata_at(out, at)
        .map_err(|error| Error::new(ErrorKind::Io(error), place.clone().at(At::Byte(at))))
}
