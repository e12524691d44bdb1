//! B-trees of version 2 (section III.A.2) with one leaf: the names of attributes in dense storage.

use std::io::{Seek, Write};

use nnz_core::{Error, Result};

use super::bytes::PutFields as _;
use super::checksum;
use super::output::Output;

/// Size of the header of a tree.
const HEAD: u64 = 38;

/// Type 8: attributes by name.
const ATTRIBUTE_NAMES: u8 = 8;

/// Size of a record of that type.
const RECORD: usize = 17;

/// Size of a leaf without its records: signature, version, type, checksum.
const LEAF: usize = 10;

/// Minimum size of a node, as in the HDF5 library.
const SMALLEST: usize = 512;

/// Writes an index of attributes from their names and heap IDs, and returns its address.
pub(super) fn write_names<W: Write + Seek>(
    output: &mut Output<W>,
    attributes: &[(&str, [u8; 8])],
) -> Result<u64> {
    let count = u16::try_from(attributes.len());
    let count = count.map_err(|_| Error::argument("65,536 attributes or more"))?;
    let mut records: Vec<(u32, &str, Vec<u8>)> = Vec::with_capacity(attributes.len());
    for (order, (name, id)) in (0..).zip(attributes) {
        let hash = checksum::lookup3(name.as_bytes());
        let mut record = id.to_vec();
        record.push(0); // flags
        record.put_u32(order);
        record.put_u32(hash);
        records.push((hash, name, record));
    }
    records.sort_unstable();
    let node = (LEAF + RECORD * records.len()).next_power_of_two().max(SMALLEST);
    output.align()?;
    let address = output.end();

    let mut head = b"BTHD\0".to_vec();
    head.push(ATTRIBUTE_NAMES);
    head.put_u32(u32::try_from(node).unwrap_or(0));
    head.extend([17, 0]); // bytes of a record
    head.put_u16(0); // depth
    head.extend([100, 40]); // percents at which nodes split and merge
    head.put_u64(address + HEAD);
    head.put_u16(count);
    head.put_u64(count.into());
    checksum::append(&mut head);
    output.append(&head)?;

    let mut leaf = b"BTLF\0".to_vec();
    leaf.push(ATTRIBUTE_NAMES);
    records.into_iter().for_each(|(_, _, record)| leaf.extend(record));
    checksum::append(&mut leaf);
    leaf.resize(node, 0);
    output.append(&leaf)?;
    Ok(address)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn records_are_sorted_by_hash() {
        let mut output = Output::new(Cursor::new(Vec::new()));
        let names = ["column-order", "x1", "x2", "x3"];
        let attributes = names.map(|name| (name, [9; 8]));
        assert_eq!(write_names(&mut output, &attributes).unwrap(), 0);
        let bytes = output.finish().unwrap().into_inner();
        assert_eq!(bytes.len(), 38 + 512);
        let head = [
            b'B', b'T', b'H', b'D', 0, 8, // signature, version, type
            0, 2, 0, 0, 17, 0, 0, 0, 100, 40, // bytes of a node, of a record; depth, percents
            38, 0, 0, 0, 0, 0, 0, 0, // root
            4, 0, 4, 0, 0, 0, 0, 0, 0, 0, // records
        ];
        assert_eq!(bytes[..34], head);
        let leaf = &bytes[38..];
        assert_eq!(leaf[..6], *b"BTLF\0\x08");
        let hashes: Vec<u32> = leaf[6..6 + 4 * 17]
            .chunks(17)
            .map(|record| u32::from_le_bytes(record[13..].try_into().unwrap()))
            .collect();
        assert!(hashes.is_sorted());
        assert_eq!(leaf[74..78], checksum::lookup3(&leaf[..74]).to_le_bytes());
    }
}
