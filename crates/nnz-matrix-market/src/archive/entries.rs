//! The list of the files of an archive.

use std::io::{self, Read};

use nnz_lines::{Compression, Tar, TarEntry, ZipMembers};
use nnz_storage::InputFile;

/// The regular files of an archive, one after another.
pub(super) enum Entries<'a> {
    /// Headers only.
    Plain {
        file: &'a InputFile,
        next: u64,
    },
    Compressed(Tar<Box<dyn Read + Send>>),
    /// `next` is the position of the next member among the data of all.
    Zip {
        members: Box<ZipMembers>,
        next: u64,
    },
}

impl<'a> Entries<'a> {
    /// Starts at the beginning of an archive.
    pub(super) fn new(file: &'a InputFile, compression: Compression) -> Self {
        let reader = || Box::new(file.reader());
        match compression {
            Compression::None => Self::Plain { file, next: 0 },
            Compression::Zip => Self::Zip { members: Box::new(ZipMembers::new(reader())), next: 0 },
            _ => Self::Compressed(Tar::new(compression.reader(reader()))),
        }
    }

    /// Returns the next file; `None` after the last.
    pub(super) fn next_entry(&mut self) -> io::Result<Option<TarEntry>> {
        let (file, next) = match self {
            Self::Compressed(tar) => return tar.next_file(),
            Self::Zip { members, next } => {
                let Some(name) = members.next_member()?.map(ToOwned::to_owned) else {
                    return Ok(None);
                };
                let position = *next;
                let bytes = io::copy(members, &mut io::sink())?;
                *next = position.saturating_add(bytes);
                return Ok(Some(TarEntry { name, bytes, position }));
            }
            Self::Plain { file, next } => (*file, next),
        };
        let Some(entry) = Tar::new(At { file, at: *next }).next_file()? else { return Ok(None) };
        let position = next.saturating_add(entry.position);
        // The data is padded to blocks.
        let padded = entry.bytes.checked_next_multiple_of(512);
        let after = padded.and_then(|padded| position.checked_add(padded));
        let after = after.filter(|after| *after <= file.len());
        *next = after.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Some(TarEntry { position, ..entry }))
    }
}

/// Reads a file from a position on.
struct At<'a> {
    file: &'a InputFile,
    at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(out, self.at)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}
