//! Kernels for x86-64.
//!
//! The four lanes of the format are the four 32-bit lanes of a 128-bit vector, so step `s` of all
//! lanes is one vector: load, shift, mask, store. Shift counts and word numbers are constants once
//! the width is, which is why every kernel is generic over the width and unrolled over the steps.

pub(crate) mod avx2;
pub(crate) mod sse2;

/// Where step `s` of a chunk `W` bits wide lies in its lane.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The word of the lane that holds the lowest bit.
    pub(super) word: usize,
    /// The place of that bit in the word.
    pub(super) shift: usize,
    /// Whether the highest bit lies in the next word.
    pub(super) crosses: bool,
}

impl Place {
    pub(super) const fn of(step: usize, width: usize) -> Self {
        let (word, shift) = (step * width / 32, step * width % 32);
        Self { word, shift, crosses: shift + width > 32 }
    }
}

/// Runs a block once for each number listed, with the number as the constant `$step`.
macro_rules! unroll {
    ($step:ident in [$($number:literal)*] $body:block) => {
        $({
            const $step: usize = $number;
            $body
        })*
    };
}
pub(super) use unroll;
