//! The names of an axis, for repeated lookups.

use std::collections::HashMap;
use std::sync::OnceLock;

use nnz_core::{Axis, MatrixSource, Result};

use super::{Selection, named};

/// Positions of texts; `None` for texts at several positions.
type Positions = HashMap<Box<[u8]>, Option<u64>>;

/// The positions of the names of an axis, which is read once for any number of lookups. Finds the same as
/// [`Selection::exact_names`], with the same errors.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::{CsMatrix, NameIndex};
///
/// let shape = Shape { rows: 2, cols: 1 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1, 1], vec![0_u32], vec![1.0])?;
/// let source = matrix.with_names(Axis::Rows, ["CD3E", "CD8A"])?.into_source()?;
/// let index = NameIndex::new(&*source, Axis::Rows)?;
/// assert_eq!(index.find(&*source, b"CD8A")?, 1);
/// assert!(index.find(&*source, b"CD4").is_err());
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Debug)]
pub struct NameIndex {
    axis: Axis,
    names: Positions,
    /// Texts of the annotations, which are read if a name does not exist.
    labels: OnceLock<Positions>,
}

impl NameIndex {
    /// Reads the names of an axis.
    ///
    /// # Errors
    ///
    /// Fails if the names cannot be read.
    pub fn new(source: &dyn MatrixSource, axis: Axis) -> Result<Self> {
        let mut positions = Positions::new();
        if let Some(mut names) = source.read_names(axis)? {
            let mut at = 0;
            while let Some(name) = names.next_string()? {
                add(&mut positions, name, at);
                at += 1;
            }
        }
        Ok(Self { axis, names: positions, labels: OnceLock::new() })
    }

    /// Finds the position of a name, or of the only row or column with this text in its annotations.
    /// `source` has to be the source of the names.
    ///
    /// # Errors
    ///
    /// Fails if there is none or more than one, and if the annotations cannot be read.
    pub fn find(&self, source: &dyn MatrixSource, name: &[u8]) -> Result<u64> {
        Ok(self.find_all(source, [name])?[0])
    }

    /// Finds the positions of names in the same way. An error has all names that do not exist.
    ///
    /// # Errors
    ///
    /// Fails as [`find`](Self::find).
    pub fn find_all<'n>(
        &self,
        source: &dyn MatrixSource,
        names: impl IntoIterator<Item = &'n [u8]>,
    ) -> Result<Vec<u64>> {
        let (mut positions, mut missing) = (Vec::new(), Vec::new());
        for name in names {
            let found = match self.names.get(name) {
                Some(found) => *found,
                None if name.is_empty() => None,
                None => self.labels(source)?.get(name).copied().flatten(),
            };
            match found {
                Some(at) => positions.push(at),
                None => missing.push(name),
            }
        }
        if !missing.is_empty() {
            // What is missing or ambiguous is described in one place.
            Selection::exact_names(missing).position(source, self.axis)?;
        }
        Ok(positions)
    }

    fn labels(&self, source: &dyn MatrixSource) -> Result<&Positions> {
        if let Some(labels) = self.labels.get() {
            return Ok(labels);
        }
        let mut labels = Positions::new();
        named::each_text(source, self.axis, |text, at, _| add(&mut labels, text, at))?;
        Ok(self.labels.get_or_init(|| labels))
    }
}

fn add(positions: &mut Positions, text: &[u8], at: u64) {
    match positions.get_mut(text) {
        Some(found) if *found == Some(at) => {}
        Some(found) => *found = None,
        None => {
            positions.insert(text.into(), Some(at));
        }
    }
}
