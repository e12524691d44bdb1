//! Conversion between locations.

#[cfg(any(feature = "daphne", feature = "fragments"))]
mod others;

use crate::Context;
use std::time::Instant;

use nnz_container::Compression;
use nnz_core::{
    Axis, AxisKind, Error, ErrorKind, MatrixSource, Order, Place, Result, Rounding, ValueType,
};
use nnz_engine as engine;
use nnz_engine::{Labelled, Labels, Reordering};
use nnz_storage::staging::WriteOptions;

use crate::formats::{FormatName, FormatOptions};
use crate::{
    CsMatrix, Dataset, Location, OpenOptions, Profile, Summary,
    engine::Transposed,
    output::{DuplicatePolicy, StructurePolicy},
};

/// The axis of the cells in a target. Changing it exchanges rows and columns and does not reorder entries:
/// what was stored by row is stored by column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellAxis {
    /// The axis that the format of the target uses, if both formats state theirs. The default.
    #[default]
    Format,
    /// The axis of the source.
    AsIs,
    /// This axis. If the source does not state its axis of cells, this states it, and the target has them on the axis that its
    /// format uses.
    Axis(Axis),
}

impl CellAxis {
    /// Returns whether rows and columns of a source have to be exchanged.
    fn exchanges(
        self,
        source: [AxisKind; 2],
        target: [AxisKind; 2],
        transpose: bool,
    ) -> Result<bool> {
        match self {
            Self::AsIs => Ok(false),
            // With `transpose`, rows and columns are always exchanged.
            Self::Format if transpose => Ok(false),
            Self::Format => {
                let [rows, cols] = source;
                Ok(rows != cols && rows != AxisKind::Unknown && target == [cols, rows])
            }
            Self::Axis(axis) => match AxisKind::cell_axis(source) {
                Some(found) => Ok((found == axis) == transpose),
                // The axis of the source, which does not state it.
                None => {
                    let (cells, features) = (AxisKind::Cells, AxisKind::Features);
                    let stated = match axis {
                        Axis::Rows => [cells, features],
                        Axis::Cols => [features, cells],
                    };
                    Self::Format.exchanges(stated, target, transpose)
                }
            },
        }
    }
}

/// Options of a conversion. By default, nothing is changed unnecessarily.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The name of the format to write; by default from the target's extension.
    pub format: Option<FormatName>,
    /// Options of the target format.
    pub format_options: FormatOptions,
    /// The storage order; by default as in the source, or columns if it has none.
    pub order: Option<Order>,
    /// The value type; by default as in the source, or a type that holds its integers.
    pub value_type: Option<ValueType>,
    /// Whether values that a float type cannot hold exactly are rounded.
    pub rounding: Rounding,
    /// How to handle several entries of one element. By default, they are kept between formats that
    /// allow them, otherwise an error.
    pub duplicates: Option<DuplicatePolicy>,
    /// Which triangles of a symmetric matrix are written.
    pub structure: StructurePolicy,
    /// The goal that options are chosen for if they are not set.
    pub profile: Option<Profile>,
    /// Compression of arrays; by default none, and as R does for R objects.
    pub compress: Option<Compression>,
    /// Whether an existing target is replaced, which is refused otherwise.
    pub overwrite: bool,
    /// Whether the target is synced to the disk before it appears.
    pub sync: bool,
    /// Whether it is an error if the target does not support something.
    pub strict: bool,
    /// Whether rows and columns are exchanged. The storage order stays the same.
    pub transpose: bool,
    /// The axis of the cells in the target.
    pub cell_axis: CellAxis,
    /// The order of the rows and of the columns of the source. Their previous positions are stored as annotations
    /// ([`ORIGINAL_POSITION`](crate::annotations::ORIGINAL_POSITION)), if the target supports it.
    pub reorder: [Reordering; 2],
    /// Names and annotations of the rows that replace names and annotations of the source.
    pub row_labels: Labels,
    /// Names and annotations of the columns that replace names and annotations of the source.
    pub col_labels: Labels,
    /// The types of the columns of a source of comma-separated values, which is a table then.
    pub types: Option<Vec<ValueType>>,
    /// How the source is opened.
    pub open: OpenOptions,
}

nnz_core::setters! {
    ConvertOptions {
        format_options: FormatOptions,
        order: Option<Order>,
        value_type: Option<ValueType>,
        rounding: Rounding,
        duplicates: Option<DuplicatePolicy>,
        structure: StructurePolicy,
        profile: Option<Profile>,
        compress: Option<Compression>,
        overwrite: bool,
        sync: bool,
        strict: bool,
        transpose: bool,
        cell_axis: CellAxis,
        row_labels: Labels,
        col_labels: Labels,
        types: Option<Vec<ValueType>>,
        open: OpenOptions,
    }
}

