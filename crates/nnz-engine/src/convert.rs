//! Conversion of any source to any target.

mod attempt;
mod narrow;
mod plan;
mod structure;

use nnz_storage::TaskContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nnz_core::{
    At, Axis, Error, ErrorKind, MatrixSource, Order, Place, Result, Rounding, Shape, ValueType,
    Written, readable,
};

use crate::annotations;
use crate::flow::Workers;
use crate::{DuplicatePolicy, MatrixTarget, Transposed};
use attempt::{Attempt, Strategy};
use plan::{FirstPass, Plan};
pub use structure::StructurePolicy;

/// Options of a conversion. By default, nothing is changed unnecessarily.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The storage order; by default the same as in the source, or columns if it has none.
    pub order: Option<Order>,
    /// The value type; by default the same as in the source, or one that holds its integers.
    pub value_type: Option<ValueType>,
    /// Whether values that a float type cannot hold exactly are rounded.
    pub rounding: Rounding,
    /// Handling of duplicate entries. By default, they are kept between formats that allow
    /// them, and refused otherwise.
    pub duplicates: Option<DuplicatePolicy>,
    /// Which triangles of a symmetric matrix are written.
    pub structure: StructurePolicy,
    /// Whether it is an error if the target does not support something.
    pub strict: bool,
    /// Whether rows and columns are exchanged. The storage order stays the same.
    pub transpose: bool,
}

nnz_core::setters! {
    ConvertOptions {
        order: Option<Order>,
        value_type: Option<ValueType>,
        rounding: Rounding,
        duplicates: Option<DuplicatePolicy>,
        structure: StructurePolicy,
        strict: bool,
        transpose: bool,
    }
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            order: None,
            value_type: None,
            rounding: Rounding::default(),
            duplicates: None,
            structure: StructurePolicy::Keep,
            strict: false,
            transpose: false,
        }
    }
}

/// The kind of data that was written, and its size if it has no rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummaryContent {
    /// A matrix, or several of the same rows and columns.
    #[default]
    Matrix,
    /// Several matrices of different rows or columns: their number.
    Matrices(u64),
    /// A vector, a scalar or a tensor: the extent of each dimension.
    Tensor(Vec<u64>),
    /// A table of columns of different types.
    Table,
    /// Genomic fragments.
    Fragments {
        /// The number of chromosomes.
        chromosomes: u64,
        /// The number of cells.
        cells: u64,
    },
}

/// The result of a conversion.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The number of rows and columns.
    pub shape: Shape,
    /// The kind of the data.
    pub content: SummaryContent,
    /// The number of entries: of cells of a table, and of fragments.
    pub entries: u64,
    /// Bytes of the source, if known.
    pub bytes_before: Option<u64>,
    /// Bytes of the target.
    pub bytes_after: u64,
    /// Bytes of temporary disk space used for sorting.
    pub disk: u64,
    /// Seconds taken, including the final sync.
    pub seconds: f64,
    /// Data that the target does not support.
    pub dropped: Vec<String>,
    /// Data that was left out for other reasons, with the reason.
    pub left_out: Vec<String>,
    /// Unusual but allowed properties of the source.
    pub notes: Vec<String>,
}

nnz_core::setters! {
    Summary {
        shape: Shape,
        content: SummaryContent,
        entries: u64,
        bytes_before: Option<u64>,
        bytes_after: u64,
        disk: u64,
        seconds: f64,
        dropped: Vec<String>,
        left_out: Vec<String>,
        notes: Vec<String>,
    }
}

/// Writes a source to a target.
///
/// # Errors
///
/// Fails if the source cannot be read or is broken, if the target may not be replaced or cannot be
/// written, if its format cannot hold an entry exactly, and if the conversion is cancelled. Nothing
/// is written then, and an existing target is unchanged.
pub fn convert(
    source: &dyn MatrixSource,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
    context: &TaskContext,
) -> Result<Summary> {
    let from = &source.place();
    let started = Instant::now();
    // Transposing keeps the order.
    let own = source.header().own_order();
    let transposed = options.transpose.then(|| Transposed::new(Box::new(source)));
    let source = transposed.as_ref().map_or(source, |transposed| transposed);
    target.check()?;
    let note = target.note();
    let mut dropped = check_names(source, target.capabilities().names, &target.directory(context))?;
    // A matrix that is added to its own file leaves the rest of it as it is.
    let added = target.keeps_tables() && target.path().is_some_and(|path| is_inside(from, path));
    if !added {
        dropped.extend(source.extras()?);
    }
    if !target.capabilities().annotations && !target.keeps_tables() {
        dropped.extend(annotations::named(source, target.capabilities().positions)?);
    }
    dropped.extend(target.unsupported(source.metadata()));
    if options.strict && !dropped.is_empty() {
        let what = format!("cannot store {}", dropped.join(", "));
        let error = Error::unsupported(target.place(), what);
        return Err(error.with_hint("strict", "does not allow dropping data"));
    }

    // Now, because the target may be the source itself.
    let bytes_before = readable(source.about())?.and_then(|about| about.bytes);
    let carried = write_entries(source, own, target, options, context)?;
    Ok(Summary {
        shape: source.header().shape,
        content: match source.is_vector() {
            true => SummaryContent::Tensor(vec![source.header().shape.rows]),
            false => SummaryContent::Matrix,
        },
        entries: carried.entries,
        bytes_before,
        bytes_after: carried.written.bytes,
        disk: carried.disk,
        seconds: started.elapsed().as_secs_f64(),
        dropped,
        left_out: Vec::new(),
        notes: source
            .notes()
            .into_iter()
            .chain(target.axes_note(source.header().axis_kinds))
            .chain(note)
            .collect(),
    })
}

