//! One entry while it is sorted: its place as one integer, and the bytes of its value.

use std::io::{self, Read, Write};

/// An integer that holds a place.
pub(super) trait Key: Copy + Ord + Send + Sync {
    fn join(major: u64, minor: u64, minor_bits: u32) -> Self;
    fn split(self, minor_bits: u32) -> (u64, u64);
    fn write(self, to: &mut impl Write) -> io::Result<()>;
    fn read(from: &mut impl Read) -> io::Result<Self>;
}

/// A key with room for 64 bits of both together.
impl Key for u64 {
    fn join(major: u64, minor: u64, minor_bits: u32) -> Self {
        // A minor of 64 bits leaves no room for a major, which then is 0.
        major.checked_shl(minor_bits).unwrap_or(0) | minor
    }

    fn split(self, minor_bits: u32) -> (u64, u64) {
        let major = self.checked_shr(minor_bits).unwrap_or(0);
        (major, self ^ major.checked_shl(minor_bits).unwrap_or(0))
    }

    fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.to_ne_bytes())
    }

    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes)?;
        Ok(Self::from_ne_bytes(bytes))
    }
}

/// A key with room for any place.
impl Key for u128 {
    fn join(major: u64, minor: u64, _: u32) -> Self {
        Self::from(major) << 64 | Self::from(minor)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves it was joined from")]
    fn split(self, _: u32) -> (u64, u64) {
        ((self >> 64) as u64, self as u64)
    }

    fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.to_ne_bytes())
    }

    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut bytes = [0; 16];
        from.read_exact(&mut bytes)?;
        Ok(Self::from_ne_bytes(bytes))
    }
}

/// A place and a value of `SIZE` bytes.
#[derive(Clone, Copy)]
pub(super) struct Record<K, const SIZE: usize> {
    pub(super) key: K,
    pub(super) value: [u8; SIZE],
}

impl<K: Key, const SIZE: usize> Record<K, SIZE> {
    pub(super) fn write(self, to: &mut impl Write) -> io::Result<()> {
        self.key.write(to)?;
        to.write_all(&self.value)
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let key = K::read(from)?;
        let mut value = [0; SIZE];
        from.read_exact(&mut value)?;
        Ok(Self { key, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_from_their_keys() {
        for (major, minor, bits) in
            [(0, 0, 0), (7, 0, 0), (0, 9, 4), (3, 15, 4), (0, u64::MAX, 64), (u64::MAX >> 1, 1, 1)]
        {
            assert_eq!(u64::join(major, minor, bits).split(bits), (major, minor));
        }
        assert_eq!(u128::join(u64::MAX, 5, 0).split(0), (u64::MAX, 5));
    }
}
