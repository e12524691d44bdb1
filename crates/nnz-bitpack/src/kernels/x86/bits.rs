//! Listing set bits with 512-bit vectors.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Indices that are written at once, whether the bits are set or not.
const AT_ONCE: usize = 16;

/// The numbers 0 to 63.
static NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut bit = 1;
    while bit < 64 {
        numbers[bit] = numbers[bit - 1] + 1;
        bit += 1;
    }
    numbers
};

/// Lists the bits of the first words while a whole number of vectors fits in `out`. Clears the
/// words, and returns the number of words and of bits.
#[target_feature(enable = "avx512f,avx512vbmi2,popcnt")]
pub(crate) fn avx512(words: &mut [u64], out: &mut [u32]) -> (usize, usize) {
    // SAFETY: there are 64 bytes.
    let numbers = unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) };
    let mut first = _mm512_setzero_si512();
    let mut at = 0;
    for (done, word) in words.iter_mut().enumerate() {
        let bits = *word;
        let count = bits.count_ones() as usize;
        let Some(room) = out.get_mut(at..at + count.max(1).next_multiple_of(AT_ONCE)) else {
            return (done, at);
        };
        *word = 0;
        let mut set = _mm512_maskz_compress_epi8(bits, numbers);
        for room in room.as_chunks_mut::<AT_ONCE>().0 {
            let next = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set));
            // SAFETY: there is room for 16 values.
            unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), _mm512_add_epi32(next, first)) };
            set = _mm512_alignr_epi32::<4>(set, set);
        }
        at += count;
        first = _mm512_add_epi32(first, _mm512_set1_epi32(64));
    }
    (words.len(), at)
}
