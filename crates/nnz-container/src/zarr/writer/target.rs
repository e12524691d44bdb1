//! The directory to write and the group in it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::change::StoreChange;
use super::consolidated::{ConsolidatedGroup, suspend};
use super::metadata::{self, Attributes, Document};
use super::options::ZarrVersion;
use crate::zarr::node::{self, Node};
use nnz_core::full_path;
use nnz_storage::staging::{
    Expected, StagedDirectory, UpdateLock, WriteOptions, appeared, check_addition, is_hidden_name,
};

/// The files of a store other than chunks.
const FILES: [&str; 5] = ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"];

/// Maximum length of the name of a directory.
const MAX_NAME_LEN: usize = 255;

/// Maximum depth of groups in a store that is replaced.
const MAX_DEPTH: usize = 64;

/// The directory to write and the group in it.
#[derive(Debug)]
pub(super) struct GroupTarget {
    staged: StagedDirectory,
    /// The path of the group in the directory: empty, or names followed by `/`.
    group: String,
    /// The prefix to remove from the paths of files: the name of the directory followed by `/`, if
    /// the group is its parent.
    stripped: String,
    /// The paths of the parent groups that are created.
    above: Vec<String>,
    /// Whether the directory is a complete store.
    is_store: bool,
    version: ZarrVersion,
    write: WriteOptions,
    /// Parent groups of the directory with consolidated metadata.
    consolidated: Vec<ConsolidatedGroup>,
    /// The locks of a store to which the group is added.
    _lock: Option<UpdateLock>,
}

/// Returns whether a name is valid for a group or an array: programs also use reserved names.
pub(super) fn is_name(name: &str) -> bool {
    let dots = name.bytes().all(|byte| byte == b'.');
    !(name.contains(['/', '\0']) || FILES.contains(&name) || dots || name.len() > MAX_NAME_LEN)
}

