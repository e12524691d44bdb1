//! Compression of arrays.

use std::str::FromStr;

use nnz_core::{Error, Result};

/// The compression of arrays, in containers that support it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression. The default.
    #[default]
    None,
    /// Deflate with a level from 0 to 9.
    Gzip(u32),
    /// Zstandard with a level from 1 to 22.
    Zstd(u32),
}

impl FromStr for Compression {
    type Err = String;

    /// Parses `none`, `gzip:1` to `gzip:9`, or `zstd:1` to `zstd:22`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let how = text.split_once(':').and_then(|(how, level)| Some((how, level.parse().ok()?)));
        match how {
            _ if text == "none" => Ok(Self::None),
            Some(("gzip", level @ 1..=9)) => Ok(Self::Gzip(level)),
            Some(("zstd", level @ 1..=22)) => Ok(Self::Zstd(level)),
            _ => Err("expected none, gzip:1 to gzip:9, or zstd:1 to zstd:22".to_owned()),
        }
    }
}

impl Compression {
    /// Checks the level.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Gzip(10..) => Err(Error::argument("gzip has levels from 0 to 9")),
            Self::Zstd(0 | 23..) => Err(Error::argument("zstd has levels from 1 to 22")),
            _ => Ok(()),
        }
    }
}
