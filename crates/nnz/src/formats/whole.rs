//! Files with several matrices and tables, written as a whole.

use std::ops::Range;

use nnz_core::{MatrixSource, Result};

use super::Probe;
use crate::whole::{ConcatFilesOptions, ElementDifference};
use crate::{ConvertOptions, DiffOptions, Location, Progress, Selection, Summary};

/// Rows of a file by the value that they have in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowGroups {
    /// Each value as text, in the order they occur, and the positions of its rows.
    pub groups: Vec<(String, Vec<Range<u64>>)>,
    /// Rows without a value.
    pub missing: u64,
}

impl RowGroups {
    /// Takes the groups, and the number of rows that are in none.
    #[must_use]
    pub fn new(groups: Vec<(String, Vec<Range<u64>>)>, missing: u64) -> Self {
        Self { groups, missing }
    }
}

/// A format with several matrices and tables in one file, all of which go along when a file is converted or
/// cut. What names one matrix in a file is no such file.
pub trait WholeFormat: Sync {
    /// Returns whether a target is a file of this format, going by the options and its name alone.
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool;

    /// Returns whether a probe is such a file, not a matrix in one.
    ///
    /// # Errors
    ///
    /// Fails where the place cannot be read.
    fn is_file(&self, probe: &Probe) -> Result<bool>;

    /// Returns names and tables of rows and columns, as a matrix without entries, of a file that has no main matrix.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read.
    fn tables(&self, probe: &Probe) -> Result<Option<Box<dyn MatrixSource>>>;

    /// Writes all of a file.
    ///
    /// # Errors
    ///
    /// Fails where it is broken or cannot be read, the target cannot be written, or an option is set that does
    /// not apply.
    fn convert_file(
        &self,
        from: &Probe,
        to: &Location,
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Writes what belongs to some rows and columns of a file.
    ///
    /// # Errors
    ///
    /// Fails as [`convert_file`](Self::convert_file), and where what is selected is not there.
    fn slice_file(
        &self,
        from: &Probe,
        to: &Location,
        selected: [&Selection; 2],
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Writes the rows of several files one behind the other.
    ///
    /// # Errors
    ///
    /// Fails as [`convert_file`](Self::convert_file), and where columns or types do not go together.
    fn concat_files(
        &self,
        from: &[Probe],
        to: &Location,
        how: &ConcatFilesOptions,
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary>;

    /// Compares all elements of two files, and passes what differs to `each`.
    ///
    /// # Errors
    ///
    /// Fails where one cannot be read or is broken.
    fn diff_files(
        &self,
        files: [&Probe; 2],
        options: &DiffOptions,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()>;

    /// Groups the rows of a file by a column of its table of rows, which may take so many bytes.
    ///
    /// # Errors
    ///
    /// Fails where there is no such column, or it cannot be read.
    fn group_rows(&self, from: &Probe, column: &str, memory: u64) -> Result<RowGroups>;
}
