//! Writing new HDF5 files: trees of groups, datasets and typed attributes.
//!
//! The tree of this module follows the [HDF5 File Format Specification, version 3.0][spec]; sections
//! named in comments are sections of it. What is written is read by every HDF5 library from 1.8 on: a
//! superblock of version 0, object headers of version 1, groups with a symbol table, chunks indexed by a B-tree
//! of version 1. Newer structures are used only where the old ones have no room: an attribute of 64 KiB or more
//! needs dense storage, and the creation order of links needs link messages.
//!
//! The same calls give the same bytes, for any number of threads: nothing holds a time.
//!
//! [spec]: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html

mod btree_v1;
mod btree_v2;
mod bytes;
mod checksum;
mod dataset;
mod dataspace;
mod element;
mod finish;
mod fractal_heap;
mod global_heap;
mod group;
mod local_heap;
mod message;
mod object;
mod object_header;
mod output;
mod pack;
mod pool;
mod spec;
mod superblock;
mod symbol_node;
mod value;
mod writer;

pub use dataspace::Dataspace;
pub use element::{CharacterSet, ElementType, Field, StringPadding};
pub(super) use finish::Existing;
pub use object::ObjectId;
pub(super) use object_header::STUB;
pub(super) use pack::{Form, Packer};
pub use spec::DatasetSpec;
pub use value::Value;
pub use writer::{FileOptions, FileWriter};

/// An address that leads nowhere: all bits are set.
const UNDEFINED: u64 = u64::MAX;
