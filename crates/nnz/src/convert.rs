//! From any place to any place.

use std::sync::Arc;
use std::time::Instant;

use nnz_container::Compression;
use nnz_core::{
    Axis, AxisKind, Error, ErrorKind, MatrixSource, Order, Place, Repairs, Result, Rounding,
    ValueType,
};
use nnz_engine as engine;
use nnz_engine::{Labelled, Labels};
use nnz_storage::LocalStorage;
use nnz_storage::staging::WriteOptions;

use crate::formats::{FormatOptions, Registry};
use crate::{
    Cancellation, CsMatrix, Dataset, Location, NoProgress, OpenOptions, Progress, Summary,
    engine::Transposed,
    output::{DuplicatePolicy, StructurePolicy},
};

/// Says which axis of a target cells are on. Changing that moves nothing: rows are called columns, and what
/// is stored by row is stored by column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellAxis {
    /// The one that the format of the target has them on, if source and target say which. The default.
    #[default]
    Format,
    /// The one they are on in the source.
    AsIs,
    /// This one. The source has to say which axis they are on.
    Axis(Axis),
}

impl CellAxis {
    /// Returns whether rows and columns of a source have to be exchanged for that.
    fn exchanges(
        self,
        source: [AxisKind; 2],
        target: [AxisKind; 2],
        transpose: bool,
    ) -> Result<bool> {
        let cells = |kinds: [AxisKind; 2]| match kinds {
            [AxisKind::Cells, AxisKind::Cells] => None,
            [AxisKind::Cells, _] => Some(Axis::Rows),
            [_, AxisKind::Cells] => Some(Axis::Cols),
            _ => None,
        };
        match self {
            Self::AsIs => Ok(false),
            // Who asks for another matrix gets it.
            Self::Format if transpose => Ok(false),
            Self::Format => {
                let [rows, cols] = source;
                Ok(rows != cols && rows != AxisKind::Unknown && target == [cols, rows])
            }
            Self::Axis(axis) => match cells(source) {
                Some(found) => Ok((found == axis) == transpose),
                None => {
                    let what = "the source does not say which axis cells are on, so that \
                                they cannot be put on an axis";
                    Err(Error::argument(what).with_hint("transpose", "exchanges rows and columns"))
                }
            },
        }
    }
}

/// Says how a matrix is converted. The default changes nothing that need not change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// The formats that can be read and written; by default all of this crate.
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
    /// Whether what the target does not hold is an error.
    pub strict: bool,
    /// Whether rows and columns are exchanged. The storage order stays that of the source.
    pub transpose: bool,
    /// Which axis of the target cells are on.
    pub cell_axis: CellAxis,
    /// What the rows of the source are called and described by, where that is not what it says.
    pub row_labels: Labels,
    /// What its columns are called and described by.
    pub col_labels: Labels,
    /// Bytes of memory for sorting; an object of R that is read may take as many.
    pub memory: u64,
    /// Threads that work at the same time.
    pub threads: usize,
    /// Cancels the conversion.
    pub cancellation: Option<Cancellation>,
    /// Collects what is mended of the source, if anything may be; see [`repair`](fn@crate::repair).
    pub repairs: Option<Arc<Repairs>>,
}

nnz_core::setters! {
    ConvertOptions {
        registry: Registry,
        format: Option<&'static str>,
        format_options: FormatOptions,
        order: Option<Order>,
        value_type: Option<ValueType>,
        rounding: Rounding,
        duplicates: Option<DuplicatePolicy>,
        structure: StructurePolicy,
        compress: Option<Compression>,
        write: WriteOptions,
        strict: bool,
        transpose: bool,
        cell_axis: CellAxis,
        row_labels: Labels,
        col_labels: Labels,
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
        repairs: Option<Arc<Repairs>>,
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
            memory,
            threads,
            cancellation,
            ..
        } = engine::ConvertOptions::default();
        Self {
            registry: Registry::default(),
            format: None,
            format_options: FormatOptions::new(),
            order,
            value_type,
            rounding,
            duplicates,
            structure,
            compress: None,
            write: WriteOptions::default(),
            strict,
            transpose,
            cell_axis: CellAxis::default(),
            row_labels: Labels::default(),
            col_labels: Labels::default(),
            memory,
            threads,
            cancellation,
            repairs: None,
        }
    }
}

