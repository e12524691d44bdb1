//! Header messages (section IV.A.2), the contents of object headers.

pub(crate) mod external_files;
pub(crate) mod file_space;
pub(crate) mod shared;

pub(crate) mod attribute;
pub(crate) mod attribute_info;
pub(crate) mod cache_image;
pub(crate) mod dataspace;
pub(crate) mod datatype;
pub(crate) mod fill_value;
pub(crate) mod filter_pipeline;
pub(crate) mod group_info;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod link_info;
pub(crate) mod symbol_table;

pub use attribute::{Attribute, AttributeValue};

/// The types of messages.
pub(crate) struct MessageType;

impl MessageType {
    pub(crate) const NIL: u16 = 0x0000;
    pub(crate) const DATASPACE: u16 = 0x0001;
    pub(crate) const LINK_INFO: u16 = 0x0002;
    pub(crate) const DATATYPE: u16 = 0x0003;
    pub(crate) const OLD_FILL_VALUE: u16 = 0x0004;
    pub(crate) const FILL_VALUE: u16 = 0x0005;
    pub(crate) const LINK: u16 = 0x0006;
    pub(crate) const EXTERNAL_FILES: u16 = 0x0007;
    pub(crate) const LAYOUT: u16 = 0x0008;
    pub(crate) const GROUP_INFO: u16 = 0x000a;
    pub(crate) const FILTER_PIPELINE: u16 = 0x000b;
    pub(crate) const ATTRIBUTE: u16 = 0x000c;
    pub(crate) const SHARED_TABLE: u16 = 0x000f;
    pub(crate) const CONTINUATION: u16 = 0x0010;
    pub(crate) const SYMBOL_TABLE: u16 = 0x0011;
    pub(crate) const BTREE_K: u16 = 0x0013;
    pub(crate) const ATTRIBUTE_INFO: u16 = 0x0015;
    pub(crate) const REFERENCE_COUNT: u16 = 0x0016;
    pub(crate) const FILE_SPACE: u16 = 0x0017;
    pub(crate) const CACHE_IMAGE: u16 = 0x0018;
}

/// A message of an object header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Its type.
    pub(crate) kind: u16,
    /// Its flags: bit 0 means that it is constant.
    pub(crate) flags: u8,
    pub(crate) body: Vec<u8>,
}

impl Message {
    fn new(kind: u16, body: Vec<u8>) -> Self {
        Self { kind, flags: 0, body }
    }

    /// Creates a constant message.
    fn constant(kind: u16, body: Vec<u8>) -> Self {
        Self { kind, flags: 1, body }
    }
}
