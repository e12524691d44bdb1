//! Adding a group or a dataset to an existing file.
//!
//! In a copy of the file, `rust-hdf5` creates a small dataset in place of the new object, because
//! it supports every kind of group. The new object is appended to the file, and the header of the
//! small dataset is replaced by one that continues with the header of the new object.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Seek as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputFile;
use nnz_storage::staging::{Expected, StagedFile, UpdateLock, WriteOptions, check_addition};
use rust_hdf5::{H5File, Hdf5Error, LibverBound};

use super::{Hdf5Options, hard_links};
use crate::container::full_path;
use crate::hdf5::file::{Existing, FileOptions, FileWriter, STUB};
use crate::hdf5::links::{self, Target as LinkTarget};
use crate::hdf5::opened::{self, Opened, is_missing};

/// Number of bytes read for a superblock of any version.
const START: usize = 96;

/// How long the old file remains locked after the exchange. The HDF5 library opens a file and then
/// locks it: a file that it opened before the exchange must not become unlocked in between, because
/// what it writes there would be lost.
const LINGER: Duration = Duration::from_millis(20);

/// An addition to an existing file.
#[derive(Debug)]
pub(super) struct Added {
    /// Its names below the parent group, which is the root of the writer: one, or those of missing groups, too.
    pub(super) names: Vec<String>,
    /// The names of all members of its parent groups.
    pub(super) names_around: BTreeSet<String>,
    /// The locks of the original file.
    copied: UpdateLock,
}

impl Added {
    /// Copies the file and reserves a member for what is added. With `make_groups`, parent groups may be missing.
    pub(super) fn start(
        path: &Path,
        names: &[&str],
        write: WriteOptions,
        (options, make_groups): (Hdf5Options, bool),
    ) -> Result<(FileWriter<StagedFile>, Self)> {
        let place = Place::path(full_path(path, &names.join("/")));
        check_addition(path)?;
        let copied = UpdateLock::acquire(path)?;
        let old = Opened::open(InputFile::open(path)?)?;
        check_closed(&old, path)?;
        check_form(&old, &place)?;
        hard_links::check(&old, names.iter().copied(), &place)?;
        let found = find(&old, names, make_groups, &place)?;
        let there = found.member;
        if there.is_some() && !write.overwrite {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        if found.depth + 1 < names.len() && !make_groups {
            let missing = Place::path(full_path(path, &names[..=found.depth].join("/")));
            return Err(Error::new(ErrorKind::Missing, missing));
        }
        let (around, below) = names.split_at(found.depth);
        let member = &names[..=found.depth];
        let mut staged = StagedFile::create(path, WriteOptions { overwrite: true, ..write })?;
        staged.expect(Expected::Unchanged(copied.version()));
        copy(copied.file(), &staged).map_err(|error| Error::io(path, error))?;
        // A file in the old format has no creation order, nor does what is added to it.
        let track_order = options.netcdf && old.meta.superblock().version >= 2;
        staged.open_with(|path| reserve(path, member, there, track_order, &place))?;
        let existing = staged.open_with(|path| {
            let opened = InputFile::open(path)
                .and_then(Opened::open)
                .map_err(|error| error.with_context(&place))?;
            let header = find(&opened, member, false, &place)?.member;
            let (_, header) =
                header.ok_or_else(|| Error::new(ErrorKind::Missing, place.clone()))?;
            check_header(&opened, header, &place)?;
            let mut start = vec![0; START];
            opened.read_at(0, &mut start, &place)?;
            Ok(Existing { base: opened.base, start, header })
        })?;
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let end = staged.file().metadata().map_err(io)?.len().saturating_sub(existing.base);
        let around = Place::path(full_path(path, &around.join("/")));
        let options = FileOptions { threads: options.threads, track_order };
        let file = FileWriter::add_to(staged, end, existing, options, around);
        let names = below.iter().map(|name| (*name).to_owned()).collect();
        Ok((file, Self { names, names_around: found.names_around, copied }))
    }

    /// Releases the locks and returns by how many bytes the file has grown.
    pub(super) fn release(self, bytes: u64) -> u64 {
        std::thread::sleep(LINGER);
        bytes.saturating_sub(self.copied.version().bytes())
    }
}

/// Refuses files with other sizes of addresses and lengths.
fn check_form(old: &Opened, place: &Place) -> Result<()> {
    let superblock = old.meta.superblock();
    let wide = (superblock.offset_size, superblock.length_size) == (8, 8);
    let nodes = (superblock.group_leaf_node_k, superblock.group_internal_node_k) == (4, 16);
    let chunks = superblock.version != 1 || superblock.indexed_storage_k == 32;
    let usual = superblock.version >= 2 || (nodes && chunks);
    if wide && usual && superblock.version <= 3 {
        return Ok(());
    }
    let what = "adding to HDF5 files with structures of unusual sizes is not supported";
    Err(Error::unsupported(place.clone(), what))
}

/// The result of searching a member.
struct Found {
    /// How many of its parent groups exist.
    depth: usize,
    /// If all of them do and it exists, whether it is a group, and the address of its header.
    member: Option<(bool, u64)>,
    /// The names of all members of these groups.
    names_around: BTreeSet<String>,
}

/// Finds a member by its names from the root; with `only_groups` it must be a group if it exists. Other members are not parsed, so they may be of any kind.
fn find(opened: &Arc<Opened>, names: &[&str], only_groups: bool, place: &Place) -> Result<Found> {
    let mut here = opened::call_library(place, || opened.meta.root_group())?;
    let mut names_around = BTreeSet::new();
    for (depth, name) in names.iter().enumerate() {
        let is_last = depth + 1 == names.len();
        let links = links::list(opened, &here, place)?;
        let target = links.iter().find(|link| link.name == *name).map(|link| link.target);
        names_around.extend(links.into_iter().map(|link| link.name));
        let Some(target) = target else { return Ok(Found { depth, member: None, names_around }) };
        let mut missing = false;
        let inner = opened::call_library(place, || {
            here.group(name).inspect_err(|error| missing = is_missing(error))
        });
        let other = match (inner, target) {
            (Err(error), _) if !missing => return Err(error),
            (inner, LinkTarget::Hard(address)) if is_last && (inner.is_ok() || !only_groups) => {
                let member = Some((inner.is_ok(), address));
                return Ok(Found { depth, member, names_around });
            }
            (Ok(inner), _) if !is_last => {
                here = inner;
                continue;
            }
            (Err(_), LinkTarget::Hard(_)) => "another object at",
            (Ok(_), _) => "a link at",
            (Err(_), _) => "a broken link at",
        };
        let dataset = readable(opened::call_library(place, || here.dataset(name)))?;
        let what = if dataset.is_some() { "the dataset" } else { other };
        let found = format!("{what} {}", names[..=depth].join("/"));
        return Err(Error::mismatch(place.clone(), found, "a group, or nothing"));
    }
    Err(Error::argument("the name of what is added to an HDF5 file is missing"))
}

/// Creates a small dataset, replacing an existing object.
fn reserve(
    path: &Path,
    names: &[&str],
    there: Option<(bool, u64)>,
    track_order: bool,
    place: &Place,
) -> Result<()> {
    call_library(place, || {
        let file = H5File::options().no_locking().open_rw(path)?;
        let oldest = if track_order { LibverBound::V18 } else { LibverBound::Earliest };
        file.set_libver_bound(oldest)?;
        file.set_track_order(track_order)?;
        let member = format!("/{}", names.join("/"));
        match there {
            Some((true, _)) => file.delete_group(&member)?,
            Some((false, _)) => file.delete_dataset(member.trim_start_matches('/'))?,
            None => {}
        }
        let mut group = file.root_group();
        for name in &names[..names.len() - 1] {
            group = group.group(name)?;
        }
        let dataset = group.new_dataset::<u8>().shape([1_usize]).create(names[names.len() - 1])?;
        drop(dataset);
        file.close_no_sync()
    })
}

/// Checks that the header of the dataset has room for another header.
fn check_header(opened: &Opened, address: u64, place: &Place) -> Result<()> {
    let mut header = [0; 16];
    opened.read_at(address, &mut header, place)?;
    let bytes = match &header {
        [b'O', b'H', b'D', b'R', 2, flags, rest @ ..] => {
            let width = 1_usize << (flags & 3);
            let times = if flags & 0x20 == 0 { 0 } else { 16 };
            let limits = if flags & 0x10 == 0 { 0 } else { 4 };
            // The number of links and times follow; a few messages fit in any case.
            let size = rest.get(..width).filter(|_| times + limits == 0);
            let size =
                size.map(|size| size.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)));
            size.map_or(0, |size| 6 + width as u64 + size + 4)
        }
        [1, ..] => {
            16 + u64::from(u32::from_le_bytes([header[8], header[9], header[10], header[11]]))
        }
        _ => 0,
    };
    opened.check(address, bytes.max(STUB), place)?;
    if bytes >= STUB {
        return Ok(());
    }
    Err(Error::unsupported(place.clone(), "adding to groups of this HDF5 file"))
}

