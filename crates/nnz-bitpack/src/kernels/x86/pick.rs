//! Filtering values by their keys with 512-bit vectors.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// See [`crate::pick`].
#[target_feature(enable = "avx512f,popcnt")]
pub(crate) fn avx512(
    keys: &[u32],
    first: u32,
    count: u32,
    values: &[u32],
    out: &mut [u32],
) -> usize {
    let len = keys.len().min(values.len()).min(out.len());
    let (keys, rest_of_keys) = keys[..len].as_chunks::<16>();
    let (values, rest_of_values) = values[..len].as_chunks::<16>();
    let first_key = _mm512_set1_epi32(first.cast_signed());
    let counts = _mm512_set1_epi32(count.cast_signed());
    let mut at = 0;
    for (keys, values) in keys.iter().zip(values) {
        // SAFETY: each has 16 values.
        let (keys, values) = unsafe {
            (_mm512_loadu_si512(keys.as_ptr().cast()), _mm512_loadu_si512(values.as_ptr().cast()))
        };
        let matches = _mm512_cmplt_epu32_mask(_mm512_sub_epi32(keys, first_key), counts);
        let picked = _mm512_maskz_compress_epi32(matches, values);
        debug_assert!(at + 16 <= out.len());
        // SAFETY: no more values were picked than examined, so `out` has at least as many free
        // elements as values left to examine: 16 or more.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(at).cast(), picked) };
        at += matches.count_ones() as usize;
    }
    crate::pick::pick_from(at, rest_of_keys, first, count, rest_of_values, out)
}
