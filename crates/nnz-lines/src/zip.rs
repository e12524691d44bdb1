//! Members of a zip file, read as a stream.
//!
//! Only the headers before each member are used, so that a zip file can be read from a pipe. Members are stored or
//! deflated; their checksums are checked. The files that macOS adds and directories are skipped.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::compression::{Failed, Source, buffered};

/// The name of the compression in messages.
const ZIP: &str = "zip";

/// The size of the header of a member without its name.
const HEADER: usize = 30;

/// The longest name of a member.
const LONGEST_NAME: usize = 4096;

/// A size that is in an extra field, with 64 bits.
const LARGE: u32 = u32::MAX;

fn damaged(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let field = bytes.get(at..at + N).unwrap_or_default();
    field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The header of a member.
struct Header {
    name: String,
    deflated: bool,
    /// The size of a stored member.
    size: u64,
    /// `None` if it is behind the data.
    crc: Option<u32>,
    /// Whether sizes behind the data have 64 bits.
    is_large: bool,
}

impl Header {
    /// Reads the next header; `None` after the last member.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut fixed = [0; HEADER];
        let (signature, rest) = fixed.split_at_mut(4);
        reader.read_exact(signature)?;
        match &*signature {
            b"PK\x03\x04" => reader.read_exact(rest)?,
            // The directory, or the end of an empty file.
            b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06" => return Ok(None),
            _ => return Err(damaged("no header of a member where one should be")),
        }
        let [flags, method] = [6, 8].map(|at| number::<2>(&fixed, at));
        let [name_len, extra_len] = [26, 28].map(|at| number::<2>(&fixed, at));
        let mut read = |len: u64| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            reader.by_ref().take(len).read_to_end(&mut bytes)?;
            let is_whole = bytes.len() as u64 == len;
            is_whole.then_some(bytes).ok_or_else(|| ErrorKind::UnexpectedEof.into())
        };
        let (name, extra) = (read(name_len)?, read(extra_len)?);
        let name = String::from_utf8_lossy(&name).into_owned();
        let shown = name.chars().take(80).collect::<String>();
        let shown = shown.escape_debug();
        if name.len() > LONGEST_NAME {
            return Err(damaged(format!("a name of {} bytes", name.len())));
        }
        if flags & 1 == 1 {
            return Err(damaged(format!("{shown} is encrypted")));
        }
        let (is_behind, large) = (flags & 8 == 8, large_size(&extra));
        let size = match number::<4>(&fixed, 22) {
            size if size == u64::from(LARGE) => large.unwrap_or(size),
            size => size,
        };
        let deflated = match method {
            0 if is_behind && size == 0 && !name.ends_with('/') => {
                return Err(damaged(format!("the size of {shown} is not stated before it")));
            }
            0 => false,
            8 => true,
            other => {
                return Err(damaged(format!(
                    "{shown} is compressed by method {other}, not deflated"
                )));
            }
        };
        let crc = u32::try_from(number::<4>(&fixed, 14)).ok().filter(|_| !is_behind);
        Ok(Some(Self { name, deflated, size, crc, is_large: large.is_some() }))
    }

    /// Returns whether a member is no file of its user.
    fn is_skipped(&self) -> bool {
        self.name.ends_with('/') || self.name.starts_with("__MACOSX/")
    }
}

/// Returns the size of 64 bits among extra fields.
fn large_size(mut extra: &[u8]) -> Option<u64> {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let len = usize::try_from(number::<2>(head, 2)).ok()?;
        let (field, after) = rest.split_at_checked(len)?;
        if number::<2>(head, 0) == 1 {
            return Some(number::<8>(field, 0));
        }
        extra = after;
    }
    None
}

/// The data of a member.
enum Data {
    Stored(io::Take<BufReader<Source>>),
    Deflated(Box<DeflateDecoder<BufReader<Source>>>),
}

/// The members of a zip file, one after another; reading returns the data of the current one.
pub struct ZipMembers {
    current: Option<(Header, Data, Crc)>,
    /// The file between two members.
    between: Option<BufReader<Source>>,
    failed: Failed,
}

