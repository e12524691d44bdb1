//! Filtering values by their keys with 512-bit vectors.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::pick::{Found, SMALL};

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

/// See [`crate::find_in_table`].
#[target_feature(enable = "avx512f,popcnt")]
pub(crate) fn find_avx512(keys: &[u32], first: u32, table: &[u32], mut into: Found<'_>) -> usize {
    let Found { targets, positions, .. } = &mut into;
    let len = keys.len().min(targets.len()).min(positions.len());
    let (chunks, rest) = keys[..len].as_chunks::<16>();
    // Indices of a gather are signed.
    let table = &table[..table.len().min(i32::MAX as usize)];
    let end = _mm512_set1_epi32(i32::try_from(table.len()).unwrap_or(i32::MAX));
    let nowhere = _mm512_set1_epi32(-1);
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut position = _mm512_add_epi32(_mm512_set1_epi32(first.cast_signed()), lanes);
    let mut at = 0;
    for chunk in chunks {
        // SAFETY: it has 16 values.
        let keys = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
        let inside = _mm512_cmplt_epu32_mask(keys, end);
        // SAFETY: only keys inside of the table are read.
        let found = unsafe {
            _mm512_mask_i32gather_epi32::<4>(nowhere, inside, keys, table.as_ptr().cast())
        };
        let matches = _mm512_cmpneq_epi32_mask(found, nowhere);
        debug_assert!(at + 16 <= len);
        // SAFETY: no more were found than examined, so both have at least as many free elements as keys left to examine:
        // 16 or more.
        unsafe {
            let (to, place) = (targets.as_mut_ptr().add(at), positions.as_mut_ptr().add(at));
            _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi32(matches, found));
            _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi32(matches, position));
        }
        at += matches.count_ones() as usize;
        position = _mm512_add_epi32(position, _mm512_set1_epi32(16));
    }
    let rest_first = first.wrapping_add(u32::try_from(len - rest.len()).unwrap_or(u32::MAX));
    into.len = at;
    into.add(rest, rest_first, table);
    into.len
}

/// See [`crate::look_up_f32`]. `into` and `others` have as many elements as there are numbers.
#[target_feature(enable = "avx512f,popcnt")]
pub(crate) fn look_up_avx512(
    numbers: &[u32],
    table: &[f32; SMALL],
    into: &mut [f32],
    others: &mut [u32],
) -> usize {
    let len = numbers.len().min(into.len()).min(others.len());
    let (chunks, rest) = numbers[..len].as_chunks::<16>();
    let (into_chunks, _) = into.as_chunks_mut::<16>();
    // SAFETY: the table has 16 elements.
    let elements = unsafe { _mm512_loadu_ps(table.as_ptr()) };
    let end = _mm512_set1_epi32(16);
    let mut position = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut at = 0;
    for (chunk, into) in chunks.iter().zip(into_chunks) {
        // SAFETY: each has 16 elements.
        let numbers = unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) };
        // Only the lowest 4 bits of an index count.
        let found = _mm512_permutexvar_ps(numbers, elements);
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(into.as_mut_ptr(), found) };
        let outside = _mm512_cmpge_epu32_mask(numbers, end);
        debug_assert!(at + 16 <= len);
        // SAFETY: no more were found than examined, so `others` has at least as many free elements as numbers left to
        // examine: 16 or more.
        unsafe {
            let to = others.as_mut_ptr().add(at).cast();
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(outside, position));
        }
        at += outside.count_ones() as usize;
        position = _mm512_add_epi32(position, end);
    }
    crate::pick::look_up_from(at, (len - rest.len(), rest), table, into, others)
}