/// The result of writing the entries.
pub(crate) struct WrittenEntries {
    entries: u64,
    written: Written,
    /// Bytes of temporary disk space.
    disk: u64,
}

/// Writes all entries of a source to a target, with as little sorting as they need.
///
/// `own` is the order that the format of the source fixes, if any.
pub(crate) fn write_entries(
    source: &dyn MatrixSource,
    own: Option<Order>,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
    context: &TaskContext,
) -> Result<WrittenEntries> {
    let from = &source.place();
    let plan = look_ahead(source, target, options, context)
        .and_then(|first_pass| {
            Plan::new(source.header(), own, target, options, first_pass, context)
        })
        .map_err(|error| error.with_context(from))?;
    let disk = Arc::<AtomicU64>::default();
    let attempt = Attempt { source, plan: &plan, target, context, disk: Arc::clone(&disk) };
    for strategy in Strategy::from_fastest(source, &plan) {
        // If entries are not in the stated order, start again with more sorting.
        let done =
            attempt.run(*strategy).map_err(|error| locate(error, source).with_context(from))?;
        if let Some((entries, written)) = done {
            return Ok(WrittenEntries { entries, written, disk: disk.load(Ordering::Relaxed) });
        }
    }
    let (found, expected) = ("entries that changed between two passes", "an unchanged file");
    Err(Error::mismatch(from.clone(), found, expected))
}

/// Reads the entries in a separate pass first, if the plan depends on them.
fn look_ahead(
    source: &dyn MatrixSource,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
    context: &TaskContext,
) -> Result<FirstPass> {
    let mut first_pass = FirstPass::default();
    // The types of sums cannot be derived from the values.
    let added = options.duplicates == Some(DuplicatePolicy::Sum);
    let narrow = target.narrows_value_type() && options.value_type.is_none() && !added;
    if narrow && source.rereadable() {
        let mirroring = plan::mirroring(source.header(), &target.capabilities(), options);
        let fill = plan::fill(source.header(), &target.capabilities());
        first_pass.value_type =
            Some(narrow::narrowest(source, mirroring, fill, Workers::of(context))?);
    }
    if options.structure == StructurePolicy::Auto && target.capabilities().structure {
        first_pass.found = structure::find(source, target, context)?;
    }
    Ok(first_pass)
}

/// Reads the names if the target supports them, otherwise adds them to `dropped`.
///
/// They are read again when they are written, since they may not fit into memory. Invalid names, or
/// too many for the disk, are errors before any work starts.
fn check_names(
    source: &dyn MatrixSource,
    wanted: bool,
    directory: &std::path::Path,
) -> Result<Vec<String>> {
    let mut dropped = Vec::new();
    for axis in [Axis::Rows, Axis::Cols] {
        if wanted {
            if let Some(mut names) = source.read_names(axis)? {
                crate::free_space::check_free_space(directory, names.min_bytes(), "the target")?;
                names.drain()?;
            }
        } else if !matches!(readable(source.read_names(axis))?, Some(None)) {
            dropped.push(format!("{} names", axis.singular()));
        }
    }
    Ok(dropped)
}

/// Returns whether a place is a file or store, or a group in it.
fn is_inside(place: &Place, path: &std::path::Path) -> bool {
    let Some(found) = &place.path else { return false };
    let found = found.to_string_lossy();
    let rest = found.strip_prefix(&*path.to_string_lossy());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Finds the lines of two duplicate entries.
pub(crate) fn locate(error: Error, source: &dyn MatrixSource) -> Error {
    let (ErrorKind::Duplicate { other: None }, &Some(At::Entry { row, col })) =
        (error.kind(), &error.place().at)
    else {
        return error;
    };
    match source.locate(row, col).unwrap_or_default().as_slice() {
        [first, second, ..] => {
            let place = error.place().clone().at(second.clone());
            Error::new(ErrorKind::Duplicate { other: Some(first.clone()) }, place)
        }
        _ => error,
    }
}