impl std::fmt::Debug for ZipMembers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZipMembers").finish_non_exhaustive()
    }
}

impl ZipMembers {
    /// Starts before the first member.
    #[must_use]
    pub fn new(reader: Box<dyn Read + Send>) -> Self {
        let (reader, failed) = buffered(reader);
        Self { current: None, between: Some(reader), failed }
    }

    /// Goes to the next member and returns its name; `None` after the last.
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged, or a member cannot be read.
    pub fn next_member(&mut self) -> io::Result<Option<&str>> {
        let found = self.skip_to_next().map_err(|error| self.failed.describe(error, ZIP))?;
        let current = self.current.as_ref().filter(|_| found);
        Ok(current.map(|(header, ..)| &*header.name))
    }

    /// Goes to the next member; returns whether there is one.
    fn skip_to_next(&mut self) -> io::Result<bool> {
        loop {
            while self.current.is_some() {
                let mut rest = [0; 16 << 10];
                let _ = self.read_current(&mut rest)?;
            }
            let Some(mut reader) = self.between.take() else { return Ok(false) };
            let Some(header) = Header::read(&mut reader)? else { return Ok(false) };
            let data = match header.deflated {
                true => Data::Deflated(Box::new(DeflateDecoder::new(reader))),
                false => Data::Stored(reader.take(header.size)),
            };
            let is_skipped = header.is_skipped();
            self.current = Some((header, data, Crc::new()));
            if !is_skipped {
                return Ok(true);
            }
        }
    }

    /// Reads data of the current member, and checks its end.
    fn read_current(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some((_, data, crc)) = &mut self.current else { return Ok(0) };
        let count = match data {
            Data::Stored(data) => data.read(out)?,
            Data::Deflated(data) => data.read(out)?,
        };
        crc.update(out.get(..count).unwrap_or_default());
        if count == 0 && !out.is_empty() {
            self.finish()?;
        }
        Ok(count)
    }

    /// Checks the end of the data of a member.
    fn finish(&mut self) -> io::Result<()> {
        let Some((header, data, crc)) = self.current.take() else { return Ok(()) };
        let mut reader = match data {
            Data::Stored(data) if data.limit() > 0 => return Err(ErrorKind::UnexpectedEof.into()),
            Data::Stored(data) => data.into_inner(),
            Data::Deflated(data) => data.into_inner(),
        };
        let mut word = || -> io::Result<[u8; 4]> {
            let mut bytes = [0; 4];
            reader.read_exact(&mut bytes).map(|()| bytes)
        };
        let stated = match header.crc {
            Some(crc) => crc,
            None => {
                let first = word()?;
                let crc = if first == *b"PK\x07\x08" { word()? } else { first };
                for _ in 0..if header.is_large { 4 } else { 2 } {
                    word()?;
                }
                u32::from_le_bytes(crc)
            }
        };
        if stated != crc.sum() {
            return Err(damaged(format!(
                "the checksum of {} is wrong",
                header.name.escape_debug()
            )));
        }
        self.between = Some(reader);
        Ok(())
    }
}

impl Read for ZipMembers {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read_current(out).map_err(|error| self.failed.describe(error, ZIP))
    }
}

/// The data of the only member of a zip file.
pub(crate) struct OnlyMember {
    members: ZipMembers,
    started: bool,
}

impl OnlyMember {
    pub(crate) fn new(reader: Box<dyn Read + Send>) -> Self {
        Self { members: ZipMembers::new(reader), started: false }
    }

    fn refused(&self, what: &str) -> io::Error {
        self.members.failed.describe(damaged(what), ZIP)
    }
}

impl Read for OnlyMember {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.started {
            self.started = true;
            if self.members.next_member()?.is_none() {
                return Err(self.refused("no member"));
            }
        }
        let count = self.members.read(out)?;
        if count == 0 && !out.is_empty() && self.members.next_member()?.is_some() {
            return Err(self.refused("several members, of which none is selected"));
        }
        Ok(count)
    }
}
