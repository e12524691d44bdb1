//! Writing new HDF5 files: trees of groups, datasets and typed attributes.
//!
//! The modules follow the [HDF5 File Format Specification, version 3.0][spec]; comments refer to
//! its sections. Every HDF5 library from 1.8 on can read the files: a version 0 superblock, version
//! 1 object headers, groups with a symbol table, chunks indexed by a version 1 B-tree. Newer
//! structures are used only if the old ones are insufficient: an attribute of 64 KiB or more needs
//! dense storage, and the creation order of links needs link messages. The same calls write the
//! same bytes, for any number of threads: no times are stored.
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
pub use spec::DatasetSpec;
pub(super) use spec::check_compression;
pub use value::Value;
pub(super) use writer::not_a_name;
pub use writer::{FileOptions, FileWriter};

/// An undefined address: all bits are set.
const UNDEFINED: u64 = u64::MAX;
