//! Kernels for x86-64.
//!
//! The four lanes of the format are the four 32-bit lanes of a 128-bit vector, so one vector has
//! step `s` of all lanes: load, shift, mask, store. Every kernel is generic over the width and
//! unrolled over the steps, so that shift counts and word indices are constants.

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod bits;
#[cfg(target_pointer_width = "64")]
pub(crate) mod descents;
pub(crate) mod pairs;
pub(crate) mod pick;
pub(crate) mod sse2;
pub(crate) mod sum;

/// Prefetches the cache line where `words` begins.
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn prefetch(words: &[u32]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every x86-64 processor has the instruction, which is a hint and cannot fault.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast()) };
}
