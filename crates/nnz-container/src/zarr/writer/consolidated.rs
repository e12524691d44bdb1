//! Updating the consolidated metadata of groups to which something is added, or that are changed.
//!
//! Two files cannot change in one step. The consolidated metadata is therefore removed first and
//! written again last, so that programs never read outdated metadata: a process that is killed in
//! between leaves a complete store without consolidated metadata.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use nnz_core::{Error, Place, Result};
use nnz_storage::staging::{StagedFile, WriteOptions};
use serde_json::value::RawValue;

use super::metadata::{Document, object};
use super::options::ZarrVersion;
use crate::zarr::node;

/// The members of a JSON object, unparsed.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// A group with consolidated metadata.
#[derive(Debug)]
pub(super) struct ConsolidatedGroup {
    /// The file with the metadata.
    file: PathBuf,
    version: ZarrVersion,
    /// The path from the group to what is added.
    added: String,
}

/// The files of groups whose consolidated metadata was removed.
pub(super) struct RemovedMetadata {
    groups: Vec<(ConsolidatedGroup, Vec<u8>, Members)>,
    write: WriteOptions,
}

/// The member with consolidated metadata in version 3.
const MEMBER: &str = "consolidated_metadata";

impl ConsolidatedGroup {
    /// Reads the consolidated metadata of a group, if there is any.
    pub(super) fn find(
        directory: &Path,
        version: ZarrVersion,
        added: String,
    ) -> Result<Option<Self>> {
        let place = Place::path(directory);
        let name = match version {
            ZarrVersion::V2 => ".zmetadata",
            ZarrVersion::V3 => "zarr.json",
        };
        let file = directory.join(name);
        let found = match (node::local_json(directory, name, &place)?, version) {
            (Some(_), ZarrVersion::V2) => true,
            (Some(members), ZarrVersion::V3) => {
                members.get(MEMBER).is_some_and(|found| found.get() != "null")
            }
            (None, _) => false,
        };
        let found = found.then_some(Self { file, version, added });
        if let Some(found) = &found {
            // In a form that can be updated.
            found.members(&place)?;
        }
        Ok(found)
    }

    /// Reads the file: its bytes, its members, and the metadata in it.
    fn members(&self, place: &Place) -> Result<(Vec<u8>, Members, Members)> {
        let bytes = std::fs::read(&self.file).map_err(|error| Error::io(&self.file, error))?;
        node::check_length("consolidated metadata", bytes.len() as u64, place)?;
        let members = node::parse("consolidated metadata", &bytes, place)?;
        let unknown = || {
            let what = "changing Zarr groups with unknown consolidated metadata is not supported";
            Error::unsupported(place.clone(), what)
        };
        let inner =
            |raw: &RawValue| serde_json::from_str::<Members>(raw.get()).map_err(|_| unknown());
        let around = match self.version {
            ZarrVersion::V2 => None,
            ZarrVersion::V3 => Some(inner(members.get(MEMBER).ok_or_else(unknown)?)?),
        };
        let kind = around.as_ref().and_then(|around| around.get("kind"));
        if kind.is_some_and(|kind| kind.get() != "\"inline\"") {
            return Err(unknown());
        }
        let metadata = around.as_ref().unwrap_or(&members).get("metadata");
        let metadata = inner(metadata.ok_or_else(unknown)?)?;
        Ok((bytes, members, metadata))
    }

    /// Returns the file with other metadata.
    fn with(&self, members: &Members, metadata: &Members) -> String {
        let metadata = object(metadata.iter().map(|(name, value)| (&**name, value.get())));
        let changed = match self.version {
            ZarrVersion::V2 => metadata,
            ZarrVersion::V3 => {
                format!("{{\"kind\":\"inline\",\"must_understand\":false,\"metadata\":{metadata}}}")
            }
        };
        let name = match self.version {
            ZarrVersion::V2 => "metadata",
            ZarrVersion::V3 => MEMBER,
        };
        let others = members.iter().filter(|(found, _)| *found != name);
        let others = others.map(|(name, value)| (&**name, value.get()));
        object(others.chain([(name, &*changed)]))
    }

    /// Returns the file with changed metadata. `text` is its changed text, if it was changed before.
    pub(super) fn changed(
        &self,
        text: Option<&str>,
        change: &mut dyn FnMut(&mut Members) -> Result<()>,
    ) -> Result<String> {
        let place = Place::path(&*self.file);
        let (_, mut members, mut metadata) = self.members(&place)?;
        if let Some(text) = text {
            members = node::parse("consolidated metadata", text.as_bytes(), &place)?;
        }
        change(&mut metadata)?;
        Ok(self.with(&members, &metadata))
    }

    fn write(&self, bytes: &[u8], write: WriteOptions) -> Result<()> {
        let staged = StagedFile::create(&self.file, &write.clone().overwrite(true))?;
        staged.file().write_all(bytes).map_err(|error| Error::io(&self.file, error))?;
        staged.commit().map(drop)
    }
}

/// Removes the consolidated metadata of groups.
pub(super) fn suspend(
    groups: Vec<ConsolidatedGroup>,
    write: WriteOptions,
) -> Result<RemovedMetadata> {
    let mut suspended = RemovedMetadata { groups: Vec::new(), write: write.clone() };
    for group in groups {
        let place = Place::path(&*group.file);
        let (bytes, mut members, metadata) = group.members(&place)?;
        let taken = match group.version {
            ZarrVersion::V2 => {
                std::fs::remove_file(&group.file).map_err(|error| Error::io(&group.file, error))
            }
            ZarrVersion::V3 => {
                members.remove(MEMBER);
                let text = object(members.iter().map(|(name, value)| (&**name, value.get())));
                group.write(text.as_bytes(), write.clone())
            }
        };
        suspended.groups.push((group, bytes, metadata));
        if let Err(error) = taken {
            suspended.restore();
            return Err(error);
        }
    }
    Ok(suspended)
}

impl RemovedMetadata {
    /// Restores everything, if nothing was added.
    pub(super) fn restore(self) {
        for (group, bytes, _) in &self.groups {
            // The original error is returned; the store is complete without it.
            let _ = group.write(bytes, self.write.clone());
        }
    }

    /// Writes the consolidated metadata including what was added, given by relative paths.
    pub(super) fn resume(self, added: &BTreeMap<String, Vec<Document>>) -> Result<()> {
        for (group, bytes, mut metadata) in self.groups {
            let place = Place::path(&*group.file);
            let members = node::parse("consolidated metadata", &bytes, &place)?;
            let below = format!("{}/", group.added);
            metadata.retain(|key, _| *key != group.added && !key.starts_with(&below));
            for (path, documents) in added {
                let path = match &**path {
                    "" => group.added.clone(),
                    path => format!("{below}{path}"),
                };
                for (name, text) in documents {
                    let key = match group.version {
                        ZarrVersion::V2 => format!("{path}/{name}"),
                        ZarrVersion::V3 => path.clone(),
                    };
                    // The text was created as JSON.
                    if let Ok(value) = RawValue::from_string(text.clone()) {
                        metadata.insert(key, value);
                    }
                }
            }
            group.write(group.with(&members, &metadata).as_bytes(), self.write.clone())?;
        }
        Ok(())
    }
}