impl Default for ConvertOptions {
    fn default() -> Self {
        let engine::ConvertOptions {
            order,
            value_type,
            rounding,
            duplicates,
            structure,
            strict,
            transpose,
            ..
        } = engine::ConvertOptions::default();
        Self {
            format: None,
            format_options: FormatOptions::new(),
            order,
            value_type,
            rounding,
            duplicates,
            structure,
            profile: None,
            compress: None,
            overwrite: false,
            sync: true,
            strict,
            transpose,
            cell_axis: CellAxis::default(),
            reorder: Default::default(),
            row_labels: Labels::default(),
            col_labels: Labels::default(),
            types: None,
            open: OpenOptions::new(),
        }
    }
}

impl ConvertOptions {
    /// Sets [`format`](#structfield.format).
    #[must_use]
    pub fn format(mut self, name: impl Into<FormatName>) -> Self {
        self.format = Some(name.into());
        self
    }

    /// Sets `reorder`, for rows and for columns.
    #[must_use]
    pub fn reorder(mut self, reorder: [Reordering; 2]) -> Self {
        self.reorder = reorder;
        self
    }

    /// Returns how the target is put in place, for the sink of a format.
    #[must_use]
    pub fn output(&self, context: &Context) -> WriteOptions {
        context.output(self.overwrite, self.sync)
    }

    /// Returns whether rows or columns are reordered.
    pub(crate) fn reorders(&self) -> bool {
        self.reorder.iter().any(|order| *order != Reordering::Unchanged)
    }

    /// Returns the options that are independent of the target's location and format.
    #[must_use]
    pub fn engine(&self) -> engine::ConvertOptions {
        engine::ConvertOptions::default()
            .order(self.order)
            .value_type(self.value_type)
            .rounding(self.rounding)
            .duplicates(self.duplicates)
            .structure(self.structure)
            .strict(self.strict)
            .transpose(self.transpose)
    }
}

/// Converts data of any kind to another location. A file with several matrices and tables is converted with everything in
/// it, if the target supports it. A text of comma-separated values is a table if [`types`](ConvertOptions::types) are
/// given, if it is converted to DAPHNE, or if it is no matrix; otherwise it is a matrix.
///
/// # Errors
///
/// Fails if the source cannot be read or is broken, if the target exists and may not be replaced or
/// cannot be written, and if the target cannot store an entry exactly. Nothing is written then, and
/// an existing target is unchanged.
pub fn convert(
    from: impl Into<Location>,
    to: impl Into<Location>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into());
    let started = Instant::now();
    let summary = convert_any(from, to, options, context)?;
    Ok(summary.seconds(started.elapsed().as_secs_f64()))
}

fn convert_any(
    from: &Location,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    #[cfg(feature = "daphne")]
    if others::is_table(from, to, options, context)? {
        return others::text(from, to, options, context);
    }
    match options.open.open(from, context) {
        #[cfg(feature = "daphne")]
        Err(error) if others::is_table_after(&error, from, to, options, context)? => {
            others::text(from, to, options, context)
        }
        found => found?.convert(to, options, context),
    }
}

impl Dataset {
    /// Converts data of any kind to another location.
    ///
    /// # Errors
    ///
    /// Fails as [`convert`].
    pub fn convert(
        self,
        to: impl Into<Location>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        let to = &to.into().resolve_target()?;
        let matrix = match self {
            Self::Collection(source) => {
                return crate::collection::convert(&source, to, options, context);
            }
            Self::Tensor(tensor) if !tensor.is_vector() => {
                return tensor.convert(to.clone(), options, context);
            }
            #[cfg(feature = "daphne")]
            Self::Table(frame) => return others::table(&frame, to, options, context),
            #[cfg(feature = "fragments")]
            Self::Fragments(source) if !options.transpose => {
                return others::fragments(&*source, to, options, context);
            }
            other => other.into_matrix()?,
        };
        convert_source(&*matrix, to, options, context)
    }
}