impl GroupTarget {
    /// Finds the innermost existing group; what is below it is written as one directory.
    pub(super) fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        version: ZarrVersion,
    ) -> Result<Self> {
        let place = Place::path(full_path(path, group));
        let names = names(group, &place)?;
        if !names.is_empty() {
            check_addition(path, &write.context)?;
        }
        let lock = lock_store(path, names.is_empty())?;
        let mut target = path.to_path_buf();
        let mut there = 0;
        // All existing groups except the last are kept.
        while there < names.len() && target.symlink_metadata().is_ok() {
            check_parent(&target, version)?;
            target.push(names[there]);
            there += 1;
        }
        // An array is part of its group, and is not replaced by a group.
        if !names.is_empty() && is_array(&target) {
            return Err(Error::mismatch(place, "an array", "a group, or nothing"));
        }
        let mut staged = match StagedDirectory::create_store(&target, &write, foreign) {
            Err(error) if there < names.len() => return Err(appeared(error)),
            staged => staged?,
        };
        if let Some(around) = target.parent().filter(|_| lock.is_some()) {
            staged = staged.with_access_of(around)?;
        }
        if there < names.len() {
            // A group that appears in between belongs to another program, and is not replaced.
            staged.expect(Expected::Nothing);
        }
        let (mut group, mut above) = (String::new(), Vec::new());
        for name in &names[there..] {
            above.push(group.clone());
            group.push_str(name);
            group.push('/');
        }
        let consolidated = consolidated(path, &names[..there], version)?;
        let (stripped, is_store) = (String::new(), there == 0);
        Ok(Self {
            staged,
            group,
            stripped,
            above,
            is_store,
            version,
            write,
            consolidated,
            _lock: lock,
        })
    }

    /// Prepares the directory of a group or an array that is added to an existing group.
    pub(super) fn add(path: &Path, member: &str, write: WriteOptions) -> Result<Self> {
        let place = Place::path(full_path(path, member));
        let names = names(member, &place)?;
        let Some((name, around)) = names.split_last() else {
            return Err(Error::argument(
                "the name of the member to add to a Zarr store is missing",
            ));
        };
        check_addition(path, &write.context)?;
        let lock = lock_store(path, false)?;
        let mut target = path.to_path_buf();
        let version = version_of(path)?;
        check_parent(&target, version)?;
        for name in around {
            target.push(name);
            check_parent(&target, version)?;
        }
        let parent = target.clone();
        target.push(name);
        let staged = StagedDirectory::create_store(&target, &write, foreign)?;
        let staged = staged.with_access_of(&parent)?;
        let consolidated = consolidated(path, &names, version)?;
        Ok(Self {
            staged,
            group: String::new(),
            stripped: format!("{name}/"),
            above: Vec::new(),
            is_store: false,
            version,
            write,
            consolidated,
            _lock: lock,
        })
    }

    /// Prepares a changed copy of an existing store. Paths are relative to an existing group.
    pub(super) fn edit(
        path: &Path,
        group: &str,
        write: WriteOptions,
    ) -> Result<(Self, StoreChange)> {
        let place = Place::path(full_path(path, group));
        let names = names(group, &place)?;
        check_addition(path, &write.context)?;
        let lock = lock_store(path, false)?;
        let version = version_of(path)?;
        let group = match names.join("/") {
            group if group.is_empty() => group,
            group => group + "/",
        };
        let change = StoreChange::new(path, &group, version);
        let target = Self {
            staged: StagedDirectory::change(path, &write)?,
            group,
            stripped: String::new(),
            above: Vec::new(),
            is_store: false,
            version,
            write,
            consolidated: Vec::new(),
            _lock: lock,
        };
        Ok((target, change))
    }

    /// Puts a changed store in place, with the metadata of new groups and arrays, given by relative paths.
    pub(super) fn finish_change(
        self,
        nodes: BTreeMap<String, Vec<Document>>,
        change: StoreChange,
    ) -> Result<u64> {
        for (path, documents) in &nodes {
            for (name, text) in documents {
                self.put(&format!("{path}/{name}"), text.as_bytes())?;
            }
        }
        let files = change.files(&nodes)?;
        for (name, text) in &files {
            self.staged.write_file(name, text.as_bytes())?;
        }
        let removed = change.removed();
        self.staged.keep(&|name| {
            !removed.contains(name) && !files.contains_key(&*name.to_string_lossy())
        })?;
        self.staged.commit()
    }

    /// Returns the version of the store.
    pub(super) fn version(&self) -> ZarrVersion {
        self.version
    }

    /// Returns the only name that a member of the group may have, if it is added to an existing
    /// group.
    pub(super) fn only_member(&self) -> Option<&str> {
        self.stripped.strip_suffix('/')
    }

    /// Writes a file of the group.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let name = name.strip_prefix(&*self.stripped).unwrap_or(name);
        self.staged.write_file(&format!("{}{name}", self.group), bytes)
    }

    /// Writes the metadata of all groups and arrays, given by relative paths, and puts everything
    /// in place.
    ///
    /// The metadata is also consolidated at the root of a new store, if requested.
    pub(super) fn finish(
        self,
        mut nodes: BTreeMap<String, Vec<Document>>,
        consolidate: bool,
    ) -> Result<u64> {
        let mut all = BTreeMap::new();
        for above in &self.above {
            let path = above.trim_end_matches('/').to_owned();
            all.insert(path, metadata::group(&Attributes::new(), self.version));
        }
        if let Some(member) = self.only_member() {
            // The group itself exists.
            nodes.remove("");
            if !nodes.contains_key(member) {
                return Err(Error::argument("nothing to add to the Zarr store"));
            }
        }
        for (path, documents) in nodes {
            let path = match self.only_member() {
                Some(member) if path == member => "",
                _ => path.strip_prefix(&*self.stripped).unwrap_or(&path),
            };
            let path = format!("{}{path}", self.group);
            all.insert(path.trim_end_matches('/').to_owned(), documents);
        }
        if let Some(mut root) = all.remove("") {
            if consolidate && self.is_store {
                let nodes = all.iter().map(|(path, documents)| (&**path, &**documents));
                metadata::consolidate(&mut root, nodes, self.version);
            }
            all.insert(String::new(), root);
        }
        for (path, documents) in &all {
            for (name, text) in documents {
                let name = match &**path {
                    "" => (*name).to_owned(),
                    path => format!("{path}/{name}"),
                };
                self.staged.write_file(&name, text.as_bytes())?;
            }
        }
        let suspended = suspend(self.consolidated, self.write)?;
        match self.staged.commit() {
            Ok(bytes) => suspended.resume(&all).map(|()| bytes),
            Err(error) => {
                suspended.restore();
                Err(error)
            }
        }
    }
}

/// Splits a path and checks its names.
fn names<'a>(path: &'a str, place: &Place) -> Result<Vec<&'a str>> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    match names.iter().find(|name| !is_name(name)) {
        None => Ok(names),
        Some(name) => {
            let what = format!("{name:?} cannot be the name of a group in a Zarr store");
            Err(Error::new(ErrorKind::Argument(what), place.clone()))
        }
    }
}

