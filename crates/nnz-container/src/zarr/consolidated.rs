//! Consolidated metadata: what all groups and arrays of a store say, in one file of its root.

use std::collections::BTreeMap;
use std::path::PathBuf;

use nnz_core::{Result, readable};
use nnz_storage::InputDirectory;
use serde_json::value::RawValue;

use super::node::{Fields, MAX_LEN};
use super::store::inside;

/// Files that may say what a directory is, of version 2 of Zarr.
const FILES: [&str; 4] = ["zarr.json", ".zarray", ".zgroup", ".zattrs"];

/// Returns the object in the field of an object; `None` where there is none.
fn object(fields: &Fields, name: &str) -> Option<Fields> {
    serde_json::from_str(fields.get(name)?.get()).ok()
}

/// Returns whether the metadata of a node of version 3 describes a group.
fn is_group(node: &RawValue) -> bool {
    let fields = serde_json::from_str::<Fields>(node.get()).ok();
    fields
        .is_some_and(|fields| fields.get("node_type").is_some_and(|kind| kind.get() == "\"group\""))
}

/// Reads the consolidated metadata at the root of a store, so that the metadata of its members is not requested.
///
/// It is used only where requests have a latency: the metadata of a local store is read from its members.
pub(super) fn remember(root: &InputDirectory) -> Result<()> {
    if !root.has_latency() {
        return Ok(());
    }
    if let Some(Some(text)) = readable(root.read_metadata("zarr.json", MAX_LEN))? {
        // Other metadata is ignored.
        let found = serde_json::from_slice::<Fields>(&text).ok();
        let found = found.and_then(|root| object(&root, "consolidated_metadata"));
        let nodes = found.and_then(|found| object(&found, "metadata")).unwrap_or_default();
        let nodes: Vec<_> =
            nodes.iter().filter_map(|(path, node)| Some((inside(path)?, node))).collect();
        // Only arrays have files other than their metadata.
        let groups = nodes.iter().filter(|(_, node)| is_group(node)).map(|(path, _)| path.clone());
        let all = if nodes.is_empty() { None } else { Some(PathBuf::new()) };
        let groups: Vec<_> = groups.chain(all).collect();
        let files = nodes
            .iter()
            .map(|(path, node)| (path.join("zarr.json"), Some(node.get().as_bytes().to_vec())));
        root.remember(files, groups);
        return Ok(());
    }
    let Some(Some(text)) = readable(root.read_metadata(".zmetadata", MAX_LEN))? else {
        return Ok(());
    };
    let found = serde_json::from_slice::<Fields>(&text).ok();
    let found = found.and_then(|found| object(&found, "metadata")).unwrap_or_default();
    let mut files = BTreeMap::new();
    let mut groups = Vec::new();
    for (path, text) in found {
        let Some(path) = inside(&path) else { continue };
        let directory = path.parent().map(PathBuf::from).unwrap_or_default();
        if path.ends_with(".zgroup") {
            groups.push(directory.clone());
        }
        for name in FILES {
            files.entry(directory.join(name)).or_insert(None);
        }
        files.insert(path, Some(text.get().as_bytes().to_vec()));
    }
    root.remember(files, groups);
    Ok(())
}
