//! The text that says what a group of arrays holds, such as `packed-uint-matrix-v2`.

use std::fmt;

use nnz_core::{Error, Place, Result, ValueType};

/// The name of the tag that holds the version.
pub(crate) const TAG: &str = "version";

/// Says whether integer arrays are bit-packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// They are.
    #[default]
    Packed,
    /// They are plain numbers.
    Unpacked,
}

/// Says which revision of the format it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// August 2022: 32-bit `idxptr`, no `*_idx_offsets`, up to 2^32 - 1 entries.
    V1,
    /// March 2023: 64-bit `idxptr`.
    #[default]
    V2,
}

impl Generation {
    /// Returns the type of `idxptr`.
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
    pub generation: Generation,
}

/// The types a value can have, and how each is named.
const VALUE_TYPES: [(&str, ValueType); 3] =
    [("uint", ValueType::U32), ("float", ValueType::F32), ("double", ValueType::F64)];

impl Version {
    /// Reads a version, refusing by name what is not a matrix of this format.
    pub(crate) fn parse(text: &str, place: &Place) -> Result<Self> {
        let refused = |what: &str| {
            let text = format!("version \"{}\" {what}", text.escape_debug());
            Error::unsupported(place.clone(), text)
        };
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
        let generation = match generation {
            "v1" => Some(Generation::V1),
            "v2" => Some(Generation::V2),
            _ => None,
        };
        match (value_type, generation) {
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
        let packing = match self.packing {
            Packing::Packed => "packed",
            Packing::Unpacked => "unpacked",
        };
        let kind = VALUE_TYPES.iter().find(|(_, t)| *t == self.value_type).map_or("?", |(n, _)| n);
        let generation = match self.generation {
            Generation::V1 => "v1",
            Generation::V2 => "v2",
        };
        write!(f, "{packing}-{kind}-matrix-{generation}")
    }
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
}