/// Finds the groups with consolidated metadata on the path `names`.
fn consolidated(
    path: &Path,
    names: &[&str],
    version: ZarrVersion,
) -> Result<Vec<ConsolidatedGroup>> {
    let mut directory = path.to_path_buf();
    let mut all = Vec::new();
    for (at, name) in names.iter().enumerate() {
        all.extend(ConsolidatedGroup::find(&directory, version, names[at..].join("/"))?);
        directory.push(name);
    }
    Ok(all)
}

/// Waits until no other process of nnz adds to the store. `None` if nothing is added to an existing
/// store.
fn lock_store(path: &Path, is_whole: bool) -> Result<Option<UpdateLock>> {
    let files = ["zarr.json", ".zgroup"].map(|name| path.join(name));
    match files.iter().find(|file| file.is_file()) {
        Some(file) if !is_whole => UpdateLock::acquire(file).map(Some),
        _ => Ok(None),
    }
}

/// Returns the version of a store.
fn version_of(path: &Path) -> Result<ZarrVersion> {
    let place = Place::path(path);
    match node::read(path, &place)? {
        Some(Node::Group(group)) if group.version == 2 => Ok(ZarrVersion::V2),
        Some(Node::Group(_)) => Ok(ZarrVersion::V3),
        Some(Node::Array(..)) => Err(Error::mismatch(place, "an array", "a group")),
        None => Err(Error::mismatch(place, "no Zarr group", "an existing group")),
    }
}

/// Checks that a group of a version can be added to an existing one.
fn check_parent(directory: &Path, version: ZarrVersion) -> Result<()> {
    let found = version_of(directory)?;
    if found == version {
        return Ok(());
    }
    let what = match found {
        ZarrVersion::V2 => "members of version 3 in a Zarr store of version 2 are not supported",
        ZarrVersion::V3 => "members of version 2 in a Zarr store of version 3 are not supported",
    };
    Err(Error::unsupported(Place::path(directory), what))
}

/// Returns the name of an entry that prevents a directory from being replaced: one that is not part
/// of a store, or any if the directory's own metadata does not describe a group or an array.
fn foreign(path: &Path) -> io::Result<Option<OsString>> {
    if is_described(path)? {
        return foreign_within(path, 0);
    }
    std::fs::read_dir(path)?.next().map(|entry| Ok(entry?.file_name())).transpose()
}

fn foreign_within(path: &Path, depth: usize) -> io::Result<Option<OsString>> {
    let array = path.join(".zarray").is_file() || is_array(path);
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        let text = name.to_string_lossy();
        // Leftovers of a killed process are removed with the store.
        let known = if is_hidden_name(&name) {
            true
        } else if kind.is_file() {
            FILES.contains(&&*text) || (array && is_chunk(&text))
        } else if !kind.is_dir() || depth == MAX_DEPTH {
            false
        } else if array {
            only_chunks(&entry.path(), depth)?
        } else {
            is_described(&entry.path())? && foreign_within(&entry.path(), depth + 1)?.is_none()
        };
        if !known {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Returns whether a directory has valid metadata of a group or an array.
fn is_described(path: &Path) -> io::Result<bool> {
    match node::read(path, &Place::path(path)).map_err(Error::into_parts) {
        Ok(node) => Ok(node.is_some()),
        Err((ErrorKind::Io(error), _)) => Err(error),
        Err(_) => Ok(false),
    }
}

fn is_array(path: &Path) -> bool {
    matches!(node::read(path, &Place::path(path)), Ok(Some(Node::Array(..))))
}

/// Returns whether a file has the name of a chunk, such as `0`, `0.3` or `c.7`.
fn is_chunk(name: &str) -> bool {
    let numbers = name.strip_prefix("c.").unwrap_or(name);
    name == "c" || numbers.split('.').all(|number| number.parse::<u64>().is_ok())
}

/// Returns whether a directory has only chunks, in subdirectories or not.
fn only_chunks(path: &Path, depth: usize) -> io::Result<bool> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let known = is_chunk(&entry.file_name().to_string_lossy())
            && (kind.is_file()
                || (kind.is_dir() && depth < MAX_DEPTH && only_chunks(&entry.path(), depth + 1)?));
        if !known {
            return Ok(false);
        }
    }
    Ok(true)
}
