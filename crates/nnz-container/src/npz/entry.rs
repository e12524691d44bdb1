//! An entry of a zip file as the bytes of an array.

use std::sync::{Arc, Mutex, PoisonError};

use flate2::Crc;
use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

use super::directory::{DirectoryEntry, Fields, read_at};
use super::inflated::{EntryData, IN_MEMORY};
use crate::npy::{MAX_LEN, PREAMBLE, ReadAt};

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Maximum ratio of deflate.
const MAX_RATIO: u64 = 1032;

/// An entry whose local header has been read. Its checksum is verified before elements are read.
pub(super) struct Entry {
    file: InputFile,
    listed: DirectoryEntry,
    /// The offset of its data.
    start: u64,
    place: Place,
    /// The first bytes, for the header of an array.
    head: Vec<u8>,
    state: Mutex<State>,
}

/// The state of an entry.
#[derive(Clone)]
enum State {
    /// Not verified.
    Untouched,
    /// Stored, with a valid checksum.
    Checked,
    /// Decompressed, or short.
    Inflated(Arc<EntryData>),
}

impl Entry {
    /// Reads the header of an entry, and the start of its data.
    pub(super) fn open(file: &InputFile, listed: DirectoryEntry, place: Place) -> Result<Self> {
        let file_bytes = file.len();
        if listed.encrypted {
            return Err(Error::unsupported(place, "encrypted zip entries are not supported"));
        }
        let most = match listed.method {
            STORED => listed.packed,
            DEFLATED => listed.packed.saturating_mul(MAX_RATIO),
            method => {
                let what =
                    format!("zip entries with compression method {method} are not supported");
                return Err(Error::unsupported(place, what));
            }
        };
        if listed.bytes > most || (listed.method == STORED && listed.bytes != most) {
            let found =
                format!("{} stored bytes that decompress to {}", listed.packed, listed.bytes);
            let expected = match listed.method {
                STORED => "equal sizes of an uncompressed entry".to_owned(),
                _ => format!("at most {most} decompressed bytes"),
            };
            return Err(Error::mismatch(place, found, expected));
        }
        let mut header = [0; 30];
        read_at(file, listed.offset, &mut header, &place)?;
        let at = || place.clone().at(At::Byte(listed.offset));
        let damaged = || Error::mismatch(at(), "other bytes", "the header of a zip entry");
        let mut fields = Fields(header.strip_prefix(b"PK\x03\x04").ok_or_else(damaged)?);
        let lengths = fields.skip(22).and_then(|()| Some((fields.u16()?, fields.u16()?)));
        let (name, extra) = lengths.ok_or_else(damaged)?;
        let mut found = vec![0; name.into()];
        read_at(file, listed.offset + 30, &mut found, &place)?;
        if String::from_utf8_lossy(&found) != listed.name {
            let found = format!("the entry \"{}\"", found.escape_ascii());
            return Err(Error::mismatch(at(), found, format!("the listed {:?}", listed.name)));
        }
        let start = listed.offset + 30 + u64::from(name) + u64::from(extra);
        if start.checked_add(listed.packed).is_none_or(|end| end > file_bytes) {
            let found = format!("the end of the file after {file_bytes} bytes");
            return Err(Error::mismatch(at(), found, format!("{} more bytes", listed.packed)));
        }
        let (file, state) = (file.clone(), Mutex::new(State::Untouched));
        let mut entry = Self { file, listed, start, place, head: Vec::new(), state };
        entry.head = entry.beginning()?;
        Ok(entry)
    }

    /// Reads as many bytes as the header of an array may have.
    fn beginning(&self) -> Result<Vec<u8>> {
        let bytes = usize::try_from(self.listed.bytes).unwrap_or(usize::MAX);
        let mut head = vec![0; bytes.min(PREAMBLE + MAX_LEN)];
        if self.listed.method == STORED {
            read_at(&self.file, self.start, &mut head, &self.place)?;
            return Ok(head);
        }
        let read = self.packed().read_start(&mut head);
        let read = read.map_err(|error| self.damaged(error))?;
        head.truncate(read);
        Ok(head)
    }

