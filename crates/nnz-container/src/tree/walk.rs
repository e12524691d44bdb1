//! Visiting all groups of a tree.

use std::collections::BTreeSet;

use nnz_core::{Error, Place, Result};

use super::group::{Child, ChildKind, Group};

/// Maximum number of groups, and maximum depth. Real files have a few hundred groups.
const MAX_GROUPS: usize = 1 << 16;
const MAX_DEPTH: usize = 64;

/// The function that [`walk`] calls with each group, its relative path, and its members.
pub type Visit<'a> = dyn FnMut(&dyn Group, &str, &[Child]) -> Result<()> + 'a;

/// Visits a group and all groups in it, each once, outer ones first.
///
/// The path of `group` itself is empty; paths have no leading slash.
///
/// # Errors
///
/// Fails if a group cannot be read, if `visit` fails, or if there are too many groups or too many
/// levels.
pub fn walk(group: &dyn Group, visit: &mut Visit<'_>) -> Result<()> {
    let mut walker = Walker { seen: BTreeSet::new(), groups: 0, visit };
    walker.visit(group, "", 0)
}

struct Walker<'a, 'v> {
    seen: BTreeSet<u64>,
    groups: usize,
    visit: &'a mut Visit<'v>,
}

impl Walker<'_, '_> {
    fn visit(&mut self, group: &dyn Group, path: &str, depth: usize) -> Result<()> {
        if group.identity().is_some_and(|identity| !self.seen.insert(identity)) {
            return Ok(());
        }
        self.groups += 1;
        if self.groups > MAX_GROUPS || depth > MAX_DEPTH {
            let what =
                format!("more than {MAX_GROUPS} groups, or a depth of more than {MAX_DEPTH}");
            return Err(Error::unsupported(Place::path(group.path()), what));
        }
        let children = group.children()?;
        (self.visit)(group, path, &children)?;
        for child in children.iter().filter(|child| child.kind == ChildKind::Group) {
            let inner = match path {
                "" => child.name.clone(),
                _ => format!("{path}/{}", child.name),
            };
            self.visit(&*group.group(&child.name)?, &inner, depth + 1)?;
        }
        Ok(())
    }
}
