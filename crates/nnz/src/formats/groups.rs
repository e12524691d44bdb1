//! Groups of a file with data of some format.

use crate::Context;
use std::path::Path;

use nnz_container::FoundGroup;
use nnz_core::{Error, ErrorKind, Place, Result};
use nnz_storage::Opened;

use super::{DatasetKind, Detected, Member, Probe, Registry};
use crate::{Dataset, Location, OpenOptions};

impl Registry {
    /// Searches a file for groups that a format marks with an attribute.
    pub(super) fn marked(&self, probe: &Probe) -> Result<(&'static str, Vec<FoundGroup>)> {
        let Some((container, _)) = probe.group()? else { return Ok(("a file", Vec::new())) };
        let mut names: Vec<_> = self
            .formats()
            .iter()
            .flat_map(|format| format.info().group_attributes)
            .copied()
            .collect();
        names.dedup();
        Ok((container.info().description, container.groups_with(&names)?))
    }

    /// Returns the groups of formats that read one of the kinds, outermost first.
    pub(super) fn holding<'a>(
        &self,
        marked: &'a [FoundGroup],
        reads: impl Fn(&[DatasetKind]) -> bool,
    ) -> Vec<&'a str> {
        let holds = |found: &&FoundGroup| {
            let mut formats = self.formats().iter();
            formats.any(|format| reads(format.info().reads) && format.marks_group(found))
        };
        let mut groups: Vec<_> = marked.iter().filter(holds).map(|found| &*found.group).collect();
        groups.dedup();
        groups
    }

    pub(super) fn all_groups(&self, probe: &Probe) -> Result<Vec<String>> {
        let (_, marked) = self.marked(probe)?;
        Ok(self.holding(&marked, |_| true).into_iter().map(ToOwned::to_owned).collect())
    }
}

/// Returns the error for a file that has no matrix.
pub(super) fn none(kind: &str, path: &Path) -> Error {
    let what = format!("{kind} without a supported matrix");
    Error::new(ErrorKind::Unrecognized(what), Place::path(path))
}

/// Returns the full path of a group or matrix in a file: in MuData, `rna/X` is `mod/rna/X`. Other paths are unchanged.
///
/// # Errors
///
/// Fails if the file cannot be read.
#[cfg(feature = "singlecell")]
pub fn full_group(
    path: impl Into<std::path::PathBuf>,
    group: &str,
    context: &Context,
) -> Result<String> {
    let context = &context.operation();
    let file = Location::Path { path: path.into(), group: None };
    let probe = context.probe(&file, &OpenOptions::new())?;
    match probe.root()? {
        Some(root) => super::anndata::full_path(root, group),
        None => Ok(group.to_owned()),
    }
}

/// Returns the location of a group of a Zarr store whose path in the file system was given.
pub(super) fn zarr_location(path: &Path) -> Option<Place> {
    let is_node = |path: &&Path| {
        !path.as_os_str().is_empty()
            && [".zgroup", "zarr.json"].iter().any(|name| path.join(name).is_file())
    };
    let root = path.ancestors().skip(1).take_while(is_node).last()?;
    let group = path.strip_prefix(root).ok()?.to_str()?.to_owned();
    Some(Location::Path { path: root.to_path_buf(), group: Some(group) }.place())
}

/// Lists the other groups of a file with a matrix, a tensor or fragments, if the location is the
/// file or its root: all except the one that is read.
///
/// Groups are listed without a leading slash. A location with a group, and one without groups, has
/// none.
///
/// ```no_run
/// let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
/// for group in nnz::formats::other_groups("study.h5", &options, &context)? {
///     println!("study.h5::/{group}");
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the file cannot be searched, or if it has several groups and its root is not one of
/// them.
pub fn other_groups(
    location: impl Into<Location>,
    options: &OpenOptions,
    context: &Context,
) -> Result<Vec<String>> {
    let context = &context.operation();
    let location = &location.into().resolve(&**context.storage())?;
    let Location::Path { group, .. } = location else { return Ok(Vec::new()) };
    if !is_root(location) {
        return Ok(Vec::new());
    }
    let registry = context.registry();
    let probe = context.probe(location, options)?;
    if probe.group_name().is_none() {
        return Ok(Vec::new());
    }
    if group.is_some() {
        let mut others = registry.all_groups(&probe)?;
        others.retain(|group| !group.is_empty());
        return Ok(others);
    }
    others_beside(&context.detect(location, options)?, registry)
}

