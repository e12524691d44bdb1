//! Numbers as text.

use crate::cast;

/// Formats a number for the label of a tick: with commas below a million, then with a unit (`1.5 M`, `20 G`), and with an
/// exponent if it is very small or very large.
#[must_use]
pub fn format_short(number: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    let size = number.abs();
    if let Some((unit, name)) = UNITS.iter().find(|(unit, _)| (*unit..1e15).contains(&size)) {
        return format!("{} {name}", decimal(number / unit, 3));
    }
    match (1e-3..1e6).contains(&size) {
        true => decimal(number, if size >= 1.0 { 3 } else { 6 }),
        false => format_number(number),
    }
}

/// Formats a number in a text: an integer with commas between thousands, other numbers with four digits, and with an
/// exponent if it is very small or very large.
///
/// ```
/// use nnz_plot::format_number;
///
/// assert_eq!([49358.0, 288437.635, 0.25].map(format_number), ["49,358", "288,438", "0.25"]);
/// ```
#[must_use]
pub fn format_number(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || !number.is_finite() {
        return (number + 0.0).to_string();
    }
    if !(1e-3..1e15).contains(&size) {
        let text = format!("{number:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", without_zeros(digits));
    }
    let before = cast::exponent(size.log10().floor());
    decimal(number, usize::try_from(3 - before).unwrap_or(0))
}

/// Formats with as many decimals as needed, at most some, and with commas between thousands.
fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let text = without_zeros(&text);
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    format!("{}{fraction}", grouped(whole))
}

fn without_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// Formats an integer with commas between thousands.
#[must_use]
pub fn format_grouped(count: impl Into<i128>) -> String {
    grouped(&count.into().to_string())
}

fn grouped(integer: &str) -> String {
    let digits = integer.trim_start_matches('-');
    let mut text = String::with_capacity(integer.len() + digits.len() / 3);
    text.push_str(&integer[..integer.len() - digits.len()]);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the width of a character: none if it combines with the one before, two of East Asian ones and pictures.
pub(crate) fn width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Returns the width of a text in columns of a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// Shortens a text in the middle to a number of columns.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let within = |chars: &mut dyn Iterator<Item = char>, most: usize| -> Vec<char> {
        let mut used = 0;
        let fits = |c: &char| {
            used += width(*c);
            used <= most
        };
        chars.take_while(fits).collect()
    };
    let start: String = within(&mut text.chars(), kept - kept / 2).into_iter().collect();
    let end = within(&mut text.chars().rev(), kept / 2);
    let end: String = end.into_iter().rev().collect();
    format!("{start}\u{2026}{end}")
}

/// Breaks a text between words.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(shortened(word, most)),
        }
    }
    lines
}

/// Replaces control characters and others that XML or a terminal does not accept.
pub(crate) fn printable(text: &str) -> String {
    let is_wrong = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    text.chars().map(|c| if is_wrong(c) { '\u{fffd}' } else { c }).collect()
}

/// Formats a position in pixels.
pub(crate) fn pixels(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    let whole = cast::count(rounded.abs());
    match (rounded - rounded.trunc()).abs() < 1e-9 {
        true if rounded < 0.0 && whole > 0 => format!("-{whole}"),
        true => whole.to_string(),
        false => format!("{rounded:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(columns("a\u{301}\u{65e5}\u{672c}"), 5);
        assert_eq!(shortened("\u{65e5}\u{672c}\u{8a9e}\u{65e5}", 6), "\u{65e5}\u{2026}\u{65e5}");
        assert_eq!(shortened("\u{65e5}\u{672c}", 4), "\u{65e5}\u{672c}");
    }

    #[test]
    fn labels_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (9999.0, "9,999"),
            (12_500.0, "12,500"),
            (1000.5, "1,000.5"),
            (-49_358.0, "-49,358"),
            (1.5e6, "1.5 M"),
            (2.6e9, "2.6 G"),
            (1e12, "1 T"),
            (1e18, "1e18"),
            (0.25, "0.25"),
            (0.001, "0.001"),
            (1e-7, "1e-7"),
            // The exponent was cut off.
            (-3.634_693_171_5e-4, "-3.635e-4"),
            (2.441_406_25e-4, "2.441e-4"),
            (9.999_99e-4, "1e-3"),
            (9_223_372_036_854_775_807.0, "9.223e18"),
            (-1.1e308, "-1.1e308"),
            (5e-324, "4.941e-324"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(format_short(number), text, "{number}");
        }
    }

    #[test]
    fn numbers_of_texts_have_one_style() {
        for (number, text) in [
            (49_358.0, "49,358"),
            (288_437.635_213_851_9, "288,438"),
            (1_234_567.0, "1,234,567"),
            (-1234.56, "-1,235"),
            (28.842_19, "28.84"),
            (0.028_842, "0.02884"),
            (999.96, "1,000"),
            (-0.0, "0"),
            (2.638_123e-228, "2.638e-228"),
            (1e15, "1e15"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(format_number(number), text, "{number}");
        }
    }

    #[test]
    fn thousands_are_grouped() {
        let counts = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (count, text) in counts.into_iter().chain([(-100, "-100"), (-1000, "-1,000")]) {
            assert_eq!(format_grouped(count), text);
        }
        assert_eq!(format_grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn labels_are_broken_between_words() {
        assert_eq!(wrapped("entries per bin of 3", 11), ["entries per", "bin of 3"]);
        assert_eq!(wrapped("abcdefghij", 4), ["ab\u{2026}j"]);
    }

    #[test]
    fn texts_are_shortened_in_the_middle() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abc\u{2026}fg");
        assert_eq!(shortened("abc", 1), "\u{2026}");
        assert_eq!(printable("a\u{1b}b\u{202e}\u{0}"), "a\u{fffd}b\u{fffd}\u{fffd}");
    }
}
