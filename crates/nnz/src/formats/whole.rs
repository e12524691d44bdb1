//! Files with several matrices and tables, written as a whole.

use nnz_core::Result;

use super::Probe;
use crate::{ConvertOptions, Location, Progress, Selection, Summary};

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
}
