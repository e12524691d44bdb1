//! Reading matrices.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{
    About, Annotations, At, Axis, AxisKind, Batch, Entries, Error, Header, Names, PackedWidths,
    Place, Result, StringList,
};

/// The parts of the entries that a reader needs; the others may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Minor indices.
    pub minors: bool,
    /// Values.
    pub values: bool,
}

impl Projection {
    /// Indices and values.
    pub const ALL: Self = Self { minors: true, values: true };
    /// Indices only.
    pub const MINORS: Self = Self { minors: true, values: false };
    /// Values only.
    pub const VALUES: Self = Self { minors: false, values: true };
}

/// A reader of the entries of a range of majors, batch by batch.
pub trait BatchReader: Send {
    /// Fills `batch` with the next entries and returns `true`, or returns `false` at the end.
    ///
    /// The previous contents of the batch are overwritten, and its buffers reused: order, majors, offsets, minors and
    /// values are all set. A batch may be empty. If majors are consecutive, every major of the range is in some
    /// batch, including those without entries.
    ///
    /// # Errors
    ///
    /// Fails if the data cannot be read or is invalid.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool>;
}

/// A piece of a matrix that any thread can decode.
///
/// Units of a matrix are decoded into a [`Batch`], others into another type of batch.
pub trait Unit<B = Batch>: Send {
    /// Fills `batch` with the entries of the unit.
    ///
    /// # Errors
    ///
    /// Fails as [`BatchReader::next_batch`].
    fn decode(self: Box<Self>, batch: &mut B) -> Result<()>;
}

/// Checks that a requested range is within `what`, of which there are `len`.
///
/// # Errors
///
/// Fails if it is not.
pub fn check_requested(range: &Range<u64>, len: u64, what: impl fmt::Display) -> Result<()> {
    if range.start <= range.end && range.end <= len {
        return Ok(());
    }
    let Range { start, end } = range;
    Err(Error::argument(format!("{what} {start} to {end} were requested, but there are {len}")))
}

/// A reader that divides a range into units, in order.
///
/// This is the sequential part of reading: it finds where units begin and end. The expensive part
/// is left to [`Unit::decode`].
pub trait UnitReader<'a, B = Batch>: Send {
    /// Returns the next unit, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails if the data cannot be read or is invalid.
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<B> + 'a>>>;

    /// Called for each unit, in order, with the number of its entries, possibly after later units were listed and decoded.
    ///
    /// # Errors
    ///
    /// Fails if there are more entries than expected.
    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        let _ = entries;
        Ok(())
    }

    /// Returns whether [`on_decoded`](Self::on_decoded) may fail. It is then called before the unit is used, although that
    /// waits for a thread that lists the next one; otherwise possibly later.
    fn counts_may_fail(&self) -> bool {
        false
    }

    /// Called after all units have been decoded.
    ///
    /// # Errors
    ///
    /// Fails if there are fewer entries than expected.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Decodes units sequentially.
pub struct SequentialReader<'a>(pub Box<dyn UnitReader<'a> + 'a>);

impl std::fmt::Debug for SequentialReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SequentialReader").finish_non_exhaustive()
    }
}

impl BatchReader for SequentialReader<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let Some(unit) = self.0.next_unit()? else {
            self.0.end()?;
            return Ok(false);
        };
        unit.decode(batch)?;
        self.0.on_decoded(batch.entries() as u64)?;
        Ok(true)
    }
}

/// A [`UnitReader`] of the batches of a [`BatchReader`]: each unit is a batch that is already decoded.
pub struct BatchUnits<'a> {
    reader: Box<dyn BatchReader + 'a>,
    empty: Batch,
}

impl std::fmt::Debug for BatchUnits<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchUnits").finish_non_exhaustive()
    }
}

impl<'a> BatchUnits<'a> {
    /// Wraps a reader. Its batches are of the same types as `empty`.
    #[must_use]
    pub fn new(reader: Box<dyn BatchReader + 'a>, empty: Batch) -> Self {
        Self { reader, empty }
    }
}

