//! Text from files and arguments, escaped for a terminal.

use std::borrow::Cow;

/// Returns whether a character has an effect on a terminal instead of being displayed: control
/// characters, and characters that change the direction of text or break lines.
///
/// ```
/// assert!(nnz_core::is_unprintable('\x1b'));
/// assert!(nnz_core::is_unprintable('\u{202e}'));
/// assert!(!nnz_core::is_unprintable('é'));
/// ```
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns the text with characters that [affect a terminal](is_unprintable) escaped as in Rust,
/// such as `\n` and `\u{1b}`.
///
/// ```
/// assert_eq!(nnz_core::escaped("\x1b[31m"), "\\u{1b}[31m");
/// assert_eq!(nnz_core::escaped("as it is"), "as it is");
/// ```
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            shown.extend(c.escape_debug());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_escaped() {
        for (text, expected) in [
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\x1b]0;title\x07", "\\u{1b}]0;title\\u{7}"),
            ("\x7f\u{80}\u{9b}31m\u{9f}", "\\u{7f}\\u{80}\\u{9b}31m\\u{9f}"),
            ("\u{202a}\u{202e}\u{2066}\u{2069}", "\\u{202a}\\u{202e}\\u{2066}\\u{2069}"),
            ("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            ("\u{a0}é\u{4e2d}\u{301}\"\\'", "\u{a0}é\u{4e2d}\u{301}\"\\'"),
        ] {
            assert_eq!(escaped(text), expected);
            assert!(!escaped(text).contains(is_unprintable), "{text:?}");
        }
    }
}
