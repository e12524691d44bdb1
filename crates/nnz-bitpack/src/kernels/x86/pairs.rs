//! Splitting and joining eight pairs at once.

// Intrinsics that read and write memory take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::pairs::AT_ONCE;

/// Splits 64 bytes of pairs with 32-bit values; does nothing if there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn deinterleave_32(
    pairs: &[u8],
    firsts: &mut [u32; AT_ONCE],
    seconds: &mut [[u32; 1]; AT_ONCE],
) {
    let Some(pairs) = pairs.first_chunk::<64>() else { return };
    let order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    // SAFETY: there are 64 bytes.
    let words = unsafe { _mm512_loadu_si512(pairs.as_ptr().cast()) };
    let split = _mm512_permutexvar_epi32(order, words);
    // SAFETY: there is room for 8 numbers in each.
    unsafe {
        let low = _mm512_castsi512_si256(split);
        _mm256_storeu_si256(firsts.as_mut_ptr().cast(), low);
        let high = _mm512_extracti64x4_epi64::<1>(split);
        _mm256_storeu_si256(seconds.as_mut_ptr().cast(), high);
    }
}

/// Splits 96 bytes of pairs with 64-bit values; does nothing if there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn deinterleave_64(
    pairs: &[u8],
    firsts: &mut [u32; AT_ONCE],
    seconds: &mut [[u32; 2]; AT_ONCE],
) {
    let Some(pairs) = pairs.first_chunk::<96>() else { return };
    // SAFETY: there are 64 bytes from byte 0 and from byte 32 on.
    let (low, high) = unsafe {
        let first = pairs.as_ptr();
        (_mm512_loadu_si512(first.cast()), _mm512_loadu_si512(first.add(32).cast()))
    };
    // Word 8 of `last` is word 16 of all; its index in the permutation is 24.
    let columns = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 26, 29, 0, 0, 0, 0, 0, 0, 0, 0);
    let values = _mm512_setr_epi32(1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 24, 25, 27, 28, 30, 31);
    let columns = _mm512_permutex2var_epi32(low, columns, high);
    let values = _mm512_permutex2var_epi32(low, values, high);
    // SAFETY: there is room for 8 numbers of 32 and of 64 bits.
    unsafe {
        let columns = _mm512_castsi512_si256(columns);
        _mm256_storeu_si256(firsts.as_mut_ptr().cast(), columns);
        _mm512_storeu_si512(seconds.as_mut_ptr().cast(), values);
    }
}

/// Joins pairs with 32-bit values into 64 bytes; does nothing if there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn interleave_32(
    firsts: &[u32; AT_ONCE],
    seconds: &[[u32; 1]; AT_ONCE],
    out: &mut [u8],
) {
    let Some(out) = out.first_chunk_mut::<64>() else { return };
    // Word 0 of the second operand has index 16.
    let order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    // SAFETY: there are 8 numbers in each, and room for 64 bytes.
    unsafe {
        let firsts = _mm512_castsi256_si512(_mm256_loadu_si256(firsts.as_ptr().cast()));
        let seconds = _mm512_castsi256_si512(_mm256_loadu_si256(seconds.as_ptr().cast()));
        let pairs = _mm512_permutex2var_epi32(firsts, order, seconds);
        _mm512_storeu_si512(out.as_mut_ptr().cast(), pairs);
    }
}

/// Joins pairs with 64-bit values into 96 bytes; does nothing if there are fewer.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn interleave_64(
    firsts: &[u32; AT_ONCE],
    seconds: &[[u32; 2]; AT_ONCE],
    out: &mut [u8],
) {
    let Some(out) = out.first_chunk_mut::<96>() else { return };
    // Words of values have indices from 16 on.
    let low = _mm512_setr_epi32(0, 16, 17, 1, 18, 19, 2, 20, 21, 3, 22, 23, 4, 24, 25, 5);
    let high = _mm512_setr_epi32(26, 27, 6, 28, 29, 7, 30, 31, 0, 0, 0, 0, 0, 0, 0, 0);
    // SAFETY: there are 8 numbers of 32 and of 64 bits, and room for 96 bytes.
    unsafe {
        let firsts = _mm512_castsi256_si512(_mm256_loadu_si256(firsts.as_ptr().cast()));
        let seconds = _mm512_loadu_si512(seconds.as_ptr().cast());
        let out = out.as_mut_ptr();
        _mm512_storeu_si512(out.cast(), _mm512_permutex2var_epi32(firsts, low, seconds));
        let last = _mm512_castsi512_si256(_mm512_permutex2var_epi32(firsts, high, seconds));
        _mm256_storeu_si256(out.add(64).cast(), last);
    }
}
