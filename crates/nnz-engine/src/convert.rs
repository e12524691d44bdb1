//! From any source to any target.

mod attempt;
mod narrow;
mod plan;
mod structure;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nnz_core::{
    At, Axis, Error, ErrorKind, MatrixSource, Order, Place, Result, Rounding, Shape, ValueType,
    Written, readable,
};

use crate::annotations;
use crate::flow::Workers;
use crate::{Cancellation, DuplicatePolicy, MatrixTarget, Progress, Transposed};
use attempt::{Attempt, Strategy};
use plan::{Plan, Seen};
pub use structure::StructurePolicy;

/// Says what is done to a matrix on its way to a target. The default changes nothing that need not change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The storage order; by default the source's, and columns where the source has none.
    pub order: Option<Order>,
    /// The value type; by default the source's, or one that holds integers.
    pub value_type: Option<ValueType>,
    /// What to do with values that a float type cannot hold exactly.
    pub rounding: Rounding,
    /// What to do with entries that share a place; by default they are kept between formats that
    /// allow them, and refused otherwise.
    pub duplicates: Option<DuplicatePolicy>,
    /// Whether one triangle of a matrix is written, or both.
    pub structure: StructurePolicy,
    /// Whether what the target does not hold is an error.
    pub strict: bool,
    /// Whether rows and columns are exchanged. The storage order stays that of the source.
    pub transpose: bool,
    /// Bytes of memory for sorting.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
    /// Cancels the conversion.
    pub cancellation: Option<Cancellation>,
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
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
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
            memory: crate::default_memory(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            cancellation: None,
        }
    }
}

impl ConvertOptions {
    pub(crate) fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancellation: self.cancellation.as_ref() }
    }
}

/// What a conversion came to.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Rows and columns.
    pub shape: Shape,
    /// The extent of each dimension, where it is no matrix.
    pub dimensions: Option<Vec<u64>>,
    /// Entries written.
    pub entries: u64,
    /// Bytes read from, where that can be told.
    pub bytes_before: Option<u64>,
    /// Bytes written.
    pub bytes_after: u64,
    /// Bytes of temporary space on disk that sorting took.
    pub disk: u64,
    /// Seconds it took, the final sync included.
    pub seconds: f64,
    /// What the target had no place for.
    pub dropped: Vec<String>,
    /// What was left out for another reason, which is named with each.
    pub left_out: Vec<String>,
    /// What was noticed on the way, and is allowed.
    pub notes: Vec<String>,
}

/// Writes a source to a target. `from` is what messages call the source.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, where the target may not be replaced or cannot be
/// written, where its format cannot hold an entry exactly, and where the conversion is cancelled. Nothing
/// is left behind then, and a target that was there stays as it was.
pub fn convert(
    source: &dyn MatrixSource,
    from: &Place,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let started = Instant::now();
    // Transposing keeps the order.
    let own = source.header().own_order();
    let transposed = options.transpose.then(|| Transposed::new(source));
    let source = transposed.as_ref().map_or(source, |transposed| transposed);
    target.check()?;
    let replaced = target.replaced();
    let mut dropped = check_names(source, target.capabilities().names, &target.directory())?;
    if !target.capabilities().annotations {
        dropped.extend(annotations::named(source)?);
    }
    dropped.extend(target.unsupported(source.metadata()));
    if options.strict && !dropped.is_empty() {
        let what = format!("not supported by the target: {}", dropped.join(", "));
        return Err(Error::unsupported(target.place(), what));
    }

    // Now, since the target may be the source itself.
    let bytes_before = readable(source.about())?.and_then(|about| about.bytes);
    let carried = carry_out(source, own, target, options, progress, from)?;
    Ok(Summary {
        shape: source.header().shape,
        dimensions: source.is_vector().then(|| vec![source.header().shape.rows]),
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
            .chain(target.misleads(source.header().axis_kinds))
            .chain(replaced)
            .collect(),
    })
}

/// What was carried from a source to a target.
pub(crate) struct Carried {
    entries: u64,
    written: Written,
    /// Bytes of temporary disk space.
    disk: u64,
}

/// Takes all entries from a source to a target, sorting no more than they need.
///
/// `own` is the order the source's format fixes, if it does, and `from` what messages call it.
pub(crate) fn carry_out(
    source: &dyn MatrixSource,
    own: Option<Order>,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
    progress: &dyn Progress,
    from: &Place,
) -> Result<Carried> {
    let plan = look_ahead(source, target, options)
        .and_then(|seen| Plan::new(source.header(), own, target, options, seen))
        .map_err(|error| error.with_context(from))?;
    let disk = Arc::<AtomicU64>::default();
    let attempt = Attempt { source, plan: &plan, target, progress, disk: Arc::clone(&disk) };
    for strategy in Strategy::from_fastest(source, &plan) {
        // Where entries do not come as the source promised, it starts again, and sorts more.
        let done =
            attempt.run(*strategy).map_err(|error| locate(error, source).with_context(from))?;
        if let Some((entries, written)) = done {
            return Ok(Carried { entries, written, disk: disk.load(Ordering::Relaxed) });
        }
    }
    let (found, expected) = ("entries that change from one reading to the next", "a stable file");
    Err(Error::mismatch(from.clone(), found, expected))
}

/// Reads the entries once before they are converted, where there is something to be found out.
fn look_ahead(
    source: &dyn MatrixSource,
    target: &dyn MatrixTarget,
    options: &ConvertOptions,
) -> Result<Seen> {
    let mut seen = Seen::default();
    // What values come to that are added up cannot be told from them.
    let added = options.duplicates == Some(DuplicatePolicy::Sum);
    let narrow = target.minimizes() && options.value_type.is_none() && !added;
    if narrow && source.rereadable() {
        let mirroring = plan::mirroring(source.header(), &target.capabilities(), options);
        let fill = plan::fill(source.header(), &target.capabilities());
        seen.value_type = Some(narrow::narrowest(source, mirroring, fill, options.workers())?);
    }
    if options.structure == StructurePolicy::Auto && target.capabilities().structure {
        seen.found = structure::find(source, target, options)?;
    }
    Ok(seen)
}

/// Reads the names if the target has a place for them, and says what it has none for.
///
/// They are read again as they are written, there being more than memory has room for, perhaps.
/// That they are not right, or too many for the disk, has to show before hours are spent on them.
fn check_names(
    source: &dyn MatrixSource,
    wanted: bool,
    directory: &std::path::Path,
) -> Result<Vec<String>> {
    let mut dropped = Vec::new();
    for axis in [Axis::Rows, Axis::Cols] {
        if wanted {
            if let Some(mut names) = source.read_names(axis)? {
                crate::room::check_free_space(
                    directory,
                    names.min_bytes(),
                    "what is to be written",
                )?;
                names.drain()?;
            }
        } else if !matches!(readable(source.read_names(axis))?, Some(None)) {
            dropped.push(format!("the names of the {axis}"));
        }
    }
    dropped.extend(source.extras()?);
    Ok(dropped)
}

/// Finds the lines that two entries at one place stand on.
pub(crate) fn locate(error: Error, source: &dyn MatrixSource) -> Error {
    let (ErrorKind::Duplicate { other: None }, &Some(At::Entry { row, col })) =
        (error.kind(), &error.place().at)
    else {
        return error;
    };
    let (kind, mut place) = error.into_parts();
    match source.locate(row, col).unwrap_or_default().as_slice() {
        [first, second, ..] => {
            place.at = Some(second.clone());
            Error::new(ErrorKind::Duplicate { other: Some(first.clone()) }, place)
        }
        _ => Error::new(kind, place),
    }
}
