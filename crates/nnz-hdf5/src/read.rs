//! Reading files: objects, links, attributes, and the elements of datasets.

mod announce;
pub(crate) mod chunk_table;
mod chunk_tree;
pub(crate) mod dataset;
pub(crate) mod decode;
pub(crate) mod file;
pub(crate) mod layout;
pub(crate) mod links;
pub(crate) mod object;
mod pieces;
pub(crate) mod slab;
pub(crate) mod strings;