    fn packed(&self) -> super::inflated::CompressedBytes<'_> {
        super::inflated::CompressedBytes::new(&self.file, self.start, self.listed.packed)
    }

    /// Creates an error of decompression: the file cannot be read, or is damaged.
    fn damaged(&self, error: std::io::Error) -> Error {
        if error.raw_os_error().is_some() {
            return Error::new(ErrorKind::Io(error), self.place.clone());
        }
        let place = self.place.clone().at(At::Byte(self.start));
        let found = format!("damaged data ({error})");
        Error::mismatch(place, found, "deflated data").with_source(error)
    }

    /// Verifies the data, and returns it unless it is read from the file.
    ///
    /// The first caller does the work and others wait. After a failure the next one tries again.
    fn ready(&self) -> Result<Option<Arc<EntryData>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let done = match &*state {
            State::Checked => return Ok(None),
            State::Inflated(inflated) => return Ok(Some(Arc::clone(inflated))),
            State::Untouched if self.listed.method == STORED && self.listed.bytes <= IN_MEMORY => {
                let bytes = self.whole()?;
                let mut sum = Crc::new();
                sum.update(&bytes);
                self.compare(sum.sum())?;
                State::Inflated(Arc::new(EntryData::Memory(bytes)))
            }
            // Where each read has a latency, a part is not worth all of it.
            State::Untouched if self.listed.method == STORED && self.file.has_latency() => {
                State::Checked
            }
            State::Untouched if self.listed.method == STORED => {
                self.compare(self.sum()?)?;
                State::Checked
            }
            State::Untouched => {
                let damaged = |error| self.damaged(error);
                let (inflated, sum) = EntryData::make(
                    self.packed(),
                    self.listed.bytes,
                    self.file.context(),
                    damaged,
                )?;
                self.compare(sum)?;
                State::Inflated(Arc::new(inflated))
            }
        };
        *state = done.clone();
        Ok(match done {
            State::Inflated(inflated) => Some(inflated),
            _ => None,
        })
    }

    /// Reads an entry that is stored and short.
    fn whole(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.listed.bytes).unwrap_or(0)];
        self.file
            .read_exact_at(&mut bytes, self.start)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))?;
        Ok(bytes)
    }

    fn sum(&self) -> Result<u32> {
        let mut sum = Crc::new();
        let mut block = vec![0; 256 << 10];
        let (mut at, end) = (self.start, self.start + self.listed.bytes);
        while at < end {
            let now = usize::try_from(end - at).unwrap_or(usize::MAX).min(block.len());
            self.file
                .read_exact_at(&mut block[..now], at)
                .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone()))?;
            sum.update(&block[..now]);
            at += now as u64;
        }
        Ok(sum.sum())
    }

    fn compare(&self, found: u32) -> Result<()> {
        if found == self.listed.crc {
            return Ok(());
        }
        let place = self.place.clone().at(At::Byte(self.start));
        let found = format!("damaged data with the checksum {found:08x}");
        Err(Error::mismatch(place, found, format!("{:08x}", self.listed.crc)))
    }
}

impl ReadAt for Entry {
    fn bytes(&self) -> u64 {
        self.listed.bytes
    }

    fn stored_bytes(&self) -> u64 {
        self.listed.packed
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let io = |error| Error::new(ErrorKind::Io(error), self.place.clone());
        // The header of an array is read before anything is verified or decompressed.
        if let (0, Some(head)) = (at, self.head.get(..out.len())) {
            out.copy_from_slice(head);
            return Ok(());
        }
        match self.ready()? {
            Some(inflated) => inflated.read_at(at, out, &self.place),
            None => self.file.read_exact_at(out, self.start + at).map_err(io),
        }
    }
}
