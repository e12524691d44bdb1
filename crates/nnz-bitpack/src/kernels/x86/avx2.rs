//! 256-bit kernels: both halves of a chunk at once.
//!
//! Steps 0 to 15 of a chunk are the first half of its words, steps 16 to 31 the second half. They
//! are unpacked side by side as two streams of 16 steps, one in each half of a vector, with the
//! same shift counts. If the width is odd, the second stream begins in the middle of a word and is
//! shifted by 16 bits when it is loaded.
//!
//! The alternative, adjacent steps side by side, needs shift counts from memory, prefix sums across
//! halves, and 256-bit stores that are slow if `out` is not aligned to 32 bytes. It was measured to
//! be slower. Packing does not gain from wider vectors and uses the 128-bit kernels.
//!
//! Prefix sums of narrow deltas are computed for two steps at once in [`narrow`].

// The value that the last step assigns is not used.
#![allow(unused_assignments)]
// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

mod narrow;

use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::sync::atomic::{Ordering, compiler_fence};

use super::sse2::{self, count};
use crate::CHUNK;
use crate::kernels::scalar::{copy, fill};
use crate::kernels::{
    DELTA, DELTA_ZIGZAG, Kernels, MINUS_ONE, PLAIN, Place, Transform, Unpack, by_width, low_bits,
    unroll,
};

pub(crate) static KERNELS: Kernels =
    Kernels { unpack: UNPACK, onto: [None; 33], transform: TRANSFORM, pack: sse2::PACK };

pub(super) const UNPACK: [[Unpack; 33]; 4] = [
    by_width!(fill::<PLAIN>, unpack, PLAIN; copy),
    by_width!(fill::<MINUS_ONE>, unpack, MINUS_ONE; copy),
    by_width!(fill::<DELTA>, unpack, DELTA; copy),
    by_width!(fill::<DELTA_ZIGZAG>, unpack, DELTA_ZIGZAG; copy),
];

pub(super) const TRANSFORM: [Transform; 4] =
    [transform::<PLAIN>, transform::<MINUS_ONE>, transform::<DELTA>, transform::<DELTA_ZIGZAG>];

/// Returns a constant as a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn splat(value: u32) -> __m256i {
    _mm256_set1_epi32(value.cast_signed())
}

/// Loads word `word` of the first stream into the low half, and of the second stream into the high
/// half.
///
/// # Safety
///
/// `source` must point to W vectors, and `word` be less than W / 2, rounded up.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load<const W: usize>(source: *const __m128i, word: usize) -> __m256i {
    let second = W / 2 + word;
    // SAFETY: `word` and `second` are less than W. The two unaligned loads begin inside vector
    // `second` and end inside the next one, and are done only if there is one.
    unsafe {
        let low = _mm256_castsi128_si256(_mm_loadu_si128(source.add(word)));
        let high = if W.is_multiple_of(2) {
            _mm_loadu_si128(source.add(second))
        } else if second + 1 == W {
            _mm_srli_epi32::<16>(_mm_loadu_si128(source.add(second)))
        } else {
            // The upper 16 bits of each lane, loaded from two bytes higher, and the lower 16 bits
            // of its next word, loaded from two bytes lower.
            let lower = _mm_loadu_si128(source.byte_add(16 * second + 2));
            let upper = _mm_loadu_si128(source.byte_add(16 * second + 14));
            _mm_blend_epi16::<0b1010_1010>(lower, upper)
        };
        _mm256_inserti128_si256::<1>(low, high)
    }
}

/// Stores eight steps of the first stream, then the same steps of the second.
///
/// Two stores retire at once only if they go to the same cache line, hence the order. The fences
/// emit no instructions: they keep the compiler from reordering the stores and from merging two of
/// them into one of 256 bits, which needs a shuffle and may cross a cache line.
///
/// # Safety
///
/// `target` must have room for vectors 0 to 7 and 16 to 23.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store(target: *mut __m128i, steps: &[__m256i; 8]) {
    unroll!(STEP in [0 1 2 3 4 5 6 7] {
        // SAFETY: required of the caller.
        unsafe { _mm_storeu_si128(target.add(STEP), _mm256_castsi256_si128(steps[STEP])) };
        compiler_fence(Ordering::SeqCst);
    });
    unroll!(STEP in [0 1 2 3 4 5 6 7] {
        let high = _mm256_extracti128_si256::<1>(steps[STEP]);
        // SAFETY: required of the caller.
        unsafe { _mm_storeu_si128(target.add(STEP + 16), high) };
        compiler_fence(Ordering::SeqCst);
    });
}

