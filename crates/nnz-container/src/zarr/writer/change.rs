//! Changes of an existing store: removed members, and groups with changed attributes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result};
use serde_json::value::RawValue;

use super::consolidated::{ConsolidatedGroup, Members};
use super::metadata::{Attributes, Document, object};
use super::options::ZarrVersion;
use crate::zarr::node::{self, Node};

/// Changes of an existing store. Paths are relative to a group of it.
#[derive(Debug)]
pub(super) struct StoreChange {
    store: PathBuf,
    /// The path of the group: empty, or names followed by `/`.
    group: String,
    version: ZarrVersion,
    removed: BTreeSet<String>,
    /// The new attributes of existing groups.
    attributes: BTreeMap<String, Attributes>,
}

impl StoreChange {
    pub(super) fn new(store: &Path, group: &str, version: ZarrVersion) -> Self {
        let (store, group) = (store.to_path_buf(), group.to_owned());
        Self { store, group, version, removed: BTreeSet::new(), attributes: BTreeMap::new() }
    }

    /// Reads the attributes of a group.
    pub(super) fn attributes(&self, path: &str, place: &Place) -> Result<Attributes> {
        let full = self.full(path);
        let mut directory = self.store.clone();
        for name in full.split('/').filter(|name| !name.is_empty()) {
            directory.push(name);
            if directory.is_symlink() {
                let what = "a symbolic link in a Zarr store is not followed";
                return Err(Error::unsupported(place.clone(), what));
            }
        }
        let version = if self.version == ZarrVersion::V2 { 2 } else { 3 };
        match node::read(&directory, place)? {
            Some(Node::Group(group)) if group.version == version => Ok(group.attributes),
            Some(Node::Group(_)) => {
                let what = "members of another version in a Zarr store are not supported";
                Err(Error::unsupported(place.clone(), what))
            }
            Some(Node::Array(..)) => Err(Error::mismatch(place.clone(), "an array", "a group")),
            None => Err(Error::new(ErrorKind::Missing, place.clone())),
        }
    }

    /// Returns whether the store has something at a path that is not removed.
    pub(super) fn is_there(&self, path: &str) -> bool {
        !self.is_gone(path) && self.store.join(self.full(path)).symlink_metadata().is_ok()
    }

    pub(super) fn remove(&mut self, path: String) {
        self.removed.insert(path);
    }

    pub(super) fn set_attributes(&mut self, path: &str, attributes: Attributes) {
        self.attributes.insert(path.to_owned(), attributes);
    }

    /// Returns the paths of removed members in the store.
    pub(super) fn removed(&self) -> BTreeSet<PathBuf> {
        self.removed.iter().map(|path| PathBuf::from(self.full(path))).collect()
    }

    /// Returns whether a path, or one of its parents, is removed.
    fn is_gone(&self, path: &str) -> bool {
        self.removed.iter().any(|removed| is_within(path, removed))
    }

    /// Returns a path in the store.
    fn full(&self, path: &str) -> String {
        format!("{}{path}", self.group).trim_end_matches('/').to_owned()
    }

    /// Returns the changed metadata files of existing groups by their paths in the store. `nodes` are new groups and arrays.
    pub(super) fn files(
        &self,
        nodes: &BTreeMap<String, Vec<Document>>,
    ) -> Result<BTreeMap<String, String>> {
        let mut files = BTreeMap::new();
        let kept = self.attributes.iter().filter(|(path, _)| !self.is_gone(path));
        for (path, attributes) in kept {
            let (name, text) = self.described(&self.full(path), attributes)?;
            files.insert(name, text);
        }
        // The groups around what is changed.
        let mut groups = BTreeSet::new();
        let own = self.attributes.keys().map(|path| self.full(path));
        let others = self.removed.iter().chain(nodes.keys());
        let parents = others.map(|path| match self.full(path).rsplit_once('/') {
            Some((parent, _)) => parent.to_owned(),
            None => String::new(),
        });
        for path in own.chain(parents) {
            groups.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
            groups.extend([String::new(), path]);
        }
        for group in groups {
            let directory = self.store.join(&group);
            if !directory.is_dir()
                || self.removed.iter().any(|it| is_within(&group, &self.full(it)))
            {
                continue;
            }
            let found = ConsolidatedGroup::find(&directory, self.version, String::new())?;
            let Some(found) = found else { continue };
            let name = match self.version {
                ZarrVersion::V2 => at(&group, ".zmetadata"),
                ZarrVersion::V3 => at(&group, "zarr.json"),
            };
            let before = files.get(&name).map(String::as_str);
            let text =
                found.changed(before, &mut |metadata| self.update(&group, nodes, metadata))?;
            files.insert(name, text);
        }
        Ok(files)
    }

