//! Options for writing a matrix or tensor, except its layout.

use nnz_core::{Error, Result, ValueType};

use crate::store::is_index;
use crate::{Keys, Version};

/// Options for writing a matrix or tensor.
///
/// By default, indices and pointers are `uint32`, or `uint64` if they may not fit.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The version in the descriptor.
    pub version: Version,
    /// The type of indices.
    pub index_type: Option<ValueType>,
    /// The type of pointers.
    pub pointer_type: Option<ValueType>,
    /// The types of individual arrays of indices or pointers, by name.
    pub types: Vec<(String, ValueType)>,
    /// Whether to use the smallest unsigned types: for indices by the length of their dimension,
    /// for pointers by the number of entries. Values of a tensor are stored in the smallest type of
    /// their kind, too. Values of a matrix are not, because they are not known in advance.
    pub minimize: bool,
    /// Keys outside of the object `binsparse`, which belong to the user.
    pub user: Keys,
    /// The object `attributes`; the number of entries on the diagonal is added.
    pub attributes: Keys,
}

impl Options {
    /// Chooses the type of an array of indices along a dimension of length `extent`.
    pub(crate) fn index_type(&self, array: &str, extent: u64) -> Result<ValueType> {
        let requested = self.own_type(array).or(self.index_type);
        self.chosen(requested, extent.saturating_sub(1), "indices")
    }

    /// Chooses the type of an array of pointers for at most `entries` entries, or any number.
    pub(crate) fn pointer_type(&self, array: &str, entries: Option<u64>) -> Result<ValueType> {
        match (self.own_type(array).or(self.pointer_type), entries) {
            // Whether they fit is checked when they are written.
            (Some(requested), None) => self.chosen(Some(requested), 0, "pointers"),
            (requested, entries) => self.chosen(requested, entries.unwrap_or(u64::MAX), "pointers"),
        }
    }

    fn own_type(&self, array: &str) -> Option<ValueType> {
        self.types.iter().find(|(name, _)| name == array).map(|&(_, value_type)| value_type)
    }

    fn chosen(&self, requested: Option<ValueType>, largest: u64, what: &str) -> Result<ValueType> {
        let Some(requested) = requested else {
            let least = if self.minimize { ValueType::U8 } else { ValueType::U32 };
            return Ok(smallest(largest, least));
        };
        if is_index(requested) && largest <= largest_of(requested) {
            return Ok(requested);
        }
        let what = format!("{requested} cannot represent {what} up to {largest}");
        Err(Error::argument(what))
    }
}

fn smallest(largest: u64, least: ValueType) -> ValueType {
    let types = [ValueType::U8, ValueType::U16, ValueType::U32, ValueType::U64];
    let wide = types.into_iter().filter(|t| t.size() >= least.size());
    wide.into_iter().find(|&t| largest <= largest_of(t)).unwrap_or(ValueType::U64)
}

/// Returns the largest value of an integer type.
pub(crate) fn largest_of(value_type: ValueType) -> u64 {
    let bits = 8 * value_type.size();
    let signed =
        matches!(value_type, ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64);
    u64::MAX >> (64 - bits + usize::from(signed))
}
