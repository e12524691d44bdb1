//! Appending little-endian fields.

/// Appends fields as HDF5 stores them.
pub(super) trait PutFields {
    /// Appends 2 bytes.
    fn put_u16(&mut self, value: u16);
    /// Appends 4 bytes.
    fn put_u32(&mut self, value: u32);
    /// Appends 8 bytes, such as an address or a length.
    fn put_u64(&mut self, value: u64);
    /// Appends zeros up to a multiple of 8 bytes.
    fn pad8(&mut self);
}

impl PutFields for Vec<u8> {
    fn put_u16(&mut self, value: u16) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u32(&mut self, value: u32) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn put_u64(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn pad8(&mut self) {
        self.resize(self.len().next_multiple_of(8), 0);
    }
}
