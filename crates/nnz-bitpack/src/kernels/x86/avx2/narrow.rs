//! Prefix sums of narrow deltas, two steps at once.
//!
//! Narrow deltas, and the sum of the four of a step, fit in 16 bits. The 32-bit lanes of a vector
//! therefore hold two steps, one in each half, until the sums over the lanes are computed: half the
//! instructions for the zigzag code and the sums.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{count, load, splat};
use crate::kernels::{DELTA, DELTA_ZIGZAG, Place};

/// Returns whether this module supports a codec at a width.
pub(super) const fn holds(width: usize, codec: u8) -> bool {
    match codec {
        // The sum of four is less than 2^16.
        DELTA => width <= 14,
        // The deltas are signed, and at least one fits in 16 bits; see below for the wider ones.
        DELTA_ZIGZAG => width <= 16,
        _ => false,
    }
}

/// Returns whether the second of two steps includes the sum of the first.
///
/// This halves the chain of additions from step to step. It is free if the sum is signed; otherwise
/// it costs more than it gains.
pub(super) const fn joins(width: usize, codec: u8) -> bool {
    codec == DELTA_ZIGZAG && width <= 14
}

/// Returns the prefix sums over the lanes, from zero, of step `step` and of the next one, which
/// includes the sum of the first if the two are [joined](joins).
///
/// `word` is the word where step 0 begins, and afterwards what the previous call stored there.
///
/// # Safety
///
/// `source` must point to W vectors, and `step` be even and at most 14.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn two_steps<const W: usize, const CODEC: u8>(
    source: *const __m128i,
    step: usize,
    word: &mut __m256i,
) -> (__m256i, __m256i) {
    debug_assert!(holds(W, CODEC));
    let sums = if W == 8 && CODEC == DELTA_ZIGZAG {
        // SAFETY: required of the caller.
        unsafe { pairs_of_bytes(source, step, word) }
    } else {
        // SAFETY: required of the caller; `step` is even, so the next one is at most 15.
        let (low, high) =
            unsafe { (take::<W>(source, step, 16, word), take::<W>(source, step + 1, 32, word)) };
        let tops = _mm256_blend_epi16::<0b1010_1010>(low, high);
        let deltas = if CODEC == DELTA_ZIGZAG {
            let bits = _mm256_srl_epi16(tops, count(17_usize.saturating_sub(W)));
            let sign = _mm256_sll_epi16(tops, count(W - 1));
            _mm256_xor_si256(bits, _mm256_srai_epi16::<15>(sign))
        } else {
            _mm256_srl_epi16(tops, count(16_usize.saturating_sub(W)))
        };
        if W == 16 {
            // The sum of two does not fit.
            let (low, high) = widening_sums::<1>(deltas);
            return (
                _mm256_add_epi32(low, _mm256_slli_si256::<8>(low)),
                _mm256_add_epi32(high, _mm256_slli_si256::<8>(high)),
            );
        }
        _mm256_add_epi16(deltas, _mm256_slli_si256::<4>(deltas))
    };
    if W == 15 {
        // The sum of four does not fit.
        return widening_sums::<2>(sums);
    }
    let sums = _mm256_add_epi16(sums, _mm256_slli_si256::<8>(sums));
    if joins(W, CODEC) {
        // The upper half of each lane, next to the last of the lower halves.
        let joined = reorder(sums, [12, 13, 2, 3, 12, 13, 6, 7, 12, 13, 10, 11, 12, 13, 14, 15]);
        // The product with one and zero is the sign-extended lower half, the product with ones the
        // sum of both.
        (_mm256_madd_epi16(sums, splat(1)), _mm256_madd_epi16(joined, splat(0x1_0001)))
    } else {
        (_mm256_and_si256(sums, splat(0xffff)), _mm256_srli_epi32::<16>(sums))
    }
}

