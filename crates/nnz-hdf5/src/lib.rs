//! HDF5 files: every structure of the format read, and new files and groups of existing ones written, without the HDF5 library.
//!
//! The modules follow the [HDF5 File Format Specification, version 3.0][spec], and are named after its structures; comments refer
//! to its sections. Chunks are decoded on all cores, without locks, into the memory of the caller. Metadata are read once, and no
//! more of them than a question needs, from any [`Storage`](nnz_storage::Storage). Reading never writes to or locks a file.
//!
//! Every HDF5 library from 1.8 on can read the files that are written: a version 0 superblock, version 1 object headers, groups
//! with a symbol table, chunks indexed by a version 1 B-tree. Newer structures are used only if the old ones are insufficient: an
//! attribute of 64 KiB or more needs dense storage, and the creation order of links needs link messages. The same calls write the
//! same bytes, for any number of threads: no times are stored.
//!
//! [spec]: https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html

mod btree_v1;
mod btree_v2;
mod bytes;
mod checksum;
mod dataspace;
mod datatype;
mod element;
mod extensible_array;
mod fault;
mod filters;
mod fixed_array;
mod fractal_heap;
mod global_heap;
mod local_heap;
mod message;
mod object_header;
mod read;
mod superblock;
mod symbol_node;
mod virtual_mapping;
mod write;

use nnz_core::Result;
use nnz_storage::InputFile;

pub use checksum::lookup3;
pub use dataspace::Dataspace;
pub use datatype::{Class, CompoundMember, Datatype, Float, Padding};
pub use element::{CharacterSet, ElementType, Field, StringPadding};
pub use message::{Attribute, AttributeValue};
pub use read::chunk_table::ChunkEntry;
pub use read::dataset::Dataset;
pub use read::decode::ChunkData;
pub use read::file::File;
pub use read::layout::{Chunked, Layout};
pub use read::links::{Link, LinkTarget};
pub use read::object::{Object, ObjectKind};
pub use read::strings::VariableStrings;
pub use write::existing::FileChange;
pub use write::object::ObjectId;
pub use write::spec::{DatasetSpec, check_compression};
pub use write::value::Value;
pub use write::writer::{FileOptions, FileWriter, invalid_name};

/// The signature of HDF5 files.
const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// An undefined address: all bits are set.
const UNDEFINED: u64 = u64::MAX;

/// Bytes at the start of a file that one request fetches.
const NEAR: u64 = 64 << 10;

/// Returns whether a file is HDF5: it has the signature at its start or, after a user block, at
/// byte 512, 1024, 2048 and so on.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_hdf5(file: &InputFile) -> Result<bool> {
    Ok(signature_at(file)?.is_some())
}

/// Returns the position of the signature, which is the base of all addresses.
fn signature_at(file: &InputFile) -> Result<Option<u64>> {
    let len = file.len();
    let blocks = std::iter::successors(Some(512_u64), |at| at.checked_mul(2));
    let mut found = [0; SIGNATURE.len()];
    // Where each read has a latency, no user block is longer than what was fetched already.
    let most = if file.has_latency() { NEAR } else { u64::MAX };
    for at in std::iter::once(0).chain(blocks).take_while(|at| *at < most) {
        if at.checked_add(found.len() as u64).is_none_or(|end| end > len) {
            break;
        }
        file.read_metadata_at(&mut found, at).map_err(|error| file.error(error))?;
        if found == *SIGNATURE {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
