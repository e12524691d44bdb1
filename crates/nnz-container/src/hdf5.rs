//! Groups of HDF5 files.
//!
//! Names, types and chunk addresses are parsed by the crate `hdf5-reader`; data is read and decoded in this crate, on all
//! cores and without locks. Reading never writes to or locks a file. `docs/formats/hdf5.md` describes what is read and
//! written.

mod announce;
mod attribute;
mod chunk_table;
mod chunk_tree;
mod dataset;
mod datatype;
pub mod file;
mod filters;
mod find;
mod headers;
mod heap;
pub(crate) mod kind;
mod layout;
mod links;
mod opened;
mod pieces;
mod read;
mod tree;
mod writer;

use nnz_core::Result;
use nnz_storage::InputFile;

pub use find::groups_with;
pub use kind::Hdf5Kind;
pub use tree::{Hdf5File, Hdf5Group};
pub use writer::{Hdf5Options, Hdf5Writer};

use crate::chunk_cache;
pub use crate::compress::Compression;

/// The signature of HDF5 files.
const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// Bytes at the start of a file that one request fetches.
const NEAR: u64 = 64 << 10;

/// Returns whether a file is HDF5: it has the signature at its start or, after a user block, at
/// byte 512, 1024, 2048 and so on.
///
/// # Errors
///
/// Fails if the file cannot be read.
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
