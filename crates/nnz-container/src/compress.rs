//! Compression of arrays.

use std::fmt;
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
    /// Blosc version 1 with LZ4 and shuffled bytes, in HDF5 and Zarr.
    Blosc,
    /// Pcodec with a level from 0 to 12, in Zarr, for numbers of two or more bytes; Zstandard for others.
    Pcodec(u32),
    /// Filters before deflate or Zstandard.
    Filtered(Filters),
}

/// Filters that are applied to numbers before they are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filters {
    /// Whether integers are stored as differences if they are smaller that way, in Zarr.
    pub delta: bool,
    /// Whether bytes are grouped by their position in a number, in HDF5 and Zarr.
    pub shuffle: bool,
    /// The compression.
    pub method: Method,
}

/// A compression after filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Deflate with a level from 0 to 9.
    Gzip(u32),
    /// Zstandard with a level from 1 to 22.
    Zstd(u32),
}

impl From<Method> for Compression {
    fn from(method: Method) -> Self {
        match method {
            Method::Gzip(level) => Self::Gzip(level),
            Method::Zstd(level) => Self::Zstd(level),
        }
    }
}

/// The forms of a compression as text.
const EXPECTED: &str = "none, gzip:1 to gzip:9, zstd:1 to zstd:22, blosc, or pcodec:0 to pcodec:12; gzip and zstd may be \
                        followed by +delta, +shuffle or both";

impl FromStr for Compression {
    type Err = String;

    /// Parses `none`, `gzip:1` to `gzip:9`, `zstd:1` to `zstd:22`, `blosc`, `pcodec:0` to `pcodec:12`, or a compression
    /// after filters: `zstd:9+delta+shuffle`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let expected = || format!("expected {EXPECTED}");
        let mut parts = text.split('+');
        let method = parts.next().unwrap_or_default();
        let leveled =
            method.split_once(':').and_then(|(name, level)| Some((name, level.parse().ok()?)));
        let compression = match leveled {
            None if method == "none" => Self::None,
            None if method == "blosc" => Self::Blosc,
            Some(("gzip", level @ 1..=9)) => Self::Gzip(level),
            Some(("zstd", level @ 1..=22)) => Self::Zstd(level),
            Some(("pcodec", level @ 0..=12)) => Self::Pcodec(level),
            _ => return Err(expected()),
        };
        let (mut delta, mut shuffle) = (false, false);
        for filter in parts {
            let set = match filter {
                "delta" => &mut delta,
                "shuffle" => &mut shuffle,
                _ => return Err(expected()),
            };
            if std::mem::replace(set, true) {
                return Err(format!("{filter} is given twice"));
            }
        }
        let method = match compression {
            compression if !delta && !shuffle => return Ok(compression),
            Self::Gzip(level) => Method::Gzip(level),
            Self::Zstd(level) => Method::Zstd(level),
            _ => return Err(format!("{method} has no filters; {}", expected())),
        };
        Ok(Self::Filtered(Filters { delta, shuffle, method }))
    }
}

/// Formats a compression as it is parsed.
impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Gzip(level) => write!(f, "gzip:{level}"),
            Self::Zstd(level) => write!(f, "zstd:{level}"),
            Self::Blosc => f.write_str("blosc"),
            Self::Pcodec(level) => write!(f, "pcodec:{level}"),
            Self::Filtered(Filters { delta, shuffle, method }) => {
                Self::from(*method).fmt(f)?;
                f.write_str(if *delta { "+delta" } else { "" })?;
                f.write_str(if *shuffle { "+shuffle" } else { "" })
            }
        }
    }
}

impl Compression {
    /// Checks the level.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Gzip(10..) => Err(Error::argument("gzip has levels from 0 to 9")),
            Self::Zstd(0 | 23..) => Err(Error::argument("zstd has levels from 1 to 22")),
            Self::Pcodec(13..) => Err(Error::argument("pcodec has levels from 0 to 12")),
            Self::Pcodec(_) if !cfg!(feature = "pcodec") => {
                Err(Error::argument("this build has no pcodec"))
            }
            Self::Filtered(filters) => Self::from(filters.method).check(),
            _ => Ok(()),
        }
    }

    /// Returns the level of deflate; `None` without compression.
    ///
    /// # Errors
    ///
    /// Fails for any other compression. `what` names the files, in the plural.
    pub fn gzip_level(self, what: &str) -> Result<Option<u32>> {
        self.check()?;
        match self {
            Self::None => Ok(None),
            Self::Gzip(level) => Ok(Some(level)),
            other => {
                let what =
                    format!("the option compress {other} does not apply to {what}; use gzip:N");
                Err(Error::argument(what))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_parsed_and_formatted() {
        let all = [
            "none",
            "gzip:1",
            "zstd:22",
            "blosc",
            "pcodec:8",
            "zstd:9+delta+shuffle",
            "gzip:6+shuffle",
        ];
        for text in all {
            assert_eq!(text.parse::<Compression>().unwrap().to_string(), text);
        }
        let shuffled = "zstd:9+shuffle+delta".parse::<Compression>().unwrap();
        assert_eq!(shuffled.to_string(), "zstd:9+delta+shuffle");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "gzip",
            "gzip:0",
            "gzip:10",
            "zstd:23",
            "blosc:5",
            "pcodec:13",
            "zstd:9+",
            "none:1",
            "zstd:9+bits",
        ] {
            assert_eq!(text.parse::<Compression>(), Err(format!("expected {EXPECTED}")), "{text}");
        }
        let refused = |text: &str| text.parse::<Compression>().unwrap_err();
        assert_eq!(refused("zstd:9+delta+delta"), "delta is given twice");
        assert!(refused("none+delta").starts_with("none has no filters; expected none, gzip:1"));
    }
}
