//! Named arrays in memory, for tests and for data without files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Error, ErrorKind, Names, Place, Result, StringList, StringReader, ValueType};

use crate::tree::{
    ArraySpec, Attributes, Child, ChildKind, ElementType, Group, NdArray, NodeId, TreeWriter,
    one_range,
};
use crate::{Capabilities, ContainerInfo, NamedArrays, NamedArraysWriter};

const MEMORY: ContainerInfo = ContainerInfo {
    capabilities: Capabilities { any_bytes: true, ..Capabilities::TEXTS },
    ..ContainerInfo::new("memory", "arrays in memory", &[])
};

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

    /// Creates an empty container with a path for messages, such as the path of its source.
    #[must_use]
    pub fn named(path: impl AsRef<Path>) -> Self {
        Self { name: path.as_ref().into(), members: Arc::default() }
    }

    /// Returns the arrays.
    #[must_use]
    pub fn arrays(&self) -> NamedArrays {
        NamedArrays::new(self.clone())
    }

    /// Starts writing. All members are replaced when the writer finishes.
    #[must_use]
    pub fn writer(&self) -> NamedArraysWriter {
        NamedArraysWriter::new(MemoryWriter { into: self.clone(), members: Vec::new() })
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

impl Attributes for Memory {}

impl Group for Memory {
    fn path(&self) -> &Path {
        &self.name
    }

    fn info(&self) -> &'static ContainerInfo {
        &MEMORY
    }

    fn children(&self) -> Result<Vec<Child>> {
        let members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        let names = members.keys().cloned();
        Ok(names.map(|name| Child { name, kind: ChildKind::Array }).collect())
    }

    fn group(&self, name: &str) -> Result<Box<dyn Group>> {
        Err(Error::new(ErrorKind::Missing, self.place(name)))
    }

    fn array(&self, name: &str) -> Result<Box<dyn NdArray>> {
        match self.member(name)? {
            Member::Numbers(value_type, bytes) => {
                let shape = [(bytes.len() / value_type.size()) as u64];
                let (place, element) = (self.place(name), ElementType::Number(value_type));
                Ok(Box::new(Numbers { place, element, shape, bytes }))
            }
            _ => Err(Error::mismatch(self.place(name), "no numbers", "numbers")),
        }
    }

    fn text(&self, name: &str) -> Result<String> {
        match self.member(name)? {
            Member::Text(text) => Ok(text),
            _ => Err(Error::mismatch(self.place(name), "no text", "text")),
        }
    }

    fn list_bytes(&self, name: &str) -> Result<u64> {
        Ok(self.strings_list(name)?.iter().map(|string| string.len() as u64).sum())
    }

    fn read_list(&self, name: &str) -> Result<Names<'_>> {
        Ok(self.strings_list(name)?.into_reader())
    }
}

#[derive(Debug)]
struct Numbers {
    place: Place,
    element: ElementType,
    shape: [u64; 1],
    bytes: Arc<Vec<u8>>,
}

impl Attributes for Numbers {}

impl NdArray for Numbers {
    fn place(&self) -> Place {
        self.place.clone()
    }

    fn shape(&self) -> &[u64] {
        &self.shape
    }

    fn element_type(&self) -> &ElementType {
        &self.element
    }

    fn stored_bytes(&self) -> Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_bytes(&self, selection: &[Range<u64>], out: &mut [u8]) -> Result<()> {
        let size = (self as &dyn NdArray).value_type()?.size();
        let first = one_range(self, selection, out)?;
        let start = usize::try_from(first).unwrap_or(usize::MAX) * size;
        out.copy_from_slice(&self.bytes[start..start + out.len()]);
        Ok(())
    }
}

#[derive(Debug)]
struct MemoryWriter {
    into: Memory,
    members: Vec<(String, NewMember)>,
}

#[derive(Debug)]
enum NewMember {
    Numbers(ValueType, Vec<u8>),
    Whole(Member),
}

impl MemoryWriter {
    fn add(&mut self, name: &str, member: NewMember) -> NodeId {
        self.members.push((name.to_owned(), member));
        NodeId(self.members.len())
    }

    fn member(&mut self, array: NodeId) -> Result<&mut NewMember> {
        let place = self.place(array);
        let found = array.0.checked_sub(1).and_then(|at| self.members.get_mut(at));
        found.map(|(_, member)| member).ok_or_else(|| Error::mismatch(place, "a group", "an array"))
    }
}

impl TreeWriter for MemoryWriter {
    fn info(&self) -> &'static ContainerInfo {
        &MEMORY
    }

    fn place(&self, node: NodeId) -> Place {
        match node.0.checked_sub(1).and_then(|at| self.members.get(at)) {
            Some((name, _)) => self.into.place(name),
            None => Place::path(&*self.into.name),
        }
    }

    fn create_array(&mut self, _: NodeId, name: &str, spec: &ArraySpec) -> Result<NodeId> {
        let place = self.into.place(name);
        let member = match spec.list_element(&place)? {
            ElementType::Number(value_type) => NewMember::Numbers(*value_type, Vec::new()),
            ElementType::String => NewMember::Whole(Member::Strings(StringList::default())),
            element => {
                let what = format!("arrays of {element} are not supported");
                return Err(Error::unsupported(place, what));
            }
        };
        Ok(self.add(name, member))
    }

    fn set_text(&mut self, _: NodeId, name: &str, text: &str) -> Result<()> {
        self.add(name, NewMember::Whole(Member::Text(text.to_owned())));
        Ok(())
    }

    fn append_bytes(&mut self, array: NodeId, bytes: &[u8]) -> Result<()> {
        if let NewMember::Numbers(_, all) = self.member(array)? {
            all.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn append_strings(&mut self, array: NodeId, strings: &mut dyn StringReader) -> Result<()> {
        if let NewMember::Whole(Member::Strings(list)) = self.member(array)? {
            while let Some(string) = strings.next_string()? {
                list.try_push(string)?;
            }
        }
        Ok(())
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
