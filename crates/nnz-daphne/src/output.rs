//! Writing a `.dbdf` file and its `.meta` file.

use std::fs::File;
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use nnz_core::{Error, Result, Written};
use nnz_storage::staging::{StagedDirectory, StagedFile, WriteOptions, exists};

use crate::Meta;

/// Long writes end at multiples of this. File systems with large pages are then faster, because
/// other ends are written to many small pages.
const PAGE: usize = 128 << 10;

/// Bytes in the buffer.
const BUFFER: usize = 1 << 20;

/// Zeros that are written at once.
const ZEROS: [u8; 4096] = [0; 4096];

/// A file that appears when it is complete, or when its directory is.
enum OutputFile {
    Alone(Box<StagedFile>),
    /// With its path, and the directory for temporary files.
    Member(File, PathBuf, PathBuf),
}

impl OutputFile {
    fn member(directory: &mut StagedDirectory, name: &str) -> Result<Self> {
        let file = directory.create_file(name)?;
        let (path, spill) = (directory.path().join(name), directory.spill_directory());
        Ok(Self::Member(file, path, spill))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Alone(file) => file.path(),
            Self::Member(_, path, _) => path,
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_both(&[], bytes)
    }

    /// Writes two slices one after the other.
    fn write_both(&mut self, first: &[u8], second: &[u8]) -> Result<()> {
        let written = match self {
            Self::Alone(file) => write_both(&mut **file, first, second),
            Self::Member(file, ..) => write_both(file, first, second),
        };
        written.map_err(|error| Error::io(self.path(), error))
    }

    fn seek(&mut self, to: u64) -> Result<()> {
        let sought = match self {
            Self::Alone(file) => file.seek(SeekFrom::Start(to)),
            Self::Member(file, ..) => file.seek(SeekFrom::Start(to)),
        };
        sought.map(drop).map_err(|error| Error::io(self.path(), error))
    }

    fn commit(self) -> Result<u64> {
        match self {
            Self::Alone(file) => file.commit(),
            Self::Member(file, path, _) => {
                file.metadata().map(|found| found.len()).map_err(|error| Error::io(&path, error))
            }
        }
    }
}

/// A file being written, and its `.meta` file.
pub(crate) struct Output {
    data: OutputFile,
    meta: Option<OutputFile>,
    buffer: Vec<u8>,
    /// The number of bytes written from the buffer.
    flushed: u64,
}

impl Output {
    /// Creates a file. When a file is replaced, so is its `.meta` file, which for a symbolic link
    /// is next to the target. A `.meta` file next to the link would be outdated too, but the other
    /// one has precedence.
    pub(crate) fn create(path: &Path, options: WriteOptions, meta: bool) -> Result<Self> {
        let data = StagedFile::create(path, &options)?;
        let meta_file = Meta::path_of(data.path());
        let meta = meta
            || exists(&meta_file, &options.context)?
            || exists(&Meta::path_of(path), &options.context)?;
        let meta = meta.then(|| StagedFile::create(&meta_file, &options)).transpose()?;
        let alone = |file| OutputFile::Alone(Box::new(file));
        let (data, meta) = (alone(data), meta.map(alone));
        Ok(Self { data, meta, buffer: Vec::new(), flushed: 0 })
    }

    /// Creates a file in a directory.
    pub(crate) fn member(directory: &mut StagedDirectory, name: &str, meta: bool) -> Result<Self> {
        let data = OutputFile::member(directory, name)?;
        let meta =
            meta.then(|| OutputFile::member(directory, &format!("{name}.meta"))).transpose()?;
        Ok(Self { data, meta, buffer: Vec::new(), flushed: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        self.data.path()
    }

    /// Returns the directory for temporary files.
    pub(crate) fn spill_directory(&self) -> PathBuf {
        match &self.data {
            OutputFile::Alone(file) => file.spill_directory(),
            OutputFile::Member(.., spill) => spill.clone(),
        }
    }

    /// Returns the position of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        // Short slices are copied to the buffer; of long ones, only the end that has to wait is
        // copied.
        let long = bytes.len() >= PAGE || self.buffer.len() + bytes.len() > BUFFER;
        let now = if long { self.up_to_page(bytes.len()) } else { 0 };
        let (now, later) = bytes.split_at(now);
        if !now.is_empty() {
            self.data.write_both(&self.buffer, now)?;
            self.flushed += (self.buffer.len() + now.len()) as u64;
            self.buffer.clear();
        }
        self.buffer.extend_from_slice(later);
        Ok(())
    }

    /// Returns how many of the next `count` bytes are before the last page boundary; 0 if there is
    /// none.
    fn up_to_page(&self, count: usize) -> usize {
        let excess = (self.position() + count as u64) % PAGE as u64;
        usize::try_from(excess).map_or(0, |excess| count.saturating_sub(excess))
    }

    /// Writes `count` zero bytes.
    pub(crate) fn write_zeros(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            let now = usize::try_from(count).unwrap_or(ZEROS.len()).min(ZEROS.len());
            self.write(&ZEROS[..now])?;
            count -= now as u64;
        }
        Ok(())
    }

