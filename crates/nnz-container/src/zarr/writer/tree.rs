//! Writing trees of groups and arrays.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nnz_core::{Error, ErrorKind, Place, Result, StringReader};
use serde_json::value::RawValue;

use super::array::Array;
use super::change::StoreChange;
use super::element::ElementDescription;
use super::metadata::{self, Attributes};
use super::options::ZarrOptions;
use super::strings::Strings;
use super::target::{self, GroupTarget};
use super::{ZarrVersion, attribute};
use crate::ContainerInfo;
use crate::json;
use crate::kinds::ZARR;
use crate::tree::{ArraySpec, Attribute, ElementType, FieldValues, NodeId, TreeWriter};
use nnz_chunk::Compression;
use nnz_core::full_path;
use nnz_storage::staging::WriteOptions;

/// A writer of a tree of groups and arrays in a Zarr store, which appears when it is finished.
///
/// ```
/// use nnz_storage::staging::WriteOptions;
/// use nnz_container::tree::{Attribute, NodeId, TreeWriter};
/// use nnz_container::zarr::{ZarrOptions, ZarrWriter, ZarrVersion};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("study.zarr");
/// let options = ZarrOptions { version: ZarrVersion::V2, ..ZarrOptions::default() };
/// let writer = ZarrWriter::create(&path, "", WriteOptions::default(), options)?;
/// let mut tree: Box<dyn TreeWriter> = Box::new(writer);
/// let obs = tree.create_group(NodeId::ROOT, "obs")?;
/// tree.set_attribute(obs, "encoding-type", &Attribute::of_text("dataframe"))?;
/// tree.write_array(obs, "n_counts", &[3], &[5.0_f32, 0.0, 2.0])?;
/// tree.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ZarrWriter {
    target: GroupTarget,
    /// The path of the group in messages.
    path: PathBuf,
    nodes: Vec<Node>,
    paths: BTreeSet<String>,
    /// The changes of an existing store.
    change: Option<StoreChange>,
    options: ZarrOptions,
    /// Whether a write has failed, so that the tree cannot be completed.
    failed: bool,
}

#[derive(Debug)]
struct Node {
    /// Its path in the group.
    path: String,
    attributes: Attributes,
    kind: NodeKind,
}

#[derive(Debug)]
enum NodeKind {
    Group,
    /// A group of an existing store, and whether its attributes are changed.
    Existing(bool),
    Array(Box<Array>),
    Strings(Box<Strings>),
}

impl Node {
    /// Records that attributes of an existing group are changed.
    fn mark_changed(&mut self) {
        if let NodeKind::Existing(is_changed) = &mut self.kind {
            *is_changed = true;
        }
    }
}

impl ZarrWriter {
    /// Starts writing a group, with or without a leading slash; the root group has an empty name.
    ///
    /// Missing parent groups are created. An existing group is replaced only with `overwrite`, and
    /// only if it has nothing but Zarr data.
    ///
    /// # Errors
    ///
    /// Fails if the group may not be replaced, or if an existing store is not Zarr of the version
    /// or cannot be written.
    pub fn create(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: ZarrOptions,
    ) -> Result<Self> {
        if let Some(name) = group.split('/').find(|name| name.starts_with("__")) {
            let what = format!("{name:?} cannot be the name of a group in a Zarr store");
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        }
        let target = GroupTarget::create(path, group, write, options.version)?;
        let root =
            Node { path: String::new(), attributes: Attributes::new(), kind: NodeKind::Group };
        let path = full_path(path, group);
        let (nodes, paths) = (vec![root], BTreeSet::new());
        Ok(Self { target, path, nodes, paths, change: None, options, failed: false })
    }

