//! Groups of HDF5 files.
//!
//! An attribute is a string attribute of the group, an array of numbers or a list of strings a dataset of
//! one dimension. Names, types and the places of chunks are found by the crate `hdf5-reader`;
//! reading and decoding what is stored is done here, on all cores and outside any lock. Reading
//! never writes to a file and never locks it. `docs/formats/hdf5.md` says what is read and written.

mod attribute;
mod chunk_table;
mod container;
mod dataset;
mod datatype;
pub mod file;
mod filters;
mod find;
mod heap;
pub(crate) mod kind;
mod layout;
mod links;
mod numbers;
mod opened;
mod pieces;
mod read;
mod strings;
mod tree;
mod tree_writer;
mod writer;

use nnz_core::Result;
use nnz_storage::InputFile;

pub use attribute::{Attribute, AttributeValue};
pub use container::{Hdf5, Hdf5File};
pub use find::{FoundGroup, groups_with};
pub use kind::Hdf5Kind;
pub use tree::Hdf5Group;
pub use tree_writer::Hdf5TreeWriter;
pub use writer::{Hdf5Options, Hdf5Writer};

use crate::chunk_cache;
pub use crate::compress::Compression;

/// What an HDF5 file starts with.
const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// Bytes at the start of a file that one request fetches.
const NEAR: u64 = 64 << 10;

/// Returns whether a file is HDF5: one that starts so, or does behind a block of the user's, of 512
/// bytes or twice, four times, ... as many.
///
/// # Errors
///
/// Fails where the file cannot be read.
pub fn is_hdf5(file: &InputFile) -> Result<bool> {
    let len = file.len();
    let blocks = std::iter::successors(Some(512_u64), |at| at.checked_mul(2));
    let mut found = [0; SIGNATURE.len()];
    // Where each read has a latency, no block of the user's is longer than what was fetched already.
    let most = if file.has_latency() { NEAR } else { u64::MAX };
    for at in std::iter::once(0).chain(blocks).take_while(|at| *at < most) {
        if at.checked_add(found.len() as u64).is_none_or(|end| end > len) {
            break;
        }
        file.read_metadata_at(&mut found, at).map_err(|error| file.error(error))?;
        if found == *SIGNATURE {
            return Ok(true);
        }
    }
    Ok(false)
}
