//! Tensors of any number of dimensions, in memory.

mod order;
mod output;
mod read;
mod triangle;
mod walk;
mod with_descriptor;
mod write;

use std::cmp::Ordering;

use nnz_core::{Error, Result, Scalar, Structure, ValueType, Values};

use crate::store::zero;
use crate::structure::value_bits;
pub use read::read_tensor;
pub use with_descriptor::write_with_descriptor;
pub use write::write_tensor;

/// The stored entries of a tensor, in any order.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The coordinates of the entries, one list for each dimension. A tensor without dimensions has
    /// one entry.
    pub coordinates: Vec<Vec<u64>>,
    /// The value of each entry, or the one that all share.
    pub values: Values,
    /// How entries that are not stored follow from stored ones; only for matrices.
    pub structure: Structure,
    /// The value of elements that are neither stored nor follow from others, if it is not zero.
    pub fill: Option<Scalar>,
}

impl Tensor {
    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.coordinates.first() {
            Some(first) => first.len(),
            None => self.values.len().unwrap_or(1),
        }
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type of the values.
    #[must_use]
    pub fn value_type(&self) -> ValueType {
        self.values.value_type()
    }

    /// Returns the value of elements that are not stored.
    #[must_use]
    pub fn background(&self) -> Scalar {
        self.fill.unwrap_or_else(|| zero(self.value_type()))
    }

    /// Returns whether both have the same value in every element, bit for bit, whether it is stored or
    /// not.
    ///
    /// # Errors
    ///
    /// Fails if one of them has two entries at the same position, or lists of different lengths.
    pub fn same(&self, other: &Self) -> Result<bool> {
        if self.shape != other.shape
            || self.value_type() != other.value_type()
            || self.structure != other.structure
        {
            return Ok(false);
        }
        let background = value_bits(self.background());
        if background != value_bits(other.background()) {
            return self.same_throughout(other);
        }
        let (mine, theirs) = (self.significant(&background)?, other.significant(&background)?);
        Ok(mine.len() == theirs.len()
            && mine.iter().zip(&theirs).all(|(&a, &b)| {
                let columns = self.coordinates.iter().zip(&other.coordinates);
                columns.map(|(mine, theirs)| mine[a].cmp(&theirs[b])).all(Ordering::is_eq)
                    && self.bits(a) == other.bits(b)
            }))
    }

    /// Compares two tensors with different fill values: they are equal only if every element is stored
    /// in at least one of them.
    fn same_throughout(&self, other: &Self) -> Result<bool> {
        let [mine, theirs] = [self.sorted()?, other.sorted()?];
        let (mut a, mut b, mut elements) = (0, 0, 0_u128);
        loop {
            let side = match (mine.get(a), theirs.get(b)) {
                (Some(&a), Some(&b)) => {
                    let columns = self.coordinates.iter().zip(&other.coordinates);
                    let sides = columns.map(|(mine, theirs)| mine[a].cmp(&theirs[b]));
                    sides.fold(Ordering::Equal, Ordering::then)
                }
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Ok(Some(elements) == self.elements()),
            };
            let mut held = [self.background(), other.background()].map(value_bits);
            if side.is_le() {
                held[0] = self.bits(mine[a]);
                a += 1;
            }
            if side.is_ge() {
                held[1] = other.bits(theirs[b]);
                b += 1;
            }
            if held[0] != held[1] {
                return Ok(false);
            }
            elements += 1;
        }
    }

    /// Returns whether there is an entry for every element, or for every element of the stored triangle.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.elements() == Some(self.len() as u128)
    }

    /// Counts the elements that may be stored; `None` if that overflows.
    fn elements(&self) -> Option<u128> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        let mut sides = self.shape.iter().map(|&extent| u128::from(extent));
        match (self.structure, &self.shape[..]) {
            (Structure::General, _) => sides.try_fold(1_u128, u128::checked_mul),
            (_, &[side, _]) => Some(u128::from(side) * (u128::from(side) + 1) / 2),
            _ => None,
        }
    }

    /// Sorts the entries by their coordinates, first dimension first.
    ///
    /// # Errors
    ///
    /// Fails if it has two entries at the same position, an index out of range, or lists of
    /// different lengths.
    pub fn sort(&mut self) -> Result<()> {
        let order = self.sorted()?;
        if order.is_sorted() {
            return Ok(());
        }
        for list in &mut self.coordinates {
            *list = order.iter().map(|&entry| list[entry]).collect();
        }
        if !matches!(self.values, Values::Iso(_)) {
            let mut values = Values::new(self.value_type());
            for &entry in &order {
                values.extend_from(&self.values, entry..entry + 1);
            }
            self.values = values;
        }
        Ok(())
    }

    fn sorted(&self) -> Result<Vec<usize>> {
        order::sorted(&self.columns()?, self.len(), &self.shape)
    }

    /// Lists the entries that differ from the background, sorted by their coordinates.
    fn significant(&self, background: &[u8]) -> Result<Vec<usize>> {
        let mut entries = self.sorted()?;
        entries.retain(|&entry| self.bits(entry) != background);
        Ok(entries)
    }

    fn bits(&self, entry: usize) -> Vec<u8> {
        self.values.get(entry).map(value_bits).unwrap_or_default()
    }

    /// Returns the coordinates, after checking that there are as many as values.
    fn columns(&self) -> Result<Vec<&[u64]>> {
        let len = self.len();
        let values = self.values.len().is_none_or(|values| values == len);
        let lists = self.coordinates.iter().all(|list| list.len() == len);
        if self.coordinates.len() == self.shape.len() && values && lists {
            return Ok(self.coordinates.iter().map(|list| &**list).collect());
        }
        Err(Error::argument(
            "dimensions, coordinates and values of the tensor do not match in number",
        ))
    }
}
