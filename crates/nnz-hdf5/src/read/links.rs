//! The links of groups, listed without reading their targets.

use nnz_core::{Error, Result};

use crate::UNDEFINED;
use crate::btree_v1::{self, NodeType};
use crate::btree_v2::{self, RecordType};
use crate::fault::invalid;
use crate::fractal_heap::FractalHeap;
use crate::local_heap::LocalHeap;
use crate::message::{MessageType, link, link_info, symbol_table};
use crate::object_header::ObjectHeader;
use crate::symbol_node;

use super::file::File;

/// A link with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name.
    pub name: String,
    /// The target.
    pub target: LinkTarget,
}

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// The object at an address.
    Hard(u64),
    /// A path in the same file.
    Soft(String),
    /// A path in another file.
    External {
        /// The name of the file.
        file: String,
        /// The path.
        path: String,
    },
    /// A link that another program defined.
    User,
}

impl LinkTarget {
    /// Describes a link that is not followed; `None` for links in the file.
    #[must_use]
    pub fn not_followed(&self) -> Option<String> {
        match self {
            Self::Hard(_) | Self::Soft(_) => None,
            Self::External { file, .. } => Some(format!("an external link to the file {file:?}")),
            Self::User => Some("a user-defined link".to_owned()),
        }
    }
}

/// Creates the error for a link that is not followed. The caller adds the location.
pub(crate) fn not_followed(what: &str) -> Error {
    let what = format!("{what} is not followed; copy its target into the file");
    Error::unsupported(nnz_core::Place::default(), what)
}

/// Returns the links of a group, including broken ones.
pub(crate) fn list(file: &File, header: &ObjectHeader) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    let mut room = file.bytes;
    // Entries and records may have the same name.
    let mut add = |link: Link| {
        let rest = room.checked_sub(link.name.len() as u64);
        room = rest.ok_or_else(|| invalid("names longer than the file"))?;
        links.push(link);
        Ok(())
    };
    for message in header.all(MessageType::LINK) {
        add(link::parse(&message.body, file.sizes)?)?;
    }
    if let Some(info) = header.body(file, MessageType::LINK_INFO)? {
        let info = link_info::parse(&info, file.sizes)?;
        each_dense(file, &info, &mut |body| add(link::parse(&body, file.sizes)?))?;
    }
    if let Some(table) = header.body(file, MessageType::SYMBOL_TABLE)? {
        let (tree, heap) = symbol_table::parse(&table, file.sizes)?;
        let heap = LocalHeap::read(file, heap)?;
        each_entry(file, tree, &mut |entry| {
            let target = match entry.soft {
                Some(path) => LinkTarget::Soft(heap.name(path)?),
                None => LinkTarget::Hard(entry.header),
            };
            add(Link { name: heap.name(entry.name)?, target })
        })?;
    }
    links.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(links)
}

/// Calls `each` with the link messages of a group with dense storage.
pub(crate) fn each_dense(
    file: &File,
    info: &link_info::LinkInfo,
    each: &mut dyn FnMut(Vec<u8>) -> Result<()>,
) -> Result<()> {
    if info.heap == UNDEFINED {
        return Ok(());
    }
    let mut heap = FractalHeap::open(file, info.heap)?;
    btree_v2::each_record(file, info.names, &[RecordType::LINK_NAMES], &mut |_, record| {
        // A hash precedes the ID.
        each(heap.object(file, record.get(4..).unwrap_or_default())?)
    })
}

/// Calls `each` with the entries of a group with a symbol table.
pub(crate) fn each_entry(
    file: &File,
    tree: u64,
    each: &mut dyn FnMut(symbol_node::StoredEntry) -> Result<()>,
) -> Result<()> {
    // Keys are offsets of names.
    let key = file.sizes.length;
    btree_v1::each_leaf(file, tree, (NodeType::Group, key), &mut |_, node| {
        symbol_node::read(file, node)?.into_iter().try_for_each(&mut *each)
    })
}
