//! The four kinds of values, each read from where it stands in a line.

use nnz_core::{Bint8, Element, Scalar, Values};

use super::fault::{Expected, Fault};
use super::number::{integer, real, skip_separator, unsigned};
use super::window::Window;

/// A value that a line holds.
pub(crate) trait Value: Copy {
    /// Whether the format gives it a place at all: patterns have none.
    const WRITTEN: bool = true;
    /// Whether a line of it often has more than 32 bytes.
    const LONG: bool = false;
    /// What a vector is filled with before there are values.
    const EMPTY: Self;

    /// Reads the value and the line end, given where what comes before it ends; returns the
    /// position after them. `None` where that is for [`parse`](Self::parse).
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)>;

    /// Reads the value at a position, and returns it with the position after it.
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault>;

    /// Returns the position of an imaginary part that is not zero.
    fn imaginary(self, text: &[u8], at: usize) -> Option<usize> {
        let _ = (text, at);
        None
    }

    /// Runs `fill` on the vector of a batch, with whatever it held.
    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R;
}

impl Value for i64 {
    const EMPTY: Self = 0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.integer(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        integer(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for u64 {
    const EMPTY: Self = 0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.unsigned(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        unsigned(text, at)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for f64 {
    const LONG: bool = true;
    const EMPTY: Self = 0.0;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        window.real(at)
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        real(text, at, Expected::Real)
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

impl Value for [f64; 2] {
    const EMPTY: Self = [0.0; 2];

    #[inline(always)]
    fn quick(_: Window<'_>, _: usize) -> Option<(Self, usize)> {
        None
    }

    #[inline]
    fn parse(text: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        let (re, at) = real(text, at, Expected::RealPart)?;
        let (im, at) = real(text, skip_separator(text, at), Expected::ImaginaryPart)?;
        Ok(([re, im], at))
    }

    fn imaginary(self, text: &[u8], at: usize) -> Option<usize> {
        // A NaN is not zero either.
        let zero = self[1] == 0.0;
        let (_, end) = real(text, at, Expected::RealPart).ok().filter(|_| !zero)?;
        Some(skip_separator(text, end))
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        fill(Self::vec_mut(values))
    }
}

/// The entry is there: all a pattern says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present;

impl Value for Present {
    const WRITTEN: bool = false;
    const EMPTY: Self = Self;

    #[inline(always)]
    fn quick(window: Window<'_>, at: usize) -> Option<(Self, usize)> {
        Some((Self, window.line_end(at)?))
    }

    #[inline]
    fn parse(_: &[u8], at: usize) -> Result<(Self, usize), Fault> {
        Ok((Self, at))
    }

    fn fill<R>(values: &mut Values, fill: impl FnOnce(&mut Vec<Self>) -> R) -> R {
        *values = Values::Iso(Scalar::Bint8(Bint8(1)));
        // Of no size, it takes no memory.
        fill(&mut Vec::new())
    }
}
