//! XML character references, with which files of version 2 represent characters that are not ASCII.

use nnz_core::{Names, Result, StringReader};

/// Replaces numeric character references, such as `&#233;`, by the characters. Everything else is
/// kept, such as references to characters that do not exist.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"&#") {
        let (before, reference) = rest.split_at(at);
        out.extend_from_slice(before);
        match character(reference) {
            Some((character, after)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            None => {
                let (start, after) = reference.split_at(2.min(reference.len()));
                out.extend_from_slice(start);
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest);
}

/// Parses a reference and returns the character, and the text after it.
fn character(reference: &[u8]) -> Option<(char, &[u8])> {
    /// The digits of the largest code point.
    const DIGITS: usize = 7;
    let digits = reference.strip_prefix(b"&#")?;
    let (digits, radix) = match digits.split_first()? {
        (b'x' | b'X', hexadecimal) => (hexadecimal, 16),
        _ => (digits, 10),
    };
    let end = digits.iter().take(DIGITS + 1).position(|&byte| byte == b';')?;
    let (number, after) = digits.split_at_checked(end)?;
    if !number.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let number = u32::from_str_radix(std::str::from_utf8(number).ok()?, radix).ok()?;
    // A zero would end the string in most programs.
    let character = char::from_u32(number).filter(|character| *character != '\0')?;
    Some((character, after.get(1..)?))
}

/// Strings whose references are replaced.
pub(super) struct Decoded<'a> {
    strings: Names<'a>,
    text: Vec<u8>,
}

impl<'a> Decoded<'a> {
    pub(super) fn new(strings: Names<'a>) -> Self {
        Self { strings, text: Vec::new() }
    }
}

impl StringReader for Decoded<'_> {
    fn next_string(&mut self) -> Result<Option<&[u8]>> {
        let Some(string) = self.strings.next_string()? else { return Ok(None) };
        decode(string, &mut self.text);
        Ok(Some(&self.text))
    }

    fn remaining(&self) -> Option<u64> {
        self.strings.remaining()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters() {
        for (text, expected) in [
            ("T&#233;st", "Tést"),
            ("&#233;0", "é0"),
            ("&#xE9;&#22522;&#22240;", "é基因"),
            ("&#128512;", "😀"),
            ("a&#b;&#;&#", "a&#b;&#;&#"),
            ("&#12", "&#12"),
            ("&#0;&#55296;&#99999999999;", "&#0;&#55296;&#99999999999;"),
            ("&#&#233;", "&#é"),
            ("&amp; & &lt;", "&amp; & &lt;"),
            ("&#+33;", "&#+33;"),
            ("", ""),
        ] {
            let mut out = b"before".to_vec();
            decode(text.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{text}");
        }
    }
}
