//! Compact character vectors.

use crate::numbers::{Integers, NA_INTEGER, Reals};
use crate::text::{Encoding, Text, TextRef};

/// A character vector.
///
/// Strings are stored contiguously, each after its length and encoding in a few bytes. Numbers that
/// R formats lazily (`as.character(1:1e9)`) are kept as numbers.
#[derive(Clone, Debug)]
pub struct Strings {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Packed { bytes: Vec<u8>, len: u64 },
    Integers(Box<Integers>),
    Reals(Box<Reals>),
}

/// The code of a missing string, in addition to the codes of the encodings.
const MISSING: u8 = 5;

impl Default for Strings {
    fn default() -> Self {
        Self { form: Form::Packed { bytes: Vec::new(), len: 0 } }
    }
}

impl Strings {
    /// Creates an empty vector.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates the decimal text of integers.
    pub(crate) fn of_integers(integers: Integers) -> Self {
        Self { form: Form::Integers(Box::new(integers)) }
    }

    /// Creates the decimal text of whole doubles: see [`whole_text`].
    pub(crate) fn of_reals(reals: Reals) -> Self {
        Self { form: Form::Reals(Box::new(reals)) }
    }

    /// Appends a string, or `None` for a missing one. Does nothing to formatted numbers.
    pub fn push(&mut self, text: Option<TextRef<'_>>) {
        let Form::Packed { bytes, len } = &mut self.form else { return };
        let (string, mark) = match text {
            None => (&[][..], MISSING),
            Some(text) => {
                let mark = match text.encoding {
                    Encoding::Native => 0,
                    Encoding::Ascii => 1,
                    Encoding::Utf8 => 2,
                    Encoding::Latin1 => 3,
                    Encoding::Bytes => 4,
                };
                (text.bytes, mark)
            }
        };
        let mut rest = ((string.len() as u64) << 3) | u64::from(mark);
        while rest >= 0x80 {
            bytes.push(low_seven_bits(rest) | 0x80);
            rest >>= 7;
        }
        bytes.push(low_seven_bits(rest));
        bytes.extend_from_slice(string);
        *len += 1;
    }

    /// Reserves memory for a string of `string` bytes. Formatted numbers need none.
    ///
    /// Returns the number of bytes that could not be allocated.
    pub(crate) fn try_reserve(&mut self, string: usize) -> Result<(), u64> {
        let Form::Packed { bytes, .. } = &mut self.form else { return Ok(()) };
        // The length takes up to ten bytes.
        let more = string.saturating_add(10);
        bytes.try_reserve(more).map_err(|_| (bytes.len() as u64).saturating_add(more as u64))
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.form {
            Form::Packed { len, .. } => *len,
            Form::Integers(all) => all.len(),
            Form::Reals(all) => all.len(),
        }
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of the strings in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.form {
            Form::Packed { bytes, .. } => bytes.len() as u64,
            Form::Integers(all) => all.as_slice().map_or(24, |all| size_of_val(all) as u64),
            Form::Reals(all) => all.as_slice().map_or(24, |all| size_of_val(all) as u64),
        }
    }

    /// Calls `each` with every string in order; `None` for a missing one.
    ///
    /// # Errors
    ///
    /// Stops at the first error of `each` and returns it.
    pub fn try_for_each<E>(
        &self,
        mut each: impl FnMut(Option<TextRef<'_>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut cursor = self.cursor();
        while let Some(text) = cursor.next_text() {
            each(text)?;
        }
        Ok(())
    }

    /// Returns a cursor at the first string.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_> {
        let packed = match &self.form {
            Form::Packed { bytes, .. } => bytes,
            _ => &[][..],
        };
        Cursor { strings: self, packed: PackedStrings(packed), visited: 0, text: String::new() }
    }

    /// Returns a copy of the only string, or `None` if there is not exactly one or it is missing.
    #[must_use]
    pub fn only(&self) -> Option<Text> {
        if self.len() != 1 {
            return None;
        }
        let mut only = None;
        let taken: Result<(), ()> = self.try_for_each(|text| {
            only = text.map(Text::new);
            Ok(())
        });
        taken.ok().and(only)
    }
}

impl<'a> FromIterator<Option<TextRef<'a>>> for Strings {
    fn from_iter<I: IntoIterator<Item = Option<TextRef<'a>>>>(texts: I) -> Self {
        let mut strings = Self::new();
        texts.into_iter().for_each(|text| strings.push(text));
        strings
    }
}

/// A cursor over strings.
#[derive(Debug)]
pub struct Cursor<'a> {
    strings: &'a Strings,
    packed: PackedStrings<'a>,
    visited: u64,
    /// The text of a number.
    text: String,
}

