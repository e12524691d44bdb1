//! Copying trees between containers.

mod array;
mod report;

use std::collections::BTreeSet;
use std::fmt;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::attribute::{Attribute, AttributeValue};
use super::group::{Attributes, ChildKind, Group};
use super::writer::{NodeId, TreeWriter};
use crate::Compression;

pub use report::{Change, ChangeKind, CopyReport};

/// Maximum number of groups, and maximum depth. Real files have a few hundred groups.
const MAX_GROUPS: u64 = 1 << 16;
const MAX_DEPTH: usize = 64;

/// Called with the number of elements copied since the previous call. An error cancels the copy.
pub type OnProgress<'a> = dyn Fn(u64) -> Result<()> + 'a;

/// Options for copying.
#[derive(Clone, Copy)]
pub struct CopyOptions<'a> {
    memory: u64,
    compression: Option<Compression>,
    progress: Option<&'a OnProgress<'a>>,
}

impl Default for CopyOptions<'_> {
    fn default() -> Self {
        Self { memory: 256 << 20, compression: None, progress: None }
    }
}

impl fmt::Debug for CopyOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyOptions").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl<'a> CopyOptions<'a> {
    /// Creates the default options: 256 MiB of memory, compressed like the source.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the size of elements that are in memory at a time, without chunks that are encoded or
    /// decoded.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Sets the compression of arrays, except scalars. By default, arrays that are compressed get
    /// the [usual compression](TreeWriter::usual_compression) of the target.
    #[must_use]
    pub fn compress(self, compression: Compression) -> Self {
        Self { compression: Some(compression), ..self }
    }

    /// Sets a function to call when elements are copied.
    #[must_use]
    pub fn progress(self, progress: &'a OnProgress<'a>) -> Self {
        Self { progress: Some(progress), ..self }
    }
}

/// Copies all attributes, arrays and groups of a group to a group of a writer.
///
/// Memory is bounded. What the target does not support is dropped or converted, and listed in the
/// report. References to objects that are copied too are kept, or converted to paths: relative to
/// the group of the array or group, if they point into it. In JSON, numbers of attributes lose
/// their type, but not their value.
///
/// ```
/// use nnz_storage::staging::WriteOptions;
/// use nnz_container::tree::{CopyOptions, NodeId, TreeWriter, copy_tree, open};
/// use nnz_container::zarr::{ZarrOptions, ZarrWriter};
/// # use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("study.h5");
/// # let writer = Hdf5Writer::create(&path, "", WriteOptions::default(), Hdf5Options::default())?;
/// # let mut tree: Box<dyn TreeWriter> = Box::new(writer);
/// # tree.write_array(NodeId::ROOT, "counts", &[2, 3], &[0_u32, 1, 2, 3, 4, 5])?;
/// # tree.finish()?;
/// # let target = dir.path().join("study.zarr");
/// let study = open(&path, "")?;
/// let writer =
///     ZarrWriter::create(&target, "", WriteOptions::default(), ZarrOptions::default())?;
/// let mut writer = Box::new(writer);
/// let report = copy_tree(&*study, &mut *writer, NodeId::ROOT, &CopyOptions::new())?;
/// for change in &report.changes {
///     eprintln!("{change}");
/// }
/// writer.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the source cannot be read or is inconsistent, or if the target cannot be written.
pub fn copy_tree(
    from: &dyn Group,
    to: &mut dyn TreeWriter,
    parent: NodeId,
    options: &CopyOptions<'_>,
) -> Result<CopyReport> {
    let mut copy = Copy::new(to, options);
    copy.group(from, parent, "", 0)?;
    copy.set_references(&inside(from.path()), parent)?;
    Ok(copy.report)
}

/// Copies an array with its attributes to a group of a writer; returns `None` if the target does
/// not support it.
///
/// # Errors
///
/// Fails as [`copy_tree`].
pub fn copy_array(
    from: &dyn super::NdArray,
    to: &mut dyn TreeWriter,
    parent: NodeId,
    name: &str,
    options: &CopyOptions<'_>,
) -> Result<(Option<NodeId>, CopyReport)> {
    let mut copy = Copy::new(to, options);
    let array = copy.array(from, parent, name, name)?;
    for (_, path, name, _) in std::mem::take(&mut copy.references) {
        copy.drop(&path, Some(&name), "a reference in an array that is copied by itself");
    }
    Ok((array, copy.report))
}

/// Copies all attributes of a group or an array.
///
/// # Errors
///
/// Fails as [`copy_tree`].
pub fn copy_attributes(
    from: &dyn Attributes,
    to: &mut dyn TreeWriter,
    node: NodeId,
) -> Result<CopyReport> {
    let options = CopyOptions::new();
    let mut copy = Copy::new(to, &options);
    copy.attributes(from, node, "")?;
    for (_, path, name, _) in std::mem::take(&mut copy.references) {
        copy.drop(&path, Some(&name), "a reference in an object that is copied by itself");
    }
    Ok(copy.report)
}

/// A copy in progress.
struct Copy<'a> {
    to: &'a mut dyn TreeWriter,
    options: &'a CopyOptions<'a>,
    report: CopyReport,
    seen: BTreeSet<u64>,
    /// References, which are set when all objects exist: node, path and attribute.
    references: Vec<(NodeId, String, String, Attribute)>,
}

impl<'a> Copy<'a> {
    fn new(to: &'a mut dyn TreeWriter, options: &'a CopyOptions<'a>) -> Self {
        let (seen, references) = (BTreeSet::new(), Vec::new());
        Self { to, options, report: CopyReport::default(), seen, references }
    }

