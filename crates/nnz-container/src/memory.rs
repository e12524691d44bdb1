//! Named arrays in memory, for tests and for data without files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, ErrorKind, Names, Place, Result, StringList, StringReader, ValueType};

use crate::array::check_range;
use crate::kind::only_root;
use crate::{ArrayId, Capabilities, Container, ContainerWriter, NumberArray, OpenContainer};

#[derive(Clone, Debug)]
enum Member {
    Text(String),
    Numbers(ValueType, Arc<Vec<u8>>),
    Strings(StringList),
}

/// A container in memory. Clones share their contents.
#[derive(Clone, Debug)]
pub struct Memory {
    name: Arc<Path>,
    members: Arc<Mutex<BTreeMap<String, Member>>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::named("memory")
    }
}

impl Memory {
    /// Creates an empty container.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty container with a path for messages, such as that of its source.
    #[must_use]
    pub fn named(path: impl AsRef<Path>) -> Self {
        Self { name: path.as_ref().into(), members: Arc::default() }
    }

    /// Starts writing. All members are replaced when the writer finishes.
    #[must_use]
    pub fn writer(&self) -> MemoryWriter {
        MemoryWriter { into: self.clone(), members: Vec::new() }
    }

    fn member(&self, name: &str) -> Result<Member> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.get(name).cloned().ok_or_else(|| Error::new(ErrorKind::Missing, self.place(name)))
    }

    fn place(&self, name: &str) -> Place {
        Place::array(&*self.name, name)
    }

    fn strings_list(&self, name: &str) -> Result<StringList> {
        match self.member(name)? {
            Member::Strings(list) => Ok(list),
            _ => Err(Error::mismatch(self.place(name), "no strings", "strings")),
        }
    }
}

/// The root is the only group.
impl OpenContainer for Memory {
    fn description(&self) -> &'static str {
        "arrays in memory"
    }

    fn group(&self, name: &str) -> Result<Arc<dyn Container>> {
        only_root(&self.name, name)?;
        Ok(Arc::new(self.clone()))
    }
}

impl Container for Memory {
    fn path(&self) -> &Path {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "memory"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            value_types: ValueType::ALL,
            line_breaks: true,
            any_bytes: true,
            multiline_attributes: true,
        }
    }

    fn members(&self) -> Result<Vec<String>> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(members.keys().cloned().collect())
    }

    fn attribute(&self, name: &str) -> Result<String> {
        match self.member(name)? {
            Member::Text(text) => Ok(text),
            _ => Err(Error::mismatch(self.place(name), "no text", "text")),
        }
    }

    fn array(&self, name: &str) -> Result<Box<dyn NumberArray>> {
        match self.member(name)? {
            Member::Numbers(value_type, bytes) => {
                Ok(Box::new(Numbers { place: self.place(name), value_type, bytes }))
            }
            _ => Err(Error::mismatch(self.place(name), "no numbers", "numbers")),
        }
    }

    fn strings_size(&self, name: &str) -> Result<u64> {
        Ok(self.strings_list(name)?.iter().map(|string| string.len() as u64).sum())
    }

    fn read_strings(&self, name: &str) -> Result<Names<'_>> {
        Ok(self.strings_list(name)?.into_reader())
    }
}

struct Numbers {
    place: Place,
    value_type: ValueType,
    bytes: Arc<Vec<u8>>,
}

impl NumberArray for Numbers {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn value_type(&self) -> ValueType {
        self.value_type
    }

    fn len(&self) -> u64 {
        (self.bytes.len() / self.value_type.size()) as u64
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_bytes(&self, first: u64, out: &mut [u8]) -> Result<()> {
        check_range(self, first, out.len())?;
        let start = usize::try_from(first).unwrap_or(usize::MAX) * self.value_type.size();
        out.copy_from_slice(&self.bytes[start..start + out.len()]);
        Ok(())
    }
}

/// A writer for a [`Memory`].
#[derive(Debug)]
pub struct MemoryWriter {
    into: Memory,
    members: Vec<(String, NewMember)>,
}

#[derive(Debug)]
enum NewMember {
    Numbers(ValueType, Vec<u8>),
    Whole(Member),
}

impl MemoryWriter {
    fn add(&mut self, name: &str, member: NewMember) -> Result<ArrayId> {
        if self.members.iter().any(|(taken, _)| taken == name) {
            return Err(Error::new(ErrorKind::Exists, self.into.place(name)));
        }
        self.members.push((name.to_owned(), member));
        Ok(ArrayId(self.members.len() - 1))
    }
}

impl ContainerWriter for MemoryWriter {
    fn set_attribute(&mut self, name: &str, text: &str) -> Result<()> {
        self.add(name, NewMember::Whole(Member::Text(text.to_owned()))).map(drop)
    }

    fn create_array(&mut self, name: &str, value_type: ValueType) -> Result<ArrayId> {
        self.add(name, NewMember::Numbers(value_type, Vec::new()))
    }

    fn append_bytes(&mut self, array: ArrayId, bytes: &[u8]) -> Result<()> {
        if let Some((_, NewMember::Numbers(_, all))) = self.members.get_mut(array.0) {
            all.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn copy_strings(&mut self, name: &str, strings: &mut dyn StringReader) -> Result<()> {
        let list = strings.list()?;
        self.add(name, NewMember::Whole(Member::Strings(list))).map(drop)
    }

    fn finish(self: Box<Self>) -> Result<u64> {
        let mut bytes = 0;
        let members = self.members.into_iter().map(|(name, being)| {
            let member = match being {
                NewMember::Numbers(value_type, all) => {
                    bytes += all.len() as u64;
                    Member::Numbers(value_type, Arc::new(all))
                }
                NewMember::Whole(member) => member,
            };
            (name, member)
        });
        *self.into.members.lock().unwrap_or_else(PoisonError::into_inner) = members.collect();
        Ok(bytes)
    }
}
