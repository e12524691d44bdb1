//! The numbers of hard links to objects that lose links.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, Write};
use std::sync::Arc;

use nnz_core::{Result, readable};

use super::header_edit::HeaderEdit;
use super::output::Output;
use crate::read::file::File;
use crate::read::links::LinkTarget;
use crate::read::object::{Object, ObjectKind};

/// Objects that lose hard links, by address, and how many. The members of a group that loses its last link lose one as well.
pub(crate) struct LostLinks {
    objects: BTreeMap<u64, (Object, u32)>,
    /// Groups that are changed, whose members are not counted.
    changed: BTreeSet<u64>,
}

impl LostLinks {
    pub(crate) fn except(changed: impl Iterator<Item = u64>) -> Self {
        Self { objects: BTreeMap::new(), changed: changed.collect() }
    }

    /// Counts one link less to the object at an address.
    pub(crate) fn add(&mut self, file: &Arc<File>, address: u64) -> Result<()> {
        let mut pending = vec![address];
        while let Some(address) = pending.pop() {
            // An object that cannot be read can be removed, too.
            let known = self.objects.get(&address).cloned();
            let (object, lost) = match known {
                Some((object, lost)) => (object, lost.saturating_add(1)),
                None => match readable(file.object(address))? {
                    Some(object) => (object, 1),
                    None => continue,
                },
            };
            let is_last = lost == object.header.links.0.max(1);
            if is_last && object.kind() == ObjectKind::Group && !self.changed.contains(&address) {
                // This happens once for each group, so that cycles end.
                for link in readable(object.links())?.iter().flat_map(|links| links.iter()) {
                    if let LinkTarget::Hard(address) = link.target {
                        pending.push(address);
                    }
                }
            }
            self.objects.insert(address, (object, lost));
        }
        Ok(())
    }

    /// Takes out the number of lost links of an object.
    pub(crate) fn take(&mut self, address: u64) -> u32 {
        self.objects.remove(&address).map_or(0, |(_, lost)| lost)
    }

    /// Writes the new numbers of objects that keep links.
    pub(crate) fn write<W: Write + Seek>(self, output: &mut Output<W>) -> Result<()> {
        for (address, (object, lost)) in self.objects {
            let mut edit = HeaderEdit::new(object.file(), &object.header, address);
            edit.lose_links(lost, output)?;
            edit.write(output)?;
        }
        Ok(())
    }
}