/// Shifts the value of a step so that it ends at bit `top` of its lane, among other bits.
///
/// `word` is the word where it begins, and is replaced by the word of the next step.
///
/// # Safety
///
/// `source` must point to W vectors, and `step` be at most 15.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn take<const W: usize>(
    source: *const __m128i,
    step: usize,
    top: usize,
    word: &mut __m256i,
) -> __m256i {
    let place = Place::of(step, W);
    let end = place.shift + W;
    let first = *word;
    if place.crosses || (end == 32 && step < 15) {
        // SAFETY: a stream has W / 2 words, rounded up, and ends with the last bit of step 15, so
        // there is a word after this one.
        *word = unsafe { load::<W>(source, place.word + 1) };
    }
    if end < top {
        return _mm256_sll_epi32(first, count(top - end));
    }
    let bits = _mm256_srl_epi32(first, count(end - top));
    if !place.crosses {
        return bits;
    }
    _mm256_or_si256(bits, _mm256_sll_epi32(*word, count(32 + top - end)))
}

/// Returns the sum of each half of a lane and the same half `DISTANCE` lanes before: first for the
/// lower halves, then for the upper ones.
#[target_feature(enable = "avx2")]
#[inline]
fn widening_sums<const DISTANCE: usize>(halves: __m256i) -> (__m256i, __m256i) {
    let low = const { order([(0, 0), (0, 1), (DISTANCE, 0), (DISTANCE, 1)]) };
    let high = const { order([(0, 2), (0, 3), (DISTANCE, 2), (DISTANCE, 3)]) };
    let ones = splat(0x1_0001);
    (_mm256_madd_epi16(reorder(halves, low), ones), _mm256_madd_epi16(reorder(halves, high), ones))
}

/// Decodes two steps of 8-bit zigzag values, and adds to each delta the previous one of its step:
/// 16-bit sums, with the first step in the lower half of each lane.
///
/// `word` has values, or deltas if `step` is in the middle of a word.
///
/// # Safety
///
/// As [`two_steps`], with width 8.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn pairs_of_bytes(source: *const __m128i, step: usize, word: &mut __m256i) -> __m256i {
    let places = if step.is_multiple_of(4) {
        let bits = _mm256_and_si256(_mm256_srli_epi16::<1>(*word), _mm256_set1_epi8(0x7f));
        let sign = _mm256_and_si256(*word, _mm256_set1_epi8(1));
        let sign = _mm256_sub_epi8(_mm256_setzero_si256(), sign);
        // All four steps of the word, the next two for the next call.
        *word = _mm256_xor_si256(bits, sign);
        const { order([(0, 0), (1, 0), (0, 1), (1, 1)]) }
    } else {
        const { order([(0, 2), (1, 2), (0, 3), (1, 3)]) }
    };
    let deltas = *word;
    if step % 4 == 2 && step < 14 {
        // SAFETY: a stream of 8 bits has a word for every four steps, and ends with step 15.
        *word = unsafe { load::<8>(source, step / 4 + 1) };
    }
    _mm256_maddubs_epi16(_mm256_set1_epi8(1), reorder(deltas, places))
}

/// Returns the byte positions for [`reorder`], given for each byte of a lane as (lanes back, byte).
const fn order(bytes: [(usize, u8); 4]) -> [u8; 16] {
    // Positions with the highest bit set give zero.
    let mut places = [0x80; 16];
    let mut lane = 0_u8;
    while lane < 4 {
        let mut at = 0;
        while at < 4 {
            let (back, byte) = bytes[at];
            if back <= lane as usize {
                #[allow(clippy::cast_possible_truncation)]
                let from = lane - back as u8;
                places[4 * lane as usize + at] = 4 * from + byte;
            }
            at += 1;
        }
        lane += 1;
    }
    places
}

/// Reorders the bytes of both halves of a vector.
#[target_feature(enable = "avx2")]
#[inline]
fn reorder(bytes: __m256i, places: [u8; 16]) -> __m256i {
    // SAFETY: `places` is 16 bytes.
    let places = unsafe { _mm_loadu_si128(places.as_ptr().cast()) };
    _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(places))
}
