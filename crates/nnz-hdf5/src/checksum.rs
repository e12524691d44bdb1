//! The checksum of metadata: Jenkins' lookup3, as `hashlittle` with an initial value of 0.

use nnz_core::Result;

use crate::bytes::{Fields, PutFields as _};
use crate::fault::invalid;

/// Verifies a checksum.
pub(crate) fn verify(bytes: &[u8], sum: u32, what: &str) -> Result<()> {
    match lookup3(bytes) == sum {
        true => Ok(()),
        false => Err(invalid(format!("wrong checksum of {what}"))),
    }
}

/// Verifies the checksum at the end of bytes and returns those before it.
pub(crate) fn verified<'a>(bytes: &'a [u8], what: &str) -> Result<&'a [u8]> {
    let covered = bytes.len().saturating_sub(4);
    let (covered, mut sum) = (&bytes[..covered], Fields(&bytes[covered..]));
    verify(covered, sum.u32()?, what)?;
    Ok(covered)
}

/// Appends the checksum of the preceding bytes.
pub(crate) fn append(bytes: &mut Vec<u8>) {
    let sum = lookup3(bytes);
    bytes.put_u32(sum);
}

/// Returns the checksum of metadata: Jenkins' lookup3, as `hashlittle` with an initial value of 0.
#[must_use]
pub fn lookup3(bytes: &[u8]) -> u32 {
    // The length is used modulo 2^32.
    let len = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or(0);
    let mut state = [0xdead_beef_u32.wrapping_add(len); 3];
    let Some(last) = bytes.len().checked_sub(1).map(|last| last / 12 * 12) else {
        return state[2];
    };
    let (head, tail) = bytes.split_at(last);
    for block in head.as_chunks::<12>().0 {
        add(&mut state, block);
        mix(&mut state);
    }
    let mut block = [0; 12];
    block[..tail.len()].copy_from_slice(tail);
    add(&mut state, &block);
    finish(state)
}

fn add(state: &mut [u32; 3], block: &[u8; 12]) {
    for (sum, word) in state.iter_mut().zip(block.as_chunks::<4>().0) {
        *sum = sum.wrapping_add(u32::from_le_bytes(*word));
    }
}

fn mix(state: &mut [u32; 3]) {
    let [mut a, mut b, mut c] = *state;
    for (rotate_c, rotate_a, rotate_b) in [(4, 6, 8), (16, 19, 4)] {
        a = a.wrapping_sub(c) ^ c.rotate_left(rotate_c);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(rotate_a);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(rotate_b);
        b = b.wrapping_add(a);
    }
    *state = [a, b, c];
}

fn finish([mut a, mut b, mut c]: [u32; 3]) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_lookup3() {
        // From the comments of lookup3.c.
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
        // The header of a B-tree written by h5py, without its checksum.
        let head = [
            b"BTHD\x00\x08\x00\x02\x00\x00\x11\x00\x00\x00\x64\x28".as_slice(),
            b"\xfa\x9c\x00\x00\x00\x00\x00\x00\x0b\x00\x0b\x00\x00\x00\x00\x00\x00\x00",
        ];
        assert_eq!(lookup3(&head.concat()), 0xa87b_9b2a);
    }
}
