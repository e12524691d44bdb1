//! Counting descents at the starts of runs, eight runs at once.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The number of runs that are compared at once.
const AT_ONCE: usize = 8;

/// Counts the runs whose first value is not greater than the value before it, except the last few
/// runs. Returns the number of starts examined and the count.
#[target_feature(enable = "avx512f")]
pub(crate) fn between(values: &[u32], starts: &[usize]) -> (usize, usize) {
    let (one, low) = (_mm512_set1_epi64(1), _mm512_set1_epi64(u32::MAX.into()));
    let len = _mm512_set1_epi64(values.len().cast_signed() as i64);
    let (mut done, mut descents) = (0, 0);
    while let Some(runs) = starts.get(done..).and_then(|rest| rest.first_chunk::<{ AT_ONCE + 1 }>())
    {
        // SAFETY: there are nine numbers of 64 bits.
        let (before, start) = unsafe {
            let runs = runs.as_ptr();
            (_mm512_loadu_si512(runs.cast()), _mm512_loadu_si512(runs.add(1).cast()))
        };
        let within = _mm512_test_epi64_mask(start, start) & _mm512_cmplt_epu64_mask(start, len);
        let nonempty = _mm512_mask_cmpneq_epu64_mask(within, before, start);
        let place = _mm512_sub_epi64(start, one);
        // SAFETY: each lane that is read is the 64 bits from index `start - 1` on, and `start` is
        // between 1 and the last index.
        let pair = unsafe {
            let none = _mm512_setzero_si512();
            _mm512_mask_i64gather_epi64::<4>(none, nonempty, place, values.as_ptr().cast())
        };
        // The previous value is the lower half.
        let (last, first) = (_mm512_and_si512(pair, low), _mm512_srli_epi64::<32>(pair));
        descents += _mm512_mask_cmpge_epu64_mask(nonempty, last, first).count_ones() as usize;
        done += AT_ONCE;
    }
    (done, descents)
}