/// Lists the groups of a file, except the one that is read and those that are parts of it.
fn others_beside(found: &Detected, registry: &Registry) -> Result<Vec<String>> {
    let read = found.group().unwrap_or_default();
    let is_part = |group: &str| {
        found.format().includes_groups()
            && group.strip_prefix(read).is_some_and(|rest| read.is_empty() || rest.starts_with('/'))
    };
    let mut others = registry.all_groups(found.probe())?;
    others.retain(|group| group != read && !is_part(group));
    Ok(others)
}

/// Lists the matrices and tables of a file or store, for formats with several in one location.
///
/// ```no_run
/// let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
/// for member in nnz::formats::list_members("study.h5ad", &options, &context)? {
///     println!("{} {:?} {}", member.path, member.shape, member.value_type);
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if it cannot be opened or listed.
pub fn list_members(
    location: impl Into<Location>,
    options: &OpenOptions,
    context: &Context,
) -> Result<Vec<Member>> {
    let context = &context.operation();
    let location = &location.into();
    let registry = context.registry();
    let probe = context.probe(location, options)?;
    if probe.group_name().is_some() {
        return context.detect(location, options)?.members();
    }
    match registry.best(&probe)? {
        Some((format, _)) if format.selects(&probe)? => format.list(&probe),
        _ => Ok(Vec::new()),
    }
}

/// A location that was opened, and the rest of its file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The data.
    pub dataset: Dataset,
    /// As [`list_members`].
    pub members: Result<Vec<Member>>,
    /// As [`other_groups`].
    pub others: Result<Vec<String>>,
}

/// Opens a location and lists the rest of its file, but detects its format once.
///
/// ```no_run
/// let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
/// let found = nnz::formats::inspect("study.h5ad", &options, &context)?;
/// println!("{} matrices and tables", found.members?.len());
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if it cannot be opened.
pub fn inspect(
    location: impl Into<Location>,
    options: &OpenOptions,
    context: &Context,
) -> Result<Inspection> {
    let context = &context.operation();
    let location = &location.into();
    let registry = context.registry();
    let inspect = || {
        let found = context.detect(location, options)?;
        let (members, mut others) = (found.members(), Ok(Vec::new()));
        if found.group().is_some() && is_root(location) {
            others = others_beside(&found, registry);
        }
        let dataset = found.open(options)?;
        Ok(Inspection { dataset, members, others })
    };
    inspect().map_err(|error| match options.format {
        // The error says which format it has instead. A stream cannot be read again.
        Some(_) if !is_stream(location, context) => {
            options.open(location, context).err().unwrap_or(error)
        }
        _ => error,
    })
}

/// Returns whether a location can be read only once.
pub(crate) fn is_stream(location: &Location, context: &Context) -> bool {
    match location {
        Location::Stream => true,
        Location::Path { path, .. } => {
            matches!(Opened::new(context, path), Ok(Opened::Special(..)))
        }
    }
}

/// Returns whether a location is a file or store, or its root group.
fn is_root(location: &Location) -> bool {
    match location {
        Location::Path { group, .. } => {
            group.as_ref().is_none_or(|group| group.trim_matches('/').is_empty())
        }
        Location::Stream => false,
    }
}

/// Lists the groups in a group, which are lost when it is replaced.
pub(crate) fn groups_inside(path: &Path, group: &str, context: &Context) -> Result<Vec<String>> {
    let registry = context.registry();
    let root = Location::Path { path: path.to_path_buf(), group: None };
    let probe = context.probe(&root, &OpenOptions::new())?;
    let mut groups = registry.all_groups(&probe)?;
    let group = group.trim_matches('/');
    groups.retain(|inner| match inner.strip_prefix(group) {
        Some(rest) if group.is_empty() => !rest.is_empty(),
        Some(rest) => rest.starts_with('/'),
        None => false,
    });
    Ok(groups)
}

/// Formats groups for a message: with a leading slash, and only the first ones.
#[must_use]
pub fn list_groups(groups: &[String]) -> String {
    const MOST: usize = 20;
    let shown = groups.iter().take(MOST).map(|group| format!("/{}", group.escape_debug()));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = groups.len().checked_sub(MOST) {
        text += &format!(" and {more} more");
    }
    text
}
