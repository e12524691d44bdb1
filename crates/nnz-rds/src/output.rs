//! Output, with or without gzip.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// An output stream.
pub enum Output<W: Write> {
    /// Uncompressed.
    Plain(W),
    /// Compressed.
    Gzip(Box<GzEncoder<W>>),
}

impl<W: Write> std::fmt::Debug for Output<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Gzip(_) => "Gzip",
        })
    }
}

impl<W: Write> Output<W> {
    /// Compresses like `saveRDS`, whose level is 6: without name and time.
    pub fn gzip(inner: W, level: u32) -> Self {
        // The operating system is 3 (Unix), as in most files of R.
        let builder = GzBuilder::new().mtime(0).operating_system(3);
        Self::Gzip(Box::new(builder.write(inner, Compression::new(level.min(9)))))
    }

    /// Completes the stream and returns the inner writer.
    ///
    /// # Errors
    ///
    /// Fails if the rest cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(inner) => Ok(inner),
            Self::Gzip(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(inner) => inner.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(inner) => inner.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }
}
