//! Kernels: a table for each instruction set, with one function for each codec and width.
//!
//! The rest of the crate uses only the tables. A new instruction set is a module with a `KERNELS`
//! table and a variant of [`crate::Backend`].

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
pub(crate) mod neon;
pub(crate) mod scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use std::mem::MaybeUninit;

use crate::CHUNK;

/// Decodes one chunk.
///
/// # Safety
///
/// The processor must support the table that the function is from, and `packed` must have exactly
/// [`crate::chunk_words`] of the function's width.
pub(crate) type Unpack = unsafe fn(packed: &[u32], start: u32, out: &mut [u32; CHUNK]);

/// Decodes one chunk of the plain codec and adds `others` to it, wrapping around.
///
/// # Safety
///
/// As [`Unpack`].
pub(crate) type Onto = unsafe fn(packed: &[u32], others: &[u32; CHUNK], out: &mut [u32; CHUNK]);

/// Applies a codec's transform to `values` and returns the OR of the results.
///
/// The results are also stored in `transformed`, which becomes fully initialized, except by the
/// plain codec, which does not write it.
///
/// # Safety
///
/// The processor must support the table that the function is from.
pub(crate) type Transform =
    unsafe fn(values: &[u32; CHUNK], transformed: &mut MaybeUninit<[u32; CHUNK]>) -> u32;

/// A buffer for transformed values, aligned so that no vector crosses a cache line.
#[repr(align(64))]
pub(crate) struct Transformed(pub(crate) MaybeUninit<[u32; CHUNK]>);

/// Packs values that fit in the function's width at the start of `packed`.
///
/// # Safety
///
/// The processor must support the table that the function is from.
pub(crate) type Pack = unsafe fn(values: &[u32; CHUNK], packed: &mut [u32; CHUNK]);

/// The kernels of one instruction set.
pub(crate) struct Kernels {
    /// Indexed by codec, then by width.
    pub(crate) unpack: [[Unpack; 33]; 4],
    /// Indexed by width; `None` if unpacking and adding separately is faster.
    pub(crate) onto: [Option<Onto>; 33],
    /// Indexed by codec.
    pub(crate) transform: [Transform; 4],
    /// Indexed by width.
    pub(crate) pack: [Pack; 33],
}

/// Codecs as const generic arguments: the discriminants of [`crate::Codec`].
pub(crate) const PLAIN: u8 = crate::Codec::Plain as u8;
pub(crate) const MINUS_ONE: u8 = crate::Codec::MinusOne as u8;
pub(crate) const DELTA: u8 = crate::Codec::Delta as u8;
pub(crate) const DELTA_ZIGZAG: u8 = crate::Codec::DeltaZigzag as u8;

/// The mask that keeps the low `width` bits.
pub(crate) const fn low_bits(width: usize) -> u32 {
    if width == 0 { 0 } else { u32::MAX >> (32 - width) }
}

/// Lists `f::<W, ...>` for W from 0 to 32; the first and the last entry are given separately.
macro_rules! by_width {
    ($zero:expr, $f:ident $(, $codec:expr)?; $raw:expr) => {
        by_width!(
            @list $zero, $raw, $f, ($($codec)?),
            1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        )
    };
    (@list $zero:expr, $raw:expr, $f:ident, (), $($w:literal)*) => {
        [$zero, $($f::<$w>,)* $raw]
    };
    (@list $zero:expr, $raw:expr, $f:ident, ($codec:expr), $($w:literal)*) => {
        [$zero, $($f::<$w, { $codec }>,)* $raw]
    };
}
pub(crate) use by_width;

/// The position of step `s` in its lane, in a chunk of `W` bits per value.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The word of the lane with the lowest bit.
    pub(crate) word: usize,
    /// The position of that bit in the word.
    pub(crate) shift: usize,
    /// Whether the highest bit is in the next word.
    pub(crate) crosses: bool,
}

impl Place {
    pub(crate) const fn of(step: usize, width: usize) -> Self {
        let (word, shift) = (step * width / 32, step * width % 32);
        Self { word, shift, crosses: shift + width > 32 }
    }
}

/// Repeats a block for each listed number, with the number as the constant `$step`.
macro_rules! unroll {
    ($step:ident in [$($number:literal)*] $body:block) => {
        $({
            const $step: usize = $number;
            $body
        })*
    };
}
pub(crate) use unroll;
