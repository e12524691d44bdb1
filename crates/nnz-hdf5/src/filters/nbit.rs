//! The filter N-bit: elements without the bits that their type does not use.
//!
//! <https://github.com/HDFGroup/hdf5/blob/develop/src/H5Znbit.c>

use super::bits::Bits;
use super::{DecodeError, size};

/// The maximum number of types in each other.
const MOST_LEVELS: usize = 32;

/// Decodes into the start of `out` and returns the length.
pub(super) fn decode(
    stored: &[u8],
    parameters: &[u32],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let &[_, is_plain, count, ref rest @ ..] = parameters else { return Err(malformed()) };
    if is_plain != 0 {
        out.get_mut(..stored.len()).ok_or(DecodeError::TooLong)?.copy_from_slice(stored);
        return Ok(stored.len());
    }
    let element = Element::parse(&mut { rest }, 0)?;
    let length = size(count).saturating_mul(element.size);
    let out = out.get_mut(..length).ok_or(DecodeError::TooLong)?;
    // Bits that are not stored are 0.
    out.fill(0);
    let mut bits = Bits::new(stored);
    for out in out.chunks_exact_mut(element.size) {
        element.decode(&mut bits, out)?;
    }
    Ok(length)
}

/// The type of an element.
struct Element {
    /// The size in bytes, which is not 0.
    size: usize,
    kind: DatatypeKind,
}

/// The kind of a type. All have at least one bit.
enum DatatypeKind {
    Number {
        big: bool,
        precision: u32,
        offset: u32,
    },
    Array(Box<Element>),
    /// The offsets and types of fields.
    Compound(Vec<(usize, Element)>),
    Bytes,
}

impl Element {
    /// Takes a type from the parameters.
    fn parse(parameters: &mut &[u32], level: usize) -> Result<Self, DecodeError> {
        if level == MOST_LEVELS {
            return Err(malformed());
        }
        let mut next = || parameters.split_off_first().copied().ok_or_else(malformed);
        let (class, bytes) = (next()?, next()?);
        let kind = match class {
            1 => {
                let (order, precision, offset) = (next()?, next()?, next()?);
                let bits = precision.checked_add(offset);
                // The largest numbers have 16 bytes.
                let valid =
                    precision > 0 && bytes <= 16 && bits.is_some_and(|bits| bits <= bytes * 8);
                if !valid {
                    return Err(malformed());
                }
                DatatypeKind::Number { big: order != 0, precision, offset }
            }
            2 => {
                let base = Self::parse(parameters, level + 1)?;
                if size(bytes) < base.size {
                    return Err(malformed());
                }
                DatatypeKind::Array(Box::new(base))
            }
            3 => {
                let fields = (0..next()?).map(|_| {
                    let offset = parameters.split_off_first().copied().ok_or_else(malformed)?;
                    Ok((size(offset), Self::parse(parameters, level + 1)?))
                });
                let fields = fields.collect::<Result<Vec<_>, DecodeError>>()?;
                let Some((_, before)) = fields.split_last() else { return Err(malformed()) };
                if before.iter().any(|(_, field)| field.ends_in_large_array()) {
                    let what =
                        "N-bit with fields after an array of arrays or compounds is not supported";
                    return Err(DecodeError::Unsupported(what.to_owned()));
                }
                DatatypeKind::Compound(fields)
            }
            4 => DatatypeKind::Bytes,
            _ => return Err(malformed()),
        };
        match bytes {
            0 => Err(malformed()),
            _ => Ok(Self { size: size(bytes), kind }),
        }
    }

    /// Returns whether it ends in an array of arrays or compounds.
    ///
    /// The HDF5 library reads the parameters after that from the wrong place, also when it writes.
    fn ends_in_large_array(&self) -> bool {
        match &self.kind {
            DatatypeKind::Array(base) => {
                matches!(base.kind, DatatypeKind::Array(_) | DatatypeKind::Compound(_))
            }
            DatatypeKind::Compound(fields) => {
                fields.last().is_some_and(|(_, field)| field.ends_in_large_array())
            }
            DatatypeKind::Number { .. } | DatatypeKind::Bytes => false,
        }
    }

    /// Decodes an element into `out`, which has its size.
    fn decode(&self, bits: &mut Bits<'_>, out: &mut [u8]) -> Result<(), DecodeError> {
        match &self.kind {
            &DatatypeKind::Number { big, precision, offset } => {
                let high = u128::from(bits.take(precision.saturating_sub(64))?);
                let number = (high << 64 | u128::from(bits.take(precision.min(64))?)) << offset;
                out.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, from)| *byte = from);
                if big {
                    out.reverse();
                }
            }
            DatatypeKind::Array(base) => {
                for out in out.chunks_exact_mut(base.size) {
                    base.decode(bits, out)?;
                }
            }
            DatatypeKind::Compound(fields) => {
                for (offset, field) in fields {
                    let out = out.get_mut(*offset..).and_then(|out| out.get_mut(..field.size));
                    field.decode(bits, out.ok_or_else(malformed)?)?;
                }
            }
            DatatypeKind::Bytes => {
                for byte in out {
                    *byte = bits.take(8)?.to_le_bytes()[0];
                }
            }
        }
        Ok(())
    }
}

fn malformed() -> DecodeError {
    DecodeError::damaged("invalid parameters of the filter nbit")
}
