//! One string of R and its encoding.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Says how the bytes of a string are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As the session that wrote the file did: see [`Document::native`](crate::Document::native).
    Native,
    /// ASCII.
    Ascii,
    /// UTF-8.
    Utf8,
    /// ISO 8859-1.
    Latin1,
    /// Not at all: bytes of no known encoding.
    Bytes,
}

/// A string and its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextRef<'a> {
    /// The bytes as they are stored.
    pub bytes: &'a [u8],
    /// How they are to be read.
    pub encoding: Encoding,
}

impl<'a> TextRef<'a> {
    /// Marks UTF-8 as R does: ASCII where it is that.
    #[must_use]
    pub fn utf8(text: &'a str) -> Self {
        let encoding = if text.is_ascii() { Encoding::Ascii } else { Encoding::Utf8 };
        Self { bytes: text.as_bytes(), encoding }
    }

    /// Returns the string in UTF-8, or `None` where that is not known: bytes that are none, and
    /// encodings other than UTF-8 and ISO 8859-1. `native` names the encoding of the session that
    /// wrote the file.
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
            // A version 2 file does not tell; nothing but UTF-8 reads as UTF-8 by chance.
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
        // A hostile file may hold a very long one.
        let shown = &self.bytes[..self.bytes.len().min(80)];
        write!(f, "{}", shown.escape_ascii())
    }
}

/// A string of its own.
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

    /// Lends the string.
    #[must_use]
    pub fn get(&self) -> TextRef<'_> {
        TextRef { bytes: &self.bytes, encoding: self.encoding }
    }
}

/// A name, shared by all places of a stream that refer to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol(Arc<Text>);

impl Symbol {
    /// Makes a symbol.
    #[must_use]
    pub fn new(text: TextRef<'_>) -> Self {
        Self(Arc::new(Text::new(text)))
    }

    /// Returns its name.
    #[must_use]
    pub fn text(&self) -> TextRef<'_> {
        self.0.get()
    }

    /// Returns whether it is called `name`.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        *self.0.bytes == *name.as_bytes()
    }
}
