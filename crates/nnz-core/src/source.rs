//! What can be read as a matrix.

use std::fmt;
use std::ops::Range;

use crate::{
    About, Annotations, At, Axis, Batch, Entries, Error, Header, Names, Result, StringList,
};

/// Says which parts of the entries a reader needs; the others may be left empty.
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
    /// Indices alone.
    pub const MINORS: Self = Self { minors: true, values: false };
    /// Values alone.
    pub const VALUES: Self = Self { minors: false, values: true };
}

/// Yields the entries of a range of majors, batch by batch.
pub trait BatchReader: Send {
    /// Fills `batch` with the next entries and returns `true`, or returns `false` at the end.
    ///
    /// What the batch held before is overwritten; its buffers are reused. Every major of the
    /// range appears in some batch where majors are consecutive, be it with no entries.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be read or breaks the format, naming the place.
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool>;
}

/// A piece that has been reached, and that any thread can decode.
///
/// It decodes into a [`Batch`] where it is of a matrix, into another kind of batch where it is not.
pub trait Unit<B = Batch>: Send {
    /// Fills `batch` with the entries of the piece.
    ///
    /// # Errors
    ///
    /// Fails as [`BatchReader::next_batch`].
    fn decode(self: Box<Self>, batch: &mut B) -> Result<()>;
}

/// Refuses a range that a reader is asked for and that ends past the last of `what`, of which there are
/// `len`.
///
/// # Errors
///
/// Fails where it does.
pub fn check_requested(range: &Range<u64>, len: u64, what: impl fmt::Display) -> Result<()> {
    if range.start <= range.end && range.end <= len {
        return Ok(());
    }
    let Range { start, end } = range;
    Err(Error::argument(format!("{what} {start} to {end} of {len} were asked for")))
}

/// Yields the pieces of a range in order.
///
/// This is the part of reading that one thread has to do after the other: finding where pieces
/// begin and end. What takes time is left to [`Unit::decode`].
pub trait UnitReader<'a, B = Batch>: Send {
    /// Returns the next piece, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Fails where the data cannot be read or breaks the format, naming the place.
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<B> + 'a>>>;

    /// Hears of each piece, in order, how many entries it had.
    ///
    /// # Errors
    ///
    /// Fails where that is more than there may be.
    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        let _ = entries;
        Ok(())
    }

    /// Hears that all pieces have been decoded.
    ///
    /// # Errors
    ///
    /// Fails where that is less than there has to be.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Decodes units one after the other.
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

/// Makes units of batches that only one thread can decode.
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
    /// Wraps a reader of batches like `empty`.
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

/// A batch is a piece that is decoded already.
impl Unit for Batch {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        *batch = *self;
        Ok(())
    }
}

/// What a user keeps beside a matrix: names, and values in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// What belongs to the user alone.
    pub keys: Vec<(String, String)>,
    /// What describes the matrix.
    pub attributes: Vec<(String, String)>,
}

/// The key that comments of a text have.
pub const COMMENT: &str = "comment";

impl Metadata {
    /// Says what there is, so that a target that does not hold it can list it. Comments that say nothing do not count.
    #[must_use]
    pub fn named(&self) -> Vec<String> {
        let says_nothing = |json: &str| {
            json.replace("\\n", "").chars().all(|sign| matches!(sign, '"' | '%' | ' ' | '\t'))
        };
        let keys = self.keys.iter().filter(|(key, json)| key != COMMENT || !says_nothing(json));
        let keys = keys.map(|(key, _)| format!("the user's key {key:?}"));
        let attributes = self.attributes.iter().map(|(key, _)| format!("the attribute {key:?}"));
        keys.chain(attributes).collect()
    }
}

/// A matrix that can be read.
pub trait MatrixSource: Send + Sync {
    /// Returns what is known without reading entries.
    fn header(&self) -> &Header;

    /// Describes how the matrix is stored.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be read.
    fn about(&self) -> Result<About>;

    /// Starts reading the names of an axis; `None` where there are none.
    ///
    /// As many come as the axis is long, or an error does.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read. That they are fewer than the axis is long may show only
    /// where they end.
    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>>;

    /// Returns the table that describes the rows or columns of an axis; `None` where there is none.
    ///
    /// It has a row for each of them.
    ///
    /// # Errors
    ///
    /// Fails where the table cannot be read.
    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let _ = axis;
        Ok(None)
    }

    /// Reads all names of an axis into memory; `None` where there are none.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read, or are fewer than the axis is long.
    fn names(&self, axis: Axis) -> Result<Option<StringList>> {
        self.read_names(axis)?.map(|mut names| names.list()).transpose()
    }

    /// Returns whether any range of majors can be read, as often as wanted, from many threads.
    ///
    /// Otherwise [`batches`](Self::batches) takes only the whole range, as of a text.
    fn random_access(&self) -> bool;

    /// Returns whether the entries can be read more than once.
    fn rereadable(&self) -> bool {
        true
    }

    /// Starts reading a range of majors: units are reached one after the other, and any thread can decode
    /// one.
    ///
    /// What comes is what is stored: of a symmetric matrix ([`Header::structure`]) that may be one triangle, and of
    /// one whose [`Header::order`] is by row, majors are rows.
    ///
    /// # Errors
    ///
    /// Fails where the range is past the end, is not the whole and the source is sequential, or
    /// the data cannot be read.
    fn units(&self, majors: Range<u64>, fields: Projection)
    -> Result<Box<dyn UnitReader<'_> + '_>>;

    /// Starts reading a range of majors, on this thread. What comes is what is stored, as from
    /// [`units`](Self::units).
    ///
    /// The sum of each column of a matrix that is stored by column:
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

    /// Iterates over the stored entries, one at a time: row, column and value. Of a symmetric matrix that may be one
    /// triangle.
    ///
    /// # Errors
    ///
    /// Fails as [`batches`](Self::batches), and so does each step.
    fn entries(&self) -> Result<Entries<'_>> {
        Entries::new(self)
    }

    /// Returns the number of entries stored before a major, where that is cheap to tell.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be read.
    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let _ = major;
        Ok(None)
    }

    /// Announces that ranges of majors will be read soon, so that a source with a latency fetches what it
    /// takes together. Nothing else depends on it.
    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        let _ = (majors, fields);
    }

    /// Finds the first two positions in the file of entries at a row and column, for messages.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read again.
    fn locate(&self, row: u64, col: u64) -> Result<Vec<At>> {
        let _ = (row, col);
        Ok(Vec::new())
    }

    /// Returns what the source holds that no matrix can carry, such as extra columns of a table.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot read what there is.
    fn extras(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// Returns what the user keeps beside the matrix, which some formats have a place for.
    fn metadata(&self) -> Metadata {
        Metadata::default()
    }

    /// Returns the levels that entries are stored in, from the outermost to the innermost, where the
    /// format has a choice of such: in words like `dense(sparse(element))`, or a short name of them.
    /// They say how the source is stored, whichever way round it is seen.
    fn levels(&self) -> Option<String> {
        None
    }

    /// Returns whether it is a vector, which has one dimension and is read as a single column.
    fn is_vector(&self) -> bool {
        false
    }

    /// Returns what was noticed while reading, and is allowed.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}
