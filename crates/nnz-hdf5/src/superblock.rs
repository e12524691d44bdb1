//! The superblock (section II.A) at the start of a file.

use nnz_core::Result;

use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::fault::{invalid, unsupported};
use crate::{SIGNATURE, UNDEFINED, checksum};

/// Size of addresses and lengths.
const WIDE: u8 = 8;

/// Half the number of entries of a symbol table node: section III.B, "Group Leaf Node K".
pub(crate) const GROUP_LEAF_K: u16 = 4;

/// Half the number of children of a B-tree node of a group: section III.A.1, "Group Internal Node
/// K".
pub(crate) const GROUP_INTERNAL_K: u16 = 16;

/// Half the number of children of a B-tree node of chunks: the default, which version 0 does not
/// store.
pub(crate) const CHUNK_K: u16 = 32;

/// Size reserved for a superblock of either version.
pub(crate) const LEN: u64 = 96;

/// The superblock of a file that is read. Addresses count from the base.
#[derive(Clone, Debug)]
pub(crate) struct Superblock {
    pub(crate) version: u8,
    pub(crate) sizes: Sizes,
    /// Half the number of entries of symbol table nodes, and of children of B-tree nodes.
    pub(crate) leaf_k: u16,
    pub(crate) internal_k: u16,
    pub(crate) chunk_k: u16,
    /// File consistency flags: 1 is write access, 4 is SWMR.
    pub(crate) consistency: u8,
    /// The end of the file, which is undefined in some files.
    pub(crate) end: u64,
    /// The object header of the extension, and the driver information of older files.
    pub(crate) extension: u64,
    pub(crate) driver: u64,
    /// The object header of the root group.
    pub(crate) root: u64,
}

impl Superblock {
    /// Parses a superblock from the bytes that start with its signature.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut fields = Fields(bytes);
        fields.take(SIGNATURE.len())?;
        let version = fields.u8()?;
        match version {
            0 | 1 => Self::parse_v0(fields, version),
            2 | 3 => Self::parse_v2(fields, version, bytes),
            _ => Err(unsupported(format!("superblocks of version {version} are not supported"))),
        }
    }

    fn parse_v0(mut fields: Fields<'_>, version: u8) -> Result<Self> {
        fields.take(4)?; // versions of other parts, reserved
        let sizes = sizes(&mut fields)?;
        fields.take(1)?;
        let (leaf_k, internal_k) = (fields.u16()?, fields.u16()?);
        fields.take(4)?;
        let chunk_k = if version == 0 { CHUNK_K } else { fields.u16()? };
        fields.take(if version == 0 { 0 } else { 2 })?;
        let base = fields.address(sizes)?;
        fields.address(sizes)?; // free space
        let end = fields.address(sizes)?;
        let driver = fields.address(sizes)?;
        fields.length(sizes)?; // the name of the root group
        let root = fields.address(sizes)?;
        let (consistency, extension) = (0, UNDEFINED);
        let end = after_base(end, base);
        Ok(Self {
            version,
            sizes,
            leaf_k,
            internal_k,
            chunk_k,
            consistency,
            end,
            extension,
            driver,
            root,
        })
    }

    fn parse_v2(mut fields: Fields<'_>, version: u8, bytes: &[u8]) -> Result<Self> {
        let sizes = sizes(&mut fields)?;
        let consistency = fields.u8()?;
        let base = fields.address(sizes)?;
        let extension = fields.address(sizes)?;
        let end = fields.address(sizes)?;
        let root = fields.address(sizes)?;
        let covered = bytes.len() - fields.0.len();
        checksum::verify(&bytes[..covered], fields.u32()?, "the superblock")?;
        Ok(Self {
            version,
            sizes,
            leaf_k: GROUP_LEAF_K,
            internal_k: GROUP_INTERNAL_K,
            chunk_k: CHUNK_K,
            consistency,
            end: after_base(end, base),
            extension,
            driver: UNDEFINED,
            root,
        })
    }
}

fn sizes(fields: &mut Fields<'_>) -> Result<Sizes> {
    let (offset, length) = (fields.u8()?, fields.u8()?);
    match [offset, length].iter().all(|size| matches!(size, 2 | 4 | 8)) {
        true => Ok(Sizes { offset: offset.into(), length: length.into() }),
        false => Err(invalid(format!("addresses of {offset} and lengths of {length} bytes"))),
    }
}

