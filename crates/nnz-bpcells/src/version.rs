//! The version string of a matrix or fragments, such as `packed-uint-matrix-v2` or
//! `packed-fragments-v2`.

use std::fmt;
use std::str::FromStr;

use nnz_container::NamedArrays;
use nnz_core::{Error, Place, Result, ValueType};

/// The name of the attribute with the version.
pub(crate) const TAG: &str = "version";

/// Whether integer arrays are bit-packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Packing {
    /// Bit-packed. The default.
    #[default]
    Packed,
    /// Plain numbers.
    Unpacked,
}

impl Packing {
    fn parse(text: &str) -> Option<Self> {
        [Self::Packed, Self::Unpacked].into_iter().find(|packing| packing.name() == text)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Packed => "packed",
            Self::Unpacked => "unpacked",
        }
    }
}

/// The version of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatVersion {
    /// August 2022: 32-bit `idxptr` and `chr_ptr`, no `*_idx_offsets`, up to 2^32 - 1 entries.
    V1,
    /// March 2023: 64-bit `idxptr` and `chr_ptr`. The default.
    #[default]
    V2,
}

impl FromStr for FormatVersion {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match text {
            "1" => Ok(Self::V1),
            "2" => Ok(Self::V2),
            _ => Err("expected 1 or 2"),
        }
    }
}

impl FormatVersion {
    fn parse(text: &str) -> Option<Self> {
        [Self::V1, Self::V2].into_iter().find(|format_version| format_version.name() == text)
    }

    fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }

    /// Returns the type of `idxptr` and `chr_ptr`.
    #[must_use]
    pub fn pointer_type(self) -> ValueType {
        match self {
            Self::V1 => ValueType::U32,
            Self::V2 => ValueType::U64,
        }
    }
}

/// How a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Whether integers are bit-packed.
    pub packing: Packing,
    /// The type of values: `uint32`, `float32` or `float64`.
    pub value_type: ValueType,
    /// The version of the format.
    pub format_version: FormatVersion,
}

/// The value types, and their names.
const VALUE_TYPES: [(&str, ValueType); 3] =
    [("uint", ValueType::U32), ("float", ValueType::F32), ("double", ValueType::F64)];

impl Version {
    /// Parses a version. The error says what else the text is a version of.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self> {
        let unsupported_matrix = |what: &str| unsupported(text, place, what);
        let parts: Vec<&str> = text.split('-').collect();
        let (packing, kind, format_version) = match parts[..] {
            ["packed", kind, "matrix", format_version] => (Packing::Packed, kind, format_version),
            ["unpacked", kind, "matrix", format_version] => {
                (Packing::Unpacked, kind, format_version)
            }
            ["packed" | "unpacked", "fragments", _] => {
                return Err(unsupported_matrix(
                    "is a version of genomic fragments, not of a matrix",
                ));
            }
            _ => return Err(unsupported_matrix("is not a version of a BPCells matrix")),
        };
        if kind == "ulong" {
            return Err(unsupported_matrix(
                "has 64-bit integer values, which BPCells itself cannot open",
            ));
        }
        if format_version == "v9999" {
            return Err(unsupported_matrix(
                "is an experimental version of BPCells that was never published",
            ));
        }
        let value_type = VALUE_TYPES.iter().find(|(name, _)| *name == kind).map(|(_, t)| *t);
        match (value_type, FormatVersion::parse(format_version)) {
            (Some(value_type), Some(format_version)) => {
                Ok(Self { packing, value_type, format_version })
            }
            _ => Err(unsupported_matrix(
                "is not supported: expected uint, float or double values, and v1 or v2",
            )),
        }
    }

    /// Returns whether values are bit-packed. Floats never are.
    pub(crate) fn packs_values(self) -> bool {
        self.packing == Packing::Packed && self.value_type == ValueType::U32
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = VALUE_TYPES.iter().find(|(_, t)| *t == self.value_type).map_or("?", |(n, _)| n);
        write!(f, "{}-{kind}-matrix-{}", self.packing.name(), self.format_version.name())
    }
}

/// How fragments are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentVersion {
    /// Whether integers are bit-packed.
    pub packing: Packing,
    /// The version of the format.
    pub format_version: FormatVersion,
}

impl FragmentVersion {
    /// Parses a version. The error says what else the text is a version of.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let (packing, format_version) = match parts[..] {
            ["packed" | "unpacked", _, "matrix", _] => {
                return Err(unsupported(
                    text,
                    place,
                    "is a version of a matrix, not of genomic fragments",
                ));
            }
            [packing, "fragments", format_version] => (Packing::parse(packing), format_version),
            _ => (None, ""),
        };
        let Some(packing) = packing else {
            return Err(unsupported(text, place, "is not a version of BPCells fragments"));
        };
        let Some(format_version) = FormatVersion::parse(format_version) else {
            return Err(unsupported(text, place, "is not supported: expected v1 or v2"));
        };
        Ok(Self { packing, format_version })
    }
}

impl fmt::Display for FragmentVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-fragments-{}", self.packing.name(), self.format_version.name())
    }
}

/// Returns whether the version of a container is one of genomic fragments, known or not.
///
/// # Errors
///
/// Fails if the version is missing, or is not one line of text.
pub fn holds_fragments(container: &NamedArrays) -> Result<bool> {
    let text = container.attribute(TAG)?;
    let mut parts = text.split('-');
    let packing = parts.next().and_then(Packing::parse);
    Ok(packing.is_some() && parts.next() == Some("fragments"))
}

fn unsupported(text: &str, place: &Place, what: &str) -> Error {
    let text = format!("\"{}\" {what}", text.escape_debug());
    Error::unsupported(place.clone(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_round_trips() {
        for packing in ["packed", "unpacked"] {
            for kind in ["uint", "float", "double"] {
                for format_version in ["v1", "v2"] {
                    let text = format!("{packing}-{kind}-matrix-{format_version}");
                    let version = Version::parse(&text, &Place::default()).unwrap();
                    assert_eq!(version.to_string(), text);
                }
            }
        }
    }

    #[test]
    fn other_versions_are_errors() {
        for text in [
            "packed-uint-matrix-v9999",
            "packed-ulong-matrix-v2",
            "unpacked-ulong-matrix-v2",
            "packed-fragments-v2",
            "packed-uint-matrix-v3",
            "packed-half-matrix-v2",
            "packed-uint-matrix-v2 ",
            "",
        ] {
            let error = Version::parse(text, &Place::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn fragment_versions_round_trip_and_others_are_errors() {
        for text in [
            "packed-fragments-v1",
            "packed-fragments-v2",
            "unpacked-fragments-v1",
            "unpacked-fragments-v2",
        ] {
            let version = FragmentVersion::parse(text, &Place::default()).unwrap();
            assert_eq!(version.to_string(), text);
        }
        for (text, why) in [
            ("packed-uint-matrix-v2", "is a version of a matrix"),
            ("packed-fragments-v3", "expected v1 or v2"),
            ("fragments-v2", "is not a version of BPCells fragments"),
            ("half-fragments-v2", "is not a version of BPCells fragments"),
            ("packed-fragments-v2-", "is not a version of BPCells fragments"),
            ("", "is not a version of BPCells fragments"),
        ] {
            let error = FragmentVersion::parse(text, &Place::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")) && error.contains(why), "{error}");
        }
    }
}
