//! Attributes of a file that is being written.

use std::io::{Seek, Write};

use nnz_core::{Error, ErrorKind, Result};

use super::super::object::{Attribute, ObjectId, ObjectKind};
use super::super::value::{Data, Value};
use super::FileWriter;
use crate::message::{dataspace, datatype};

impl<W: Write + Seek> FileWriter<W> {
    /// Sets a new attribute of a group or a dataset.
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid or exists, or if a string has a zero byte.
    pub fn set_attribute(&mut self, object: ObjectId, name: &str, value: Value) -> Result<()> {
        let mut place = self.place_of(object);
        place.array = Some(format!("{}@{name}", place.array.unwrap_or_default()));
        let attribute = self.attribute(name, value).map_err(|error| error.with_context(&place))?;
        let Some(object) = self.objects.get_mut(object.0) else {
            return Err(Error::argument("the object belongs to another file"));
        };
        let is_old = match &object.kind {
            ObjectKind::Existing(existing) => existing.has_old_attribute(name)?,
            _ => false,
        };
        if is_old || object.attributes.iter().any(|there| there.name == name) {
            return Err(Error::new(ErrorKind::Exists, place));
        }
        object.attributes.push(attribute);
        Ok(())
    }

    /// Removes an attribute of an existing group.
    ///
    /// # Errors
    ///
    /// Fails if it is missing, or if the group is not an existing one.
    pub fn remove_attribute(&mut self, group: ObjectId, name: &str) -> Result<()> {
        let place = self.place_of(group).with_array(name.to_owned());
        let existing = self.existing_group(group)?;
        let is_old = existing.has_old_attribute(name)?;
        if is_old {
            existing.removed_attributes.insert(name.to_owned());
        }
        let new = self.objects.get_mut(group.0).and_then(|object| {
            let at = object.attributes.iter().position(|there| there.name == name)?;
            Some(object.attributes.remove(at))
        });
        match is_old || new.is_some() {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Missing, place)),
        }
    }

    fn attribute(&mut self, name: &str, value: Value) -> Result<Attribute> {
        if name.is_empty() || name.contains('\0') {
            return Err(Error::argument(format!("{name:?} cannot be the name of an attribute")));
        }
        let objects = self.objects.len();
        let known = |id: &ObjectId| id.0 < objects || *id == ObjectId::NONE;
        let (data, known) = match value.data {
            Data::Strings(strings) => {
                let mut bytes = Vec::with_capacity(16 * strings.len());
                for string in &strings {
                    bytes.extend(self.store_string(string.as_bytes())?);
                }
                (Data::Bytes(bytes), true)
            }
            Data::Bytes(bytes) => (Data::Bytes(bytes), true),
            Data::References(ids) => {
                let all = ids.iter().all(known);
                (Data::References(ids), all)
            }
            Data::ReferenceLists(lists) => {
                let all = lists.iter().flatten().all(known);
                (Data::ReferenceLists(lists), all)
            }
            Data::Axes(axes) => {
                let all = axes.iter().all(|(id, _)| known(id));
                (Data::Axes(axes), all)
            }
        };
        if !known {
            return Err(Error::argument("the referenced object belongs to another file"));
        }
        let datatype = datatype::encode(&value.element)?;
        let dataspace = dataspace::encode(&value.space)?;
        Ok(Attribute { name: name.to_owned(), datatype, dataspace, data })
    }
}