    /// Records what is not copied.
    fn drop(&mut self, path: &str, attribute: Option<&str>, reason: impl fmt::Display) {
        self.note(ChangeKind::Dropped, path, attribute, reason);
    }

    fn note(
        &mut self,
        kind: ChangeKind,
        path: &str,
        attribute: Option<&str>,
        reason: impl fmt::Display,
    ) {
        let attribute = attribute.map(ToOwned::to_owned);
        let (path, reason) = (path.to_owned(), reason.to_string());
        self.report.changes.push(Change { kind, path, attribute, reason });
    }

    fn group(&mut self, from: &dyn Group, to: NodeId, path: &str, depth: usize) -> Result<()> {
        self.report.groups += 1;
        if self.report.groups > MAX_GROUPS || depth > MAX_DEPTH {
            let what =
                format!("more than {MAX_GROUPS} groups, or a depth of more than {MAX_DEPTH}");
            return Err(Error::unsupported(Place::path(from.path()), what));
        }
        if let Some(identity) = from.identity() {
            self.seen.insert(identity);
        }
        self.attributes(from, to, path)?;
        for child in from.children()? {
            let inner = match path {
                "" => child.name.clone(),
                _ => format!("{path}/{}", child.name),
            };
            match child.kind {
                ChildKind::Group => {
                    let group = from.group(&child.name)?;
                    if group.identity().is_some_and(|identity| self.seen.contains(&identity)) {
                        self.drop(&inner, None, "another link to a group that is copied");
                        continue;
                    }
                    match supported(self.to.create_group(to, &child.name))? {
                        Ok(made) => self.group(&*group, made, &inner, depth + 1)?,
                        Err(reason) => self.drop(&inner, None, reason),
                    }
                }
                ChildKind::Array => match supported(from.array(&child.name))? {
                    Ok(array) => self.array(&*array, to, &child.name, &inner).map(drop)?,
                    Err(reason) => self.drop(&inner, None, reason),
                },
                ChildKind::Other(what) => self.drop(&inner, None, what),
            }
        }
        Ok(())
    }

    fn attributes(&mut self, from: &dyn Attributes, to: NodeId, path: &str) -> Result<()> {
        for name in from.attributes()? {
            let Some(attribute) = from.attribute(&name)? else { continue };
            if matches!(attribute.value, AttributeValue::References(_)) {
                self.references.push((to, path.to_owned(), name, attribute));
                continue;
            }
            if let Err(reason) = supported(self.to.set_attribute(to, &name, &attribute))? {
                self.drop(path, Some(&name), reason);
            }
        }
        Ok(())
    }

    /// Sets references, which are paths from the root of the source, to objects below `parent`.
    fn set_references(&mut self, source: &str, parent: NodeId) -> Result<()> {
        let target = self.to.place(parent).array.unwrap_or_default();
        for (node, path, name, mut attribute) in std::mem::take(&mut self.references) {
            let AttributeValue::References(paths) = &mut attribute.value else { continue };
            let mut outside = false;
            for reference in paths.iter_mut().flatten() {
                match below(reference, source) {
                    Some(inner) => *reference = join(&target, inner),
                    None => outside = true,
                }
            }
            if outside {
                self.drop(&path, Some(&name), "references to objects that are not copied");
                continue;
            }
            let Err(reason) = supported(self.to.set_attribute(node, &name, &attribute))? else {
                continue;
            };
            let around = self.to.place(node).array.unwrap_or_default();
            let around = around.rsplit_once('/').map_or("", |(around, _)| around);
            match as_paths(&attribute, around)
                .map(|paths| supported(self.to.set_attribute(node, &name, &paths)))
            {
                Some(done) => match done? {
                    Ok(()) => {
                        let what = "references to objects are stored as their paths";
                        self.note(ChangeKind::Converted, &path, Some(&name), what);
                    }
                    Err(reason) => self.drop(&path, Some(&name), reason),
                },
                None => self.drop(&path, Some(&name), reason),
            }
        }
        Ok(())
    }
}

/// Converts references to paths, relative to a group if they point into it; `None` if one is null.
fn as_paths(attribute: &Attribute, around: &str) -> Option<Attribute> {
    let AttributeValue::References(paths) = &attribute.value else { return None };
    let path = |path: &Option<String>| {
        let path = path.as_deref()?;
        Some(match below(path, around) {
            Some(inner) if !inner.is_empty() => inner.to_owned(),
            _ => format!("/{path}"),
        })
    };
    let paths = paths.iter().map(path).collect::<Option<nnz_core::StringList>>()?;
    Some(Attribute { shape: attribute.shape.clone(), value: AttributeValue::Strings(paths) })
}

/// Separates what the container does not support from errors.
fn supported<T>(done: Result<T>) -> Result<std::result::Result<T, String>> {
    match done {
        Ok(done) => Ok(Ok(done)),
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => {
            Ok(Err(error.into_parts().0.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// Returns the path of a group in its file or store.
fn inside(path: &std::path::Path) -> String {
    let path = path.to_string_lossy();
    path.rsplit_once("::").map_or_else(String::new, |(_, inside)| inside.to_owned())
}

/// Returns the part of a path below another path.
fn below<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    let above = above.trim_matches('/');
    match above {
        "" => Some(path),
        _ if path == above => Some(""),
        _ => path.strip_prefix(above)?.strip_prefix('/'),
    }
}

fn join(above: &str, path: &str) -> String {
    match (above, path) {
        ("", path) => path.to_owned(),
        (above, "") => above.to_owned(),
        (above, path) => format!("{above}/{path}"),
    }
}
