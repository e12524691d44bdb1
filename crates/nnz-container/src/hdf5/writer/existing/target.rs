//! The file to write and the group in it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Seek;
use std::path::Path;
use std::time::Duration;

use nnz_core::{Error, ErrorKind, Place, Result};
use rust_hdf5::{H5File, H5Group, LibverBound};

use super::super::Readers;
use super::{call_library, links, there};
use crate::hdf5::opened::Opened;
use nnz_storage::InputFile;
use nnz_storage::staging::{Expected, StagedFile, UpdateLock, WriteOptions};

/// How long the old file remains locked after the exchange. The HDF5 library opens a file and then
/// locks it: a file that it opened before the exchange must not become unlocked in between, because
/// what it writes there would be lost.
pub(in crate::hdf5) const LINGER: Duration = Duration::from_millis(20);

/// The file to write and the group in it.
pub(super) struct Target {
    staged: StagedFile,
    /// The names on the path to the group, and how many of them exist.
    names: Vec<String>,
    there: usize,
    /// The names in its parent groups.
    around: BTreeSet<String>,
    /// The locks of the original file.
    copied: UpdateLock,
}

impl Target {
    /// Finds the existing groups and copies the file.
    pub(super) fn create(
        path: &Path,
        names: Vec<String>,
        write: WriteOptions,
        readers: Readers,
        place: &Place,
    ) -> Result<(Self, H5File)> {
        let lock = UpdateLock::acquire(path)?;
        let old = Opened::open(InputFile::open(path)?)?;
        check_closed(&old, path)?;
        links::check(&old, names.iter().map(String::as_str), place)?;
        let (there, around) = there::depth(&old, &names, place)?;
        let replaced = there == names.len();
        if replaced && !write.overwrite {
            return Err(Error::new(ErrorKind::Exists, place.clone()));
        }
        let mut staged = StagedFile::create(path, WriteOptions { overwrite: true, ..write })?;
        staged.expect(Expected::Unchanged(lock.version()));
        copy(lock.file(), &staged).map_err(|error| Error::io(path, error))?;
        let file = staged.open_with(|path| {
            call_library(place, || H5File::options().no_locking().open_rw(path))
        })?;
        // A file in the old format has no creation order, nor does what is added to it.
        let order = readers == Readers::NetCdf && old.meta.superblock().version >= 2;
        let oldest = if order { LibverBound::V18 } else { LibverBound::Earliest };
        call_library(place, || {
            file.set_libver_bound(oldest)?;
            file.set_track_order(order)?;
            if replaced {
                file.delete_group(&format!("/{}", names.join("/")))?;
            }
            Ok(())
        })?;
        let there = if replaced { there - 1 } else { there };
        Ok((Self { staged, names, there, around, copied: lock }, file))
    }

    /// Creates the missing groups and returns the last one.
    pub(super) fn make_groups(&self, file: &H5File) -> rust_hdf5::Result<H5Group> {
        let mut group = file.root_group();
        for (at, name) in self.names.iter().enumerate() {
            group = if at < self.there { group.group(name)? } else { group.create_group(name)? };
        }
        Ok(group)
    }

    /// Returns the names in the parent groups.
    pub(super) fn names_in_parents(&self) -> &BTreeSet<String> {
        &self.around
    }

    /// Puts the file in place and returns by how many bytes it has grown.
    pub(super) fn commit(self) -> Result<u64> {
        let bytes = self.staged.commit()?;
        std::thread::sleep(LINGER);
        Ok(bytes.saturating_sub(self.copied.version().bytes()))
    }
}

/// Refuses a file that another program is writing to, or did not close.
///
/// Files of HDF5 1.10 and newer have flags for this, which also work for programs without locks: a
/// writer in SWMR mode has released its lock. The flags are in section II.A of the file format: 1
/// is write access, 4 is SWMR.
pub(in crate::hdf5) fn check_closed(old: &Opened, path: &Path) -> Result<()> {
    let superblock = old.meta.superblock();
    if superblock.version < 3 || superblock.consistency_flags & 0b101 == 0 {
        return Ok(());
    }
    let found = "a file that another program is writing to, or that was not closed";
    let expected = "a closed file (after a crash, h5clear -s marks it as closed)";
    Err(Error::mismatch(Place::path(path), found, expected))
}

/// Copies a file, sharing its blocks if the file system supports this.
pub(in crate::hdf5) fn copy(mut from: &File, staged: &StagedFile) -> std::io::Result<()> {
    let mut to = staged.file();
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    std::io::copy(&mut from, &mut to)?;
    to.rewind()
}
