//! Files of a tar archive, read as a stream.
//!
//! The formats of POSIX (ustar, pax) and GNU: a header of 512 bytes, then data that is padded to a
//! multiple of 512. Only names and sizes are used, and nothing is written to disk.

use std::io::{self, Read};

/// The size of a header, and of the blocks of data.
const BLOCK: usize = 512;

/// The largest size of a long name, or of the records of pax.
const LONGEST: u64 = 64 << 10;

/// Returns whether a text starts with the header of an archive.
#[must_use]
pub fn is_tar(start: &[u8]) -> bool {
    start.get(..BLOCK).and_then(|block| block.try_into().ok()).is_some_and(is_header)
}

/// Returns whether a block has the checksum of a header. A block of zeros is the end.
fn is_header(block: &[u8; BLOCK]) -> bool {
    // The checksum is computed with blanks in its place.
    let (before, rest) = block.split_at(148);
    let (field, after) = rest.split_at(8);
    let sum: u64 = before.iter().chain(after).map(|byte| u64::from(*byte)).sum();
    octal(field) == Some(sum + 8 * u64::from(b' '))
}

/// Parses an octal number, which ends at a blank or zero.
fn octal(field: &[u8]) -> Option<u64> {
    let digits = field.trim_ascii_start();
    let end = digits.iter().position(|byte| matches!(byte, b' ' | 0)).unwrap_or(digits.len());
    let digits = digits.get(..end).filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0_u64, |number, digit| match digit {
        b'0'..=b'7' => number.checked_mul(8)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    })
}

/// Parses a size: octal, or big-endian after a byte of 0x80, as GNU writes from 8 GiB on.
fn size(field: &[u8]) -> Option<u64> {
    match field.split_first() {
        Some((0x80, number)) => number
            .iter()
            .try_fold(0_u64, |all, byte| all.checked_mul(256)?.checked_add((*byte).into())),
        _ => octal(field),
    }
}

/// Returns a text up to its first zero.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The files of an archive.
pub struct Tar<R> {
    reader: R,
    /// The remaining bytes of the current file, and of its padding.
    left: u64,
    padding: u64,
    /// The number of bytes that were read.
    position: u64,
}

/// A regular file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TarEntry {
    /// The path.
    pub name: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The position of its data in the archive.
    pub position: u64,
}

impl<R: Read> Tar<R> {
    /// Starts at the beginning of an archive.
    pub fn new(reader: R) -> Self {
        Self { reader, left: 0, padding: 0, position: 0 }
    }

    /// Continues with the next regular file; `None` after the last. Its data is then read from the
    /// archive.
    ///
    /// # Errors
    ///
    /// Fails if the archive cannot be read, is truncated, or has a damaged header.
    pub fn next_file(&mut self) -> io::Result<Option<TarEntry>> {
        let (mut long_name, mut long_size) = (None, None);
        loop {
            self.skip()?;
            let mut block = [0; BLOCK];
            match self.reader.read(&mut block)? {
                // Without the block of zeros at the end it is truncated.
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => self.reader.read_exact(block.get_mut(read..).unwrap_or_default())?,
            }
            self.position = self.position.saturating_add(BLOCK as u64);
            if block.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            let bytes = size(&block[124..136]).filter(|_| is_header(&block));
            let Some(mut bytes) = bytes else {
                return Err(damaged("a damaged header in the tar archive"));
            };
            let kind = block[156];
            if let (b'0' | 0 | b'7', Some(stated)) = (kind, long_size) {
                bytes = stated;
            }
            self.left = bytes;
            self.padding = bytes.wrapping_neg() % BLOCK as u64;
            match kind {
                b'0' | 0 | b'7' => {
                    let name = long_name.take().unwrap_or_else(|| name(&block));
                    let name = String::from_utf8_lossy(&name).into_owned();
                    return Ok(Some(TarEntry { name, bytes, position: self.position }));
                }
                // A long name of GNU, and records of pax, describe the next file.
                b'L' => long_name = Some(text(&self.short()?).to_vec()),
                b'x' => {
                    let records = self.short()?;
                    let (path, stated) = pax(&records)?;
                    long_name = path.or(long_name);
                    long_size = stated.or(long_size);
                }
                // Directories, links, and the like.
                _ => {
                    if kind != b'K' && kind != b'g' {
                        (long_name, long_size) = (None, None);
                    }
                }
            }
        }
    }

    /// Reads the data of a description.
    fn short(&mut self) -> io::Result<Vec<u8>> {
        if self.left > LONGEST {
            return Err(damaged("a name of more than 64 KiB in the tar archive"));
        }
        let mut data = Vec::new();
        self.read_to_end(&mut data)?;
        Ok(data)
    }

    /// Skips the rest of the current file.
    fn skip(&mut self) -> io::Result<()> {
        let rest = self.left.checked_add(self.padding);
        let rest = rest.ok_or_else(|| damaged("a file of 2^64 bytes in the tar archive"))?;
        let skipped = io::copy(&mut Read::take(&mut self.reader, rest), &mut io::sink())?;
        if skipped < rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position = self.position.saturating_add(rest);
        (self.left, self.padding) = (0, 0);
        Ok(())
    }
}

