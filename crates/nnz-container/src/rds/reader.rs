//! Reading the members of an object.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{At, Error, ErrorKind, Names, Place, Result, StringList, StringReader, ValueType};
use nnz_rds::{Cursor, Document, Limits, Object, Text, TextRef, Value};
use nnz_storage::InputFile;

use super::numbers::Numbers;
use crate::tree::{Attributes, Child, ChildKind, Group, NdArray};
use crate::{Capabilities, ContainerInfo};

/// Describes objects of R.
pub const INFO: ContainerInfo = ContainerInfo {
    capabilities: Capabilities {
        value_types: &[ValueType::U32, ValueType::F64],
        ..Capabilities::TEXTS
    },
    ..ContainerInfo::new("R object", "an R object", &[])
};

/// An R object in memory. Clones share it.
#[derive(Clone, Debug)]
pub struct Rds {
    path: PathBuf,
    native: Option<String>,
    class: Option<String>,
    members: BTreeMap<String, Arc<Object>>,
}

impl Rds {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Fails as [`read`](super::read) and [`from_document`](Self::from_document).
    pub fn open(path: &Path, limits: Limits) -> Result<Self> {
        Self::from_document(path, super::read(&InputFile::open(path)?, limits)?)
    }

    /// Wraps an object that was read from `path`.
    ///
    /// # Errors
    ///
    /// Fails if it is neither an S4 object nor a list with a name for each member.
    pub fn from_document(path: &Path, document: Document) -> Result<Self> {
        let Document { native, object, .. } = document;
        let place = Place::path(path);
        let to_utf8 = |text: TextRef<'_>| utf8(text, native.as_deref(), &place);
        let mut members = BTreeMap::new();
        let mut add = |name: String, object: Object| {
            let place = Place::array(path, &*name);
            match members.insert(name, Arc::new(object)) {
                None => Ok(()),
                Some(_) => Err(Error::mismatch(place, "a second member of this name", "one")),
            }
        };
        let mut class = None;
        if object.is_s4() {
            let name = object.class();
            let name = name.as_ref().map(Text::get);
            let Some(name) = name else {
                return Err(Error::mismatch(place, "an S4 object without a class", "its class"));
            };
            class = Some(to_utf8(name)?);
            for entry in object.attributes {
                let Some(tag) = entry.tag.filter(|tag| !tag.is("class")) else { continue };
                add(to_utf8(tag.text())?, entry.value)?;
            }
        } else {
            let (list, names) = named_list(object, &place)?;
            let mut list = list.into_iter();
            names.try_for_each(|name| match (name, list.next()) {
                (Some(name), Some(object)) => add(to_utf8(name)?, object),
                _ => Err(Error::mismatch(place.clone(), "a member without a name", "its name")),
            })?;
        }
        Ok(Self { path: path.to_path_buf(), native, class, members })
    }

    /// Returns the class of an S4 object; `None` for a list.
    #[must_use]
    pub fn class(&self) -> Option<&str> {
        self.class.as_deref()
    }

    /// Returns a member as an R object.
    ///
    /// # Errors
    ///
    /// Fails if it is missing.
    pub fn object(&self, name: &str) -> Result<&Object> {
        self.find(name).map(|(object, element)| element_of(object, element))
    }

    /// Finds a member, or the member of a member with the name `NAME[[NUMBER]]`.
    fn find(&self, name: &str) -> Result<(&Arc<Object>, Option<usize>)> {
        if let Some(object) = self.members.get(name) {
            return Ok((object, None));
        }
        let inner = name.strip_suffix("]]").and_then(|rest| rest.rsplit_once("[["));
        let found = inner.and_then(|(outer, number)| {
            let element = number.parse::<usize>().ok()?.checked_sub(1)?;
            let object = self.members.get(outer)?;
            match &object.value {
                Value::List(list) if element < list.len() => Some((object, Some(element))),
                _ => None,
            }
        });
        found.ok_or_else(|| Error::new(ErrorKind::Missing, self.place(name)))
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.path, name)
    }

    fn wrong_type(&self, name: &str, found: &Value, expected: &str) -> Error {
        Error::mismatch(self.place(name), found.kind(), expected)
    }
}

