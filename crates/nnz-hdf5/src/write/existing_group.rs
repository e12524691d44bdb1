//! A group of an existing file that is changed.

use std::collections::{BTreeMap, BTreeSet};

use nnz_core::Result;

use super::object::ObjectId;
use crate::read::object::Object;

/// A group of an existing file, and its changes.
pub(crate) struct ExistingGroup {
    pub(crate) group: Object,
    /// The new members.
    pub(crate) members: BTreeMap<String, ObjectId>,
    /// The existing members that were opened.
    pub(crate) opened: BTreeMap<String, ObjectId>,
    /// The names of existing members and attributes that are removed.
    pub(crate) removed: BTreeSet<String>,
    pub(crate) removed_attributes: BTreeSet<String>,
}

impl ExistingGroup {
    pub(crate) fn new(group: Object) -> Self {
        Self {
            group,
            members: BTreeMap::new(),
            opened: BTreeMap::new(),
            removed: BTreeSet::new(),
            removed_attributes: BTreeSet::new(),
        }
    }

    /// Returns whether there is a member with a name after the changes.
    pub(crate) fn has_member(&self, name: &str) -> Result<bool> {
        Ok(self.members.contains_key(name) || self.has_old_member(name)?)
    }

    /// Returns whether the file has a member that is not removed.
    pub(crate) fn has_old_member(&self, name: &str) -> Result<bool> {
        Ok(!self.removed.contains(name) && self.group.link(name)?.is_some())
    }

    /// Returns whether the file has an attribute that is not removed.
    pub(crate) fn has_old_attribute(&self, name: &str) -> Result<bool> {
        let attributes = self.group.attributes()?;
        let is_there = attributes.iter().any(|attribute| attribute.name == name);
        Ok(is_there && !self.removed_attributes.contains(name))
    }
}
