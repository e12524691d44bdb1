//! B-trees of version 2 (section III.A.2). Those that are written have one leaf: the names of attributes in dense storage.

use std::io::{Seek, Write};

use nnz_core::{Error, Result};

use crate::bytes::{Fields, PutFields as _, width_of};
use crate::fault::invalid;
use crate::read::file::File;
use crate::write::output::Output;
use crate::{UNDEFINED, checksum};

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

/// The types of records.
pub(crate) struct RecordType;

impl RecordType {
    pub(crate) const HUGE: u8 = 1;
    pub(crate) const LINK_NAMES: u8 = 5;
    pub(crate) const ATTRIBUTE_NAMES: u8 = ATTRIBUTE_NAMES;
    pub(crate) const CHUNKS: u8 = 10;
    pub(crate) const FILTERED_CHUNKS: u8 = 11;
}

/// The sizes of fields of the nodes of a level.
struct Level {
    /// A child pointer, and the number of all records below.
    pointer: usize,
    all: usize,
}

/// Calls `each` with the records of a tree, in order, after checking that its type is one of `types`.
pub(crate) fn each_record(
    file: &File,
    address: u64,
    types: &[u8],
    each: &mut dyn FnMut(u8, &[u8]) -> Result<()>,
) -> Result<()> {
    let head = file.metadata(address, 22 + file.sizes.offset + file.sizes.length)?;
    let mut fields = Fields(checksum::verified(&head, "a B-tree")?);
    fields.signature(b"BTHD", 0)?;
    let kind = fields.u8()?;
    if !types.contains(&kind) {
        return Err(invalid(format!("a B-tree of type {kind}")));
    }
    let (node, record) = (fields.size(4)?, fields.size(2)?);
    let depth = fields.u16()?;
    fields.take(2)?; // percents at which nodes split and merge
    let (root, records) = (fields.address(file.sizes)?, fields.u16()?);
    if root == UNDEFINED || records == 0 {
        return Ok(());
    }
    let levels = levels(node, record, depth, file.sizes.offset)
        .ok_or_else(|| invalid("a B-tree with nodes too small for records"))?;
    let most = file.bytes / (node as u64).max(1) + 1;
    let mut tree = Tree { file, kind, node, record, levels, room: most };
    tree.visit(root, records.into(), depth.into(), each)
}

/// Computes the sizes of child pointers.
fn levels(node: usize, record: usize, depth: u16, offset: usize) -> Option<Vec<Level>> {
    let room = node.checked_sub(LEAF)?;
    let leaf = room.checked_div(record).filter(|records| *records > 0)?;
    // The number of records of a child has the same size on all levels.
    let own = width_of(leaf as u64);
    let mut below = leaf as u64;
    let mut levels = vec![Level { pointer: 0, all: 0 }];
    for _ in 0..depth {
        let pointer = offset + own + levels.last()?.all;
        let most = room.checked_sub(pointer)? / (record + pointer);
        let most = (most > 0).then_some(most as u64)?;
        below = most.checked_add(1)?.checked_mul(below)?.checked_add(most)?;
        levels.push(Level { pointer, all: width_of(below) });
    }
    Some(levels)
}

/// A tree that is being read.
struct Tree<'a> {
    file: &'a File,
    kind: u8,
    node: usize,
    record: usize,
    levels: Vec<Level>,
    /// The number of further nodes that the file has room for.
    room: u64,
}

impl Tree<'_> {
    fn visit(
        &mut self,
        address: u64,
        records: usize,
        depth: usize,
        each: &mut dyn FnMut(u8, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let too_large = || invalid("a B-tree that is larger than the file");
        self.room = self.room.checked_sub(1).ok_or_else(too_large)?;
        let pointer = self.levels.get(depth).map_or(0, |level| level.pointer);
        let pointers = if depth == 0 { 0 } else { (records + 1) * pointer };
        let used = LEAF + records * self.record + pointers;
        if used > self.node {
            return Err(invalid(format!(
                "{records} records in a B-tree node of {} bytes",
                self.node
            )));
        }
        let node = self.file.metadata(address, used)?;
        let mut fields = Fields(checksum::verified(&node, "a B-tree node")?);
        fields.signature(if depth == 0 { b"BTLF" } else { b"BTIN" }, 0)?;
        if fields.u8()? != self.kind {
            return Err(invalid("a B-tree node of another type"));
        }
        let mut own = fields.take(records * self.record)?.chunks_exact(self.record);
        if depth == 0 {
            return own.try_for_each(|record| each(self.kind, record));
        }
        let (file, below) = (self.file, self.levels.get(depth - 1).map_or(0, |level| level.all));
        for _ in 0..=records {
            let mut child = Fields(fields.take(pointer)?);
            let at = child.address(file.sizes)?;
            let count = child.size(pointer - file.sizes.offset - below)?;
            self.visit(at, count, depth - 1, each)?;
            own.next().map_or(Ok(()), |record| each(self.kind, record))?;
        }
        Ok(())
    }
}

/// Writes an index of attributes from their names and heap IDs, and returns its address.
pub(crate) fn write_names<W: Write + Seek>(
    output: &mut Output<W>,
    attributes: &[(&str, [u8; 8])],
) -> Result<u64> {
    let count = u16::try_from(attributes.len());
    let count = count.map_err(|_| Error::argument("more than 65,535 attributes"))?;
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