impl<R: Read> Read for Tar<R> {
    /// Reads the data of the current file.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        if most == 0 {
            return Ok(0);
        }
        match self.reader.read(out.get_mut(..most).unwrap_or_default())? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.left -= read as u64;
                self.position = self.position.saturating_add(read as u64);
                Ok(read)
            }
        }
    }
}

impl<R> std::fmt::Debug for Tar<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tar").field("left", &self.left).finish_non_exhaustive()
    }
}

/// Returns the name in a header, with the prefix of ustar.
fn name(block: &[u8; BLOCK]) -> Vec<u8> {
    let own = text(&block[..100]);
    // GNU uses the same bytes for something else.
    let prefix = if block[257..].starts_with(b"ustar\0") { text(&block[345..500]) } else { b"" };
    match prefix {
        [] => own.to_vec(),
        prefix => [prefix, b"/", own].concat(),
    }
}

/// Returns the path and the size in records of pax: `LENGTH KEY=VALUE\n`.
fn pax(mut records: &[u8]) -> io::Result<(Option<Vec<u8>>, Option<u64>)> {
    let (mut path, mut size) = (None, None);
    while !text(records).is_empty() {
        let record = || {
            let end = records.iter().position(|byte| *byte == b' ')?;
            let length = std::str::from_utf8(records.get(..end)?).ok()?.parse::<usize>().ok()?;
            let record = records.get(end + 1..length)?.strip_suffix(b"\n")?;
            let equals = record.iter().position(|byte| *byte == b'=')?;
            Some((record.get(..equals)?, record.get(equals + 1..)?, records.get(length..)?))
        };
        let Some((key, value, rest)) = record() else {
            return Err(damaged("a damaged pax header in the tar archive"));
        };
        match key {
            b"path" => path = Some(value.to_vec()),
            b"size" => {
                let value = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                size = Some(value.ok_or_else(|| damaged("a damaged size in the tar archive"))?);
            }
            _ => {}
        }
        records = rest;
    }
    Ok((path, size))
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with a name, size and type, and data.
    fn file(name: &str, kind: u8, bytes: &[u8], edit: impl Fn(&mut [u8])) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        block[148..156].fill(b' ');
        block[156] = kind;
        block[257..263].copy_from_slice(b"ustar\0");
        edit(&mut block);
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block.extend_from_slice(bytes);
        block.resize(block.len().next_multiple_of(BLOCK), 0);
        block
    }

    fn list(archive: &[u8]) -> io::Result<Vec<(String, String)>> {
        let mut tar = Tar::new(archive);
        let mut found = Vec::new();
        while let Some(entry) = tar.next_file()? {
            let mut text = String::new();
            tar.read_to_string(&mut text)?;
            assert_eq!(text.len() as u64, entry.bytes);
            assert!(
                archive[usize::try_from(entry.position).unwrap()..].starts_with(text.as_bytes())
            );
            found.push((entry.name, text));
        }
        Ok(found)
    }

    #[test]
    fn long_names_come_from_gnu_pax_and_ustar() {
        let none = |_: &mut [u8]| ();
        let long = "d/".repeat(80) + "x.mtx";
        let record = |key: &str, value: &str| {
            let rest = format!(" {key}={value}\n");
            let length = rest.len() + 3;
            format!("{length}{rest}")
        };
        let archive = [
            file("d/", b'5', b"", none),
            file("d/a.mtx", b'0', b"one", none),
            file("././@LongLink", b'L', format!("{long}\0").as_bytes(), none),
            file("short", b'0', b"two", none),
            file("p", b'x', record("path", &long).as_bytes(), none),
            file("short", 0, b"", none),
            file("b.mtx", b'0', b"four", |block| block[345..348].copy_from_slice(b"pre")),
            vec![0; 2 * BLOCK],
        ]
        .concat();
        assert!(is_tar(&archive));
        let expected = [("d/a.mtx", "one"), (&*long, "two"), (&*long, ""), ("pre/b.mtx", "four")];
        let found = list(&archive).unwrap();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(found, expected);
        // Any part of it ends, without or with an error.
        for end in 0..archive.len() {
            let _ = list(&archive[..end]);
        }
        assert_eq!(list(&archive[..1100]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_damaged_header_is_an_error() {
        let mut archive = file("a", b'0', b"one", |_| ());
        archive[0] = b'b';
        assert!(!is_tar(&archive) && list(&archive).is_err());
        // Sizes in the form of GNU.
        let large = file("a", b'0', b"", |block| {
            block[124..136]
                .copy_from_slice(&[0x80, 0, 0, 0, 0, 0xff, 255, 255, 255, 255, 255, 255]);
        });
        assert!(list(&large).is_err());
        let ragged = file("a", b'x', b"999 path=x\n", |_| ());
        assert!(list(&ragged).is_err());
    }
}