/// Returns the object at an index of a list.
pub(super) fn element_of(object: &Object, element: Option<usize>) -> &Object {
    match (&object.value, element) {
        (Value::List(list), Some(element)) => list.get(element).unwrap_or(object),
        _ => object,
    }
}

/// Splits a list into its members and their names.
fn named_list(object: Object, place: &Place) -> Result<(Vec<Object>, nnz_rds::Strings)> {
    let expected = "an S4 object or a list with names";
    let names = match object.attribute("names").map(|names| &names.value) {
        Some(Value::Character(names)) => names.clone(),
        _ => nnz_rds::Strings::new(),
    };
    match object.value {
        Value::List(list) if list.len() as u64 == names.len() => Ok((list, names)),
        Value::List(list) => {
            let found = format!("a list of {} members with {} names", list.len(), names.len());
            Err(Error::mismatch(place.clone(), found, expected))
        }
        other => Err(Error::mismatch(place.clone(), other.kind(), expected)),
    }
}

fn utf8(text: TextRef<'_>, native: Option<&str>, place: &Place) -> Result<String> {
    match text.to_utf8(native) {
        Some(text) => Ok(text.into_owned()),
        None => {
            let found = format!("\"{text}\" in an unknown encoding");
            Err(Error::mismatch(place.clone(), found, "UTF-8 or Latin-1"))
        }
    }
}

impl Attributes for Rds {}

impl Group for Rds {
    fn path(&self) -> &Path {
        &self.path
    }

    fn info(&self) -> &'static ContainerInfo {
        &INFO
    }

    fn children(&self) -> Result<Vec<Child>> {
        let names = self.members.keys().cloned();
        Ok(names.map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Err(Error::new(ErrorKind::Missing, self.place(name)))
    }

    fn text(&self, name: &str) -> Result<String> {
        let value = &self.object(name)?.value;
        let only = match value {
            Value::Character(strings) => strings.only(),
            _ => None,
        };
        let Some(only) = only else {
            return Err(self.wrong_type(name, value, "one string"));
        };
        utf8(only.get(), self.native.as_deref(), &self.place(name))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        let (object, element) = self.find(name)?;
        let place = self.place(name);
        match Numbers::new(Arc::clone(object), element, place) {
            Some(numbers) => Ok(Box::new(numbers)),
            None => {
                let found = &element_of(object, element).value;
                Err(self.wrong_type(name, found, "integers or doubles"))
            }
        }
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        match &self.object(name)?.value {
            Value::Null => Ok(0),
            Value::Character(strings) => Ok(strings.bytes()),
            other => Err(self.wrong_type(name, other, "strings")),
        }
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        let strings = match &self.object(name)?.value {
            Value::Null => return Ok(StringList::new().into_reader()),
            Value::Character(strings) => strings.cursor(),
            other => return Err(self.wrong_type(name, other, "strings")),
        };
        let (native, place) = (self.native.as_deref(), self.place(name));
        Ok(Box::new(Utf8 { strings, native, place, element: 0, text: Vec::new() }))
    }
}

/// The strings of a vector in UTF-8.
struct Utf8<'a> {
    strings: Cursor<'a>,
    native: Option<&'a str>,
    place: Place,
    element: u64,
    text: Vec<u8>,
}

impl StringReader for Utf8<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(text) = self.strings.next_text() else { return Ok(None) };
        let place = || self.place.clone().at(At::Element(self.element));
        let Some(text) = text else {
            return Err(Error::mismatch(place(), "a missing string (NA)", "a string"));
        };
        self.text.clear();
        match text.to_utf8(self.native) {
            Some(text) => self.text.extend_from_slice(text.as_bytes()),
            None => return utf8(text, self.native, &place()).map(|_| None),
        }
        self.element += 1;
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.strings.remaining())
    }
}