/// Converts an open matrix, such as a [`Slice`](crate::engine::Slice) of another. The source can be converted again if it can be read again.
///
/// # Errors
///
/// Fails as [`convert`].
pub fn convert_source(
    source: &dyn MatrixSource,
    to: impl Into<Location>,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let from = &source.place();
    let to = &to.into().resolve_target()?;
    if let Some(profile) = options.profile {
        return profile.convert(source, to, options, context);
    }
    if options.reorders() {
        return crate::reorder::convert(source, to, options, context);
    }
    let given_type = options.value_type;
    let adapted = context.adapted(source, to, options)?;
    let options = adapted.as_ref().unwrap_or(options);
    let labels = [&options.row_labels, &options.col_labels];
    let labelled;
    let source = match labels.iter().all(|labels| labels.is_default()) {
        true => source,
        false => {
            let memory = context.memory();
            labelled = Labelled::new(Box::new(source), labels, memory)
                .map_err(|e| e.with_context(from))?;
            &labelled
        }
    };
    let is_new = is_missing_file(to);
    let mut done = convert_once(source, to, options, context);
    for _ in 1..ATTEMPTS {
        match &done {
            Err(error)
                if source.rereadable()
                    && (created_concurrently(error, to)
                        || (is_new && matches!(error.kind(), ErrorKind::Exists))) =>
            {
                done = convert_once(source, to, options, context);
            }
            _ => break,
        }
    }
    done.map_err(|error| match (error.kind(), options.value_type) {
        (ErrorKind::Inexact { .. }, Some(found)) if given_type.is_none() => {
            let effect = format!("keeps integers as uint32 or int64; they become {found} here");
            error.with_hint("value_type", effect)
        }
        _ => of_target(error, from, to, context),
    })
}

/// Returns an error about a file that was being written as what the target does not support: that file is not damaged,
/// and need not exist.
fn of_target(error: Error, from: &Place, to: &Location, context: &Context) -> Error {
    let Location::Path { path, group } = to else { return error };
    let at = error.place().path.as_deref();
    let is_target = at.is_some_and(|at| at.starts_with(path)) && from.path.as_deref() != at;
    // A group may be added to a file that is there.
    if !is_target
        || (group.is_some() && nnz_storage::staging::exists(path, context).unwrap_or(true))
    {
        return error;
    }
    error.map_kind(|kind| match kind {
        ErrorKind::Mismatch { found, expected } => {
            ErrorKind::Unsupported(format!("found {found}, expected {expected}"))
        }
        other => other,
    })
}

/// Returns whether a group is written to a file that does not exist. If it does later, another process has created it, but
/// perhaps not the group.
fn is_missing_file(to: &Location) -> bool {
    let Location::Path { path, group: Some(group) } = to else { return false };
    !group.is_empty() && !nnz_core::is_url(path) && path.symlink_metadata().is_err()
}

/// Maximum number of attempts to write a group to a file that others create at the same time.
const ATTEMPTS: u8 = 20;

/// Returns whether a group was not written because another process created or changed the file. The group
/// can then be added to the new file.
fn created_concurrently(error: &Error, to: &Location) -> bool {
    let Location::Path { path, group: Some(group) } = to else { return false };
    if nnz_core::is_url(path) {
        return false;
    }
    let at_target = || error.place().path.as_deref().is_some_and(|at| at.starts_with(path));
    !group.is_empty() && matches!(error.kind(), ErrorKind::Changed) && at_target()
}

