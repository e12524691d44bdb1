//! Local heaps (section III.D): the names of the members of a group.

use nnz_core::Result;

use std::io::{Seek, Write};

use crate::bytes::{Fields, PutFields as _};
use crate::fault::{invalid, unsupported};
use crate::read::file::File;
use crate::write::output::Output;

/// Size of the header of a heap.
const HEAD: u64 = 32;

/// The offset that means no free block.
const NONE_FREE: u64 = 1;

/// Maximum size of the names of a group.
const MAX_BYTES: u64 = 64 << 20;

/// Names with their offsets.
pub(crate) struct LocalHeap(Vec<u8>);

impl LocalHeap {
    /// Reads a heap.
    pub(crate) fn read(file: &File, address: u64) -> Result<Self> {
        let head = file.metadata(address, 8 + 2 * file.sizes.length + file.sizes.offset)?;
        let mut fields = Fields(&head);
        fields.signature(b"HEAP", 0)?;
        fields.take(3)?;
        let bytes = fields.length(file.sizes)?;
        fields.length(file.sizes)?; // free
        if bytes > MAX_BYTES {
            let what =
                format!("groups whose names take more than {MAX_BYTES} bytes are not supported");
            return Err(unsupported(what));
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Self(file.metadata(fields.address(file.sizes)?, bytes)?))
    }

    /// Returns the name at an offset.
    pub(crate) fn name(&self, offset: u64) -> Result<String> {
        self.stored_name(offset).map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the name at an offset, of which other programs do not require UTF-8.
    pub(crate) fn stored_name(&self, offset: u64) -> Result<&[u8]> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.get(start..).unwrap_or_default();
        let end = memchr::memchr(0, rest);
        end.map(|end| &rest[..end]).ok_or_else(|| {
            invalid(format!("a name at byte {start} of a local heap of {} bytes", self.0.len()))
        })
    }

    /// Starts with the empty name, which is the first key of the B-tree.
    pub(crate) fn new() -> Self {
        Self(vec![0; 8])
    }

    /// Adds a name and returns its offset.
    pub(crate) fn add(&mut self, name: &str) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        self.0.pad8();
        at
    }

    /// Writes the heap and returns its address.
    pub(crate) fn write<W: Write + Seek>(&self, output: &mut Output<W>) -> Result<u64> {
        output.align()?;
        let address = output.append(&head(self.0.len() as u64, output.end() + HEAD))?;
        output.append(&self.0)?;
        Ok(address)
    }

    /// Writes the names, and the head at the address that it has in an existing file. Blocks that were free are lost.
    pub(crate) fn write_at<W: Write + Seek>(
        &self,
        output: &mut Output<W>,
        address: u64,
    ) -> Result<()> {
        output.align()?;
        let names = output.append(&self.0)?;
        output.write_at(address, &head(self.0.len() as u64, names))
    }
}

fn head(bytes: u64, address: u64) -> Vec<u8> {
    let mut out = b"HEAP\0\0\0\0".to_vec();
    out.put_u64(bytes);
    out.put_u64(NONE_FREE);
    out.put_u64(address);
    out
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn names_follow_the_head() {
        let mut heap = LocalHeap::new();
        assert_eq!(heap.add("obs"), 8);
        assert_eq!(heap.add("eight by"), 16);
        assert_eq!(heap.add("X"), 32);
        let mut output = Output::new(Cursor::new(Vec::new()));
        assert_eq!(heap.write(&mut output).unwrap(), 0);
        let bytes = output.finish().unwrap().into_inner();
        let expected = [
            &b"HEAP\0\0\0\0"[..],
            &[40, 0, 0, 0, 0, 0, 0, 0], // bytes of names
            &[1, 0, 0, 0, 0, 0, 0, 0],  // no free block
            &[32, 0, 0, 0, 0, 0, 0, 0], // their address
            b"\0\0\0\0\0\0\0\0obs\0\0\0\0\0",
            b"eight by\0\0\0\0\0\0\0\0X\0\0\0\0\0\0\0",
        ];
        assert_eq!(bytes, expected.concat());
    }
}
