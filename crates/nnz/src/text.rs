//! Values and names as text.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use nnz_core::{Error, Place, Result};

use crate::Selection;

pub use nnz_core::{escaped, is_unprintable, write_scalar};

/// Reads a selection of names or positions, one per line.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn read_selection(path: impl AsRef<Path>) -> Result<Selection> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    Selection::read_lines(BufReader::new(file), &Place::path(path))
}

/// Parses a number of bytes, with K, M, G or T for powers of 1000, or Ki, Mi, Gi, Ti for powers of
/// 1024.
///
/// ```
/// assert_eq!(nnz::text::parse_size("500M"), Ok(500_000_000));
/// assert_eq!(nnz::text::parse_size("2 GiB"), Ok(2 << 30));
/// ```
///
/// # Errors
///
/// Fails if it is not a size, or exceeds 64 bits.
pub fn parse_size(text: &str) -> std::result::Result<u64, String> {
    let digits = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 =
        number.parse().map_err(|_| "expected a size such as 500M or 4G".to_owned())?;
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let factor: u64 = match unit {
        "" => 1,
        "k" => 1000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        "ki" => 1 << 10,
        "mi" => 1 << 20,
        "gi" => 1 << 30,
        "ti" => 1 << 40,
        _ => return Err("expected a size such as 500M or 4G".to_owned()),
    };
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

/// Formats a number of bytes with a unit, for messages.
///
/// ```
/// assert_eq!(nnz::text::format_size(1_234), "1.2 kB");
/// ```
#[must_use]
pub fn format_size(bytes: u64) -> String {
    scaled(bytes.into(), ["B", "kB", "MB", "GB", "TB"])
}

/// Formats a large number with a suffix, for messages.
///
/// ```
/// assert_eq!(nnz::text::format_count(57_312_000), "57.3 M");
/// ```
#[must_use]
pub fn format_count(count: u128) -> String {
    scaled(count, ["", "k", "M", "G", "T"]).trim_end().to_owned()
}

fn scaled(count: u128, units: [&str; 5]) -> String {
    let mut unit = 0;
    let mut whole = count;
    let mut tenths = 0;
    while whole >= 1000 && unit + 1 < units.len() {
        tenths = whole % 1000 / 100;
        whole /= 1000;
        unit += 1;
    }
    if unit == 0 || whole >= 100 {
        format!("{whole} {}", units[unit])
    } else {
        format!("{whole}.{tenths} {}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(format_size(999), "999 B");
        assert_eq!(format_size(1_234), "1.2 kB");
        assert_eq!(format_size(123_456_789), "123 MB");
        assert_eq!(format_size(u64::MAX), "18446744 TB");
        assert_eq!(format_count(57), "57");
        assert_eq!(format_count(57_312_000), "57.3 M");
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("500M"), Ok(500_000_000));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("17"), Ok(17));
        for text in ["", "M", "1X", "-1", "1.5G", "99999999T", "99999999999999999999999"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
