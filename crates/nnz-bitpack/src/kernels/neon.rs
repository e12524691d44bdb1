//! 128-bit kernels for every 64-bit Arm processor.
//!
//! Only for little-endian systems, whose lanes have the order of the format in memory.

// The value that the last step assigns is not used.
#![allow(unused_assignments)]
// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::mem::MaybeUninit;

use crate::CHUNK;
use crate::kernels::scalar::{copy, fill, pack_nothing, pack_raw};
use crate::kernels::{
    DELTA, DELTA_ZIGZAG, Kernels, MINUS_ONE, PLAIN, Place, by_width, low_bits, unroll,
};

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

/// Shifts left; the compiler turns constant counts into immediates.
#[target_feature(enable = "neon")]
#[inline]
fn up(lanes: uint32x4_t, bits: usize) -> uint32x4_t {
    vshlq_u32(lanes, vdupq_n_s32(count(bits)))
}

/// Shifts right, which is a left shift by a negative count.
#[target_feature(enable = "neon")]
#[inline]
fn down(lanes: uint32x4_t, bits: usize) -> uint32x4_t {
    vshlq_u32(lanes, vdupq_n_s32(-count(bits)))
}

/// Returns a shift count as the instructions take it.
#[inline]
const fn count(bits: usize) -> i32 {
    debug_assert!(bits <= 32);
    #[allow(clippy::cast_possible_truncation)]
    let bits = bits as u32;
    bits.cast_signed()
}

/// Returns the sign bit of each lane in all of its bits.
#[target_feature(enable = "neon")]
#[inline]
fn signs(lanes: uint32x4_t) -> uint32x4_t {
    vreinterpretq_u32_s32(vshrq_n_s32::<31>(vreinterpretq_s32_u32(lanes)))
}

/// Returns the prefix sums of the lanes.
#[target_feature(enable = "neon")]
#[inline]
fn sums(lanes: uint32x4_t) -> uint32x4_t {
    let zero = vdupq_n_u32(0);
    let pairs = vaddq_u32(lanes, vextq_u32::<3>(zero, lanes));
    vaddq_u32(pairs, vextq_u32::<2>(zero, pairs))
}

/// See [`crate::kernels::Unpack`].
#[target_feature(enable = "neon")]
unsafe fn unpack<const W: usize, const CODEC: u8>(
    packed: &[u32],
    start: u32,
    out: &mut [u32; CHUNK],
) {
    debug_assert_eq!(packed.len(), 4 * W);
    let source = packed.as_ptr();
    let target = out.as_mut_ptr();
    // The lowest bit of a zigzag value is its sign, which is extracted separately.
    let sign_bits = const { if CODEC == DELTA_ZIGZAG { 1 } else { 0 } };
    let mask = vdupq_n_u32(low_bits(W - sign_bits));
    let mut carry = vdupq_n_u32(start);
    unroll!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                     16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] {
        let place = const { Place::of(STEP, W) };
        // SAFETY: a lane has W words and ends with the last bit of step 31, so `place.word`, and
        // the next one if the value crosses into it, are less than W, and `packed` holds 4 W words.
        let (word, next) = unsafe {
            let next = place.word + place.crosses as usize;
            (vld1q_u32(source.add(4 * place.word)), vld1q_u32(source.add(4 * next)))
        };
        let mut bits = down(word, place.shift + sign_bits);
        if place.crosses {
            bits = vorrq_u32(bits, up(next, 32 - place.shift - sign_bits));
        }
        // No mask is needed if the shift moved the highest bit of a word.
        if place.shift + W != 32 {
            bits = vandq_u32(bits, mask);
        }
        if CODEC == MINUS_ONE {
            bits = vaddq_u32(bits, vdupq_n_u32(1));
        }
        if CODEC == DELTA_ZIGZAG {
            bits = veorq_u32(bits, signs(up(word, 31 - place.shift)));
        }
        if CODEC == DELTA || CODEC == DELTA_ZIGZAG {
            let sums = sums(bits);
            bits = vaddq_u32(sums, carry);
            // Not computed from `bits`, so that the dependency between steps is one addition.
            carry = vaddq_u32(carry, vdupq_laneq_u32::<3>(sums));
        }
        // SAFETY: STEP is at most 31, and `out` holds 32 vectors.
        unsafe { vst1q_u32(target.add(4 * STEP), bits) };
    });
}

/// See [`crate::kernels::Transform`].
#[target_feature(enable = "neon")]
unsafe fn transform<const CODEC: u8>(
    values: &[u32; CHUNK],
    transformed: &mut MaybeUninit<[u32; CHUNK]>,
) -> u32 {
    let source = values.as_ptr();
    let target = transformed.as_mut_ptr().cast::<u32>();
    // Only the last lane is used; in the first step it is the previous value of the first.
    let mut previous = vdupq_n_u32(values[0]);
    let mut all = vdupq_n_u32(0);
    for step in 0..CHUNK / 4 {
        // SAFETY: `step` is at most 31, and `values` holds 32 vectors.
        let value = unsafe { vld1q_u32(source.add(4 * step)) };
        let mut bits = value;
        if CODEC == MINUS_ONE {
            bits = vsubq_u32(value, vdupq_n_u32(1));
        }
        if CODEC == DELTA || CODEC == DELTA_ZIGZAG {
            bits = vsubq_u32(value, vextq_u32::<3>(previous, value));
            previous = value;
        }
        if CODEC == DELTA_ZIGZAG {
            bits = veorq_u32(vaddq_u32(bits, bits), signs(bits));
        }
        if CODEC != PLAIN {
            // SAFETY: as above, for `transformed`.
            unsafe { vst1q_u32(target.add(4 * step), bits) };
        }
        all = vorrq_u32(all, bits);
    }
    let half = vorr_u32(vget_low_u32(all), vget_high_u32(all));
    vget_lane_u32::<0>(half) | vget_lane_u32::<1>(half)
}

/// See [`crate::kernels::Pack`].
#[target_feature(enable = "neon")]
unsafe fn pack<const W: usize>(values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) {
    let source = values.as_ptr();
    let target = packed.as_mut_ptr();
    let mut word = vdupq_n_u32(0);
    unroll!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                     16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] {
        let place = const { Place::of(STEP, W) };
        // SAFETY: STEP is at most 31, and `values` holds 32 vectors.
        let value = unsafe { vld1q_u32(source.add(4 * STEP)) };
        word = vorrq_u32(word, up(value, place.shift));
        if place.shift + W >= 32 {
            // SAFETY: `place.word` is less than W, and `packed` holds 32 vectors.
            unsafe { vst1q_u32(target.add(4 * place.word), word) };
            word = if place.crosses { down(value, 32 - place.shift) } else { vdupq_n_u32(0) };
        }
    });
}
