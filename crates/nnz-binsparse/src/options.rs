//! How a matrix or tensor is written, besides its layout.

use nnz_core::{Error, Result, ValueType};

use crate::store::is_index;
use crate::{Keys, Version};

/// Says how a matrix or tensor is written.
///
/// Indices and pointers are `uint32`, or `uint64` where that may not hold them.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The version that is stated.
    pub version: Version,
    /// The type of indices.
    pub index_type: Option<ValueType>,
    /// The type of pointers.
    pub pointer_type: Option<ValueType>,
    /// The types of single arrays of indices or pointers, by name.
    pub types: Vec<(String, ValueType)>,
    /// Whether types are the smallest unsigned ones that hold what may come: indices by the length of
    /// their dimension, pointers by the number of entries. Values of a tensor become the smallest
    /// type of their kind too; those of a matrix, which are not known before, stay.
    pub minimize: bool,
    /// Keys outside of the description, which belong to the user.
    pub user: Keys,
    /// The dictionary `attributes`; the number of entries on the diagonal is added.
    pub attributes: Keys,
}

impl Options {
    /// Chooses the type of the indices in an array, along a dimension of a length.
    pub(crate) fn index_type(&self, array: &str, extent: u64) -> Result<ValueType> {
        let wanted = self.own_type(array).or(self.index_type);
        self.chosen(wanted, extent.saturating_sub(1), "indices")
    }

    /// Chooses the type of pointers in an array, to at most so many entries, or any number.
    pub(crate) fn pointer_type(&self, array: &str, entries: Option<u64>) -> Result<ValueType> {
        match (self.own_type(array).or(self.pointer_type), entries) {
            // That they fit shows when they come.
            (Some(wanted), None) => self.chosen(Some(wanted), 0, "pointers"),
            (wanted, entries) => self.chosen(wanted, entries.unwrap_or(u64::MAX), "pointers"),
        }
    }

    fn own_type(&self, array: &str) -> Option<ValueType> {
        self.types.iter().find(|(name, _)| name == array).map(|&(_, value_type)| value_type)
    }

    fn chosen(&self, wanted: Option<ValueType>, largest: u64, what: &str) -> Result<ValueType> {
        let Some(wanted) = wanted else {
            let least = if self.minimize { ValueType::U8 } else { ValueType::U32 };
            return Ok(smallest(largest, least));
        };
        if is_index(wanted) && largest <= largest_of(wanted) {
            return Ok(wanted);
        }
        let what = format!("{wanted} cannot hold {what} up to {largest}");
        Err(Error::argument(what))
    }
}

fn smallest(largest: u64, least: ValueType) -> ValueType {
    let types = [ValueType::U8, ValueType::U16, ValueType::U32, ValueType::U64];
    let wide = types.into_iter().filter(|t| t.size() >= least.size());
    wide.into_iter().find(|&t| largest <= largest_of(t)).unwrap_or(ValueType::U64)
}

/// Returns the largest whole number that an integer type holds.
pub(crate) fn largest_of(value_type: ValueType) -> u64 {
    let bits = 8 * value_type.size();
    let signed =
        matches!(value_type, ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64);
    u64::MAX >> (64 - bits + usize::from(signed))
}
