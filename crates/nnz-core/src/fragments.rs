//! Genomic fragments: half-open intervals on chromosomes, each from one cell.

use std::ops::Range;
use std::sync::Arc;

use crate::{About, Encoded, Error, Names, PackedWidths, Place, Result, StringList, UnitReader};

/// The columns of the fragments that a reader needs; the others may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentFields {
    /// The cell of each fragment.
    pub cells: bool,
    /// The start of each fragment.
    pub starts: bool,
    /// The end of each fragment.
    pub ends: bool,
}

impl FragmentFields {
    /// Cells, starts and ends.
    pub const ALL: Self = Self { cells: true, starts: true, ends: true };
    /// Starts and ends only.
    pub const INTERVALS: Self = Self { cells: false, starts: true, ends: true };
}

/// A bounded number of fragments of one chromosome, in storage order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentBatch {
    /// The chromosome, as an index in the list of names.
    pub chromosome: u32,
    /// The cell of each fragment, as an index in the list of names.
    pub cells: Vec<u32>,
    /// The first base of each fragment, counted from 0.
    pub starts: Vec<u32>,
    /// The end of each fragment (exclusive), not less than its start.
    pub ends: Vec<u32>,
}

/// The fragments of one chromosome, which are adjacent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The chromosome, as an index in the list of names.
    pub chromosome: u32,
    /// The range of its fragments among all fragments.
    pub fragments: Range<u64>,
}

/// Properties that are known without reading fragments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FragmentHeader {
    /// Number of fragments.
    pub count: u64,
    /// Number of chromosomes.
    pub chromosomes: u32,
    /// The fragments of each chromosome, in storage order, without empty ones.
    pub segments: Vec<Segment>,
}

impl FragmentHeader {
    /// Describes a store of so many fragments.
    #[must_use]
    pub fn new(count: u64, chromosomes: u32, segments: Vec<Segment>) -> Self {
        Self { count, chromosomes, segments }
    }
}

/// Fragments with random access from many threads.
pub trait FragmentSource: Send + Sync {
    /// Returns the properties that are known without reading fragments.
    fn header(&self) -> &FragmentHeader;

    /// Returns the name of the fragments in messages: usually where they were opened.
    fn place(&self) -> Place;

    /// Describes how the fragments are stored.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn about(&self) -> Result<About>;

    /// Reads the names of the chromosomes.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or if some are missing.
    fn chromosome_names(&self) -> Result<StringList>;

    /// Reads the names of the cells into memory.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read, or take more memory than allowed.
    fn cell_names(&self) -> Result<StringList>;

    /// Starts reading the names of the cells.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn read_cell_names(&self) -> Result<Names<'_>>;

    /// Returns the number of names of cells.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn cell_count(&self) -> Result<u64>;

    /// Starts reading a range of positions as units that any thread can decode. A unit has
    /// fragments of one chromosome.
    ///
    /// # Errors
    ///
    /// Fails if the range is past the end, or if the data cannot be read.
    fn units(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
    ) -> Result<Box<dyn UnitReader<'_, FragmentBatch> + '_>>;

    /// Calls `each` with the fragments of a range of positions, batch by batch.
    ///
    /// For operations that process many fragments on one thread: batches may be smaller than units,
    /// to stay in the processor's cache.
    ///
    /// # Errors
    ///
    /// Fails as [`units`](Self::units), if the data is invalid, or if `each` fails.
    fn for_each(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        let mut units = self.units(positions, fields)?;
        let mut batch = FragmentBatch::default();
        while let Some(unit) = units.next_unit()? {
            unit.decode(&mut batch)?;
            each(&mut batch)?;
        }
        units.end()
    }

    /// Same as [`for_each`](Self::for_each), with files mapped into memory if possible, which is
    /// faster than reading them.
    ///
    /// The system terminates a process that accesses a mapped file after another one truncated it,
    /// where `for_each` returns an error. Use this for files that do not change.
    ///
    /// # Errors
    ///
    /// Fails as [`for_each`](Self::for_each).
    fn for_each_mapped(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        self.for_each(positions, fields, each)
    }

    /// Returns how many bits the values of each array take along it, in at most `bins` bins; `None` if none is
    /// bit-packed.
    ///
    /// # Errors
    ///
    /// Fails if the widths cannot be read or are invalid.
    fn packed_widths(&self, bins: usize) -> Result<Option<Vec<PackedWidths>>> {
        let _ = bins;
        Ok(None)
    }

    /// Returns a range of positions that includes all fragments of the chromosome that overlap the
    /// bases.
    ///
    /// It may include others.
    ///
    /// # Errors
    ///
    /// Fails if there is no such chromosome, or if the data cannot be read.
    fn overlapping(&self, chromosome: u32, bases: Range<u32>) -> Result<Range<u64>>;
}

/// Chromosomes in order, with their sizes if known.
#[derive(Clone, Debug, Default)]
pub struct ChromosomeSizes {
    /// The names.
    pub names: StringList,
    /// The number of bases of each.
    pub sizes: Vec<Option<u32>>,
    /// The file they were read from, for messages.
    pub place: Place,
}

/// The part of writing fragments that any thread can do.
pub trait FragmentEncoder: Send + Sync {
    /// Encodes batches for writing.
    ///
    /// # Errors
    ///
    /// Fails if a fragment cannot be stored.
    fn encode(&self, batches: &[FragmentBatch]) -> Result<Encoded>;
}

/// A writer of fragments. Dropped unfinished, it leaves no output.
pub trait FragmentSink: Send {
    /// Writes the next fragments: all of a chromosome are adjacent and sorted by start.
    ///
    /// Chromosomes may be in any order. Their names and the names of cells are given at the end,
    /// because an import of a text learns them while reading.
    ///
    /// # Errors
    ///
    /// Fails if the order is violated, or if the disk is full.
    fn write(&mut self, batch: &FragmentBatch) -> Result<()>;

    /// Returns an encoder for [`write_encoded`](Self::write_encoded), or `None` if only
    /// [`write`](Self::write) is supported.
    fn encoder(&self) -> Option<Arc<dyn FragmentEncoder>> {
        None
    }

    /// Writes the next batches, encoded by the [`encoder`](Self::encoder) of this sink.
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Self::write).
    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        drop(encoded);
        Err(Error::argument("this sink has no encoder"))
    }

    /// Completes the fragments and moves them to the target.
    ///
    /// # Errors
    ///
    /// Fails if a chromosome or cell has no name, or if writing fails; there is no output then.
    fn finish(
        self: Box<Self>,
        chromosomes: &StringList,
        cells: &StringList,
    ) -> Result<crate::Written>;
}
