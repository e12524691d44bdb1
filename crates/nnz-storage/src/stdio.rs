//! Standard streams, with errors if they are not open and escaped control characters on a terminal.
//!
//! Rust's streams ignore that a descriptor is not open.

use std::io::{self, IsTerminal as _, Read, Write};

use nnz_core::is_unprintable;

use crate::system;

/// Handling of control characters on a terminal. Files and pipes get every byte unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalEscapes {
    /// As in Rust: `\u{1b}`, and `\xff` for bytes that are not UTF-8. Line feeds and tabs are not
    /// escaped.
    Text,
    /// As in JSON: `\u001b`. Line feeds and tabs are not escaped.
    Json,
    /// Nothing: the text is safe, and may have escape sequences of its own.
    Nothing,
}

/// Standard output.
#[derive(Debug)]
pub struct Stdout(Output);

#[derive(Debug)]
enum Output {
    NotOpen,
    Plain(io::Stdout),
    Terminal(Escaping<io::Stdout>),
}

/// Returns standard output.
///
/// Writing fails if it is not open for writing.
#[must_use]
pub fn stdout(escapes: TerminalEscapes) -> Stdout {
    let out = io::stdout();
    Stdout(if !system::has_stdout() {
        Output::NotOpen
    } else if out.is_terminal() {
        Output::Terminal(Escaping::new(out, escapes))
    } else {
        Output::Plain(out)
    })
}

impl Stdout {
    /// Checks that it is open for writing.
    ///
    /// # Errors
    ///
    /// Fails if it is not.
    pub fn check(&self) -> io::Result<()> {
        match self.0 {
            Output::NotOpen => Err(io::Error::other("not open for writing")),
            _ => Ok(()),
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Output::NotOpen if bytes.is_empty() => Ok(0),
            Output::NotOpen => self.check().map(|()| 0),
            Output::Plain(out) => out.write(bytes),
            Output::Terminal(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Output::NotOpen => Ok(()),
            Output::Plain(out) => out.flush(),
            Output::Terminal(out) => out.flush(),
        }
    }
}

/// Standard input.
#[derive(Debug)]
pub struct Stdin(Option<io::Stdin>);

/// Returns standard input.
///
/// Reading fails if it is not open for reading.
#[must_use]
pub fn stdin() -> Stdin {
    Stdin(system::has_stdin().then(io::stdin))
}

impl Read for Stdin {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Some(stdin) => stdin.read(bytes),
            None => Err(io::Error::other("not open for reading")),
        }
    }
}

/// Escapes characters that affect a terminal.
#[derive(Debug)]
struct Escaping<W> {
    inner: W,
    escapes: TerminalEscapes,
    /// The start of an incomplete character.
    partial: Vec<u8>,
    shown: String,
}

impl<W: Write> Escaping<W> {
    fn new(inner: W, escapes: TerminalEscapes) -> Self {
        Self { inner, escapes, partial: Vec::new(), shown: String::new() }
    }

    fn push(&mut self, c: char) {
        match self.escapes {
            _ if !is_unprintable(c) || matches!(c, '\n' | '\t') => self.shown.push(c),
            TerminalEscapes::Nothing => self.shown.push(c),
            TerminalEscapes::Text => self.shown.extend(c.escape_debug()),
            TerminalEscapes::Json => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    self.shown += &format!("\\u{unit:04x}");
                }
            }
        }
    }

    /// Writes a piece, except an incomplete character at its end.
    fn write_piece(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut text = std::mem::take(&mut self.partial);
        text.extend_from_slice(bytes);
        self.shown.clear();
        let mut chunks = text.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            chunk.valid().chars().for_each(|c| self.push(c));
            let rest = chunk.invalid();
            let incomplete = std::str::from_utf8(rest).is_err_and(|e| e.error_len().is_none());
            if incomplete && chunks.peek().is_none() {
                self.partial = rest.to_vec();
            } else {
                self.push_bytes(rest);
            }
        }
        self.inner.write_all(self.shown.as_bytes())
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.shown += &format!("\\x{byte:02x}");
        }
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.chunks(4096).try_for_each(|piece| self.write_piece(piece))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.partial);
        self.shown.clear();
        self.push_bytes(&rest);
        self.inner.write_all(self.shown.as_bytes())?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], escapes: TerminalEscapes, piece: usize) -> String {
        let mut out = Escaping::new(Vec::new(), escapes);
        for piece in bytes.chunks(piece) {
            out.write_all(piece).unwrap();
        }
        out.flush().unwrap();
        String::from_utf8(out.inner).unwrap()
    }

    #[test]
    fn text_is_escaped_across_writes() {
        let cases: [(&[u8], &str); 6] = [
            (b"chr1\t5\nchr2\t6\n", "chr1\t5\nchr2\t6\n"),
            (b"\x1b[31mred\x07\r\x7f\0", "\\u{1b}[31mred\\u{7}\\r\\u{7f}\\0"),
            ("ä\u{9b}31m\u{202e}\u{1f600}".as_bytes(), "ä\\u{9b}31m\\u{202e}\u{1f600}"),
            // Bytes that are not UTF-8: a C1 control in 8 bits, and truncated characters.
            (b"a\x9bb\xff", "a\\x9bb\\xff"),
            (b"\xe2\x80x", "\\xe2\\x80x"),
            (b"end \xf0\x9f\x98", "end \\xf0\\x9f\\x98"),
        ];
        for (bytes, expected) in cases {
            for piece in 1..=bytes.len() {
                assert_eq!(shown(bytes, TerminalEscapes::Text, piece), expected, "{piece}");
            }
        }
        // Longer than what is escaped at once.
        let long = "a\u{202e}".repeat(5000);
        let expected = "a\\u{202e}".repeat(5000);
        assert_eq!(shown(long.as_bytes(), TerminalEscapes::Text, long.len()), expected);
    }

    #[test]
    fn escaped_json_is_equal() {
        let value = serde_json::json!({ "key\u{9b}": ["\x1b\x7f\u{202e}\n\t\"\\ ä\u{1f600}"] });
        let json = serde_json::to_string_pretty(&value).unwrap();
        let shown = shown(json.as_bytes(), TerminalEscapes::Json, 7);
        assert!(!shown.replace('\n', "").contains(is_unprintable), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
