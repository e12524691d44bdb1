//! The filter scale-offset: differences to the minimum in as few bits as they need, with decimal scaling of floats.
//!
//! <https://github.com/HDFGroup/hdf5/blob/develop/src/H5Zscaleoffset.c>

use super::bits::Bits;
use super::{DecodeError, size, truncated};

/// The size of the header before the packed bits.
const HEADER: usize = 21;

/// The numbers of parameters.
const INTEGERS: u32 = 0;
const D_SCALING: u32 = 0;
const BIG_ENDIAN: u32 = 1;
const HAS_FILL: u32 = 1;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(
    stored: &[u8],
    parameters: &[u32],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let &[method, factor, count, class, width, _sign, order, has_fill, ref fill @ ..] = parameters
    else {
        return Err(DecodeError::damaged("missing filter parameters"));
    };
    let width_bits = width.saturating_mul(8);
    if class == INTEGERS && factor == width_bits {
        out.get_mut(..stored.len()).ok_or(DecodeError::TooLong)?.copy_from_slice(stored);
        return Ok(stored.len());
    }
    if class != INTEGERS && method != D_SCALING {
        return Err(DecodeError::Unsupported(
            "scale-offset with E-scaling is not supported".into(),
        ));
    }
    let length = size(count).saturating_mul(size(width));
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    let (header, packed) = stored.split_first_chunk::<HEADER>().ok_or_else(truncated)?;
    // The number of bits, the size of the minimum, and the minimum. The rest of the header is not used.
    let &[a, b, c, d, min_bytes, ref min @ ..] = header;
    let bits = u32::from_le_bytes([a, b, c, d]);
    let min = min.iter().take(usize::from(min_bytes.min(8))).rev();
    let min = min.fold(0, |min, byte| min << 8 | u64::from(*byte));
    if bits == width_bits {
        out.copy_from_slice(packed.get(..length).ok_or_else(truncated)?);
        if order == BIG_ENDIAN {
            out.chunks_exact_mut(size(width).max(1)).for_each(<[u8]>::reverse);
        }
        return Ok(length);
    }
    if bits > width_bits {
        return Err(DecodeError::Damaged(format!("elements of {width} bytes with {bits} bits")));
    }
    let mut low_high = fill.iter().map(|word| u64::from(*word));
    let fill = low_high.next().unwrap_or(0) | low_high.next().unwrap_or(0) << 32;
    // The highest number is for the fill value.
    let mark = 1_u64.checked_shl(bits).unwrap_or(0).wrapping_sub(1);
    let fill = (has_fill == HAS_FILL).then_some((mark, fill));
    // The factor is a signed number.
    let digits = i32::from_ne_bytes(factor.to_ne_bytes());
    let integer = |number: u64| number.wrapping_add(min);
    let mut packed =
        Elements { bits: Bits::new(packed), count: bits, fill, big: order == BIG_ENDIAN };
    match (class, width) {
        (INTEGERS, 1) => packed.restore::<1>(out, integer)?,
        (INTEGERS, 2) => packed.restore::<2>(out, integer)?,
        (INTEGERS, 4) => packed.restore::<4>(out, integer)?,
        (INTEGERS, 8) => packed.restore::<8>(out, integer)?,
        (_, 4) => {
            let (scale, min) = (10_f32.powi(digits), f32::from_bits(low_half(min)));
            packed.restore::<4>(out, |number| {
                u64::from((as_f32(low_half(number)) / scale + min).to_bits())
            })?;
        }
        (_, 8) => {
            let (scale, min) = (10_f64.powi(digits), f64::from_bits(min));
            packed.restore::<8>(out, |number| (as_f64(number) / scale + min).to_bits())?;
        }
        _ => {
            let what = format!("scale-offset of elements of {width} bytes is not supported");
            return Err(DecodeError::Unsupported(what));
        }
    }
    Ok(length)
}

/// Packed elements.
struct Elements<'a> {
    bits: Bits<'a>,
    /// The number of bits of an element.
    count: u32,
    /// The number for the fill value, and that.
    fill: Option<(u64, u64)>,
    big: bool,
}

impl Elements<'_> {
    /// Restores elements of `WIDTH` bytes from their packed numbers.
    fn restore<const WIDTH: usize>(
        &mut self,
        out: &mut [u8],
        restored: impl Fn(u64) -> u64,
    ) -> Result<(), DecodeError> {
        for element in out.as_chunks_mut::<WIDTH>().0 {
            let number = self.bits.take(self.count)?;
            let number = match self.fill {
                Some((mark, fill)) if number == mark => fill,
                _ => restored(number),
            };
            element.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, from)| *byte = from);
            if self.big {
                element.reverse();
            }
        }
        Ok(())
    }
}

/// Returns the lowest 32 bits.
fn low_half(number: u64) -> u32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Converts a signed number, as in C.
#[allow(clippy::cast_precision_loss)]
fn as_f32(number: u32) -> f32 {
    number.cast_signed() as f32
}

/// Converts a signed number, as in C.
#[allow(clippy::cast_precision_loss)]
fn as_f64(number: u64) -> f64 {
    number.cast_signed() as f64
}
