//! Changing groups of an existing file.

use std::io::{Seek, Write};
use std::sync::Arc;

use nnz_core::{Error, ErrorKind, Place, Result};

use super::super::dataset::ChunkStore;
use super::super::existing_group::ExistingGroup;
use super::super::object::{Object, ObjectId, ObjectKind};
use super::super::output::Output;
use super::{FileOptions, FileWriter};
use crate::global_heap::GlobalHeap;
use crate::read::file::File;
use crate::read::object::{Object as StoredObject, ObjectKind as StoredKind};

impl<W: Write + Seek> FileWriter<W> {
    /// Starts changing a copy of an existing file.
    pub(crate) fn change(
        target: W,
        file: &Arc<File>,
        options: FileOptions,
        place: Place,
    ) -> Result<Self> {
        let mut output = Output::append_to(target, file.base, file.bytes);
        // Also if nothing is appended: the superblock states the aligned end.
        output.align()?;
        let mut writer = Self {
            output,
            heap: GlobalHeap::default(),
            chunks: ChunkStore::new(options.threads),
            objects: Vec::new(),
            options,
            place,
            failed: false,
            existing: Some(Arc::clone(file)),
            replaced: None,
            start: ObjectId::ROOT,
        };
        writer.push_existing(String::new(), file.root()?);
        Ok(writer)
    }

    /// Returns the group from which paths start: the root group, or the existing group to which something is added.
    #[must_use]
    pub fn start_group(&self) -> ObjectId {
        self.start
    }

    /// Starts paths from an existing group, which is at `place`.
    pub(crate) fn start_from(&mut self, group: ObjectId, place: Place) {
        if let Some(Object { path, .. }) = self.objects.get_mut(group.0) {
            path.clear();
        }
        (self.start, self.place) = (group, place);
    }

    /// Opens a group in a group of an existing file. Soft links are followed.
    ///
    /// # Errors
    ///
    /// Fails if it is missing or not a group, or if `parent` is not an existing group.
    pub fn open_group(&mut self, parent: ObjectId, name: &str) -> Result<ObjectId> {
        let path = match self.objects.get(parent.0).map(|object| &*object.path) {
            None | Some("") => name.to_owned(),
            Some(path) => format!("{path}/{name}"),
        };
        let place = self.place.clone().with_array(path.clone());
        let existing = self.existing_group(parent)?;
        if let Some(opened) = existing.opened.get(name).filter(|_| !existing.removed.contains(name))
        {
            return Ok(*opened);
        }
        if name.contains('/') || !existing.has_old_member(name)? {
            return Err(Error::new(ErrorKind::Missing, place));
        }
        let group = existing.group.open(name).map_err(|error| error.with_context(&place))?;
        if group.kind() != StoredKind::Group {
            return Err(Error::mismatch(place, "an object of another kind", "a group"));
        }
        let id = self.push_existing(path, group);
        self.existing_group(parent)?.opened.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Removes a member of an existing group. Its space is not reused, and other links to the object are kept.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or if `parent` is not an existing group.
    pub fn remove(&mut self, parent: ObjectId, name: &str) -> Result<()> {
        let place = self.place_of(parent).with_array(name.to_owned());
        let existing = self.existing_group(parent)?;
        if !existing.has_old_member(name)? {
            return Err(Error::new(ErrorKind::Missing, place));
        }
        existing.removed.insert(name.to_owned());
        Ok(())
    }

    /// Returns a group of the existing file.
    pub(super) fn existing_group(&mut self, group: ObjectId) -> Result<&mut ExistingGroup> {
        let place = self.place_of(group);
        match self.objects.get_mut(group.0).map(|object| &mut object.kind) {
            Some(ObjectKind::Existing(existing)) => Ok(existing),
            _ => Err(Error::mismatch(place, "a new object", "a group of an existing file")),
        }
    }

    /// Adds a group of the existing file, unless it was opened by another link.
    fn push_existing(&mut self, path: String, group: StoredObject) -> ObjectId {
        let is_same = |object: &Object| match &object.kind {
            ObjectKind::Existing(existing) => existing.group.address() == group.address(),
            _ => false,
        };
        if let Some(at) = self.objects.iter().position(is_same) {
            return ObjectId(at);
        }
        let kind = ObjectKind::Existing(Box::new(ExistingGroup::new(group)));
        self.objects.push(Object { path, attributes: Vec::new(), kind });
        ObjectId(self.objects.len() - 1)
    }
}