impl Cursor<'_> {
    /// Returns the next string, `Some(None)` for a missing one, and `None` at the end.
    pub fn next_text(&mut self) -> Option<Option<TextRef<'_>>> {
        let index = self.visited;
        if index == self.strings.len() {
            return None;
        }
        self.visited += 1;
        let number = match &self.strings.form {
            Form::Packed { .. } => return self.packed.next(),
            Form::Integers(all) => {
                all.get(index).filter(|number| *number != NA_INTEGER).map(|n| n.to_string())
            }
            Form::Reals(all) => all.get(index).and_then(whole_text).flatten(),
        };
        Some(number.map(|number| {
            self.text = number;
            TextRef::utf8(&self.text)
        }))
    }

    /// Returns the number of remaining strings.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.strings.len() - self.visited
    }
}

/// An iterator over packed strings.
#[derive(Debug)]
struct PackedStrings<'a>(&'a [u8]);

impl<'a> Iterator for PackedStrings<'a> {
    type Item = Option<TextRef<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut head = 0_u64;
        let mut shift = 0;
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            head |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(head >> 3).ok()?)?;
        self.0 = rest;
        let encoding = match head & 7 {
            0 => Encoding::Native,
            1 => Encoding::Ascii,
            2 => Encoding::Utf8,
            3 => Encoding::Latin1,
            4 => Encoding::Bytes,
            _ => return Some(None),
        };
        Some(Some(TextRef { bytes, encoding }))
    }
}

fn low_seven_bits(n: u64) -> u8 {
    (n & 0x7f) as u8
}

/// Formats a whole number of at most 15 digits like R; `Some(None)` for a missing one. Returns
/// `None` for other numbers, whose text depends on the version of R.
///
/// R uses the shorter notation, and the fixed one if both have the same length: `100000` becomes
/// `1e+05`, `123456` is unchanged.
pub(crate) fn whole_text(number: f64) -> Option<Option<String>> {
    if number.is_nan() {
        // The low word distinguishes NA from other NaNs.
        let missing = number.to_bits() & 0xffff_ffff == 1954;
        return Some((!missing).then(|| "NaN".to_owned()));
    }
    if number.is_infinite() {
        return Some(Some(if number > 0.0 { "Inf" } else { "-Inf" }.to_owned()));
    }
    if number.fract() != 0.0 || number.abs() >= 1e15 {
        return None;
    }
    if number == 0.0 {
        return Some(Some("0".to_owned()));
    }
    let fixed = format!("{number:.0}");
    let digits = fixed.trim_start_matches('-');
    let significant = digits.trim_end_matches('0');
    let exponent = digits.len() - 1;
    // A digit before the point, "e+" and two digits of exponent.
    let point = usize::from(significant.len() > 1);
    if digits.len() <= significant.len() + point + 4 {
        return Some(Some(fixed));
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let (head, tail) = significant.split_at(1);
    let point = if point == 1 { "." } else { "" };
    Some(Some(format!("{sign}{head}{point}{tail}e+{exponent:02}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_encodings() {
        let long = vec![b'x'; 40_000];
        let all = [
            Some(TextRef { bytes: b"", encoding: Encoding::Native }),
            None,
            Some(TextRef::utf8("gène")),
            Some(TextRef { bytes: &long, encoding: Encoding::Ascii }),
            Some(TextRef { bytes: b"\xe8", encoding: Encoding::Latin1 }),
            Some(TextRef { bytes: b"\xff\0", encoding: Encoding::Bytes }),
        ];
        let strings: Strings = all.into_iter().collect();
        let mut seen = 0;
        let visited: Result<(), ()> = strings.try_for_each(|text| {
            assert_eq!(text, all[seen]);
            seen += 1;
            Ok(())
        });
        visited.unwrap();
        assert_eq!((seen, strings.len()), (6, 6));
    }

    #[test]
    fn whole_numbers_are_formatted_like_r() {
        let text = |number| whole_text(number).unwrap().unwrap();
        assert_eq!(text(1.0), "1");
        assert_eq!(text(-0.0), "0");
        assert_eq!(text(100_000.0), "1e+05");
        assert_eq!(text(10_000.0), "10000");
        assert_eq!(text(-100_000.0), "-1e+05");
        assert_eq!(text(123_456.0), "123456");
        assert_eq!(text(1_200_000.0), "1200000");
        assert_eq!(text(12_000_000.0), "1.2e+07");
        assert_eq!(text(f64::NEG_INFINITY), "-Inf");
        assert_eq!(whole_text(0.5), None);
        assert_eq!(whole_text(f64::from_bits(crate::NA_REAL_BITS)), Some(None));
    }
}