    /// Starts adding a group or an array to an existing store, whose other contents are kept.
    /// `member` is its path from the root. The root of the tree is the parent group, which must
    /// exist; only the member may be created in it.
    ///
    /// An existing group or array is replaced only with `overwrite`. The version of the store
    /// is kept. Consolidated metadata of parent groups is removed before the member is put in place,
    /// and written again afterwards.
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create).
    pub fn add(
        path: &Path,
        member: &str,
        write: WriteOptions,
        options: ZarrOptions,
    ) -> Result<Self> {
        let target = GroupTarget::add(path, member, write)?;
        let root =
            Node { path: String::new(), attributes: Attributes::new(), kind: NodeKind::Group };
        let around = member.trim_matches('/').rsplit_once('/').map_or("", |(around, _)| around);
        let path = full_path(path, around);
        let options = ZarrOptions { version: target.version(), ..options };
        let (nodes, paths) = (vec![root], BTreeSet::new());
        Ok(Self { target, path, nodes, paths, change: None, options, failed: false })
    }

    /// Starts changing an existing group of a store and the groups in it. The group is the root of the tree; the root group of
    /// the store has an empty name.
    ///
    /// The changed store is built next to the store, with links to all files that stay as they are, and then replaces it. The
    /// version of the store is kept. Consolidated metadata is updated where it exists.
    ///
    /// # Errors
    ///
    /// Fails if the group is missing, if the store has symbolic links or cannot be written.
    pub fn edit(
        path: &Path,
        group: &str,
        write: WriteOptions,
        options: ZarrOptions,
    ) -> Result<Self> {
        let (target, change) = GroupTarget::edit(path, group, write)?;
        let attributes = change.attributes("", &Place::path(full_path(path, group)))?;
        let root = Node { path: String::new(), attributes, kind: NodeKind::Existing(false) };
        let path = full_path(path, group);
        let options = ZarrOptions { version: target.version(), ..options };
        let (nodes, paths) = (vec![root], BTreeSet::new());
        Ok(Self { target, path, nodes, paths, change: Some(change), options, failed: false })
    }

    /// Sets a JSON attribute.
    fn set_json(&mut self, node: NodeId, name: &str, value: Box<RawValue>) -> Result<()> {
        let place = self.attribute_place(node, name);
        if node == NodeId::ROOT && self.target.only_member().is_some() {
            let what = "an attribute of an existing group".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        let exists = Error::new(ErrorKind::Exists, place);
        let node = self.node(node)?;
        if node.attributes.contains_key(name) {
            return Err(exists);
        }
        node.attributes.insert(name.to_owned(), value);
        node.mark_changed();
        Ok(())
    }

    /// Returns the path of a member of an existing group, which must exist.
    fn existing(&self, parent: NodeId, name: &str) -> Result<(String, Place)> {
        let parent_place = self.place(parent);
        let Some(Node { path, kind: NodeKind::Existing(_), .. }) = self.nodes.get(parent.0) else {
            let expected = "a group of an existing store";
            return Err(Error::mismatch(parent_place, "a new group or an array", expected));
        };
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let place = Place::array(&*self.path, &path);
        match &self.change {
            Some(change) if target::is_name(name) && change.is_there(&path) => Ok((path, place)),
            _ => Err(Error::new(ErrorKind::Missing, place)),
        }
    }

    fn node(&mut self, node: NodeId) -> Result<&mut Node> {
        let found = self.nodes.get_mut(node.0);
        found.ok_or_else(|| Error::argument("the group or array belongs to another tree"))
    }

    fn attribute_place(&self, node: NodeId, name: &str) -> Place {
        let mut place = self.place(node);
        place.array = Some(format!("{}@{name}", place.array.unwrap_or_default()));
        place
    }

    /// Checks that a member can be added to a group, and returns its path.
    fn take(&mut self, parent: NodeId, name: &str) -> Result<(String, Place)> {
        let parent_place = self.place(parent);
        let Node { path, kind: NodeKind::Group | NodeKind::Existing(_), .. } = self.node(parent)?
        else {
            return Err(Error::mismatch(parent_place, "an array", "a group"));
        };
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let place = Place::array(&*self.path, &path);
        if parent == NodeId::ROOT && self.target.only_member().is_some_and(|only| only != name) {
            let what = "a member other than the added one".to_owned();
            return Err(Error::new(ErrorKind::Argument(what), place));
        }
        if !target::is_name(name) {
            let what = format!("{name:?} cannot be a name in a Zarr store");
            return Err(Error::new(ErrorKind::Unsupported(what), place));
        }
        let is_old = self.change.as_ref().is_some_and(|change| change.is_there(&path));
        match !is_old && self.paths.insert(path.clone()) {
            true => Ok((path, place)),
            false => Err(Error::new(ErrorKind::Exists, place)),
        }
    }

    fn push(&mut self, path: String, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { path, attributes: Attributes::new(), kind });
        NodeId(self.nodes.len() - 1)
    }

    /// Calls a function with an array.
    fn with(
        &mut self,
        array: NodeId,
        work: impl FnOnce(&mut NodeKind, &GroupTarget) -> Option<Result<()>>,
    ) -> Result<()> {
        let place = self.place(array);
        let node = self.nodes.get_mut(array.0);
        let done = node.and_then(|node| work(&mut node.kind, &self.target));
        let done = done.unwrap_or_else(|| {
            Err(Error::mismatch(place, "values of another type", "the type of the array"))
        });
        self.failed |= done.is_err();
        done
    }
}

