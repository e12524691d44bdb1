//! A `.dbdf` file being written, and the `.meta` beside it.

use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nnz_container::staging::{StagedDirectory, StagedFile, WriteOptions};
use nnz_core::{Error, Result, Written};

use crate::Meta;

/// Writes end at multiples of this, so that the system can keep the file in large pages: it keeps
/// what follows an end inside of one in many small ones, which takes longer.
const PAGE: u64 = 128 << 10;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

/// Zeros that are written at once.
const ZEROS: [u8; 4096] = [0; 4096];

/// A file that appears when it is complete, or when its directory is.
enum Target {
    Alone(Box<StagedFile>),
    Member(File, PathBuf),
}

impl Target {
    fn member(directory: &mut StagedDirectory, name: &str) -> Result<Self> {
        let file = directory.create_file(name)?;
        Ok(Self::Member(file, directory.path().join(name)))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Alone(file) => file.path(),
            Self::Member(_, path) => path,
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_both(&[], bytes)
    }

    /// Writes two pieces, in one call where the system takes them.
    fn write_both(&mut self, first: &[u8], second: &[u8]) -> Result<()> {
        let written = match self {
            Self::Alone(file) => write_both(&mut **file, first, second),
            Self::Member(file, _) => write_both(file, first, second),
        };
        written.map_err(|error| Error::io(self.path(), error))
    }

    fn seek(&mut self, to: u64) -> Result<()> {
        let sought = match self {
            Self::Alone(file) => file.seek(SeekFrom::Start(to)),
            Self::Member(file, _) => file.seek(SeekFrom::Start(to)),
        };
        sought.map(drop).map_err(|error| Error::io(self.path(), error))
    }

    fn commit(self) -> Result<u64> {
        match self {
            Self::Alone(file) => file.commit(),
            Self::Member(file, path) => {
                file.metadata().map(|found| found.len()).map_err(|error| Error::io(&path, error))
            }
        }
    }
}

/// A file being written, and its `.meta`.
pub(crate) struct Output {
    data: Target,
    meta: Option<Target>,
    buffer: Vec<u8>,
    /// Bytes that have left the buffer.
    flushed: u64,
}

impl Output {
    /// Starts a file. One that is to be replaced takes its `.meta` with it, which lies where a link
    /// leads to. One beside the link would be wrong as well, and gives way to that.
    pub(crate) fn create(path: &Path, options: WriteOptions, meta: bool) -> Result<Self> {
        let data = StagedFile::create(path, options)?;
        let beside = Meta::path_of(data.path());
        let there = |meta: &Path| meta.symlink_metadata().is_ok();
        let meta = meta || there(&beside) || there(&Meta::path_of(path));
        let meta = meta.then(|| StagedFile::create(&beside, options)).transpose()?;
        let alone = |file| Target::Alone(Box::new(file));
        let (data, meta) = (alone(data), meta.map(alone));
        Ok(Self { data, meta, buffer: Vec::new(), flushed: 0 })
    }

    /// Starts a file of a directory.
    pub(crate) fn member(directory: &mut StagedDirectory, name: &str, meta: bool) -> Result<Self> {
        let data = Target::member(directory, name)?;
        let meta = meta.then(|| Target::member(directory, &format!("{name}.meta"))).transpose()?;
        Ok(Self { data, meta, buffer: Vec::new(), flushed: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        self.data.path()
    }

    /// Returns the byte that is written next.
    pub(crate) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let position = self.position();
        let end = position + bytes.len() as u64;
        let whole = end - end % PAGE;
        // What is short is gathered; of what is long, no more is copied than has to wait.
        let long = bytes.len() as u64 >= PAGE || self.buffer.len() + bytes.len() > BUFFER;
        let now = whole.checked_sub(position).filter(|_| long);
        let (now, later) = bytes.split_at(now.map_or(0, |now| now as usize));
        if !now.is_empty() {
            self.data.write_both(&self.buffer, now)?;
            self.buffer.clear();
            self.flushed = whole;
        }
        self.buffer.extend_from_slice(later);
        Ok(())
    }

    /// Writes so many zero bytes.
    pub(crate) fn write_zeros(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(ZEROS.len()).min(ZEROS.len());
            self.write(&ZEROS[..now])?;
            count -= now as u64;
        }
        Ok(())
    }

    /// Writes over bytes that have been written before.
    pub(crate) fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        let held = at.checked_sub(self.flushed).and_then(|at| usize::try_from(at).ok());
        if let Some(place) = held.and_then(|at| self.buffer.get_mut(at..at + bytes.len())) {
            place.copy_from_slice(bytes);
            return Ok(());
        }
        self.flush()?;
        let end = self.flushed;
        self.write_at(at, bytes)?;
        self.data.seek(end)
    }

    /// Writes anywhere, past what has been flushed; what follows has to be written so too.
    pub(crate) fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.data.seek(at)?;
        self.data.write_all(bytes)
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.data.write_all(&self.buffer)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Puts the file in its place, and then its `.meta`: no `.meta` is ever without a file, nor beside
    /// one that it does not tell of.
    pub(crate) fn commit(mut self, meta: &Meta) -> Result<Written> {
        self.flush()?;
        let mut beside = self.meta.take();
        if let Some(beside) = &mut beside {
            beside.write_all(&meta.text()?)?;
        }
        let bytes = match (self.data, beside) {
            (Target::Alone(data), Some(Target::Alone(beside))) => data.commit_with(*beside)?,
            (data, beside) => {
                data.commit()? + beside.map(Target::commit).transpose()?.unwrap_or_default()
            }
        };
        Ok(Written { bytes })
    }
}

fn write_both(file: &mut impl Write, first: &[u8], second: &[u8]) -> io::Result<()> {
    let mut pieces = [IoSlice::new(first), IoSlice::new(second)];
    let mut left = &mut pieces[..];
    // What has no bytes is done with already.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
