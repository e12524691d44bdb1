//! Compression of arrays.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use nnz_core::{Error, Result};

/// The compression of arrays, in containers that support it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Filters {
    /// Whether integers are stored as differences if they are smaller that way, in Zarr.
    pub delta: bool,
    /// Whether bytes are grouped by their position in a number, in HDF5 and Zarr.
    pub shuffle: bool,
    /// The compression.
    pub method: Method,
}

nnz_core::setters! {
    const Filters { delta: bool, shuffle: bool }
}

impl Filters {
    /// A compression without filters before it.
    #[must_use]
    pub const fn new(method: Method) -> Self {
        Self { delta: false, shuffle: false, method }
    }
}

/// A compression after filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

/// A compression as text.
pub(crate) struct CompressionName {
    name: &'static str,
    levels: Option<RangeInclusive<u32>>,
    /// The lowest level in a text.
    first: u32,
    pub(crate) make: fn(u32) -> Compression,
}

/// All compressions.
pub(crate) const ALL: &[CompressionName] = &[
    CompressionName { name: "gzip", levels: Some(0..=9), first: 1, make: Compression::Gzip },
    CompressionName { name: "zstd", levels: Some(1..=22), first: 1, make: Compression::Zstd },
    CompressionName { name: "blosc", levels: None, first: 0, make: |_| Compression::Blosc },
    CompressionName { name: "pcodec", levels: Some(0..=12), first: 0, make: Compression::Pcodec },
];

/// Lists all forms of a compression as text.
fn expected() -> String {
    let form = |CompressionName { name, levels, first, .. }: &CompressionName| match levels {
        None => (*name).to_owned(),
        Some(levels) => format!("{name}:{first} to {name}:{}", levels.end()),
    };
    let mut forms: Vec<String> = ALL.iter().map(form).collect();
    let last = forms.pop().unwrap_or_default();
    let filters = "gzip and zstd may be followed by +delta, +shuffle or both";
    format!("expected none, {}, or {last}; {filters}", forms.join(", "))
}

impl FromStr for Compression {
    type Err = String;

    /// Parses `none`, `gzip:1` to `gzip:9`, `zstd:1` to `zstd:22`, `blosc`, `pcodec:0` to `pcodec:12`, or a compression
    /// after filters: `zstd:9+delta+shuffle`.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.split('+');
        let method = parts.next().unwrap_or_default();
        let compression = match method {
            "none" => Self::None,
            _ => {
                let (name, level) = match method.split_once(':') {
                    Some((name, level)) => (name, Some(level.parse().map_err(|_| expected())?)),
                    None => (method, None),
                };
                let fits = |named: &&CompressionName| match (&named.levels, level) {
                    (Some(levels), Some(level)) => (named.first..=*levels.end()).contains(&level),
                    (levels, level) => levels.is_none() && level.is_none(),
                };
                let named = ALL.iter().filter(|named| named.name == name).find(fits);
                (named.ok_or_else(expected)?.make)(level.unwrap_or(0))
            }
        };
        let (mut delta, mut shuffle) = (false, false);
        for filter in parts {
            let set = match filter {
                "delta" => &mut delta,
                "shuffle" => &mut shuffle,
                _ => return Err(expected()),
            };
            if std::mem::replace(set, true) {
                return Err(format!("duplicate filter {filter}"));
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
        match self.codec() {
            None => f.write_str("none"),
            Some((name, None)) => f.write_str(name),
            Some((name, Some(level))) => write!(f, "{name}:{level}"),
        }?;
        let Self::Filtered(Filters { delta, shuffle, .. }) = self else { return Ok(()) };
        f.write_str(if *delta { "+delta" } else { "" })?;
        f.write_str(if *shuffle { "+shuffle" } else { "" })
    }
}

impl Compression {
    /// Returns the name of the codec after any filters, and the level if it has levels; `None` for no compression.
    pub fn codec(self) -> Option<(&'static str, Option<u32>)> {
        match self {
            Self::None => None,
            Self::Gzip(level) => Some(("gzip", Some(level))),
            Self::Zstd(level) => Some(("zstd", Some(level))),
            Self::Blosc => Some(("blosc", None)),
            Self::Pcodec(level) => Some(("pcodec", Some(level))),
            Self::Filtered(filters) => Self::from(filters.method).codec(),
        }
    }

    /// Checks the level.
    ///
    /// # Errors
    ///
    /// Fails if the codec has no such level, or is not included.
    pub fn check(self) -> Result<()> {
        let Some((name, Some(level))) = self.codec() else { return Ok(()) };
        let levels = ALL.iter().find(|named| named.name == name);
        match levels.and_then(|named| named.levels.as_ref()) {
            Some(levels) if !levels.contains(&level) => {
                let (first, last) = (levels.start(), levels.end());
                Err(Error::argument(format!("{name} has levels from {first} to {last}")))
            }
            _ if name == "pcodec" && !cfg!(feature = "pcodec") => {
                Err(Error::argument("this build does not support pcodec"))
            }
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
            let expected = "expected none, gzip:1 to gzip:9, zstd:1 to zstd:22, blosc, or pcodec:0 to pcodec:12; gzip and \
                            zstd may be followed by +delta, +shuffle or both";
            assert_eq!(text.parse::<Compression>(), Err(expected.to_owned()), "{text}");
        }
        let refused = |text: &str| text.parse::<Compression>().unwrap_err();
        assert_eq!(refused("zstd:9+delta+delta"), "duplicate filter delta");
        assert!(refused("none+delta").starts_with("none has no filters; expected none, gzip:1"));
    }
}
