//! Reading of bits, the highest of each byte first.

use super::{DecodeError, truncated};

/// The maximum number of bits that are taken at a time.
const MOST: u32 = 56;

/// The bits of bytes.
pub(super) struct Bits<'a> {
    rest: &'a [u8],
    /// The lowest `count` bits of it are next.
    word: u64,
    count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, word: 0, count: 0 }
    }

    /// Takes a number of up to 56 bits.
    fn take_some(&mut self, bits: u32) -> Result<u64, DecodeError> {
        while self.count < bits {
            self.refill()?;
        }
        self.count -= bits;
        Ok(self.word >> self.count & ((1 << bits) - 1))
    }

    /// Takes a number of up to 64 bits.
    pub(super) fn take(&mut self, bits: u32) -> Result<u64, DecodeError> {
        match bits.checked_sub(32) {
            Some(high) if bits > MOST => Ok(self.take_some(high)? << 32 | self.take_some(32)?),
            _ => self.take_some(bits),
        }
    }

    /// Takes bits up to the first one, and returns the number of zeros before it.
    pub(super) fn take_zeros(&mut self) -> Result<u64, DecodeError> {
        let mut zeros = 0;
        loop {
            let left = self.word & ((1 << self.count) - 1);
            if left != 0 {
                let above = self.count - left.ilog2() - 1;
                self.count -= above + 1;
                return Ok(zeros + u64::from(above));
            }
            zeros += u64::from(self.count);
            self.count = 0;
            self.refill()?;
        }
    }

    fn refill(&mut self) -> Result<(), DecodeError> {
        let (byte, rest) = self.rest.split_first().ok_or_else(truncated)?;
        self.word = self.word << 8 | u64::from(*byte);
        self.count += 8;
        self.rest = rest;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn bits_are_taken_from_the_highest() {
        let mut bits = Bits::new(&[0b1010_0000, 0, 0b0001_1000, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bits.take(3).unwrap(), 0b101);
        assert_eq!(bits.take_zeros().unwrap(), 16);
        assert_eq!(bits.take(0).unwrap(), 0);
        assert_eq!(bits.take_zeros().unwrap(), 0);
        assert_eq!(bits.take(3).unwrap(), 0);
        assert_eq!(bits.take(64).unwrap(), 0x0102_0304_0506_0708);
        assert!(bits.take(1).is_err() && bits.take_zeros().is_err());
    }
}
