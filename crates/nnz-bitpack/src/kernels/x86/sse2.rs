//! 128-bit kernels for every x86-64 processor.

// The value that the last step assigns is not used.
#![allow(unused_assignments)]
// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use crate::CHUNK;
use crate::kernels::scalar::{copy, fill, pack_nothing, pack_raw};
use crate::kernels::{
    DELTA, DELTA_ZIGZAG, Kernels, MINUS_ONE, PLAIN, Pack, Place, by_width, low_bits, unroll,
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
    pack: PACK,
};

pub(super) const PACK: [Pack; 33] = by_width!(pack_nothing, pack; pack_raw);

/// Returns a constant as a vector.
#[target_feature(enable = "sse2")]
#[inline]
fn splat(value: u32) -> __m128i {
    _mm_set1_epi32(value.cast_signed())
}

/// Returns a shift count; the compiler turns constant counts into immediates.
#[target_feature(enable = "sse2")]
#[inline]
pub(super) fn count(bits: usize) -> __m128i {
    debug_assert!(bits <= 32);
    #[allow(clippy::cast_possible_truncation)]
    let bits = bits as u32;
    _mm_cvtsi32_si128(bits.cast_signed())
}

/// See [`crate::kernels::Unpack`].
#[target_feature(enable = "sse2")]
unsafe fn unpack<const W: usize, const CODEC: u8>(
    packed: &[u32],
    start: u32,
    out: &mut [u32; CHUNK],
) {
    debug_assert_eq!(packed.len(), 4 * W);
    let source = packed.as_ptr().cast::<__m128i>();
    let target = out.as_mut_ptr().cast::<__m128i>();
    // The lowest bit of a zigzag value is its sign, which is extracted separately.
    let sign_bits = const { if CODEC == DELTA_ZIGZAG { 1 } else { 0 } };
    let mask = splat(low_bits(W - sign_bits));
    let mut carry = splat(start);
    unroll!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                     16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] {
        let place = const { Place::of(STEP, W) };
        // SAFETY: a lane has W words and ends with the last bit of step 31, so `place.word`, and
        // the next one if the value crosses into it, are less than W, and `packed` holds 4 W words.
        let (word, next) = unsafe {
            let next = place.word + place.crosses as usize;
            (_mm_loadu_si128(source.add(place.word)), _mm_loadu_si128(source.add(next)))
        };
        let mut bits = _mm_srl_epi32(word, count(place.shift + sign_bits));
        if place.crosses {
            let upper = _mm_sll_epi32(next, count(32 - place.shift - sign_bits));
            bits = _mm_or_si128(bits, upper);
        }
        // No mask is needed if the shift moved the highest bit of a word.
        if place.shift + W != 32 {
            bits = _mm_and_si128(bits, mask);
        }
        if CODEC == MINUS_ONE {
            bits = _mm_add_epi32(bits, splat(1));
        }
        if CODEC == DELTA_ZIGZAG {
            let sign = _mm_sll_epi32(word, count(31 - place.shift));
            bits = _mm_xor_si128(bits, _mm_srai_epi32::<31>(sign));
        }
        if CODEC == DELTA || CODEC == DELTA_ZIGZAG {
            bits = _mm_add_epi32(bits, _mm_slli_si128::<4>(bits));
            bits = _mm_add_epi32(bits, _mm_slli_si128::<8>(bits));
            bits = _mm_add_epi32(bits, carry);
            carry = _mm_shuffle_epi32::<0xff>(bits);
        }
        // SAFETY: STEP is at most 31, and `out` holds 32 vectors.
        unsafe { _mm_storeu_si128(target.add(STEP), bits) };
    });
}

/// See [`crate::kernels::Transform`].
#[target_feature(enable = "sse2")]
unsafe fn transform<const CODEC: u8>(
    values: &[u32; CHUNK],
    transformed: &mut MaybeUninit<[u32; CHUNK]>,
) -> u32 {
    let source = values.as_ptr().cast::<__m128i>();
    let target = transformed.as_mut_ptr().cast::<__m128i>();
    // Only the last lane is used; in the first step it is the previous value of the first.
    let mut previous = splat(values[0]);
    let mut all = _mm_setzero_si128();
    for step in 0..CHUNK / 4 {
        // SAFETY: `step` is at most 31, and `values` holds 32 vectors.
        let value = unsafe { _mm_loadu_si128(source.add(step)) };
        let mut bits = value;
        if CODEC == MINUS_ONE {
            bits = _mm_sub_epi32(value, splat(1));
        }
        if CODEC == DELTA || CODEC == DELTA_ZIGZAG {
            let before = _mm_or_si128(_mm_slli_si128::<4>(value), _mm_srli_si128::<12>(previous));
            bits = _mm_sub_epi32(value, before);
            previous = value;
        }
        if CODEC == DELTA_ZIGZAG {
            bits = _mm_xor_si128(_mm_add_epi32(bits, bits), _mm_srai_epi32::<31>(bits));
        }
        if CODEC != PLAIN {
            // SAFETY: as above, for `transformed`.
            unsafe { _mm_storeu_si128(target.add(step), bits) };
        }
        all = _mm_or_si128(all, bits);
    }
    all = _mm_or_si128(all, _mm_srli_si128::<8>(all));
    all = _mm_or_si128(all, _mm_srli_si128::<4>(all));
    _mm_cvtsi128_si32(all).cast_unsigned()
}

/// See [`crate::kernels::Pack`].
#[target_feature(enable = "sse2")]
unsafe fn pack<const W: usize>(values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) {
    let source = values.as_ptr().cast::<__m128i>();
    let target = packed.as_mut_ptr().cast::<__m128i>();
    let mut word = _mm_setzero_si128();
    unroll!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                     16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] {
        let place = const { Place::of(STEP, W) };
        // SAFETY: STEP is at most 31, and `values` holds 32 vectors.
        let value = unsafe { _mm_loadu_si128(source.add(STEP)) };
        word = _mm_or_si128(word, _mm_sll_epi32(value, count(place.shift)));
        if place.shift + W >= 32 {
            // SAFETY: `place.word` is less than W, and `packed` holds 32 vectors.
            unsafe { _mm_storeu_si128(target.add(place.word), word) };
            word = if place.crosses {
                _mm_srl_epi32(value, count(32 - place.shift))
            } else {
                _mm_setzero_si128()
            };
        }
    });
}
