//! Finding rows and columns by name.

use std::sync::OnceLock;

use nnz::engine::NameIndex;
use nnz::matrix::StringList;
use nnz::{Axis, MatrixSource, Result};

/// The names of both axes of a matrix, each of which is read when it is first needed.
#[derive(Default)]
pub(crate) struct NameCache([OnceLock<NameIndex>; 2]);

impl NameCache {
    /// Finds the positions of names on an axis of a matrix.
    pub(crate) fn find(
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