    /// Overwrites bytes that were written before.
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

    /// Writes at any position after the flushed bytes; all later writes must use this function.
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

    /// Moves the file to its place, and then its `.meta` file: there is never a `.meta` file
    /// without its file, or next to another one.
    pub(crate) fn commit(mut self, meta: &Meta) -> Result<Written> {
        self.flush()?;
        let mut meta_file = self.meta.take();
        if let Some(meta_file) = &mut meta_file {
            meta_file.write_all(&meta.text()?)?;
        }
        let bytes = match (self.data, meta_file) {
            (OutputFile::Alone(data), Some(OutputFile::Alone(meta_file))) => {
                data.commit_with_sidecar(*meta_file)?
            }
            (data, meta_file) => {
                data.commit()? + meta_file.map(OutputFile::commit).transpose()?.unwrap_or_default()
            }
        };
        Ok(Written::new(bytes))
    }
}

/// Writes two slices, in one call if possible.
fn write_both(file: &mut impl Write, first: &[u8], second: &[u8]) -> io::Result<()> {
    let mut pieces = [IoSlice::new(first), IoSlice::new(second)];
    let mut left = &mut pieces[..];
    // Skips slices without bytes.
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

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    #[test]
    fn bytes_are_in_order_and_long_writes_end_at_page_boundaries() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.dbdf");
        let options = WriteOptions::default().overwrite(true).sync(false);
        let mut random = Random::new(1);
        let most = [100, 3000, PAGE, 2 * PAGE + 1, 2 * BUFFER];
        let whole_pages = |output: &Output| output.flushed.is_multiple_of(PAGE as u64);
        let mut whole = 0;
        for case in 0..60 {
            let mut output = Output::create(&path, options.clone(), false).unwrap();
            let mut expected = Vec::new();
            for step in 0..20 {
                let below = *random.pick(&most);
                let count = random.below(below);
                let bytes: Vec<u8> = (0..=255).cycle().skip(step).take(count).collect();
                output.write(&bytes).unwrap();
                expected.extend_from_slice(&bytes);
                assert_eq!(output.position(), expected.len() as u64);
                assert!(output.buffer.len() < BUFFER + PAGE);
                whole += usize::from(output.flushed > 0 && whole_pages(&output));
                // Patching moves the end of the file to any position.
                if case % 2 == 0 && !expected.is_empty() && random.below(4) == 0 {
                    let at = random.below(expected.len());
                    let patch = [0xee; 8];
                    let patch = &patch[..8.min(expected.len() - at)];
                    expected[at..at + patch.len()].copy_from_slice(patch);
                    output.patch(at as u64, patch).unwrap();
                } else if case % 2 == 1 {
                    assert!(whole_pages(&output), "{count} bytes");
                }
            }
            output.flush().unwrap();
            let OutputFile::Alone(file) = output.data else { panic!("a file alone") };
            file.commit().unwrap();
            assert!(std::fs::read(&path).unwrap() == expected, "case {case}");
        }
        assert!(whole > 300, "{whole}");
    }

    /// Accepts a few bytes at a time, and is interrupted every other time.
    struct Slow(Vec<u8>, bool);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let taken = bytes.len().min(3);
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn short_writes_are_continued() {
        for (first, second) in [("", ""), ("a", ""), ("", "bc"), ("abcdefg", "hijklmnop")] {
            let mut slow = Slow(Vec::new(), false);
            write_both(&mut slow, first.as_bytes(), second.as_bytes()).unwrap();
            assert_eq!(slow.0, format!("{first}{second}").into_bytes());
        }
    }
}
