//! Kernels for x86-64.
//!
//! The four lanes of the format are the four 32-bit lanes of a 128-bit vector, so step `s` of all
//! lanes is one vector: load, shift, mask, store. Shift counts and word numbers are constants once
//! the width is, which is why every kernel is generic over the width and unrolled over the steps.

pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod bits;
#[cfg(target_pointer_width = "64")]
pub(crate) mod falls;
pub(crate) mod pairs;
pub(crate) mod pick;
pub(crate) mod sse2;
pub(crate) mod sum;

/// Asks for the memory that words begin in.
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn prefetch(words: &[u32]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every processor for x86-64 has the instruction, which is a hint and reads nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(words.as_ptr().cast()) };
}
