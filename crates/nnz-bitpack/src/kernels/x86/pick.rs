//! Filtering values by their keys with 512-bit vectors.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use crate::key_set::{Filter, SHIFT};
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

/// For 32 keys, the positions of their lowest bytes, and those of the next ones.
static LOWEST_BYTES: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut key = 1;
    while key < 32 {
        bytes[key] = bytes[key - 1] + 4;
        key += 1;
    }
    key = 0;
    while key < 32 {
        bytes[32 + key] = bytes[key] + 1;
        key += 1;
    }
    bytes
};

/// Sets the bits of the keys that pass both filters, and clears those of the others. Returns the largest key, 0 if there
/// is none.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(crate) fn mark_avx512(groups: &[[u32; 64]], filters: &[Filter; 2], marks: &mut [u64]) -> u32 {
    // SAFETY: each filter has eight vectors.
    let table =
        |filter: &Filter, at| unsafe { _mm512_loadu_si512(filter.as_ptr().add(64 * at).cast()) };
    let tables: [[__m512i; 8]; 2] =
        [0, 1].map(|number| std::array::from_fn(|at| table(&filters[number], at)));
    let mut largest = _mm512_setzero_si512();
    for (keys, marks) in groups.iter().zip(marks) {
        // SAFETY: there are four vectors.
        let load = |at: usize| unsafe { _mm512_loadu_si512(keys.as_ptr().add(16 * at).cast()) };
        let keys: [__m512i; 4] = std::array::from_fn(load);
        let of_pairs = [_mm512_max_epu32(keys[0], keys[1]), _mm512_max_epu32(keys[2], keys[3])];
        largest = _mm512_max_epu32(largest, _mm512_max_epu32(of_pairs[0], of_pairs[1]));
        let shifted = keys.map(|keys| _mm512_srli_epi32::<SHIFT>(keys));
        *marks = pass_avx512(keys, &tables[0]) & pass_avx512(shifted, &tables[1]);
    }
    _mm512_reduce_max_epu32(largest)
}

/// Returns which of 64 numbers pass a filter.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pass_avx512(numbers: [__m512i; 4], tables: &[__m512i; 8]) -> u64 {
    // SAFETY: there are 64 bytes.
    let lowest = unsafe { _mm512_loadu_si512(LOWEST_BYTES.as_ptr().cast()) };
    let powers = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
    let first = _mm512_permutex2var_epi8(numbers[0], lowest, numbers[1]);
    let last = _mm512_permutex2var_epi8(numbers[2], lowest, numbers[3]);
    let low = _mm512_shuffle_i64x2::<0b01_00_01_00>(first, last);
    let high = _mm512_shuffle_i64x2::<0b11_10_11_10>(first, last);
    // Bits 0 to 6 of a number are the position in 128 bytes, bits 7 and 11 select these, and bits 8 to 10 are the bit.
    let look_up = |at: usize| _mm512_permutex2var_epi8(tables[at], low, tables[at + 1]);
    let bit_7 = _mm512_movepi8_mask(low);
    let bit_11 = _mm512_test_epi8_mask(high, _mm512_set1_epi8(8));
    let found = _mm512_mask_blend_epi8(
        bit_11,
        _mm512_mask_blend_epi8(bit_7, look_up(0), look_up(2)),
        _mm512_mask_blend_epi8(bit_7, look_up(4), look_up(6)),
    );
    let bits = _mm512_shuffle_epi8(powers, _mm512_and_si512(high, _mm512_set1_epi8(7)));
    _mm512_test_epi8_mask(found, bits)
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
