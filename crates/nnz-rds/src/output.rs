//! Where a stream goes: as it is, or through gzip.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

/// A stream being written, compressed or not.
pub enum Output<W: Write> {
    /// As it is.
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
    /// Compresses as `saveRDS` does, which uses level 6: no name, no time.
    pub fn gzip(inner: W, level: u32) -> Self {
        // 3 says Unix, which R says wherever most of its files are written.
        let builder = GzBuilder::new().mtime(0).operating_system(3);
        Self::Gzip(Box::new(builder.write(inner, Compression::new(level.min(9)))))
    }

    /// Completes the stream and returns what it went to.
    ///
    /// # Errors
    ///
    /// Fails where the rest cannot be written.
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