impl TreeWriter for ZarrWriter {
    fn info(&self) -> &'static ContainerInfo {
        &ZARR
    }

    fn place(&self, node: NodeId) -> Place {
        match self.nodes.get(node.0).map(|node| &*node.path) {
            None | Some("") => Place::path(&*self.path),
            Some(path) => Place::array(&*self.path, path),
        }
    }

    fn supports(&self, element: &ElementType) -> bool {
        ElementDescription::new(element, self.options.version).is_some()
    }

    fn usual_compression(&self) -> Compression {
        Compression::Zstd(3)
    }

    fn create_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        let (path, _) = self.take(parent, name)?;
        Ok(self.push(path, NodeKind::Group))
    }

    fn create_array(&mut self, parent: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let ZarrOptions { version, threads, .. } = self.options;
        spec.check_by_row()?;
        spec.compression.check()?;
        let mut described = ElementDescription::new(&spec.element, version).ok_or_else(|| {
            let place = Place::array(self.place(parent).path.unwrap_or_default(), name);
            let what = format!("Zarr arrays of {} are not supported", spec.element);
            Error::unsupported(place, what)
        })?;
        if let Some(fill) = spec.fill {
            if spec.element != ElementType::Number(fill.value_type()) {
                return Err(Error::argument(
                    "the fill value and the elements have different types",
                ));
            }
            described = described.with_fill(fill, version);
        }
        if spec.shard.is_some() && (version == ZarrVersion::V2 || described.is_text) {
            return Err(Error::argument(
                "shards are supported only for numbers in Zarr of version 3",
            ));
        }
        let dimensions = spec.dimensions.as_ref().map_or(spec.shape.len(), Vec::len);
        if dimensions != spec.shape.len() {
            return Err(Error::argument("the number of dimension names does not match the shape"));
        }
        let (path, place) = self.take(parent, name)?;
        let (inner, context) = (path.clone(), place.clone());
        let kind = match described.is_text {
            true => Strings::new(inner, place, spec, described, version)
                .map(|strings| NodeKind::Strings(Box::new(strings))),
            false => Array::new(inner, place, spec, described, (version, threads))
                .map(|array| NodeKind::Array(Box::new(array))),
        };
        let kind = kind.map_err(|error| error.with_context(&context))?;
        Ok(self.push(path, kind))
    }

    fn set_attribute(&mut self, node: NodeId, name: &str, attribute: &Attribute) -> Result<()> {
        let value = attribute::json(attribute).map_err(|what| {
            let what = format!("Zarr attributes of {what} are not supported");
            Error::unsupported(self.attribute_place(node, name), what)
        })?;
        self.set_json(node, name, value)
    }

    fn set_text(&mut self, group: NodeId, name: &str, text: &str) -> Result<()> {
        let value = json::object(text).unwrap_or_else(|| metadata::string(text));
        self.set_json(group, name, value)
    }

    fn open_group(&mut self, parent: NodeId, name: &str) -> Result<NodeId> {
        let (path, place) = self.existing(parent, name)?;
        if let Some(at) = self.nodes.iter().position(|node| node.path == path) {
            return Ok(NodeId(at));
        }
        let change =
            self.change.as_ref().ok_or_else(|| Error::new(ErrorKind::Missing, place.clone()))?;
        let attributes = change.attributes(&path, &place)?;
        self.nodes.push(Node { path, attributes, kind: NodeKind::Existing(false) });
        Ok(NodeId(self.nodes.len() - 1))
    }

    fn remove(&mut self, parent: NodeId, name: &str) -> Result<()> {
        let (path, _) = self.existing(parent, name)?;
        if let Some(change) = &mut self.change {
            change.remove(path);
        }
        Ok(())
    }

    fn remove_attribute(&mut self, group: NodeId, name: &str) -> Result<()> {
        let missing = Error::new(ErrorKind::Missing, self.attribute_place(group, name));
        let node = self.node(group)?;
        if !matches!(node.kind, NodeKind::Existing(_)) || node.attributes.remove(name).is_none() {
            return Err(missing);
        }
        node.mark_changed();
        Ok(())
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        self.with(array, |kind, target| match kind {
            NodeKind::Array(array) => Some(array.append(target, bytes)),
            _ => None,
        })
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        self.with(array, |kind, target| match kind {
            NodeKind::Array(array) => Some(array.append_strings(target, strings)),
            NodeKind::Strings(array) => Some(array.append(target, strings)),
            NodeKind::Group | NodeKind::Existing(_) => None,
        })
    }

    fn append_records(&mut self, array: NodeId, fields: &mut [FieldValues<'_>]) -> Result<()> {
        self.with(array, |kind, target| match kind {
            NodeKind::Array(array) => Some(array.append_records(target, fields)),
            _ => None,
        })
    }

    fn finish_array(&mut self, array: NodeId) -> Result<()> {
        self.with(array, |kind, target| match kind {
            NodeKind::Array(array) => Some(array.finish(target)),
            NodeKind::Strings(array) => Some(array.finish(target)),
            NodeKind::Group | NodeKind::Existing(_) => None,
        })
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        if self.failed {
            let error = std::io::Error::other("an earlier write has failed");
            return Err(Error::new(ErrorKind::Io(error), self.place(NodeId::ROOT)));
        }
        let mut documents = BTreeMap::new();
        let version = self.options.version;
        for Node { path, attributes, kind } in &mut self.nodes {
            let described = match kind {
                NodeKind::Group => metadata::group(attributes, version),
                NodeKind::Existing(false) => continue,
                NodeKind::Existing(true) => {
                    if let Some(change) = &mut self.change {
                        change.set_attributes(path, std::mem::take(attributes));
                    }
                    continue;
                }
                NodeKind::Array(array) => {
                    array.finish(&self.target)?;
                    array.documents(attributes)
                }
                NodeKind::Strings(strings) => {
                    strings.finish(&self.target)?;
                    strings.documents(attributes)
                }
            };
            documents.insert(std::mem::take(path), described);
        }
        match self.change {
            Some(change) => self.target.finish_change(documents, change),
            None => self.target.finish(documents, self.options.consolidate),
        }
    }
}