impl<'a> UnitReader<'a> for BatchUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        let mut batch = self.empty.clone();
        Ok(self.reader.next_batch(&mut batch)?.then(|| Box::new(batch) as Box<dyn Unit>))
    }
}

/// A unit that is already decoded.
impl Unit for Batch {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        *batch = *self;
        Ok(())
    }
}

/// Data of the user that belongs to a matrix: keys with JSON values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// Keys that only the user defines.
    pub keys: Vec<(String, String)>,
    /// Attributes of the matrix.
    pub attributes: Vec<(String, String)>,
    /// Attributes of the file that only its own format has, such as the libraries of 10x files.
    pub file: Vec<(String, String)>,
    /// Attributes of the file that state its format, or that something is not known: their loss is not listed.
    pub format: Vec<(String, String)>,
}

/// The key of the comments of a text.
pub const COMMENT: &str = "comment";

crate::setters! {
    Metadata {
        keys: Vec<(String, String)>,
        attributes: Vec<(String, String)>,
        file: Vec<(String, String)>,
        format: Vec<(String, String)>,
    }
}

impl Metadata {
    /// Describes the metadata, so that a target that does not support it can list it. Empty
    /// comments are omitted.
    #[must_use]
    pub fn named(&self) -> Vec<String> {
        let is_empty = |json: &str| {
            json.replace("\\n", "").chars().all(|sign| matches!(sign, '"' | '%' | ' ' | '\t'))
        };
        let keys = self.keys.iter().filter(|(key, json)| key != COMMENT || !is_empty(json));
        let keys = keys.map(|(key, _)| format!("the metadata key {key:?}"));
        let attributes = self.attributes.iter().map(|(key, _)| format!("the attribute {key:?}"));
        let file = self.file.iter().map(|(key, _)| format!("the attribute {key:?} of the file"));
        keys.chain(attributes).chain(file).collect()
    }
}

/// A matrix that is the product of two thin ones, as returned by [`MatrixSource::as_difference`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LowRank {
    /// The number of columns of the left matrix, and of rows of the right one.
    pub rank: usize,
    /// The left matrix, by row.
    pub left: Arc<[f64]>,
    /// The right matrix, by column.
    pub right: Arc<[f64]>,
}

impl LowRank {
    /// Creates it.
    #[must_use]
    pub fn new(rank: usize, left: Arc<[f64]>, right: Arc<[f64]>) -> Self {
        Self { rank, left, right }
    }

    /// Exchanges rows and columns.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { left: self.right, right: self.left, ..self }
    }
}

/// A matrix without the factors of its rows or columns, as returned by [`MatrixSource::unscaled`].
#[non_exhaustive]
pub struct Unscaled<'a> {
    /// The matrix.
    pub source: Box<dyn MatrixSource + 'a>,
    /// The axis with factors.
    pub axis: Axis,
    /// A factor for each row or column.
    pub factors: Arc<[f64]>,
}

impl<'a> Unscaled<'a> {
    /// Creates it.
    #[must_use]
    pub fn new(source: Box<dyn MatrixSource + 'a>, axis: Axis, factors: Arc<[f64]>) -> Self {
        Self { source, axis, factors }
    }
}

impl fmt::Debug for Unscaled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unscaled").field("axis", &self.axis).finish_non_exhaustive()
    }
}

/// Copies the entries of a matrix, for [`MatrixSource::over_copy`].
pub type CopyEntries<'a, 'f> =
    dyn FnMut(Box<dyn MatrixSource + 'a>) -> Result<Box<dyn MatrixSource + 'a>> + 'f;

/// The source that another one wraps.
#[derive(Clone, Copy)]
pub enum Wrapped<'a> {
    /// There is none.
    Nothing,
    /// One with the same entries at the same positions.
    SameEntries(&'a dyn MatrixSource),
    /// One with other entries, or with the same at other positions.
    OtherEntries(&'a dyn MatrixSource),
}

impl<'a> Wrapped<'a> {
    fn source(self) -> Option<&'a dyn MatrixSource> {
        match self {
            Self::Nothing => None,
            Self::SameEntries(source) | Self::OtherEntries(source) => Some(source),
        }
    }

    fn of_same_entries(self) -> Option<&'a dyn MatrixSource> {
        match self {
            Self::SameEntries(source) => Some(source),
            Self::Nothing | Self::OtherEntries(_) => None,
        }
    }
}

