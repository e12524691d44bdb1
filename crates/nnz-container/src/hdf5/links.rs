//! The links of a group, listed without parsing their targets.
//!
//! `hdf5-reader` lists members by kind and parses the header of each. It fails for the whole list
//! if one of them, such as a virtual dataset, cannot be parsed.

use hdf5_reader::btree_v1::collect_btree_v1_leaves_storage;
use hdf5_reader::btree_v2::{BTreeV2Header, BTreeV2Record, collect_btree_v2_records_storage};
use hdf5_reader::error::Error as HdfError;
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::group::Group;
use hdf5_reader::io::Cursor;
use hdf5_reader::local_heap::LocalHeap;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::link::{self, LinkTarget};
use hdf5_reader::messages::link_info::LinkInfoMessage;
use hdf5_reader::messages::symbol_table_msg::SymbolTableMessage;
use hdf5_reader::symbol_table::SymbolTableNode;
use nnz_core::{Error, Place, Result, readable};

use super::headers::{HiddenKind, link_name};
use super::opened::{Opened, call_library};

/// Maximum size of the names in an old-style group.
const MAX_NAMES: u64 = 64 << 20;

/// A link with its name.
pub(super) struct Link {
    pub(super) name: String,
    pub(super) target: Target,
}

/// The target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The object at an address.
    Hard(u64),
    /// A path in the same file.
    Soft,
    /// Another file.
    External,
    /// A link that another program defined.
    User,
}

impl Target {
    /// Describes a link that is not followed; `None` for links in the file.
    pub(super) fn not_followed(self) -> Option<&'static str> {
        match self {
            Self::Hard(_) | Self::Soft => None,
            Self::External => Some("an external link"),
            Self::User => Some("a user-defined link"),
        }
    }

    fn of(target: &LinkTarget) -> Self {
        match target {
            LinkTarget::Hard { address } => Self::Hard(*address),
            LinkTarget::Soft { .. } => Self::Soft,
            LinkTarget::External { .. } => Self::External,
        }
    }
}

/// Returns the links of a group, including broken ones.
pub(super) fn list(opened: &Opened, group: &Group, place: &Place) -> Result<Vec<Link>> {
    let header = call_library(place, || opened.meta.get_or_parse_header(group.address()))?;
    let mut links = Vec::new();
    let hidden = opened.headers.hidden(group.address()).into_iter();
    let user = hidden.filter(|hidden| hidden.kind == HiddenKind::Link);
    links.extend(user.map(|hidden| Link { name: hidden.name, target: Target::User }));
    for message in &header.messages {
        match message {
            HdfMessage::SymbolTable(table) => links.extend(old(opened, table, place)?),
            HdfMessage::Link(link) => {
                links.push(Link { name: link.name.clone(), target: Target::of(&link.target) })
            }
            HdfMessage::LinkInfo(info) if !opened.is_undefined(info.fractal_heap_address) => {
                links.extend(call_library(place, || dense(opened, info))?);
            }
            _ => {}
        }
    }
    Ok(links)
}

/// Returns the error for a member of a group that is a link which is not followed; `None` if it is something else.
pub(super) fn not_followed(
    opened: &Opened,
    group: &Group,
    name: &str,
    place: &Place,
) -> Result<Option<Error>> {
    let links = readable(list(opened, group, place))?.unwrap_or_default();
    let link = links.iter().find(|link| link.name == name);
    let what = link.and_then(|link| link.target.not_followed());
    Ok(what.map(|what| error_of(what, place.clone())))
}

/// Creates the error for a link that is not followed.
pub(super) fn error_of(what: &str, place: Place) -> Error {
    Error::unsupported(place, format!("{what} is not followed; copy its target into the file"))
}

/// Returns the links of an old-style group: symbol table nodes, with names in a local heap.
fn old(opened: &Opened, table: &SymbolTableMessage, place: &Place) -> Result<Vec<Link>> {
    /// Signature, version, a reserved byte and the number of entries.
    const PREFIX: usize = 8;
    let superblock = opened.meta.superblock();
    let (offset, length) = (superblock.offset_size, superblock.length_size);
    // Two addresses, the type of the cached data, four reserved bytes and the cached data.
    let entry_bytes = 2 * usize::from(offset) + 24;
    let (heap, leaves) = call_library(place, || {
        let storage = opened.meta.storage();
        let heap = LocalHeap::parse_at_storage(storage, table.heap_address, offset, length)?;
        let root = table.btree_address;
        let leaves =
            collect_btree_v1_leaves_storage(storage, root, offset, length, None, &[], None)?;
        Ok((heap, leaves))
    })?;
    if heap.data_segment_size > MAX_NAMES {
        let what = format!("HDF5 with a group whose names take more than {MAX_NAMES} bytes");
        return Err(Error::unsupported(place.clone(), what));
    }
    opened.check(heap.data_segment_address, heap.data_segment_size, place)?;
    let mut names = vec![0; usize::try_from(heap.data_segment_size).unwrap_or(0)];
    opened.read_metadata_at(heap.data_segment_address, &mut names, place)?;
    let mut links = Vec::new();
    for (_, address) in leaves {
        let mut node = vec![0; PREFIX];
        opened.read_metadata_at(address, &mut node, place)?;
        let entries = usize::from(u16::from_le_bytes([node[6], node[7]]));
        node.resize(PREFIX + entries * entry_bytes, 0);
        opened.read_metadata_at(address, &mut node, place)?;
        let node = call_library(place, || {
            SymbolTableNode::parse(&mut Cursor::new(&node), offset, length)
        })?;
        for entry in node.entries {
            let start = usize::try_from(entry.link_name_offset).unwrap_or(usize::MAX);
            let rest = names.get(start..).unwrap_or_default();
            let Some(end) = rest.iter().position(|&byte| byte == 0) else {
                let found = format!("a name at byte {start} of a heap of {}", names.len());
                return Err(Error::mismatch(place.clone(), found, "a name that ends inside"));
            };
            let name = String::from_utf8_lossy(&rest[..end]).into_owned();
            // 2: the cached data has the offset of the path of a soft link.
            let soft = entry.cache_type == 2;
            let target =
                if soft { Target::Soft } else { Target::Hard(entry.object_header_address) };
            links.push(Link { name, target });
        }
    }
    Ok(links)
}

/// Returns the links of a new-style group with dense storage.
fn dense(opened: &Opened, info: &LinkInfoMessage) -> hdf5_reader::error::Result<Vec<Link>> {
    let superblock = opened.meta.superblock();
    let (offset, length) = (superblock.offset_size, superblock.length_size);
    let storage = opened.meta.storage();
    let heap = FractalHeap::parse_at_storage(storage, info.fractal_heap_address, offset, length)?;
    let index = info.btree_name_index_address;
    let index = BTreeV2Header::parse_at_storage(storage, index, offset, length)?;
    let records =
        collect_btree_v2_records_storage(storage, &index, offset, length, None, &[], None)?;
    let mut cache = FractalHeapDirectBlockCache::default();
    let mut links = Vec::new();
    for record in &records {
        let BTreeV2Record::LinkNameHash { heap_id, .. } = record else { continue };
        let bytes = heap.get_object_storage_cached(heap_id, storage, offset, length, &mut cache)?;
        links.push(match link::parse(&mut Cursor::new(&bytes), offset, length, bytes.len()) {
            Ok(link) => Link { target: Target::of(&link.target), name: link.name },
            Err(error @ HdfError::UnsupportedLinkType(_)) => {
                let name = link_name(&bytes).ok_or(error)?;
                Link { name, target: Target::User }
            }
            Err(error) => return Err(error),
        });
    }
    Ok(links)
}