/// Refuses a file that another program is writing to, or did not close.
///
/// Files of HDF5 1.10 and newer have flags for this, which also work for programs without locks: a
/// writer in SWMR mode has released its lock. The flags are in section II.A of the file format: 1
/// is write access, 4 is SWMR.
fn check_closed(old: &Opened, path: &Path) -> Result<()> {
    let superblock = old.meta.superblock();
    if superblock.version < 3 || superblock.consistency_flags & 0b101 == 0 {
        return Ok(());
    }
    let found = "a file that another program is writing to, or that was not closed";
    let expected = "a closed file (after a crash, h5clear -s marks it as closed)";
    Err(Error::mismatch(Place::path(path), found, expected))
}

/// Copies a file, sharing its blocks if the file system supports this.
fn copy(mut from: &File, staged: &StagedFile) -> std::io::Result<()> {
    let mut to = staged.file();
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    std::io::copy(&mut from, &mut to)?;
    to.rewind()
}

/// Calls `rust-hdf5`, and converts its errors.
fn call_library<T>(place: &Place, call: impl FnOnce() -> rust_hdf5::Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Hdf5Error::Io(error))) => Err(Error::new(ErrorKind::Io(error), place.clone())),
        Ok(Err(error)) => {
            let error = std::io::Error::other(format!("HDF5 cannot be written: {error}"));
            Err(Error::new(ErrorKind::Io(error), place.clone()))
        }
        Err(_) => {
            let what = "HDF5 cannot be written: the existing file is inconsistent".to_owned();
            Err(Error::new(ErrorKind::Unrecognized(what), place.clone()))
        }
    }
}