/// See [`crate::kernels::Unpack`].
#[target_feature(enable = "avx2")]
unsafe fn unpack<const W: usize, const CODEC: u8>(
    packed: &[u32],
    start: u32,
    out: &mut [u32; CHUNK],
) {
    debug_assert_eq!(packed.len(), 4 * W);
    let source = packed.as_ptr().cast::<__m128i>();
    let target = out.as_mut_ptr().cast::<__m128i>();
    let sums = const { CODEC == DELTA || CODEC == DELTA_ZIGZAG };
    let halves = const { narrow::holds(W, CODEC) };
    let joined = const { narrow::joins(W, CODEC) };
    // The lowest bit of a zigzag value is its sign, which is extracted separately.
    let sign_bits = const { if CODEC == DELTA_ZIGZAG { 1 } else { 0 } };
    let mask = splat(low_bits(W - sign_bits));
    // The sum so far in every lane. The second half does not have the sum of the first yet.
    let mut carry = _mm256_inserti128_si256::<1>(splat(start), _mm_setzero_si128());
    // SAFETY: W is at least 1.
    let mut word = unsafe { load::<W>(source, 0) };
    // The second of two steps processed at once.
    let mut second = _mm256_setzero_si256();
    let mut ready = [_mm256_setzero_si256(); 8];
    unroll!(STEP in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
        let mut bits;
        if halves && STEP.is_multiple_of(2) {
            // SAFETY: STEP is even and at most 14.
            (bits, second) = unsafe { narrow::two_steps::<W, CODEC>(source, STEP, &mut word) };
        } else if halves {
            bits = second;
        } else {
            let place = const { Place::of(STEP, W) };
            bits = _mm256_srl_epi32(word, count(place.shift + sign_bits));
            let sign = _mm256_sll_epi32(word, count(31 - place.shift));
            if place.crosses || (place.shift + W == 32 && STEP < 15) {
                // SAFETY: a stream has W / 2 words, rounded up, and ends with the last bit of step
                // 15, so there is a word after this one.
                word = unsafe { load::<W>(source, place.word + 1) };
            }
            if place.crosses {
                let upper = _mm256_sll_epi32(word, count(32 - place.shift - sign_bits));
                bits = _mm256_or_si256(bits, upper);
            }
            // No mask is needed if the shift moved the highest bit of a word.
            if place.shift + W != 32 {
                bits = _mm256_and_si256(bits, mask);
            }
            if CODEC == MINUS_ONE {
                bits = _mm256_add_epi32(bits, splat(1));
            }
            if CODEC == DELTA_ZIGZAG {
                bits = _mm256_xor_si256(bits, _mm256_srai_epi32::<31>(sign));
            }
            if sums {
                bits = _mm256_add_epi32(bits, _mm256_slli_si256::<4>(bits));
                bits = _mm256_add_epi32(bits, _mm256_slli_si256::<8>(bits));
            }
        }
        if sums {
            bits = _mm256_add_epi32(bits, carry);
            if !joined || STEP % 2 == 1 {
                carry = _mm256_shuffle_epi32::<0xff>(bits);
            }
        }
        ready[STEP % 8] = bits;
        if STEP == 15 && sums {
            // The sum of the first half is known now, in time for the last steps.
            let carry = _mm256_castsi256_si128(carry);
            let before = _mm256_inserti128_si256::<1>(_mm256_setzero_si256(), carry);
            for steps in &mut ready {
                *steps = _mm256_add_epi32(*steps, before);
            }
        }
        if STEP % 8 == 7 {
            // SAFETY: STEP is 7 or 15, and `out` holds 32 vectors.
            unsafe { store(target.add(STEP - 7), &ready) };
        }
    });
    if sums {
        // The first steps of the second half were stored without the sum of the first.
        let carry = _mm256_castsi256_si128(carry);
        unroll!(STEP in [16 17 18 19 20 21 22 23] {
            // SAFETY: STEP is at most 31, and `out` holds 32 vectors.
            unsafe {
                let bits = _mm_loadu_si128(target.add(STEP));
                _mm_storeu_si128(target.add(STEP), _mm_add_epi32(bits, carry));
            }
        });
    }
}

/// See [`crate::kernels::Transform`].
#[target_feature(enable = "avx2")]
unsafe fn transform<const CODEC: u8>(
    values: &[u32; CHUNK],
    transformed: &mut MaybeUninit<[u32; CHUNK]>,
) -> u32 {
    let source = values.as_ptr();
    let target = transformed.as_mut_ptr().cast::<u32>();
    let mut all = _mm256_setzero_si256();
    unroll!(PAIR in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
        // SAFETY: PAIR is at most 15, and `values` holds 16 vectors.
        let value = unsafe { _mm256_loadu_si256(source.add(8 * PAIR).cast()) };
        let mut bits = value;
        if CODEC == MINUS_ONE {
            bits = _mm256_sub_epi32(value, splat(1));
        }
        if CODEC == DELTA || CODEC == DELTA_ZIGZAG {
            let before = if PAIR == 0 {
                // The first value has no previous value; its difference is 0.
                _mm256_permutevar8x32_epi32(value, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6))
            } else {
                // SAFETY: as above, and PAIR is at least 1, so there is a value before.
                unsafe { _mm256_loadu_si256(source.add(8 * PAIR - 1).cast()) }
            };
            bits = _mm256_sub_epi32(value, before);
        }
        if CODEC == DELTA_ZIGZAG {
            bits = _mm256_xor_si256(_mm256_add_epi32(bits, bits), _mm256_srai_epi32::<31>(bits));
        }
        if CODEC != PLAIN {
            // SAFETY: as above, for `transformed`.
            unsafe { _mm256_storeu_si256(target.add(8 * PAIR).cast(), bits) };
        }
        all = _mm256_or_si256(all, bits);
    });
    let half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    let half = _mm_or_si128(half, _mm_srli_si128::<8>(half));
    let half = _mm_or_si128(half, _mm_srli_si128::<4>(half));
    _mm_cvtsi128_si32(half).cast_unsigned()
}
