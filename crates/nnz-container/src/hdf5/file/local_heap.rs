//! Local heaps (section III.D): the names of the members of a group.

use nnz_core::Result;

use std::io::{Seek, Write};

use super::bytes::PutFields as _;
use super::output::Output;

/// Size of the header of a heap.
const HEAD: u64 = 32;

/// The offset that means no free block.
const NONE_FREE: u64 = 1;

/// Names with their offsets.
pub(super) struct LocalHeap(Vec<u8>);

impl LocalHeap {
    /// Starts with the empty name, which is the first key of the B-tree.
    pub(super) fn new() -> Self {
        Self(vec![0; 8])
    }

    /// Adds a name and returns its offset.
    pub(super) fn add(&mut self, name: &str) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        self.0.pad8();
        at
    }

    /// Writes the heap and returns its address.
    pub(super) fn write<W: Write + Seek>(&self, output: &mut Output<W>) -> Result<u64> {
        output.align()?;
        let address = output.append(&head(self.0.len() as u64, output.end() + HEAD))?;
        output.append(&self.0)?;
        Ok(address)
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