impl fmt::Debug for Wrapped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Nothing => "Nothing",
            Self::SameEntries(_) => "SameEntries",
            Self::OtherEntries(_) => "OtherEntries",
        };
        f.debug_tuple(name).field(&self.source().map(MatrixSource::header)).finish()
    }
}

/// A matrix that can be read.
///
/// A source that wraps another one implements [`wrapped`](Self::wrapped), and only the methods that differ:
///
/// ```
/// use std::ops::Range;
///
/// use nnz_core::{Axis, Header, MatrixSource, Names, Projection, Result, UnitReader, Wrapped};
///
/// /// A matrix without names.
/// struct Nameless(Box<dyn MatrixSource>);
///
/// impl MatrixSource for Nameless {
///     fn wrapped(&self) -> Wrapped<'_> {
///         Wrapped::SameEntries(&*self.0)
///     }
///
///     fn header(&self) -> &Header {
///         self.0.header()
///     }
///
///     fn random_access(&self) -> bool {
///         self.0.random_access()
///     }
///
///     fn units(&self, majors: Range<u64>, fields: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
///         self.0.units(majors, fields)
///     }
///
///     fn read_names(&self, _: Axis) -> Result<Option<Names<'_>>> {
///         Ok(None)
///     }
/// }
/// ```
pub trait MatrixSource: Send + Sync {
    /// Returns the source that this one wraps. Methods that it does not override call that source, except
    /// that the ones about reading entries are forwarded only if the entries are the same.
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::Nothing
    }

    /// Returns the properties that are known without reading entries.
    fn header(&self) -> &Header;

    /// Returns the name of the matrix in messages: usually where it was opened. Errors of reading need not have it.
    /// By default it is unknown, and errors of a conversion have the place of the target.
    fn place(&self) -> Place {
        self.wrapped().source().map(|inner| inner.place()).unwrap_or_default()
    }

    /// Describes how the matrix is stored.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn about(&self) -> Result<About> {
        self.wrapped().source().map_or_else(|| Ok(About::default()), |inner| inner.about())
    }

    /// Starts reading the names of an axis; `None` if it has none.
    ///
    /// The reader returns as many names as the axis has elements, or fails.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read. Missing names may be detected only at the end.
    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        self.wrapped().source().map_or(Ok(None), |inner| inner.read_names(axis))
    }

    /// Returns the annotations of an axis; `None` if it has none.
    ///
    /// The table has a row for each element of the axis.
    ///
    /// # Errors
    ///
    /// Fails if the table cannot be read.
    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        self.wrapped().source().map_or(Ok(None), |inner| inner.annotations(axis))
    }

    /// Reads all names of an axis into memory; `None` if it has none.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if some are missing.
    fn names(&self, axis: Axis) -> Result<Option<StringList>> {
        self.read_names(axis)?.map(|mut names| names.list()).transpose()
    }

    /// Returns whether any range of majors can be read, repeatedly and from many threads.
    ///
    /// Otherwise [`batches`](Self::batches) accepts only the whole range, as for a text.
    fn random_access(&self) -> bool;

    /// Returns whether the entries can be read more than once.
    fn rereadable(&self) -> bool {
        self.wrapped().source().is_none_or(|inner| inner.rereadable())
    }

    /// Starts reading a range of majors as units, which are found in order and which any thread can
    /// decode.
    ///
    /// Only stored entries are returned: a symmetric matrix ([`Header::structure`]) may return one
    /// triangle. Majors are rows if [`Header::order`] is by row.
    ///
    /// The source checks its data: every batch is one that [`Batch::check`] accepts, a decoded batch has the order of
    /// the header, and the units have [`Header::nnz`] entries if that is known. Functions that read entries rely on
    /// it. Whether entries are in the order that the header states is checked where it matters.
    ///
    /// # Errors
    ///
    /// Fails if the range is past the end, if it is not the whole range and the source is
    /// sequential, or if the data cannot be read.
    fn units(&self, majors: Range<u64>, fields: Projection)
    -> Result<Box<dyn UnitReader<'_> + '_>>;

    /// Starts reading the entries of a range of majors in ranges of minors, which ascend, if the source can leave out
    /// others with less work; otherwise `None`. Entries of some other minors may be returned, too.
    ///
    /// # Errors
    ///
    /// Fails as [`units`](Self::units).
    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        let same = self.wrapped().of_same_entries();
        same.map_or(Ok(None), |inner| inner.units_within(majors, minors, fields))
    }

    /// Starts reading a range of majors on this thread. Only stored entries are returned, as by
    /// [`units`](Self::units).
    ///
    /// For example, the sum of each column of a matrix that is stored by column:
    ///
    /// ```
    /// use nnz_core::{Batch, MatrixSource, Order, Projection, Result, Structure, Values};
    ///
    /// fn sums(matrix: &dyn MatrixSource) -> Result<Vec<f64>> {
    ///     let header = matrix.header();
    ///     assert!(header.order == Order::Col && header.structure == Structure::General);
    ///     let cols = header.shape.cols;
    ///     let mut sums = vec![0.0; usize::try_from(cols).unwrap_or(0)];
    ///     let mut batch = Batch::new(Order::Col, Values::default());
    ///     let mut batches = matrix.batches(0..cols, Projection::VALUES)?;
    ///     while batches.next_batch(&mut batch)? {
    ///         for run in 0..batch.runs() {
    ///             let values = batch.run(run).filter_map(|entry| batch.values.get(entry)?.to_f64());
    ///             sums[batch.majors.get(run) as usize] += values.sum::<f64>();
    ///         }
    ///     }
    ///     Ok(sums)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails as [`units`](Self::units).
    fn batches(&self, majors: Range<u64>, fields: Projection) -> Result<Box<dyn BatchReader + '_>> {
        Ok(Box::new(SequentialReader(self.units(majors, fields)?)))
    }

    /// Returns an iterator over the stored entries: row, column and value. A symmetric matrix may
    /// return one triangle.
    ///
    /// # Errors
    ///
    /// Fails as [`batches`](Self::batches), as may each step.
    fn entries(&self) -> Result<Entries<'_>> {
        Entries::new(self)
    }

    /// Returns the number of entries before a major, if it is cheap to determine.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let same = self.wrapped().of_same_entries();
        same.map_or(Ok(None), |inner| inner.stored_before(major))
    }

    /// Returns how many bits the values of each array take along it, in at most `bins` bins; `None` if none is
    /// bit-packed.
    ///
    /// # Errors
    ///
    /// Fails if the widths cannot be read or are invalid.
    fn packed_widths(&self, bins: usize) -> Result<Option<Vec<PackedWidths>>> {
        let same = self.wrapped().of_same_entries();
        same.map_or(Ok(None), |inner| inner.packed_widths(bins))
    }

    /// Announces that ranges of majors will be read soon, so that a source with a latency fetches what it
    /// takes together. Nothing else depends on it.
    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        if let Some(inner) = self.wrapped().of_same_entries() {
            inner.will_read(majors, fields);
        }
    }

    /// Returns a unit with the entries of many short ranges of majors, if the source can read them with less
    /// work than range by range; otherwise `None`.
    ///
    /// The majors of its batch are listed in the order of the ranges. Those without entries may be left out.
    /// `most` is the number of entries of all ranges, according to [`stored_before`](Self::stored_before); if
    /// there are more by now, decoding fails.
    fn scattered(
        &self,
        majors: &[Range<u64>],
        most: u64,
        fields: Projection,
    ) -> Option<Box<dyn Unit + '_>> {
        self.wrapped().of_same_entries()?.scattered(majors, most, fields)
    }

    /// Rebuilds a matrix whose values are computed over a copy of the entries that they are computed from, with the selected
    /// rows and columns, given by ranges. `copy` is given these entries, which take less memory than computed values.
    /// `None` if values are not computed.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be copied.
    fn over_copy<'a>(
        &'a self,
        selected: Option<&[Vec<Range<u64>>; 2]>,
        copy: &mut CopyEntries<'a, '_>,
    ) -> Result<Option<Box<dyn MatrixSource + 'a>>> {
        let same = self.wrapped().of_same_entries();
        same.map_or(Ok(None), |inner| inner.over_copy(selected, copy))
    }

    /// Returns another matrix and the factors of its rows, or of its columns, if the values are its values multiplied by
    /// them: products and sums can be multiplied instead.
    fn unscaled(&self) -> Option<Unscaled<'_>> {
        self.wrapped().of_same_entries()?.unscaled()
    }

    /// Returns another matrix and a product of two thin ones, if the values are their difference: products and sums can be computed
    /// from both.
    fn as_difference(&self) -> Option<(Box<dyn MatrixSource + '_>, LowRank)> {
        self.wrapped().of_same_entries()?.as_difference()
    }

    /// Returns the first two positions in the file of entries at a row and column, for messages.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read again.
    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let same = self.wrapped().of_same_entries();
        same.map_or_else(|| Ok(Vec::new()), |inner| inner.locate(row, col))
    }

    /// Returns what else the source has that is not part of a matrix, such as additional columns of
    /// a table.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read it.
    fn extras(&self) -> Result<Vec<String>> {
        self.wrapped().source().map_or_else(|| Ok(Vec::new()), |inner| inner.extras())
    }

    /// Returns whether values are natural logarithms of 1 plus what they are computed from, which a format may state. It is
    /// only known if they are computed.
    fn is_log1p(&self) -> bool {
        self.wrapped().of_same_entries().is_some_and(|inner| inner.is_log1p())
    }

    /// Returns the metadata of the user, which some formats store.
    fn metadata(&self) -> Metadata {
        self.wrapped().source().map(|inner| inner.metadata()).unwrap_or_default()
    }

    /// Returns the levels of storage, from the outermost to the innermost, if the format has
    /// several: such as `dense(sparse(element))`, or a short name. They describe the source as
    /// stored, also if it is transposed.
    fn levels(&self) -> Option<String> {
        self.wrapped().source()?.levels()
    }

    /// Returns whether the source is a vector, which is read as a single column.
    fn is_vector(&self) -> bool {
        self.wrapped().source().is_some_and(|inner| inner.is_vector())
    }

    /// Returns the name of the column that has the names of an axis, which is not an annotation then, in formats in
    /// which any column may have them.
    fn names_column(&self, axis: Axis) -> Option<String> {
        self.wrapped().source()?.names_column(axis)
    }

    /// Returns the kinds that rows and columns usually have in the format, if the [header](Header::axis_kinds) does not state
    /// them: in R, cells are columns. They are unknown by default.
    fn usual_axis_kinds(&self) -> [AxisKind; 2] {
        self.wrapped().source().map_or([AxisKind::Unknown; 2], |inner| inner.usual_axis_kinds())
    }

    /// Returns notes from reading, which are not errors.
    fn notes(&self) -> Vec<String> {
        self.wrapped().source().map(|inner| inner.notes()).unwrap_or_default()
    }
}

/// Implements a source for a pointer to one.
macro_rules! forward_to_pointee {
    ($($pointer:ty),*) => {$(
        impl MatrixSource for $pointer {
            fn wrapped(&self) -> Wrapped<'_> {
                Wrapped::SameEntries(&**self)
            }

            fn header(&self) -> &Header {
                (**self).header()
            }

            fn random_access(&self) -> bool {
                (**self).random_access()
            }

            fn units(
                &self,
                majors: Range<u64>,
                fields: Projection,
            ) -> Result<Box<dyn UnitReader<'_> + '_>> {
                (**self).units(majors, fields)
            }
        }
    )*};
}

forward_to_pointee! { &(dyn MatrixSource + '_), Arc<dyn MatrixSource> }
