//! Groups of a file that hold data of some format.

use std::path::Path;

use nnz_container::Tagged;
use nnz_core::{Error, ErrorKind, Place, Result};

use super::{DatasetKind, Grouped, Member, Registry};
use crate::{Location, OpenOptions};

impl Registry {
    /// Searches a file for groups that a format marks with an attribute.
    pub(super) fn marked(&self, kind: Grouped, path: &Path) -> Result<Vec<Tagged>> {
        let mut names: Vec<_> =
            self.formats().iter().flat_map(|format| format.group_attributes()).copied().collect();
        names.dedup();
        kind.groups_with(path, &names)
    }

    /// Returns the groups of formats that read one of the kinds, outermost first.
    pub(super) fn holding<'a>(
        &self,
        marked: &'a [Tagged],
        reads: impl Fn(&[DatasetKind]) -> bool,
    ) -> Vec<&'a str> {
        let holds = |found: &&Tagged| {
            let mut formats = self.formats().iter();
            formats.any(|format| reads(format.info().reads) && format.marks_group(found))
        };
        let mut groups: Vec<_> = marked.iter().filter(holds).map(|found| &*found.group).collect();
        groups.dedup();
        groups
    }

    fn all_groups(&self, kind: Grouped, path: &Path) -> Result<Vec<String>> {
        let marked = self.marked(kind, path)?;
        Ok(self.holding(&marked, |_| true).into_iter().map(ToOwned::to_owned).collect())
    }
}

/// Returns the only group that was found.
pub(super) fn only<'a>(found: &[&'a str], kind: Grouped, path: &Path) -> Result<&'a str> {
    let what = match found[..] {
        [only] => return Ok(only),
        [] => format!("{kind} without a matrix that this version reads"),
        _ => {
            let place = |group: &&str| {
                let mut whole = path.as_os_str().to_owned();
                whole.push(format!("::/{group}"));
                format!("\n  {}", Place::path(whole))
            };
            let places = found.iter().map(place);
            let what = format!("holds several; name one of{}", places.collect::<String>());
            return Err(Error::new(ErrorKind::Argument(what), Place::path(path)));
        }
    };
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}

/// Lists the other groups of a file that hold a matrix, a tensor or fragments, where the location
/// names the file or its root: those besides the one that is read.
///
/// Groups are named without a leading slash. A location that names a group, and one without groups,
/// has none.
///
/// ```no_run
/// use nnz::Location;
///
/// for group in nnz::formats::other_groups(&Location::parse("study.h5"))? {
///     println!("study.h5::/{group}");
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails where the file cannot be searched, or holds several and its root is none of them.
pub fn other_groups(location: &Location) -> Result<Vec<String>> {
    let Location::Path { path, group } = location else { return Ok(Vec::new()) };
    if group.as_ref().is_some_and(|group| !group.is_empty()) {
        return Ok(Vec::new());
    }
    let Some(kind) = Grouped::at(path)? else { return Ok(Vec::new()) };
    let registry = Registry::default();
    let read = match group {
        Some(_) => String::new(),
        None => {
            let found = registry.detect(location, &OpenOptions::new())?;
            found.group().unwrap_or_default().to_owned()
        }
    };
    let mut others = registry.all_groups(kind, path)?;
    others.retain(|group| *group != read);
    Ok(others)
}

/// Lists what a file or store holds, of formats with several matrices or tables in one place.
///
/// ```no_run
/// for member in nnz::formats::list_members(&"study.h5ad".into(), &nnz::OpenOptions::new())? {
///     println!("{} {:?} {}", member.path, member.shape, member.value_type);
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails where it cannot be opened or listed.
pub fn list_members(location: &Location, options: &OpenOptions) -> Result<Vec<Member>> {
    match location {
        Location::Path { path, .. } if Grouped::at(path)?.is_some() => {
            Registry::default().detect(location, options)?.members()
        }
        _ => Ok(Vec::new()),
    }
}

/// Lists the groups inside of a group, which are lost when that is replaced.
pub(crate) fn groups_inside(path: &Path, group: &str) -> Result<Vec<String>> {
    let Some(kind) = Grouped::at(path)? else { return Ok(Vec::new()) };
    let mut groups = Registry::default().all_groups(kind, path)?;
    let group = group.trim_matches('/');
    groups.retain(|inner| match inner.strip_prefix(group) {
        Some(rest) if group.is_empty() => !rest.is_empty(),
        Some(rest) => rest.starts_with('/'),
        None => false,
    });
    Ok(groups)
}

/// Writes groups as a message has them: with a slash before each, and no more than a few.
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