    /// Updates the consolidated metadata of a group.
    fn update(
        &self,
        group: &str,
        nodes: &BTreeMap<String, Vec<Document>>,
        metadata: &mut Members,
    ) -> Result<()> {
        let inner = |path: &str| {
            let full = self.full(path);
            match group {
                "" => Some(full),
                group if full == group => Some(String::new()),
                group => full.strip_prefix(group)?.strip_prefix('/').map(str::to_owned),
            }
        };
        for removed in self.removed.iter().filter_map(|path| inner(path)) {
            metadata.retain(|key, _| !is_within(key, &removed));
        }
        for (path, documents) in nodes {
            let Some(path) = inner(path) else { continue };
            for (name, text) in documents {
                let key = match self.version {
                    ZarrVersion::V2 => at(&path, name),
                    ZarrVersion::V3 => path.clone(),
                };
                insert(metadata, key, text);
            }
        }
        for (path, attributes) in self.attributes.iter().filter(|(path, _)| !self.is_gone(path)) {
            let Some(key) = inner(path) else { continue };
            match self.version {
                ZarrVersion::V2 => insert(metadata, at(&key, ".zattrs"), &json(attributes)),
                // The attributes of the group itself are next to the consolidated metadata.
                ZarrVersion::V3 if key.is_empty() => {}
                ZarrVersion::V3 => {
                    let place = Place::path(self.store.join(self.full(path)));
                    let described = match metadata.get(&key) {
                        Some(described) => {
                            let text = described.get().as_bytes();
                            node::parse("consolidated metadata", text, &place)?
                        }
                        None => self.members(&self.full(path))?,
                    };
                    insert(metadata, key, &with_attributes(described, attributes));
                }
            }
        }
        Ok(())
    }

    /// Returns the file with the attributes of an existing group, and its text.
    fn described(&self, full: &str, attributes: &Attributes) -> Result<(String, String)> {
        Ok(match self.version {
            ZarrVersion::V2 => (at(full, ".zattrs"), json(attributes)),
            ZarrVersion::V3 => {
                (at(full, "zarr.json"), with_attributes(self.members(full)?, attributes))
            }
        })
    }

    /// Reads the metadata of a group of version 3.
    fn members(&self, full: &str) -> Result<Members> {
        let directory = self.store.join(full);
        let place = Place::path(&*directory);
        let found = node::local_json(&directory, "zarr.json", &place)?;
        found.ok_or_else(|| Error::new(ErrorKind::Missing, place))
    }
}

/// Returns the path of a file of a group.
fn at(group: &str, name: &str) -> String {
    match group {
        "" => name.to_owned(),
        group => format!("{group}/{name}"),
    }
}

/// Returns whether a path is the other one, or below it.
fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn json(attributes: &Attributes) -> String {
    object(attributes.iter().map(|(name, value)| (&**name, value.get())))
}

fn with_attributes(mut members: Members, attributes: &Attributes) -> String {
    insert(&mut members, "attributes".to_owned(), &json(attributes));
    json(&members)
}

/// Inserts a text that was created as JSON.
fn insert(members: &mut Members, key: String, text: &str) {
    if let Ok(value) = RawValue::from_string(text.to_owned()) {
        members.insert(key, value);
    }
}
