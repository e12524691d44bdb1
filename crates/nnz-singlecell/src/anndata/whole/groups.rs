//! Cells that have the same value in a column.

use std::ops::Range;

use nnz_core::{Annotations as _, Error, Grouping, Result};

use crate::anndata::AnnData;

/// The cells of a file by their value in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Each value as text, in the order of the categories or in ascending order, and the positions of its cells.
    pub groups: Vec<(String, Vec<Range<u64>>)>,
    /// The number of cells without a value.
    pub missing: u64,
}

impl AnnData {
    /// Groups cells by a column of `obs`, which may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, or if it cannot be read.
    pub fn groups(&self, column: &str, memory: u64) -> Result<Groups> {
        let obs = self.obs()?;
        let Some(at) = obs.columns().iter().position(|info| info.name == column) else {
            let names: Vec<String> =
                obs.columns().iter().map(|info| format!("{:?}", info.name)).collect();
            let what = match &names[..] {
                [] => format!("{column:?} is not a column of obs, which has no columns"),
                _ => format!(
                    "{column:?} is not a column of obs; the columns are {}",
                    names.join(", ")
                ),
            };
            return Err(Error::argument(what));
        };
        let Grouping { labels, codes } = obs.read_column(at, memory)?.grouped()?;
        let mut found = Groups::default();
        for label in labels.iter() {
            let name = String::from_utf8(label.to_vec()).map_err(|error| {
                let found = format!("{column:?} not in UTF-8");
                Error::mismatch(obs.place(), found, "UTF-8").with_source(error)
            })?;
            found.groups.push((name, Vec::new()));
        }
        for (row, code) in (0..).zip(codes) {
            let Some(code) = code.and_then(|code| usize::try_from(code).ok()) else {
                found.missing += 1;
                continue;
            };
            let Some((_, ranges)) = found.groups.get_mut(code) else { continue };
            match ranges.last_mut().filter(|last| last.end == row) {
                Some(last) => last.end = row + 1,
                None => ranges.push(row..row + 1),
            }
        }
        Ok(found)
    }
}
