//! Header messages (section IV.A.2), the contents of object headers.

pub(super) mod attribute;
pub(super) mod attribute_info;
pub(super) mod dataspace;
pub(super) mod datatype;
pub(super) mod fill_value;
pub(super) mod filter_pipeline;
pub(super) mod group_info;
pub(super) mod layout;
pub(super) mod link;
pub(super) mod link_info;
pub(super) mod symbol_table;

/// A message of an object header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Its type.
    pub(super) kind: u16,
    /// Its flags: bit 0 means that it is constant.
    pub(super) flags: u8,
    pub(super) body: Vec<u8>,
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