/// The stored end includes what precedes the base.
fn after_base(end: u64, base: u64) -> u64 {
    if end == UNDEFINED { end } else { end.saturating_sub(base) }
}

/// Encodes version 0. `base` is the size of the user block, and `root` the symbol table entry of the
/// root group (section III.C). Addresses count from the base, except the address of the end of the file.
pub(crate) fn encode_v0(base: u64, root: &[u8], end: u64) -> Vec<u8> {
    let mut out = SIGNATURE.to_vec();
    // Versions of the superblock, the free space, the root group and shared headers, and reserved ones.
    out.extend([0, 0, 0, 0, 0, WIDE, WIDE, 0]);
    out.put_u16(GROUP_LEAF_K);
    out.put_u16(GROUP_INTERNAL_K);
    out.put_u32(0); // flags
    out.put_u64(base);
    out.put_u64(UNDEFINED); // free space
    out.put_u64(base.saturating_add(end));
    out.put_u64(UNDEFINED); // driver information
    out.extend_from_slice(root);
    out
}

/// Encodes version 2, with the address of the object header of the root group.
pub(crate) fn encode_v2(base: u64, root: u64, end: u64) -> Vec<u8> {
    let mut out = SIGNATURE.to_vec();
    out.extend([2, WIDE, WIDE, 0]);
    out.put_u64(base);
    out.put_u64(UNDEFINED); // extension
    out.put_u64(base.saturating_add(end));
    out.put_u64(root);
    checksum::append(&mut out);
    out
}

/// Encodes the fields of a superblock with the end of the file, and returns them with their offset;
/// `None` for an unknown version. `start` is the start of the file.
pub(crate) fn with_end(start: &[u8], end_of_file: u64) -> Option<(u64, Vec<u8>)> {
    let end = end_of_file.to_le_bytes().to_vec();
    match start.get(8)? {
        0 => Some((40, end)),
        // After another number of children, and two reserved bytes.
        1 => Some((44, end)),
        2 | 3 => {
            let mut all = start.get(..44)?.to_vec();
            all.splice(28..36, end);
            checksum::append(&mut all);
            Some((0, all))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_0_matches_the_hdf5_library() {
        let bytes = encode_v0(0, &[7; 40], 0x1632f);
        assert_eq!(bytes.len() as u64, LEN);
        assert_eq!(bytes[..8], *b"\x89HDF\r\n\x1a\n");
        assert_eq!(bytes[8..16], [0, 0, 0, 0, 0, 8, 8, 0]);
        assert_eq!(bytes[16..24], [4, 0, 16, 0, 0, 0, 0, 0]); // K of leaves, of nodes; flags
        assert_eq!(bytes[24..32], [0; 8]); // base
        assert_eq!(bytes[32..40], [255; 8]); // free space
        assert_eq!(bytes[40..48], [0x2f, 0x63, 1, 0, 0, 0, 0, 0]); // end of file
        assert_eq!(bytes[48..56], [255; 8]); // driver
        assert_eq!(bytes[56..], [7; 40]);
    }

    #[test]
    fn the_end_of_file_includes_the_user_block() {
        // As h5py with `userblock_size=512`.
        let bytes = encode_v0(512, &[7; 40], 2064);
        assert_eq!(bytes[24..32], [0, 2, 0, 0, 0, 0, 0, 0]); // base
        assert_eq!(bytes[40..48], [0x10, 0x0a, 0, 0, 0, 0, 0, 0]); // 2576
    }

    #[test]
    fn version_2_ends_in_a_checksum() {
        let bytes = encode_v2(0, 48, 1000);
        assert_eq!(bytes[8..12], [2, 8, 8, 0]);
        assert_eq!(bytes[36..44], [48, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[44..], checksum::lookup3(&bytes[..44]).to_le_bytes());
    }

    #[test]
    fn the_end_of_file_is_updated() {
        let (at, end) = with_end(&encode_v0(0, &[7; 40], 1000), 2000).unwrap();
        assert_eq!((at, end), (40, 2000_u64.to_le_bytes().to_vec()));
        let (at, all) = with_end(&encode_v2(0, 48, 1000), 2000).unwrap();
        assert_eq!((at, all), (0, encode_v2(0, 48, 2000)));
    }
}
