//! 512-bit kernels: four steps at once, with tables.
//!
//! A permutation of bytes moves the bytes of a value to its lane, and a shift and a mask extract
//! its bits. Widths differ in tables, not in code: one function is used for many widths, so the
//! indirect call is predicted even if widths change from chunk to chunk.
//!
//! Plain values are unpacked four steps at once, to 32 bits each. Narrow deltas are unpacked eight
//! steps at once, to 16 bits each, and summed before they are widened. Other widths and codecs use
//! the 256-bit kernels.

// Intrinsics for memory access take pointers.
#![allow(unsafe_code)]

mod tables;

use std::arch::x86_64::*;
use std::sync::OnceLock;

use self::tables::{DELTAS, STEPS, deltas_hold, steps_hold};
use super::{avx2, sse2};
use crate::CHUNK;
use crate::kernels::{DELTA, Kernels, Onto, PLAIN, Unpack, low_bits};

pub(crate) static KERNELS: Kernels = Kernels {
    unpack: {
        let mut unpack = avx2::UNPACK;
        let mut width = 1;
        while width < 32 {
            if steps_hold(width) {
                unpack[PLAIN as usize][width] = unpack_plain as Unpack;
            }
            if deltas_hold(width) {
                unpack[DELTA as usize][width] = unpack_delta as Unpack;
            }
            width += 1;
        }
        unpack
    },
    onto: {
        let mut onto = [None; 33];
        let mut width = 1;
        while width < 32 {
            if steps_hold(width) {
                onto[width] = Some(unpack_onto as Onto);
            }
            width += 1;
        }
        onto
    },
    transform: avx2::TRANSFORM,
    pack: sse2::PACK,
};

/// Returns whether this processor supports the kernels.
///
/// The first processors with 512-bit vectors ran slower with them; those that have VBMI do not.
#[inline]
pub(crate) fn is_available() -> bool {
    // One check instead of five.
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt")
    })
}

/// Returns a constant as a vector.
#[target_feature(enable = "avx512f")]
#[inline]
fn splat(value: u32) -> __m512i {
    _mm512_set1_epi32(value.cast_signed())
}

/// Returns a mask of the words, of the four loaded, that a chunk of a width has.
const fn loaded_words(width: usize) -> u16 {
    if width < 4 { (1 << (4 * width)) - 1 } else { u16::MAX }
}

/// Loads a table.
#[target_feature(enable = "avx512f")]
#[inline]
fn table<T, const N: usize>(entries: &[T; N]) -> __m512i {
    const { assert!(size_of::<[T; N]>() == 64) };
    // SAFETY: there are 64 bytes, as checked above.
    unsafe { _mm512_loadu_si512(entries.as_ptr().cast()) }
}

/// Calls `each` with the vectors of a chunk.
///
/// # Safety
///
/// `packed` must hold 4 W words, for a width W that [`steps_hold`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
unsafe fn unpack_steps(packed: &[u32], mut each: impl FnMut(usize, __m512i)) {
    let width = packed.len() / 4;
    debug_assert!(steps_hold(width) && packed.len() == 4 * width);
    let steps = &STEPS[width];
    let mask = splat(low_bits(width));
    let shifts = [table(&steps.shifts[0]), table(&steps.shifts[1])];
    for (four, (places, window)) in steps.places.iter().zip(steps.windows).enumerate() {
        // SAFETY: the window begins at word W - 4 or before, so there are four words.
        let words = unsafe { _mm512_loadu_si512(packed.as_ptr().add(4 * window).cast()) };
        let bytes = _mm512_permutexvar_epi8(table(places), words);
        let bits = _mm512_srlv_epi32(bytes, shifts[four % 2]);
        each(four, _mm512_and_si512(bits, mask));
    }
}

/// Stores a vector at its place in a chunk.
#[target_feature(enable = "avx512f")]
#[inline]
fn store(out: &mut [u32; CHUNK], four: usize, values: __m512i) {
    let (fours, _) = out.as_chunks_mut::<16>();
    // SAFETY: there is room for 16 values.
    unsafe { _mm512_storeu_si512(fours[four].as_mut_ptr().cast(), values) };
}

/// See [`Unpack`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn unpack_plain(packed: &[u32], _start: u32, out: &mut [u32; CHUNK]) {
    // SAFETY: required of the caller, and the table has this function only for such widths.
    unsafe { unpack_steps(packed, |four, bits| store(out, four, bits)) };
}

/// See [`Onto`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn unpack_onto(packed: &[u32], others: &[u32; CHUNK], out: &mut [u32; CHUNK]) {
    let (others, _) = others.as_chunks::<16>();
    let add = |four: usize, bits| _mm512_add_epi32(bits, table(&others[four]));
    // SAFETY: required of the caller, and the table has this function only for such widths.
    unsafe { unpack_steps(packed, |four, bits| store(out, four, add(four, bits))) };
}

/// See [`Unpack`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn unpack_delta(packed: &[u32], start: u32, out: &mut [u32; CHUNK]) {
    let width = packed.len() / 4;
    debug_assert!(deltas_hold(width) && packed.len() == 4 * width);
    let deltas = &DELTAS[width];
    let mask = splat(low_bits(width) * 0x1_0001);
    let loaded = loaded_words(width);
    let shifts = table(&deltas.shifts);
    let low = splat(0xffff);
    // The last lane of the previous vector.
    let mut carry = splat(start);
    for (eight, (places, window)) in deltas.places.iter().zip(deltas.windows).enumerate() {
        // SAFETY: the window begins at word W - 4 or before, so there are four words; or it begins
        // at word 0 of a chunk with fewer words, and the mask excludes the others.
        let words =
            unsafe { _mm512_maskz_loadu_epi32(loaded, packed.as_ptr().add(4 * window).cast()) };
        let bytes = _mm512_permutexvar_epi8(table(places), words);
        let mut sums = _mm512_and_si512(_mm512_srlv_epi16(bytes, shifts), mask);
        // Over the four values of a step, then over the four steps.
        sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<4>(sums));
        sums = _mm512_add_epi16(sums, _mm512_bslli_epi128::<8>(sums));
        let one = _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 11, 11, 11, 11);
        sums = _mm512_add_epi16(sums, _mm512_maskz_permutexvar_epi32(0xf0f0, one, sums));
        sums = _mm512_add_epi16(sums, _mm512_maskz_permutexvar_epi32(0xff00, splat(7), sums));
        let all = _mm512_permutexvar_epi32(splat(15), sums);
        let middle = _mm512_add_epi32(carry, _mm512_and_si512(all, low));
        let first = _mm512_add_epi32(_mm512_and_si512(sums, low), carry);
        let second = _mm512_add_epi32(_mm512_srli_epi32::<16>(sums), middle);
        carry = _mm512_add_epi32(middle, _mm512_srli_epi32::<16>(all));
        store(out, 2 * eight, first);
        store(out, 2 * eight + 1, second);
    }
}
