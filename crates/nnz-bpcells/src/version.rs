//! The text that says what a group of arrays holds, such as `packed-uint-matrix-v2` or
//! `packed-fragments-v2`.

use std::fmt;
use std::str::FromStr;

use nnz_container::Container;
use nnz_core::{Error, Place, Result, ValueType};

/// The name of the attribute that holds the version.
pub(crate) const TAG: &str = "version";

/// Says whether integer arrays are bit-packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// They are. The default.
    #[default]
    Packed,
    /// They are plain numbers.
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

/// Says which revision of the format it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
        [Self::V1, Self::V2].into_iter().find(|generation| generation.name() == text)
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

/// Says how a matrix is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Whether it is bit-packed.
    pub packing: Packing,
    /// The type of a value: `uint32`, `float32` or `float64`.
    pub value_type: ValueType,
    /// The revision of the format.
    pub generation: FormatVersion,
}

/// The types a value can have, and how each is named.
const VALUE_TYPES: [(&str, ValueType); 3] =
    [("uint", ValueType::U32), ("float", ValueType::F32), ("double", ValueType::F64)];

impl Version {
    /// Reads a version, refusing by name what is not a matrix of this format.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self> {
        let refused = |what: &str| refused(text, place, what);
        let parts: Vec<&str> = text.split('-').collect();
        let (packing, kind, generation) = match parts[..] {
            ["packed", kind, "matrix", generation] => (Packing::Packed, kind, generation),
            ["unpacked", kind, "matrix", generation] => (Packing::Unpacked, kind, generation),
            ["packed" | "unpacked", "fragments", _] => {
                return Err(refused("holds genomic fragments, not a matrix"));
            }
            _ => return Err(refused("is not that of a BPCells matrix")),
        };
        if kind == "ulong" {
            return Err(refused("has 64-bit integer values, which BPCells itself does not open"));
        }
        if generation == "v9999" {
            return Err(refused("is an experiment of BPCells that was never published"));
        }
        let value_type = VALUE_TYPES.iter().find(|(name, _)| *name == kind).map(|(_, t)| *t);
        match (value_type, FormatVersion::parse(generation)) {
            (Some(value_type), Some(generation)) => Ok(Self { packing, value_type, generation }),
            _ => Err(refused("is not known: expected uint, float or double, and v1 or v2")),
        }
    }

    /// Whether values are bit-packed: floats never are.
    pub(crate) fn packs_values(self) -> bool {
        self.packing == Packing::Packed && self.value_type == ValueType::U32
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = VALUE_TYPES.iter().find(|(_, t)| *t == self.value_type).map_or("?", |(n, _)| n);
        write!(f, "{}-{kind}-matrix-{}", self.packing.name(), self.generation.name())
    }
}

/// Says how fragments are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentVersion {
    /// Whether they are bit-packed.
    pub packing: Packing,
    /// The revision of the format.
    pub generation: FormatVersion,
}

impl FragmentVersion {
    /// Reads a version, refusing by name what is not of fragments.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let (packing, generation) = match parts[..] {
            ["packed" | "unpacked", _, "matrix", _] => {
                return Err(refused(text, place, "holds a matrix, not genomic fragments"));
            }
            [packing, "fragments", generation] => (Packing::parse(packing), generation),
            _ => (None, ""),
        };
        let Some(packing) = packing else {
            return Err(refused(text, place, "is not that of BPCells fragments"));
        };
        let Some(generation) = FormatVersion::parse(generation) else {
            return Err(refused(text, place, "is not known: expected v1 or v2"));
        };
        Ok(Self { packing, generation })
    }
}

impl fmt::Display for FragmentVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-fragments-{}", self.packing.name(), self.generation.name())
    }
}

/// Returns whether the version of a container is one of genomic fragments, known or not.
///
/// # Errors
///
/// Fails where the version is missing, or is not one line of text.
pub fn holds_fragments(container: &dyn Container) -> Result<bool> {
    let text = container.attribute(TAG)?;
    let mut parts = text.split('-');
    let packing = parts.next().and_then(Packing::parse);
    Ok(packing.is_some() && parts.next() == Some("fragments"))
}

fn refused(text: &str, place: &Place, what: &str) -> Error {
    let text = format!("version \"{}\" {what}", text.escape_debug());
    Error::unsupported(place.clone(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_reads_back() {
        for packing in ["packed", "unpacked"] {
            for kind in ["uint", "float", "double"] {
                for generation in ["v1", "v2"] {
                    let text = format!("{packing}-{kind}-matrix-{generation}");
                    let version = Version::parse(&text, &Place::default()).unwrap();
                    assert_eq!(version.to_string(), text);
                }
            }
        }
    }

    #[test]
    fn others_are_refused_by_name() {
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
    fn versions_of_fragments_read_back_and_others_are_refused_by_name() {
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
            ("packed-uint-matrix-v2", "holds a matrix"),
            ("packed-fragments-v3", "expected v1 or v2"),
            ("fragments-v2", "is not that of BPCells fragments"),
            ("half-fragments-v2", "is not that of BPCells fragments"),
            ("packed-fragments-v2-", "is not that of BPCells fragments"),
            ("", "is not that of BPCells fragments"),
        ] {
            let error = FragmentVersion::parse(text, &Place::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")) && error.contains(why), "{error}");
        }
    }
}
