//! Sums with wide vectors.
//!
//! Adjacent values are added as one 64-bit number, which needs no widening, and the upper ones are
//! added again by themselves. All sums wrap around except the sum of the upper ones, from which the
//! total follows: `pairs - 2^32 upper + upper`.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Returns the sum of the values.
#[target_feature(enable = "avx512f")]
pub(crate) fn avx512(values: &[u32]) -> u64 {
    let (blocks, rest) = values.as_chunks::<32>();
    let mut pairs = [_mm512_setzero_si512(); 2];
    let mut upper = [_mm512_setzero_si512(); 2];
    for block in blocks {
        for (half, (pairs, upper)) in pairs.iter_mut().zip(&mut upper).enumerate() {
            // SAFETY: a block has 32 values, and `half` is 0 or 1.
            let found = unsafe { _mm512_loadu_si512(block.as_ptr().add(16 * half).cast()) };
            *pairs = _mm512_add_epi64(*pairs, found);
            *upper = _mm512_add_epi64(*upper, _mm512_srli_epi64::<32>(found));
        }
    }
    let pairs = _mm512_reduce_add_epi64(_mm512_add_epi64(pairs[0], pairs[1]));
    let upper = _mm512_reduce_add_epi64(_mm512_add_epi64(upper[0], upper[1]));
    whole(pairs.cast_unsigned(), upper.cast_unsigned(), rest)
}

/// Returns the sum of the values.
#[target_feature(enable = "avx2")]
pub(crate) fn avx2(values: &[u32]) -> u64 {
    let (blocks, rest) = values.as_chunks::<16>();
    let mut pairs = [_mm256_setzero_si256(); 2];
    let mut upper = [_mm256_setzero_si256(); 2];
    for block in blocks {
        for (half, (pairs, upper)) in pairs.iter_mut().zip(&mut upper).enumerate() {
            // SAFETY: a block has 16 values, and `half` is 0 or 1.
            let found = unsafe { _mm256_loadu_si256(block.as_ptr().add(8 * half).cast()) };
            *pairs = _mm256_add_epi64(*pairs, found);
            *upper = _mm256_add_epi64(*upper, _mm256_srli_epi64::<32>(found));
        }
    }
    whole(lanes(pairs), lanes(upper), rest)
}

/// Returns the sum of the lanes of two vectors.
#[target_feature(enable = "avx2")]
fn lanes([a, b]: [__m256i; 2]) -> u64 {
    let both = _mm256_add_epi64(a, b);
    let half = _mm_add_epi64(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    let sum = _mm_add_epi64(half, _mm_srli_si128::<8>(half));
    _mm_cvtsi128_si64(sum).cast_unsigned()
}

/// Returns the sum of all values; `last` has those that are not in `pairs`.
fn whole(pairs: u64, upper: u64, last: &[u32]) -> u64 {
    let last: u64 = last.iter().copied().map(u64::from).sum();
    pairs.wrapping_sub(upper << 32).wrapping_add(upper).wrapping_add(last)
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums_match_scalar() {
        let all: Vec<u32> = (0..200_u32).map(|n| n.wrapping_mul(0x9e37_79b9) | (n << 31)).collect();
        for values in (0..all.len()).map(|len| &all[..len]).chain([&[u32::MAX; 4096][..]]) {
            let expected = values.iter().map(|&value| u64::from(value)).sum::<u64>();
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { super::avx2(values) }, expected);
            }
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { super::avx512(values) }, expected);
            }
        }
    }
}
