//! How what is written is compressed.

use nnz_core::{Error, Result};

/// How arrays are compressed, in containers that can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all. The default.
    #[default]
    None,
    /// By deflate of a level from 0 to 9.
    Gzip(u32),
    /// By zstd of a level from 1 to 22.
    Zstd(u32),
}

impl Compression {
    /// Checks that there is such a level.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Gzip(10..) => Err(Error::argument("gzip has levels from 0 to 9")),
            Self::Zstd(0 | 23..) => Err(Error::argument("zstd has levels from 1 to 22")),
            _ => Ok(()),
        }
    }
}
