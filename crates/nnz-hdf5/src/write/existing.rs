//! Changing an existing file, in a copy that replaces it.

use std::collections::BTreeSet;
use std::io::Seek as _;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result, full_path, readable};
use nnz_storage::InputFile;
use nnz_storage::staging::{Expected, StagedFile, UpdateLock, WriteOptions, check_addition};

use super::object::ObjectId;
use super::writer::{FileOptions, FileWriter};
use crate::bytes::Fields;
use crate::message::MessageType;
use crate::read::file::File;
use crate::read::links::LinkTarget;
use crate::read::object::{Object, ObjectKind};
use crate::superblock::{CHUNK_K, GROUP_INTERNAL_K, GROUP_LEAF_K};

/// A change of an existing file.
#[derive(Debug)]
pub struct FileChange {
    /// The names of the new object below the group from which paths start: one, or also the names of missing groups.
    pub names: Vec<String>,
    /// The names of all members of its parent groups.
    pub names_around: BTreeSet<String>,
}

impl FileChange {
    /// Copies a file and starts adding an object to it, at a path of names from the root group. With `make_groups`, parent
    /// groups may be missing. Paths in the writer start from the last parent group that exists.
    ///
    /// # Errors
    ///
    /// Fails if the object may not be replaced, if the file is not HDF5 or cannot be changed, or if it cannot be
    /// copied.
    pub fn add(
        path: &Path,
        names: &[&str],
        write: WriteOptions,
        (options, make_groups): (FileOptions, bool),
    ) -> Result<(FileWriter<StagedFile>, Self)> {
        let place = Place::path(full_path(path, &names.join("/")));
        check_addition(path, &write.context)?;
        let (copied, old) = lock(path, &place)?;
        let found = find(&old.root()?, names, make_groups, &place)?;
        if found.is_there && !write.overwrite {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        if found.depth + 1 < names.len() && !make_groups {
            let missing = Place::path(full_path(path, &names[..=found.depth].join("/")));
            return Err(Error::new(ErrorKind::Missing, missing));
        }
        let mut staged = StagedFile::create(path, &write.clone().overwrite(true))?;
        staged.expect(Expected::Unchanged(copied.version()));
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        if make_groups && found.is_there && is_alone(&old, names)? {
            let file = FileWriter::at(staged, options, Place::path(path))?.replacing(copied);
            return Ok((file, Self { names: owned(names), names_around: BTreeSet::new() }));
        }
        let (around, below) = names.split_at(found.depth);
        let mut file = change(staged, (&old, &copied), options, path)?;
        let group =
            around.iter().try_fold(ObjectId::ROOT, |group, name| file.open_group(group, name))?;
        file.start_from(group, Place::path(full_path(path, &around.join("/"))));
        if found.is_there {
            below.iter().try_for_each(|name| file.remove(group, name))?;
        }
        Ok((file.replacing(copied), Self { names: owned(below), names_around: found.names_around }))
    }

    /// Copies a file and starts changing groups of it. Paths in the writer start from a group, which is given by names from the
    /// root group.
    ///
    /// # Errors
    ///
    /// Fails if the group is missing, if the file is not HDF5 or cannot be changed, or if it cannot be copied.
    pub fn open(
        path: &Path,
        names: &[&str],
        write: WriteOptions,
        options: FileOptions,
    ) -> Result<FileWriter<StagedFile>> {
        let place = Place::path(full_path(path, &names.join("/")));
        check_addition(path, &write.context)?;
        let (copied, old) = lock(path, &place)?;
        let mut staged = StagedFile::create(path, &write.overwrite(true))?;
        staged.expect(Expected::Unchanged(copied.version()));
        let mut file = change(staged, (&old, &copied), options, path)?;
        let group =
            names.iter().try_fold(ObjectId::ROOT, |group, name| file.open_group(group, name))?;
        file.start_from(group, place);
        Ok(file.replacing(copied))
    }
}

/// Locks and opens a file that can be changed.
fn lock(path: &Path, place: &Place) -> Result<(UpdateLock, Arc<File>)> {
    let copied = UpdateLock::acquire(path)?;
    let old = File::open(InputFile::open(path)?)?;
    check_closed(&old, path)?;
    check_form(&old, place)?;
    Ok((copied, old))
}

/// Copies a file and starts changing the copy.
fn change(
    staged: StagedFile,
    (old, copied): (&Arc<File>, &UpdateLock),
    options: FileOptions,
    path: &Path,
) -> Result<FileWriter<StagedFile>> {
    copy(copied.file(), &staged).map_err(|error| Error::io(path, error))?;
    // A file in the old format has no creation order, nor does what is added to it.
    let track_order = options.track_order && old.superblock.version >= 2;
    FileWriter::change(staged, old, FileOptions { track_order, ..options }, Place::path(path))
}

/// Half the numbers of entries of B-tree nodes of chunks and groups, and of symbol table nodes: those that are written.
const USUAL_K: [u16; 3] = [CHUNK_K, GROUP_INTERNAL_K, GROUP_LEAF_K];

/// Refuses files with other sizes of addresses and lengths, and with metadata that are not where they belong.
fn check_form(old: &File, place: &Place) -> Result<()> {
    let superblock = &old.superblock;
    let extension = old.extension().map_err(|error| error.with_context(place))?;
    let wide = (superblock.sizes.offset, superblock.sizes.length) == (8, 8);
    let mut usual =
        wide && [superblock.chunk_k, superblock.internal_k, superblock.leaf_k] == USUAL_K;
    if let Some(stored) = extension.as_ref().and_then(|it| it.all(MessageType::BTREE_K).next()) {
        // After the version.
        let mut fields = Fields(stored.body.get(1..).unwrap_or_default());
        let sizes = [fields.u16()?, fields.u16()?, fields.u16()?];
        usual &= sizes == USUAL_K;
    }
    if !usual {
        let what = "changing HDF5 files with structures of unusual sizes is not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    if extension.is_some_and(|extension| extension.has(MessageType::CACHE_IMAGE)) {
        let what = "changing HDF5 files with a metadata cache image is not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    Ok(())
}

/// Returns whether a file has nothing but the member at a path, so that a new file replaces it without growing.
fn is_alone(old: &Arc<File>, names: &[&str]) -> Result<bool> {
    let mut group = old.root()?;
    if old.base > 0 {
        return Ok(false);
    }
    for name in names {
        let links = group.links()?;
        let only = links.len() == 1 && links.iter().all(|link| link.name == *name);
        if !only || !group.attributes()?.is_empty() {
            return Ok(false);
        }
        group = group.open(name)?;
    }
    Ok(true)
}

/// The result of searching a member.
struct Lookup {
    /// The number of its parent groups that exist.
    depth: usize,
    /// Whether all of them do and the member exists.
    is_there: bool,
    /// The names of all members of these groups.
    names_around: BTreeSet<String>,
}

/// Finds a member by its names from the root; with `only_groups` it must be a group if it exists.
fn find(root: &Object, names: &[&str], only_groups: bool, place: &Place) -> Result<Lookup> {
    let mut group = root.clone();
    let mut names_around = BTreeSet::new();
    for (depth, name) in names.iter().enumerate() {
        let is_last = depth + 1 == names.len();
        let links = group.links().map_err(|error| error.with_context(place))?;
        names_around.extend(links.iter().map(|link| link.name.clone()));
        let Some(link) = links.iter().find(|link| link.name == *name) else {
            return Ok(Lookup { depth, is_there: false, names_around });
        };
        // Other members than groups are not parsed further, so they may be of any kind.
        let member = readable(group.open(name))?;
        let kind = member.as_ref().map(Object::kind);
        let is_hard = matches!(link.target, LinkTarget::Hard(_));
        let what = match (member, kind) {
            (Some(member), Some(ObjectKind::Group)) if !is_last => {
                group = member;
                continue;
            }
            (Some(_), kind)
                if is_last && is_hard && (kind == Some(ObjectKind::Group) || !only_groups) =>
            {
                return Ok(Lookup { depth, is_there: true, names_around });
            }
            (_, Some(ObjectKind::Dataset)) => "the dataset".to_owned(),
            (_, Some(ObjectKind::Group)) => "a link at".to_owned(),
            (None, _) if !is_hard => match link.target.not_followed() {
                Some(link) => format!("{link} at"),
                None => "a broken link at".to_owned(),
            },
            _ => "another object at".to_owned(),
        };
        let found = format!("{what} {}", names[..=depth].join("/"));
        return Err(Error::mismatch(place.clone(), found, "a group, or nothing"));
    }
    Err(Error::argument("the name of the object to add to an HDF5 file is missing"))
}

/// Refuses a file that another program is writing to, or did not close.
///
/// Files of HDF5 1.10 and newer have flags for this, which also work for programs without locks: a
/// writer in SWMR mode has released its lock. The flags are in section II.A of the file format: 1
/// is write access, 4 is SWMR.
fn check_closed(old: &File, path: &Path) -> Result<()> {
    let superblock = &old.superblock;
    if superblock.version < 3 || superblock.consistency & 0b101 == 0 {
        return Ok(());
    }
    let found = "a file that another program is writing to, or that was not closed";
    let expected = "a closed file (after a crash, h5clear -s marks it as closed)";
    Err(Error::mismatch(Place::path(path), found, expected))
}

/// Copies a file, sharing its blocks if the file system supports this.
fn copy(mut from: &std::fs::File, staged: &StagedFile) -> std::io::Result<()> {
    let mut to = staged.file();
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(to, from).is_ok() {
        return Ok(());
    }
    std::io::copy(&mut from, &mut to)?;
    to.rewind()
}
