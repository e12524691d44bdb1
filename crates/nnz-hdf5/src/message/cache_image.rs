//! The metadata cache image message (section IV.A.2.y): metadata that the HDF5 library left in one block.

use nnz_core::Result;

use crate::bytes::Fields;
use crate::checksum;
use crate::fault::invalid;
use crate::read::file::File;

/// Reads the entries of the image that a message refers to: their addresses and bytes.
pub(crate) fn read(file: &File, message: &[u8]) -> Result<Vec<(u64, Vec<u8>)>> {
    /// Type, flags, ring, age, three numbers of dependencies, and a rank.
    const HEAD: usize = 4 + 3 * 2 + 4;
    let mut fields = Fields(message);
    fields.take(1)?;
    let (address, bytes) = (fields.address(file.sizes)?, fields.size(file.sizes.length)?);
    let image = file.metadata(address, bytes)?;
    let mut fields = Fields(checksum::verified(&image, "the metadata cache image")?);
    fields.signature(b"MDCI", 0)?;
    fields.take(1 + file.sizes.length)?;
    let count = fields.u32()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let head = fields.take(HEAD)?;
        let parents = usize::from(u16::from_le_bytes([head[8], head[9]]));
        let (address, bytes) = (fields.address(file.sizes)?, fields.size(file.sizes.length)?);
        fields.take(parents * file.sizes.offset)?;
        let entry = fields.take(bytes)?;
        let inside = file.check(address, bytes as u64);
        inside.map_err(|_| invalid("a cache image of metadata outside the file"))?;
        entries.push((address, entry.to_vec()));
    }
    Ok(entries)
}

/// Replaces bytes that were read from an address by the bytes of entries.
pub(crate) fn copy(entries: &[(u64, Vec<u8>)], address: u64, out: &mut [u8]) {
    let end = address.saturating_add(out.len() as u64);
    for (at, entry) in entries {
        let start = (*at).max(address);
        let stop = at.saturating_add(entry.len() as u64).min(end);
        if start < stop {
            // All of these are in memory.
            let inside = |from: u64| usize::try_from(start - from).unwrap_or(usize::MAX);
            let len = usize::try_from(stop - start).unwrap_or(0);
            let (to, from) = (inside(address), inside(*at));
            out[to..to + len].copy_from_slice(&entry[from..from + len]);
        }
    }
}
