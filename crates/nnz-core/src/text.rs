//! Numbers as text, and the encoding of texts.

use std::fmt;

use crate::{Scalar, Values};

/// Some programs write this at the start of a text in UTF-8. It is no part of the text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The first bytes of a text that [`not_text`] needs.
pub const TEXT_START: usize = 64;

/// Returns what was found and what was expected if a file does not begin like text in UTF-8: UTF-16, which
/// spreadsheets write, a pointer of Git LFS, or a common binary format.
///
/// ```
/// assert_eq!(nnz_core::not_text(b"\xff\xfea\0"), Some(["UTF-16 text", "UTF-8"]));
/// assert_eq!(nnz_core::not_text(b"gene\tcell\n"), None);
/// ```
#[must_use]
pub fn not_text(start: &[u8]) -> Option<[&'static str; 2]> {
    const TEXT: &str = "text";
    let is_character = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    Some(match *start {
        // A name of a file that is not UTF-8 may begin like the mark alone.
        [0xff, 0xfe, byte, 0, ..] | [0xfe, 0xff, 0, byte, ..] if is_character(byte) => {
            ["UTF-16 text", "UTF-8"]
        }
        // Without a mark.
        [0, first, 0, second, ..] | [first, 0, second, 0, ..]
            if is_character(first) && is_character(second) =>
        {
            ["UTF-16 text", "UTF-8"]
        }
        [0x89, b'H', b'D', b'F', ..] => {
            ["an HDF5 file", "text; an HDF5 file that gzip compressed has to be decompressed first"]
        }
        [b'B', b'A', b'M', 1, ..] => ["a BAM file", TEXT],
        [b'P', b'K', 3, 4, ..] => ["a zip file", TEXT],
        _ if is_git_lfs_pointer(start) => GIT_LFS,
        _ => return None,
    })
}

/// A description of a Git LFS pointer, and of the file expected in its place.
pub const GIT_LFS: [&str; 2] = ["a Git LFS pointer", "the file itself; run \"git lfs pull\" first"];

/// Returns whether a file begins like a pointer of Git LFS, which has fewer than 1024 bytes.
#[must_use]
pub fn is_git_lfs_pointer(start: &[u8]) -> bool {
    start.starts_with(b"version https://git-lfs.github.com/spec/")
}

/// Appends the shortest decimal form that parses to the same 64-bit float.
///
/// Uses an exponent at 1e16 and above or below 1e-5. Special values are `-0.0`, `nan`, `inf` and
/// `-inf`.
///
/// ```
/// let mut text = Vec::new();
/// nnz_core::write_float64(&mut text, 0.1);
/// assert_eq!(text, b"0.1");
/// ```
pub fn write_float64(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    } else {
        write_not_finite(out, value.is_nan(), value.is_sign_negative());
    }
}

/// Appends the shortest decimal form that parses to the same 32-bit float.
///
/// The format is the same as in [`write_float64`].
pub fn write_float32(out: &mut Vec<u8>, value: f32) {
    let size = value.abs();
    if !value.is_finite() {
        write_not_finite(out, value.is_nan(), value.is_sign_negative());
    } else if (1e13..1e16).contains(&size) {
        // ryu uses exponents for 32-bit floats of this size, which are all whole.
        out.extend_from_slice(format!("{value}.0").as_bytes());
    } else if size > 0.0 && size < 1e-5 {
        out.extend_from_slice(format!("{value:e}").as_bytes());
    } else {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    }
}

fn write_not_finite(out: &mut Vec<u8>, nan: bool, negative: bool) {
    out.extend_from_slice(match (nan, negative) {
        (true, _) => b"nan",
        (false, false) => b"inf",
        (false, true) => b"-inf",
    });
}

/// Appends a value: integers exactly, floats as [`write_float64`], complex numbers as two fields
/// with `separator` in between, booleans as 0 or 1.
pub fn write_scalar(out: &mut Vec<u8>, value: Scalar, separator: &str) {
    fn integer(out: &mut Vec<u8>, value: impl itoa::Integer) {
        out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }
    match value {
        Scalar::U8(v) => integer(out, v),
        Scalar::U16(v) => integer(out, v),
        Scalar::U32(v) => integer(out, v),
        Scalar::U64(v) => integer(out, v),
        Scalar::I8(v) => integer(out, v),
        Scalar::I16(v) => integer(out, v),
        Scalar::I32(v) => integer(out, v),
        Scalar::I64(v) => integer(out, v),
        Scalar::Bint8(v) => integer(out, v.0),
        Scalar::F32(v) => write_float32(out, v),
        Scalar::F64(v) => write_float64(out, v),
        Scalar::ComplexF32([re, im]) => {
            write_float32(out, re);
            out.extend_from_slice(separator.as_bytes());
            write_float32(out, im);
        }
        Scalar::ComplexF64([re, im]) => {
            write_float64(out, re);
            out.extend_from_slice(separator.as_bytes());
            write_float64(out, im);
        }
    }
}

impl fmt::Display for Scalar {
    /// Writes the value as [`write_scalar`], with a space between the parts of a complex number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        write_scalar(&mut text, *self, " ");
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl Values {
    /// Appends the value at `index` as [`write_scalar`]; nothing past the end.
    pub fn write_text(&self, index: usize, out: &mut Vec<u8>, separator: &str) {
        if let Some(value) = self.get(index) {
            write_scalar(out, value, separator);
        }
    }
}

#[cfg(test)]
mod tests {
    use nnz_testing::random::Random;

    use super::*;

    fn text64(value: f64) -> String {
        let mut out = Vec::new();
        write_float64(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    fn text32(value: f32) -> String {
        let mut out = Vec::new();
        write_float32(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_float_widths_use_exponents_from_the_same_limits() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (1e-5, "0.00001"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(text64(value), expected);
        }
        for (value, expected) in [
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e12, "1000000000000.0"),
            (1e13, "10000000000000.0"),
            (9.999_999e15, "9999999000000000.0"),
            (1e16, "1e16"),
            (1e-5, "0.00001"),
            (9e-6, "9e-6"),
            (1.5e-40, "1.5e-40"),
            (f32::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text32(value), expected);
        }
        assert_eq!(text64(5e-324), "5e-324");
        assert_eq!(text64(1.5e-6), "1.5e-6");
    }

    #[test]
    fn display_matches_write_scalar() {
        for (scalar, expected) in [
            (Scalar::I64(1_152_921_504_606_846_977), "1152921504606846977"),
            (Scalar::F64(2.0), "2.0"),
            (Scalar::F32(f32::NAN), "nan"),
            (Scalar::Bint8(crate::Bint8(1)), "1"),
            (Scalar::ComplexF32([1.5, -0.0]), "1.5 -0.0"),
        ] {
            assert_eq!(scalar.to_string(), expected);
        }
    }

    #[test]
    fn random_float32_round_trips() {
        let mut random = Random::new(1);
        for _ in 0..200_000 {
            let bits = u32::try_from(random.next() >> 32).unwrap();
            let value = f32::from_bits(bits);
            if value.is_finite() {
                let back: f32 = text32(value).parse().unwrap();
                assert_eq!(back.to_bits(), value.to_bits(), "{value:e}");
            }
        }
    }
}
