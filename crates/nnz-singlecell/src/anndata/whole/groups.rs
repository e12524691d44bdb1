//! Cells that have the same value in a column.

use std::collections::HashMap;
use std::ops::Range;

use nnz_core::{Annotations as _, Error, Result};

use crate::anndata::AnnData;

/// The cells of a file by their value in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Each value as text, in the order of first occurrence, and the positions of its cells.
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
        let values = obs.read_column(at, memory)?;
        let mut found = Groups::default();
        let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut text = Vec::new();
        for row in 0..values.len() {
            if values.is_missing_or_nan(row) {
                found.missing += 1;
                continue;
            }
            text.clear();
            values.write_text(row, &mut text);
            let group = match known.get(&text) {
                Some(group) => *group,
                None => {
                    let name = String::from_utf8(text.clone()).map_err(|_| {
                        Error::mismatch(obs.place(), format!("{column:?} not in UTF-8"), "UTF-8")
                    })?;
                    found.groups.push((name, Vec::new()));
                    known.insert(text.clone(), found.groups.len() - 1);
                    found.groups.len() - 1
                }
            };
            let Some((_, ranges)) = found.groups.get_mut(group) else { continue };
            match ranges.last_mut().filter(|last| last.end == row) {
                Some(last) => last.end = row + 1,
                None => ranges.push(row..row + 1),
            }
        }
        Ok(found)
    }
}
