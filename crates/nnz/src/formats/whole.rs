//! Files with several matrices and tables, written as a whole.

use std::ops::Range;

use nnz_core::{MatrixSource, Result};

use super::Probe;
use crate::whole::{ConcatFilesOptions, ElementDifference};
use crate::{ConvertOptions, DiffOptions, Location, Progress, Selection, Summary};

/// Rows of a file, grouped by their value in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowGroups {
    /// Each value as text, in the order of occurrence, and the positions of its rows.
    pub groups: Vec<(String, Vec<Range<u64>>)>,
    /// The number of rows without a value.
    pub missing: u64,
}

impl RowGroups {
    /// Creates it from the groups and the number of rows in none.
    #[must_use]
    pub fn new(groups: Vec<(String, Vec<Range<u64>>)>, missing: u64) -> Self {
        Self { groups, missing }
    }
}

/// A format with several matrices and tables in one file, which are all included when a file is converted
/// or sliced. A location that selects one matrix in a file is not a whole file.
pub trait WholeFormat: Sync {
    /// Returns whether a target is a file of this format, judging by the options and its name only.
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool;

    /// Checks the name of a target. By default, every name is valid.
    ///
    /// # Errors
    ///
    /// Fails if the name is that of another format.
    fn check_target(&self, to: &Location, options: &ConvertOptions) -> Result<()> {
        let _ = (to, options);
        Ok(())
    }

    /// Returns whether a probe is such a file, not a matrix in one.
    ///
    /// # Errors
    ///
    /// Fails if the location cannot be read.
    fn is_file(&self, probe: &Probe) -> Result<bool>;

    /// Returns names and annotations of rows and columns, as a matrix without entries, of a file without a main
    /// matrix.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn tables(&self, probe: &Probe) -> Result<Option<Box<dyn MatrixSource>>>;

    /// Converts a whole file.
    ///
    /// # Errors
    ///
    /// Fails if it is broken or cannot be read, if the target cannot be written, or if an option does not
    /// apply.
    fn convert_file(
        &self,
        from: &Probe,
        to: &Location,
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Writes what belongs to selected rows and columns of a file.
    ///
    /// # Errors
    ///
    /// Fails as [`convert_file`](Self::convert_file), and if a selected row or column does not
    /// exist.
    fn slice_file(
        &self,
        from: &Probe,
        to: &Location,
        selected: [&Selection; 2],
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Concatenates the rows of several files.
    ///
    /// # Errors
    ///
    /// Fails as [`convert_file`](Self::convert_file), and if columns or types do not match.
    fn concat_files(
        &self,
        from: &[Probe],
        to: &Location,
        how: &ConcatFilesOptions,
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Compares all elements of two files, and passes differences to `each`.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read or is broken.
    fn diff_files(
        &self,
        files: [&Probe; 2],
        options: &DiffOptions,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()>;

    /// Groups the rows of a file by a column of its annotations, which may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, or it cannot be read.
    fn group_rows(&self, from: &Probe, column: &str, memory: u64) -> Result<RowGroups>;
}