impl ConvertOptions {
    /// Replaces a target that is there already, which is refused otherwise.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.write.overwrite = overwrite;
        self
    }

    /// Returns how sources are opened.
    pub(crate) fn open_options(&self) -> OpenOptions {
        OpenOptions::new()
            .registry(self.registry.clone())
            .memory_limit(self.memory)
            .repairs(self.repairs.clone())
    }

    /// Returns the options that have nothing to do with where and in which format a matrix is written.
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
            .memory(self.memory)
            .threads(self.threads)
            .cancellation(self.cancellation.clone())
    }
}

/// Converts the matrix at one place into another place. A file with several matrices and tables goes with all that
/// is in it, where the target holds as much.
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
    if let Some(summary) = crate::whole::convert(from, to, options, progress)? {
        return Ok(summary);
    }
    let found = options.open_options().open(from)?;
    let summary = found.convert(&from.source_place(), to, options, progress)?;
    Ok(Summary { seconds: started.elapsed().as_secs_f64(), ..summary })
}

impl Dataset {
    /// Converts a matrix or tensor into another place. `from` is what messages call it.
    ///
    /// # Errors
    ///
    /// Fails as [`convert`], and for what is neither.
    pub fn convert(
        self,
        from: &Place,
        to: impl Into<Location>,
        options: &ConvertOptions,
        progress: &dyn Progress,
    ) -> Result<Summary> {
        let to = &to.into();
        let matrix = match self {
            Self::Tensor(tensor) if !tensor.is_vector() => {
                return tensor.convert(from, to.clone(), options);
            }
            other => other.into_matrix().map_err(|error| error.with_context(from))?,
        };
        convert_source(&*matrix, from, to, options, progress)
    }
}

/// Converts a matrix that is open, such as a [`Slice`](crate::engine::Slice) of another. `from` is what
/// messages call it. What can be read again can be converted again.
///
/// # Errors
///
/// Fails as [`convert`].
pub fn convert_source(
    source: &dyn MatrixSource,
    from: &Place,
    to: impl Into<Location>,
    options: &ConvertOptions,
    progress: &dyn Progress,
) -> Result<Summary> {
    let to = &to.into().resolve(&LocalStorage)?;
    let labels = [&options.row_labels, &options.col_labels];
    let labelled;
    let source = match labels.iter().all(|labels| labels.is_default()) {
        true => source,
        false => {
            let memory = options.memory;
            labelled = Labelled::new(source, labels, memory).map_err(|e| e.with_context(from))?;
            &labelled
        }
    };
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
    let target = target_of(source, to, options)?;
    let kinds = source.header().axis_kinds;
    if !options.cell_axis.exchanges(kinds, target.axis_kinds(), options.transpose)? {
        return engine::convert(source, from, &*target, &options.engine(), progress);
    }
    // Nothing is moved: what was stored by row is stored by column, and the names of both go along.
    let exchanged = Transposed::new(source);
    let target = target_of(&exchanged, to, options)?;
    let mut summary = engine::convert(&exchanged, from, &*target, &options.engine(), progress)?;
    summary.notes.push(format!("rows are {} now, and columns {}", kinds[1], kinds[0]));
    Ok(summary)
}

fn target_of(
    source: &dyn MatrixSource,
    to: &Location,
    options: &ConvertOptions,
) -> Result<Box<dyn engine::MatrixTarget>> {
    let transposed = options.transpose.then(|| Transposed::new(source));
    let written = transposed.as_ref().map_or(source, |transposed| transposed);
    options.registry.target(to, options, written)
}

/// Writing a matrix from memory.
pub trait WriteMatrix {
    /// Writes it to a place, in the format of its extension unless the options name one.
    ///
    /// ```no_run
    /// use nnz::WriteMatrix as _;
    /// # use nnz::{CsMatrix, Order, Shape};
    /// # let shape = Shape { rows: 1, cols: 1 };
    /// # let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![1.0])?;
    /// let summary = matrix.write("out.bpcells", &nnz::ConvertOptions::default())?;
    /// println!("{} entries", summary.entries);
    /// # Ok::<(), nnz::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`convert`].
    fn write(self, to: impl Into<Location>, options: &ConvertOptions) -> Result<Summary>;
}

impl WriteMatrix for CsMatrix {
    fn write(self, to: impl Into<Location>, options: &ConvertOptions) -> Result<Summary> {
        convert_source(&*self.into_source()?, &Place::default(), to, options, &NoProgress)
    }
}
