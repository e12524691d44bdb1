//! The names of both axes, for lookups in a matrix that stays open.

use std::sync::OnceLock;

use nnz_core::{Axis, MatrixSource, Result, StringList};

use super::NameIndex;

/// The names of both axes of a matrix, each of which is read when it is first needed.
#[derive(Debug, Default)]
pub struct NameCache([OnceLock<NameIndex>; 2]);

impl NameCache {
    /// Finds the positions of names on an axis of a matrix, which has to be the same at each call, as
    /// [`NameIndex::find_all`].
    ///
    /// # Errors
    ///
    /// Fails if a name does not exist or is ambiguous, and if names or annotations cannot be read.
    pub fn find(
        &self,
        source: &dyn MatrixSource,
        axis: Axis,
        names: &StringList,
    ) -> Result<Vec<u64>> {
        let [rows, cols] = &self.0;
        let cached = if axis == Axis::Rows { rows } else { cols };
        let index = match cached.get() {
            Some(index) => index,
            None => {
                let index = NameIndex::new(source, axis)?;
                cached.get_or_init(|| index)
            }
        };
        index.find_all(source, names.iter())
    }
}
