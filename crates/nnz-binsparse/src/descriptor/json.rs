//! Parsing JSON values exactly.

/// Parses a count. A whole number may have a decimal point or an exponent, because some programs
/// write floats only.
///
/// It is parsed digit by digit, since a float would round it.
pub(super) fn count(text: &str) -> Option<u64> {
    let _: serde_json::Number = serde_json::from_str(text).ok()?;
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let exponent: i64 = exponent.parse().ok()?;
    let shift = i64::try_from(digits.len() - significant.len()).ok()?;
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(shift)?;
    // 2^64 has twenty digits.
    let zeros = usize::try_from(zeros).ok().filter(|zeros| *zeros < 20)?;
    format!("{significant}{}", "0".repeat(zeros)).parse().ok()
}

/// Parses a list of counts.
pub(super) fn counts(text: &str) -> Option<Vec<u64>> {
    let list: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(text).ok()?;
    list.iter().map(|item| count(item.get())).collect()
}

/// Parses a string.
pub(super) fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// Describes a text that is not an object with unique keys.
pub(super) fn not_an_object(text: &str, error: &serde_json::Error) -> String {
    match text.trim_start().starts_with('{') {
        true => format!("{} ({error})", excerpt(text)),
        false => excerpt(text),
    }
}

/// Shortens a text for a message.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
