//! Soft links to what is removed.

use std::collections::BTreeSet;
use std::sync::Arc;

use nnz_core::{Error, Result, readable};

use crate::read::file::File;
use crate::read::links::LinkTarget;
use crate::read::object::{Object, ObjectKind};

/// Fails if a soft link that is kept leads through a link that is removed, and would be broken. Links are given by the address
/// of their group and their name.
pub(super) fn check(file: &Arc<File>, removed: &BTreeSet<(u64, &str)>) -> Result<()> {
    if removed.is_empty() {
        return Ok(());
    }
    let root = file.root()?;
    let mut seen = BTreeSet::from([root.address()]);
    let mut pending = vec![(String::new(), root.clone())];
    while let Some((path, group)) = pending.pop() {
        // Links that cannot be read are broken already.
        let Some(links) = readable(group.links())? else { continue };
        for link in links.iter().filter(|link| !removed.contains(&(group.address(), &link.name))) {
            let name = format!("{path}{}", link.name);
            match &link.target {
                LinkTarget::Hard(address) if seen.insert(*address) => {
                    let object = readable(file.object(*address))?;
                    let inner = object.filter(|object| object.kind() == ObjectKind::Group);
                    pending.extend(inner.map(|group| (format!("{name}/"), group)));
                }
                LinkTarget::Soft(target) if is_broken(&root, &group, target, removed)? => {
                    let what = format!(
                        "{name} is a soft link to {target}, and would be broken: remove it, too"
                    );
                    return Err(Error::argument(what));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Returns whether a soft link leads to an object only as long as no link is removed.
fn is_broken(
    root: &Object,
    group: &Object,
    target: &str,
    removed: &BTreeSet<(u64, &str)>,
) -> Result<bool> {
    let from = if target.starts_with('/') { root } else { group };
    let mut uses_removed = false;
    let mut each = |address, name: &str| uses_removed |= removed.contains(&(address, name));
    let found = readable(from.open_along(target, &mut each))?;
    Ok(found.is_some() && uses_removed)
}
