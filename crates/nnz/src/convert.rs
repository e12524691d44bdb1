//! From any source to any sink.

mod attempt;
mod narrow;
mod plan;
mod structure;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use nnz_container::Compression;
use nnz_container::staging::WriteOptions;
use nnz_core::{
    At, Axis, Error, ErrorKind, MatrixSource, Order, Place, Result, Rounding, Shape, ValueType,
    Written,
};

use crate::formats::{FormatOptions, MatrixTarget, Registry};
use crate::{Dataset, DuplicatePolicy, Location, OpenOptions, Progress, Transposed};
use attempt::{Attempt, Strategy};
use plan::{Plan, Seen};
pub use structure::StructurePolicy;

/// Says how a matrix is converted. The default changes nothing that need not change.
#[derive(Clone, Debug)]
pub struct ConvertOptions {
    /// The formats that can be written; by default all of this crate.
    pub registry: Registry,
    /// The name of the format to write; by default that of the target's extension.
    pub format: Option<&'static str>,
    /// Options of that format.
    pub format_options: FormatOptions,
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
    /// How arrays are compressed; by default not at all, and objects of R as R does.
    pub compress: Option<Compression>,
    /// Whether the target may be replaced, and is synced.
    pub write: WriteOptions,
    /// Whether what the target has no place for is an error.
    pub strict: bool,
    /// Whether rows and columns are exchanged. The storage order stays that of the source.
    pub transpose: bool,
    /// Bytes of memory for sorting; an object of R that is read may take as many.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            registry: Registry::default(),
            format: None,
            format_options: FormatOptions::new(),
            order: None,
            value_type: None,
            rounding: Rounding::default(),
            duplicates: None,
            structure: StructurePolicy::Keep,
            compress: None,
            write: WriteOptions::default(),
            strict: false,
            transpose: false,
            memory: crate::default_memory(),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
        }
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
    /// What was noticed on the way, and is allowed.
    pub notes: Vec<String>,
}

/// Converts the matrix at one place into another place.
///
/// # Errors
///
/// Fails where the source cannot be read or is broken, where the target exists and may not be
/// replaced or cannot be written, and where the target's format cannot hold an entry exactly.
/// Nothing is left behind then, and a target that was there stays as it was.
pub fn convert(
    from: impl Into<Location>,
    to: impl Into<Location>,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let (from, to) = (&from.into(), &to.into());
    let started = Instant::now();
    let found = OpenOptions::new().memory_limit(options.memory).open(from)?;
    let summary = convert_dataset(found, &from.source_place(), to, options, progress)?;
    Ok(Summary { seconds: started.elapsed().as_secs_f64(), ..summary })
}

/// Converts the matrix or tensor that was found at a place. `from` is what messages call it.
///
/// # Errors
///
/// Fails as [`convert`], and for what is neither.
pub fn convert_dataset(
    found: Dataset,
    from: &Place,
    to: &Location,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let matrix = match found {
        Dataset::Tensor(tensor) if !tensor.is_vector() => {
            let format = options.registry.format_of_target(to, options)?;
            let written = format.write_tensor(&tensor, to, options);
            return written.map_err(|error| error.with_context(from));
        }
        other => other.into_matrix().map_err(|error| error.with_context(from))?,
    };
    convert_source(&*matrix, from, to, options, progress)
}

/// Converts a matrix that is open, such as a [`Slice`](crate::Slice) of another. `from` is what
/// messages call it. What can be read again can be converted again.
///
/// # Errors
///
/// Fails as [`convert`].
pub fn convert_source(
    source: &dyn MatrixSource,
    from: &Place,
    to: &Location,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    for _ in 1..ATTEMPTS {
        match convert_once(source, from, to, options, progress) {
            Err(error) if source.rereadable() && appeared_meanwhile(&error, to) => {}
            done => return done,
        }
    }
    convert_once(source, from, to, options, progress)
}

/// How often a group is written to a file that others create at the same time.
const ATTEMPTS: u8 = 20;

/// Whether a group was not written since another process created or changed the file it goes into: it can
/// be added to what is there now.
fn appeared_meanwhile(error: &Error, to: &Location) -> bool {
    let Location::Path { path, group: Some(group) } = to else { return false };
    let at_target = || error.place().path.as_deref().is_some_and(|at| at.starts_with(path));
    !group.is_empty() && matches!(error.kind(), ErrorKind::Changed) && at_target()
}

fn convert_once(
    source: &dyn MatrixSource,
    from: &Place,
    to: &Location,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let started = Instant::now();
    // Transposing keeps the order.
    let own = source.header().own_order();
    let transposed = options.transpose.then(|| Transposed::new(source));
    let source = transposed.as_ref().map_or(source, |transposed| transposed);
    let target = options.registry.target(to, options, source)?;
    let target = &*target;
    target.check()?;
    let replaced = target.replaced();
    let mut dropped = check_names(source, target.capabilities().names, &target.directory())?;
    dropped.extend(target.unsupported(source.metadata()));
    if options.strict && !dropped.is_empty() {
        let what = format!("the target has no place for {}", dropped.join(", "));
        return Err(Error::unsupported(target.place(), what));
    }

    // Now, since the target may be the source itself.
    let bytes_before = source.about().ok().and_then(|about| about.bytes);
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
        seen.value_type = Some(narrow::narrowest(source, mirroring, fill)?);
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
                crate::room::check(directory, names.least_bytes(), "what is to be written")?;
                names.drain()?;
            }
        } else if !matches!(source.read_names(axis), Ok(None)) {
            dropped.push(format!("the names of the {axis}"));
        }
    }
    dropped.extend(source.extras());
    Ok(dropped)
}

/// Finds the lines that two entries at one place stand on.
pub(crate) fn locate(error: Error, source: &dyn MatrixSource) -> Error {
    let (kind, mut place) = error.into_parts();
    let (ErrorKind::Duplicate { other: None }, &Some(At::Entry { row, col })) = (&kind, &place.at)
    else {
        return Error::new(kind, place);
    };
    match source.locate(row, col).unwrap_or_default().as_slice() {
        [first, second, ..] => {
            place.at = Some(second.clone());
            Error::new(ErrorKind::Duplicate { other: Some(first.clone()) }, place)
        }
        _ => Error::new(kind, place),
    }
}
