//! Strings with an encoding.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The encoding of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The native encoding of the session that wrote the file: see
    /// [`Document::native`](crate::Document::native).
    Native,
    /// ASCII.
    Ascii,
    /// UTF-8.
    Utf8,
    /// ISO 8859-1.
    Latin1,
    /// Bytes without an encoding.
    Bytes,
}

/// A borrowed string with its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextRef<'a> {
    /// The stored bytes.
    pub bytes: &'a [u8],
    /// The encoding.
    pub encoding: Encoding,
}

impl<'a> TextRef<'a> {
    /// Creates a string with the mark that R uses: ASCII if possible, otherwise UTF-8.
    #[must_use]
    pub fn utf8(text: &'a str) -> Self {
        let encoding = if text.is_ascii() { Encoding::Ascii } else { Encoding::Utf8 };
        Self { bytes: text.as_bytes(), encoding }
    }

    /// Converts to UTF-8. Returns `None` for invalid bytes and for encodings other than UTF-8 and
    /// ISO 8859-1. `native` is the encoding of the session that wrote the file.
    #[must_use]
    pub fn to_utf8(self, native: Option<&str>) -> Option<Cow<'a, str>> {
        let latin1 = || Some(Cow::Owned(self.bytes.iter().map(|&byte| char::from(byte)).collect()));
        let utf8 = || std::str::from_utf8(self.bytes).ok().map(Cow::Borrowed);
        if self.bytes.is_ascii() {
            return utf8();
        }
        match (self.encoding, native) {
            (Encoding::Utf8, _) => utf8(),
            (Encoding::Latin1, _) => latin1(),
            (Encoding::Bytes | Encoding::Ascii, _) => None,
            (Encoding::Native, Some(name)) if is_latin1(name) => latin1(),
            // Files of version 2 do not have it; text in another encoding is rarely valid UTF-8.
            (Encoding::Native, None) => utf8(),
            (Encoding::Native, Some(name)) if name.eq_ignore_ascii_case("UTF-8") => utf8(),
            (Encoding::Native, Some(_)) => None,
        }
    }
}

fn is_latin1(name: &str) -> bool {
    ["latin1", "latin-1", "ISO-8859-1", "ISO8859-1"].iter().any(|n| n.eq_ignore_ascii_case(name))
}

impl fmt::Display for TextRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Strings of a hostile file may be very long.
        let shown = &self.bytes[..self.bytes.len().min(80)];
        write!(f, "{}", shown.escape_ascii())
    }
}

/// An owned string with its encoding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    bytes: Box<[u8]>,
    encoding: Encoding,
}

impl Text {
    /// Copies a string.
    #[must_use]
    pub fn new(text: TextRef<'_>) -> Self {
        Self { bytes: text.bytes.into(), encoding: text.encoding }
    }

    /// Borrows the string.
    #[must_use]
    pub fn get(&self) -> TextRef<'_> {
        TextRef { bytes: &self.bytes, encoding: self.encoding }
    }
}

/// A name, shared by all references to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(Arc<Text>);

impl Symbol {
    /// Creates a symbol.
    #[must_use]
    pub fn new(text: TextRef<'_>) -> Self {
        Self(Arc::new(Text::new(text)))
    }

    /// Returns its name.
    #[must_use]
    pub fn text(&self) -> TextRef<'_> {
        self.0.get()
    }

    /// Returns whether the name is `name`.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        *self.0.bytes == *name.as_bytes()
    }
}
