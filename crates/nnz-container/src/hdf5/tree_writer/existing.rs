//! Adding a group or a dataset to an existing file.
//!
//! In a copy of the file, `rust-hdf5` creates a small dataset in place of the new object, because
//! it supports every kind of group. The new object is appended to the file, and the header of the
//! small dataset is replaced by one that continues with the header of the new object.

use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::InputFile;
use nnz_storage::staging::{Expected, StagedFile, UpdateLock, WriteOptions, check_addition};
use rust_hdf5::{H5File, LibverBound};

use crate::container::full_path;
use crate::hdf5::file::{Existing, FileOptions, FileWriter, STUB};
use crate::hdf5::links::{self, Target as LinkTarget};
use crate::hdf5::opened::{self, Opened};
use crate::hdf5::writer::existing::call_library;
use crate::hdf5::writer::existing::links::check as check_links;
use crate::hdf5::writer::existing::target::{LINGER, check_closed, copy};

/// Number of bytes read for a superblock of any version.
const START: usize = 96;

/// What is added to a file.
#[derive(Debug)]
pub(super) struct Added {
    /// Its name in the parent group.
    pub(super) name: String,
    /// The locks of the original file.
    copied: UpdateLock,
}

impl Added {
    /// Copies the file and reserves a member for what is added.
    pub(super) fn start(
        path: &Path,
        member: &str,
        write: WriteOptions,
        options: FileOptions,
    ) -> Result<(FileWriter<StagedFile>, Self)> {
        let place = Place::path(full_path(path, member));
        let names: Vec<&str> = member.split('/').filter(|name| !name.is_empty()).collect();
        let Some((&name, around)) = names.split_last() else {
            let what = "the name of what is added to an HDF5 file is missing".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), place));
        };
        if names.iter().any(|name| *name == "." || name.contains('\0')) {
            let what = format!("{member:?} cannot be a path in an HDF5 file");
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        check_addition(path)?;
        let copied = UpdateLock::acquire(path)?;
        let old = Opened::open(InputFile::open(path)?)?;
        check_closed(&old, path)?;
        check_form(&old, &place)?;
        check_links(&old, around.iter().copied(), &place)?;
        let there = find(&old, around, name, &place)?;
        if there.is_some() && !write.overwrite {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        let mut staged = StagedFile::create(path, WriteOptions { overwrite: true, ..write })?;
        staged.expect(Expected::Unchanged(copied.version()));
        copy(copied.file(), &staged).map_err(|error| Error::io(path, error))?;
        staged.open_with(|path| reserve(path, &names, there, &place))?;
        let existing = staged.open_with(|path| {
            let opened = InputFile::open(path)
                .and_then(Opened::open)
                .map_err(|error| error.with_context(&place))?;
            let found = find(&opened, around, name, &place)?;
            let (_, header) = found.ok_or_else(|| Error::new(ErrorKind::Missing, place.clone()))?;
            check_header(&opened, header, &place)?;
            let mut start = vec![0; START];
            opened.read_at(0, &mut start, &place)?;
            Ok(Existing { start, header })
        })?;
        let io = |error| Error::new(ErrorKind::Io(error), place.clone());
        let end = staged.file().metadata().map_err(io)?.len();
        let around = Place::path(full_path(path, &around.join("/")));
        let file = FileWriter::add_to(staged, end, existing, options.threads, around);
        Ok((file, Self { name: name.to_owned(), copied }))
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
    if wide && usual && superblock.base_address == 0 && superblock.version <= 3 {
        return Ok(());
    }
    let what = "adding to HDF5 files with a user block, or with structures of unusual sizes, is not supported";
    Err(Error::unsupported(place.clone(), what))
}

/// Finds a member of an existing group: whether it is a group, and the address of its header.
fn find(
    opened: &Arc<Opened>,
    around: &[&str],
    name: &str,
    place: &Place,
) -> Result<Option<(bool, u64)>> {
    let mut group = opened::call_library(place, || opened.meta.root_group())?;
    for name in around {
        group = opened::call_library(place, || group.group(name))?;
    }
    let links = links::list(opened, &group, place)?;
    let Some(link) = links.into_iter().find(|link| link.name == name) else { return Ok(None) };
    let LinkTarget::Hard(address) = link.target else {
        return Err(Error::mismatch(place.clone(), "a link", "a group, an array, or nothing"));
    };
    let is_group = readable(opened::call_library(place, || group.group(name)))?.is_some();
    Ok(Some((is_group, address)))
}

/// Creates a small dataset, replacing an existing object.
fn reserve(path: &Path, names: &[&str], there: Option<(bool, u64)>, place: &Place) -> Result<()> {
    call_library(place, || {
        let file = H5File::options().no_locking().open_rw(path)?;
        file.set_libver_bound(LibverBound::Earliest)?;
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
