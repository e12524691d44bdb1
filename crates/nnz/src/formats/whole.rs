//! Files with several matrices and tables, written as a whole.

use crate::Context;
use std::ops::Range;

use nnz_container::tree::TreeWriter;
use nnz_core::{Error, MatrixSource, Place, Result, Shape};

use super::Probe;
use crate::output::{CellAxis, StructurePolicy};
use crate::whole::{ConcatFilesOptions, ElementDifference};
use crate::{ConvertOptions, DiffOptions, Location, Selection, Summary};

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
    /// Fails if the name belongs to another format.
    fn check_target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        let _ = (to, options, context);
        Ok(())
    }

    /// Checks that a target that exists may be replaced. By default it is checked only when it is written.
    ///
    /// # Errors
    ///
    /// Fails if it may not be replaced.
    fn check_replaced(
        &self,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<()> {
        let _ = (to, options, context);
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
        context: &Context,
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
        context: &Context,
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
        context: &Context,
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
        context: &Context,
        each: &mut dyn FnMut(ElementDifference),
    ) -> Result<()>;

    /// Groups the rows of a file by a column of its annotations, which may take `memory` bytes.
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, or it cannot be read.
    fn group_rows(&self, from: &Probe, column: &str, memory: u64) -> Result<RowGroups>;
}

/// A format with several matrices and tables in one file, which are converted with everything in it to files of some
/// formats.
pub trait FileConversion: Sync {
    /// Returns whether a target is a file of one of these formats, judging by the options and its name only.
    fn is_target(&self, to: &Location, options: &ConvertOptions) -> bool;

    /// Returns whether a probe is such a file, not a matrix in one.
    ///
    /// # Errors
    ///
    /// Fails if the location cannot be read.
    fn is_file(&self, probe: &Probe) -> Result<bool>;

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
        context: &Context,
    ) -> Result<Summary>;
}

/// Returns the options for the main matrix of a whole file and others of its shape, and for all other matrices.
pub(super) fn part_options(options: &ConvertOptions) -> [nnz_engine::ConvertOptions; 2] {
    // Dropped elements are known before, so these conversions are not strict.
    let main = options.engine().strict(false).transpose(false);
    let others = main.clone().order(None).value_type(None);
    [main.structure(StructurePolicy::Keep), others.structure(StructurePolicy::Keep)]
}

/// Returns whether options can be used to convert a whole file to another format.
pub(crate) fn convert_whole(options: &ConvertOptions) -> bool {
    !options.transpose
        && !options.reorders()
        && options.profile.is_none()
        && options.cell_axis == CellAxis::Format
        && options.structure == StructurePolicy::Keep
}

/// A whole file that was written into a tree.
pub(super) struct WrittenFile {
    pub(super) tree: Box<dyn TreeWriter>,
    pub(super) shape: Shape,
    pub(super) entries: u64,
    pub(super) dropped: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl WrittenFile {
    /// Completes the tree at its place.
    pub(super) fn commit(
        self,
        place: &Place,
        bytes_before: Option<u64>,
        context: &Context,
    ) -> Result<Summary> {
        let Self { tree, shape, entries, dropped, notes } = self;
        context.check()?;
        let bytes_after = tree.finish().map_err(|error| error.with_context(place))?;
        Ok(Summary::default()
            .shape(shape)
            .entries(entries)
            .bytes_before(bytes_before)
            .bytes_after(bytes_after)
            .dropped(dropped)
            .notes(notes))
    }
}

/// Fails if something is dropped, and that is an error.
pub(super) fn check_strict(
    dropped: &[String],
    place: &Place,
    options: &ConvertOptions,
) -> Result<()> {
    if !options.strict || dropped.is_empty() {
        return Ok(());
    }
    let what = format!("cannot store {}", dropped.join(", "));
    Err(Error::unsupported(place.clone(), what).with_hint("strict", "does not allow dropping data"))
}
