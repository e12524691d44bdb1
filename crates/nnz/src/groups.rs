//! Groups of a file that hold matrices or fragments, and the one that is meant.

use std::path::Path;

use nnz_binsparse::DESCRIPTOR;
use nnz_container::Tagged;
use nnz_core::{Error, ErrorKind, Place, Result};

use crate::Location;
use crate::listing::grouped;
use crate::open::Sought;
use crate::store::{Grouped, Store};

/// What the version of a BPCells store contains.
const MATRIX: &str = "-matrix-";
const FRAGMENTS: &str = "-fragments-";

impl Sought {
    fn mark(self) -> &'static str {
        match self {
            Self::Matrix => MATRIX,
            Self::Fragments => FRAGMENTS,
        }
    }
}

/// Chooses the group of a file that is meant where none is named.
///
/// This is the root if it is itself a matrix, a tensor or fragments; then the only group that holds
/// what is sought, and then the only group that holds anything. A root that is a matrix gives way to
/// a group only where fragments are sought.
pub(crate) fn choose(kind: Grouped, path: &Path, sought: Sought) -> Result<String> {
    let root = root(kind, path);
    if root == Some(sought) || (root.is_some() && sought == Sought::Matrix) {
        return Ok(String::new());
    }
    let tagged = kind.groups_with(path, &["version", DESCRIPTOR])?;
    let mut found = holding(&tagged, &[sought.mark()]);
    if found.is_empty() && root.is_some() {
        return Ok(String::new());
    }
    if found.is_empty() {
        found = holding(&tagged, &[MATRIX, FRAGMENTS]);
    }
    let what = match found[..] {
        [only] => return Ok(only.to_owned()),
        [] => format!("{kind} without a matrix of BPCells or Binsparse, all this version reads"),
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

/// Returns what the root of a file is, if it is itself a matrix, a tensor or fragments.
fn root(kind: Grouped, path: &Path) -> Option<Sought> {
    // What cannot be opened is reported by the search.
    let store = Store::Group(kind, path.to_path_buf(), String::new()).open().ok()?;
    let version = store.tag("version").unwrap_or_default();
    if version.contains(FRAGMENTS) {
        return Some(Sought::Fragments);
    }
    let described = match store.text(DESCRIPTOR) {
        Ok(_) => true,
        // A description that cannot be read is still one.
        Err(error) => !matches!(error.kind(), ErrorKind::Missing),
    };
    (described || version.contains(MATRIX)).then_some(Sought::Matrix)
}

/// Returns the groups that hold something with one of the marks, outermost first.
fn holding<'a>(tagged: &'a [Tagged], marks: &[&str]) -> Vec<&'a str> {
    let holds = |found: &&Tagged| {
        let matrix = found.tag == DESCRIPTOR && marks.contains(&MATRIX);
        matrix || marks.iter().any(|mark| found.text.contains(mark))
    };
    let mut groups: Vec<_> = tagged.iter().filter(holds).map(|found| &*found.group).collect();
    groups.dedup();
    groups
}

/// Returns every group of a file that holds a matrix, a tensor or fragments, outermost first.
fn all(kind: Grouped, path: &Path) -> Result<Vec<String>> {
    let tagged = kind.groups_with(path, &["version", DESCRIPTOR])?;
    Ok(holding(&tagged, &[MATRIX, FRAGMENTS]).into_iter().map(ToOwned::to_owned).collect())
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
/// for group in nnz::other_groups(&Location::parse("study.h5"))? {
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
    let Some(kind) = grouped(path)? else { return Ok(Vec::new()) };
    let read = match group {
        Some(_) => String::new(),
        None => choose(kind, path, Sought::Matrix)?,
    };
    let mut others = all(kind, path)?;
    others.retain(|group| *group != read);
    Ok(others)
}

/// Lists the groups inside of a group, which are lost when that is replaced.
pub(crate) fn inside(path: &Path, group: &str) -> Result<Vec<String>> {
    let Some(kind) = grouped(path)? else { return Ok(Vec::new()) };
    let mut groups = all(kind, path)?;
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
