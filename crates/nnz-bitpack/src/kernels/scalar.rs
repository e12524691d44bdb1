//! Kernels in plain Rust, one value at a time, as in the format document.
//!
//! Property tests compare the other tables with this one.

use std::mem::MaybeUninit;

use super::{DELTA, DELTA_ZIGZAG, Kernels, MINUS_ONE, PLAIN, by_width, low_bits};
use crate::CHUNK;

pub(crate) static KERNELS: Kernels = Kernels {
    unpack: [
        by_width!(fill::<PLAIN>, unpack, PLAIN; copy),
        by_width!(fill::<MINUS_ONE>, unpack, MINUS_ONE; copy),
        by_width!(fill::<DELTA>, unpack, DELTA; copy),
        by_width!(fill::<DELTA_ZIGZAG>, unpack, DELTA_ZIGZAG; copy),
    ],
    onto: [None; 33],
    transform: [
        transform::<PLAIN>,
        transform::<MINUS_ONE>,
        transform::<DELTA>,
        transform::<DELTA_ZIGZAG>,
    ],
    pack: by_width!(pack_nothing, pack; pack_raw),
};

/// Decodes a chunk without packed words, whose transformed values are all zero.
pub(super) fn fill<const CODEC: u8>(_packed: &[u32], start: u32, out: &mut [u32; CHUNK]) {
    out.fill(match CODEC {
        PLAIN => 0,
        MINUS_ONE => 1,
        _ => start,
    });
}

/// Decodes a chunk of 32 bits per value, which is stored untransformed.
pub(super) fn copy(packed: &[u32], _start: u32, out: &mut [u32; CHUNK]) {
    out.copy_from_slice(packed);
}

/// Decodes a chunk of 1 to 31 bits per value.
///
/// Value `k` is step `k / 4` of lane `k % 4`. A lane is a little-endian bit stream; word `w` of the
/// lane is word `4 * w + lane` of the chunk.
fn unpack<const W: usize, const CODEC: u8>(packed: &[u32], start: u32, out: &mut [u32; CHUNK]) {
    let (words, _) = packed.as_chunks::<4>();
    let (steps, _) = out.as_chunks_mut::<4>();
    let mut previous = start;
    for (step, lanes) in steps.iter_mut().enumerate() {
        let (word, shift) = (step * W / 32, step * W % 32);
        for (lane, value) in lanes.iter_mut().enumerate() {
            let mut bits = words[word][lane] >> shift;
            if shift + W > 32 {
                bits |= words[word + 1][lane] << (32 - shift);
            }
            bits &= low_bits(W);
            *value = match CODEC {
                PLAIN => bits,
                MINUS_ONE => bits.wrapping_add(1),
                DELTA => previous.wrapping_add(bits),
                _ => previous.wrapping_add(unzigzag(bits)),
            };
            previous = *value;
        }
    }
}

fn transform<const CODEC: u8>(
    values: &[u32; CHUNK],
    transformed: &mut MaybeUninit<[u32; CHUNK]>,
) -> u32 {
    let mut previous = values[0];
    let results = values.map(|value| {
        let result = match CODEC {
            PLAIN => value,
            MINUS_ONE => value.wrapping_sub(1),
            DELTA => value.wrapping_sub(previous),
            _ => zigzag(value.wrapping_sub(previous)),
        };
        previous = value;
        result
    });
    if CODEC != PLAIN {
        transformed.write(results);
    }
    results.iter().fold(0, |all, result| all | result)
}

/// Packs a chunk of 0 bits per value, which has no words.
pub(super) fn pack_nothing(_values: &[u32; CHUNK], _packed: &mut [u32; CHUNK]) {}

/// Packs a chunk of 32 bits per value, which is stored untransformed.
pub(super) fn pack_raw(values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) {
    *packed = *values;
}

fn pack<const W: usize>(values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) {
    let (steps, _) = values.as_chunks::<4>();
    let words = &mut packed.as_chunks_mut::<4>().0[..W];
    words.fill([0; 4]);
    for (step, lanes) in steps.iter().enumerate() {
        let (word, shift) = (step * W / 32, step * W % 32);
        for (lane, &value) in lanes.iter().enumerate() {
            words[word][lane] |= value << shift;
            if shift + W > 32 {
                words[word + 1][lane] |= value >> (32 - shift);
            }
        }
    }
}

/// Maps the differences 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ (difference >> 31).wrapping_neg()
}

fn unzigzag(bits: u32) -> u32 {
    (bits >> 1) ^ (bits & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::{unzigzag, zigzag};

    #[test]
    fn zigzag_orders_differences_by_magnitude() {
        let differences = [0, -1, 1, -2, 2, i32::MAX, i32::MIN].map(i32::cast_unsigned);
        let bits = [0, 1, 2, 3, 4, u32::MAX - 1, u32::MAX];
        assert_eq!(differences.map(zigzag), bits);
        assert_eq!(bits.map(unzigzag), differences);
    }
}