fn convert_once(
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Summary> {
    let from = &source.place();
    let target = target_of(source, to, options, context)?;
    let stated = source.header().axis_kinds;
    let assumed = options.cell_axis == CellAxis::Format
        && stated == [AxisKind::Unknown; 2]
        && source.usual_axis_kinds() != stated;
    let kinds = if assumed { source.usual_axis_kinds() } else { stated };
    let exchanges = options.cell_axis.exchanges(kinds, target.axis_kinds(), options.transpose);
    if !exchanges.map_err(|error| error.with_context(from))? {
        let mut summary = engine::convert(source, &*target, &options.engine(), context)?;
        if options.cell_axis == CellAxis::Format {
            summary.notes.extend(guessed_axes(source, target.axis_kinds(), options));
        }
        summary.notes.extend(unexpected_names(source, &*target, context)?);
        return Ok(summary);
    }
    // Nothing is reordered: what was stored by row is stored by column, and the names are exchanged
    // as well.
    let exchanged = Transposed::new(Box::new(source));
    let target = target_of(&exchanged, to, options, context)?;
    let mut summary = engine::convert(&exchanged, &*target, &options.engine(), context)?;
    let [rows, cols] = match kinds {
        [AxisKind::Unknown, _] => {
            let [rows, cols] = target.axis_kinds();
            [cols, rows]
        }
        stated => stated,
    };
    summary.notes.push(match options.transpose {
        // Rows and columns were exchanged twice.
        true => format!("not transposed: rows are {rows}, columns are {cols}"),
        false if assumed => format!(
            "the source does not state which axis has cells: rows are taken for {rows}, columns for {cols}, as usual in its format, \
             and transposed; cell_axis rows states that cells are the rows"
        ),
        false => format!("transposed: rows are now {cols}, columns are {rows}"),
    });
    summary.notes.extend(unexpected_names(source, &*target, context)?);
    Ok(summary)
}

/// Notes repeated names of rows and columns, if the programs that read the target expect none.
pub(crate) fn unexpected_names(
    source: &dyn MatrixSource,
    target: &dyn engine::MatrixTarget,
    context: &Context,
) -> Result<Vec<String>> {
    if !target.expects_unique_names() || !source.rereadable() {
        return Ok(Vec::new());
    }
    let axes = [Axis::Rows, Axis::Cols];
    let notes = axes.map(|axis| repeated_names(source, axis, context.memory() / 2));
    let notes = notes.into_iter().filter_map(Result::transpose);
    notes.map(|note| Ok(format!("{}; make_unique makes names unique", note?))).collect()
}

/// Notes names of an axis that occur more than once.
pub(crate) fn repeated_names(
    source: &dyn MatrixSource,
    axis: Axis,
    memory: u64,
) -> Result<Option<String>> {
    let Some(mut names) = source.read_names(axis)? else { return Ok(None) };
    let repeated = engine::repeated_names(&mut *names, memory)?;
    Ok(repeated.map(|engine::RepeatedNames { count, first }| {
        let (one, several) = match axis {
            Axis::Rows => ("row", "rows"),
            Axis::Cols => ("column", "columns"),
        };
        let have =
            if count == 1 { format!("1 {one} has") } else { format!("{count} {several} have") };
        format!("{have} the name of an earlier {one}, such as {first:?}")
    }))
}

/// Notes what a target takes rows and columns for, if the source does not state it, and names that lie beside the source.
fn guessed_axes(
    source: &dyn MatrixSource,
    target: [AxisKind; 2],
    options: &ConvertOptions,
) -> Vec<String> {
    let Some(axis) = AxisKind::cell_axis(target) else { return Vec::new() };
    if source.header().axis_kinds != [AxisKind::Unknown; 2] {
        return Vec::new();
    }
    let [rows, cols] = target;
    // Of a table with a row for each cell, only that many fit.
    if rows == AxisKind::Unknown || cols == AxisKind::Unknown {
        return Vec::new();
    }
    let mut notes = vec![format!(
        "the source does not state which axis has cells: rows are taken for {rows}, columns for {cols}; cell_axis {} \
         states that cells are the {}",
        crate::compute::axis_option(axis.other()),
        axis.other()
    )];
    let has_names = [&options.row_labels, &options.col_labels].iter().all(|of| of.names.is_some());
    if !has_names {
        notes.extend(names_beside(&source.place()));
    }
    notes
}

/// Notes names that lie beside a matrix of Cell Ranger.
pub(crate) fn names_beside(place: &Place) -> Option<String> {
    let path = place.path.as_deref()?;
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let prefix = stem.strip_suffix("matrix.mtx")?;
    let folder = path.parent()?;
    let has =
        |name: &str| ["", ".gz"].iter().any(|end| folder.join(format!("{name}{end}")).is_file());
    let has_own = |name: &str| has(&format!("{prefix}{name}"));
    // Samples in one directory may share a file of features.
    let has_features = has_own("peaks.bed")
        || ["features.tsv", "genes.tsv"].iter().any(|name| has_own(name) || has(name));
    let group = if prefix.is_empty() { String::new() } else { format!("::{stem}") };
    let place = format!("{}{group}", Place::path(folder));
    let what = "names of cells and features lie beside the file";
    (has_own("barcodes.tsv") && has_features)
        .then(|| format!("{what}: {place} has them, and states its axes"))
}

fn target_of(
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
    context: &Context,
) -> Result<Box<dyn engine::MatrixTarget>> {
    let transposed = options.transpose.then(|| Transposed::new(Box::new(source)));
    let written = transposed.as_ref().map_or(source, |transposed| transposed);
    context.target(to, options, written)
}

/// Writing a matrix in memory.
pub trait WriteMatrix {
    /// Writes it to a location, in the format of the extension unless the options select one.
    ///
    /// ```no_run
    /// use nnz::WriteMatrix as _;
    /// # use nnz::{CsMatrix, Order, Shape};
    /// # let shape = Shape { rows: 1, cols: 1 };
    /// # let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![1.0])?;
    /// let summary = matrix.write("out.bpcells", &nnz::ConvertOptions::default(), &nnz::Context::default())?;
    /// println!("{} entries", summary.entries);
    /// # Ok::<(), nnz::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`convert`].
    fn write(
        self,
        to: impl Into<Location>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary>;
}

impl WriteMatrix for CsMatrix {
    fn write(
        self,
        to: impl Into<Location>,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        convert_source(&*self.into_source()?, to, options, context)
    }
}
