//! The option to leave elements of a file out, such as those that cannot be read.

use std::sync::Arc;

use nnz_container::tree::Group;
use nnz_core::{Error, Result};

use super::{DROP, FormatOption, Probe};

/// The options of sources with several elements.
pub(super) const OPTIONS: &[FormatOption] = &[FormatOption::repeated(
    DROP,
    "NAME",
    "Leave out an element or a column, as if the file did not have it: obs/COLUMN, uns/KEY, obsm/KEY, row_attrs/NAME, \
     or a longer path. Can be repeated",
)];

/// Returns the root of a file without the elements to leave out, and the names of those that it does not have.
/// `required` are those that every file has.
pub(super) fn without_dropped(
    root: Arc<dyn Group>,
    probe: &Probe,
    required: &[&str],
) -> Result<(Arc<dyn Group>, Vec<String>)> {
    let mut missing = Vec::new();
    for name in probe.dropped() {
        let path = name.trim_matches('/');
        if path.is_empty() || required.contains(&path) {
            return Err(Error::argument(format!("{name:?} cannot be left out")));
        }
        if !nnz_singlecell::has_member(&*root, path)? {
            missing.push(name.clone());
        }
    }
    Ok((nnz_singlecell::without(root, probe.dropped()), missing))
}

/// Returns the error for a name of an element to leave out that does not exist.
pub(super) fn unknown(name: &str) -> Error {
    Error::argument(format!("cannot leave out {name:?}: there is no such element or column"))
}

/// Fails if an element to leave out does not exist in any of several files; `missing` are those that each file does
/// not have.
pub(super) fn check_in_any(missing: &[&[String]]) -> Result<()> {
    let in_none = |name: &&String| missing.iter().all(|names| names.contains(name));
    let mut first = missing.first().copied().unwrap_or_default().iter();
    first.find(in_none).map_or(Ok(()), |name| Err(unknown(name)))
}
