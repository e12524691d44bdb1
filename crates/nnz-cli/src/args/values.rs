//! Values of flags, from text.

use std::ops::Range;

use nnz::Compress;

/// Reads `A:B`, `A:`, `:B` or `:`: from A up to, not including, B.
pub(super) fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once(':').ok_or("expected A:B")?;
    let number = |text: &str, absent| {
        if text.is_empty() {
            return Ok(absent);
        }
        text.parse().map_err(|_| format!("{text:?} is no number"))
    };
    let range = number(start, 0)?..number(end, u64::MAX)?;
    if range.start > range.end {
        return Err(format!("{} comes after {}", range.start, range.end));
    }
    Ok(range)
}

/// Reads a number of bytes, with K, M, G or T for powers of 1000, or Ki, Mi, Gi, Ti for 1024.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| "expected a size such as 500M".to_owned())?;
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
        other => return Err(format!("unknown unit {other:?}")),
    };
    number.checked_mul(factor).ok_or_else(|| "too large".to_owned())
}

/// Reads how arrays are compressed.
pub(super) fn compress(text: &str) -> Result<Compress, String> {
    let level = text.strip_prefix("gzip:").and_then(|level| level.parse().ok());
    match (text, level) {
        ("none", _) => Ok(Compress::None),
        (_, Some(level @ 1..=9)) => Ok(Compress::Gzip(level)),
        _ => Err("expected none, or gzip:1 to gzip:9".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_open() {
        assert_eq!(range("2:5"), Ok(2..5));
        assert_eq!(range(":5"), Ok(0..5));
        assert_eq!(range("2:"), Ok(2..u64::MAX));
        assert!(range("5").is_err());
        assert!(range("5:2").is_err());
        assert!(range("-1:2").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(memory("500M"), Ok(500_000_000));
        assert_eq!(memory("2GiB"), Ok(2 << 30));
        assert_eq!(memory("17"), Ok(17));
        assert!(memory("M").is_err());
        assert!(memory("1X").is_err());
        assert!(memory("99999999T").is_err());
    }
}
