//! Genomic fragments: half-open intervals on chromosomes, each from one cell.

use std::ops::Range;
use std::sync::Arc;

use crate::{About, Encoded, Error, Names, Place, Result, StringList, UnitReader};

/// Says which columns of the fragments a reader needs; the others may be left empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentFields {
    /// The cell of each fragment.
    pub cells: bool,
    /// Where each fragment starts.
    pub starts: bool,
    /// Where each fragment ends.
    pub ends: bool,
}

impl FragmentFields {
    /// Cells, starts and ends.
    pub const ALL: Self = Self { cells: true, starts: true, ends: true };
    /// Starts and ends alone.
    pub const INTERVALS: Self = Self { cells: false, starts: true, ends: true };
}

/// A bounded run of fragments of one chromosome, in storage order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentBatch {
    /// The chromosome all of them lie on, by its number in the list of names.
    pub chromosome: u32,
    /// The cell of each fragment, by its number in the list of names.
    pub cells: Vec<u32>,
    /// The first base of each fragment; bases are counted from 0.
    pub starts: Vec<u32>,
    /// The base behind the last one of each fragment, never less than its start.
    pub ends: Vec<u32>,
}

/// The fragments of one chromosome, which lie together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The chromosome, by its number in the list of names.
    pub chromosome: u32,
    /// The positions of its fragments among all.
    pub fragments: Range<u64>,
}

/// What is known of fragments before any of them is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentHeader {
    /// Number of fragments.
    pub count: u64,
    /// Number of chromosomes.
    pub chromosomes: u32,
    /// Where the fragments of each chromosome lie, in storage order; those without any left out.
    pub segments: Vec<Segment>,
}

/// Fragments that can be read at any position, from many threads.
pub trait FragmentSource: Send + Sync {
    /// Returns what is known without reading fragments.
    fn header(&self) -> &FragmentHeader;

    /// Describes how the fragments are stored.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be read.
    fn about(&self) -> Result<About>;

    /// Reads the names of the chromosomes.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read, or are too few.
    fn chromosome_names(&self) -> Result<StringList>;

    /// Reads the names of the cells into memory.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read, or take more memory than the source was allowed.
    fn cell_names(&self) -> Result<StringList>;

    /// Reads the names of the cells one after the other.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read.
    fn read_cell_names(&self) -> Result<Names<'_>>;

    /// Counts the names of the cells.
    ///
    /// # Errors
    ///
    /// Fails where they cannot be read.
    fn cell_count(&self) -> Result<u64>;

    /// Starts reading a range of positions, such that many threads can decode. No piece goes
    /// beyond one chromosome.
    ///
    /// # Errors
    ///
    /// Fails where the range is past the end, or the data cannot be read.
    fn units(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
    ) -> Result<Box<dyn UnitReader<'_, FragmentBatch> + '_>>;

    /// Hands the fragments of a range of positions to `each`, one piece after the other.
    ///
    /// This is for what one thread does with many fragments: pieces may be smaller than units, so
    /// that they stay in the processor's nearest cache.
    ///
    /// # Errors
    ///
    /// Fails as [`units`](Self::units), where the data breaks the format, and where `each` fails.
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

    /// Does what [`for_each`](Self::for_each) does, from files that are mapped into memory where
    /// they can be, which is sooner done than reading them.
    ///
    /// The system ends a process that looks at a mapped file while another one cuts it, where
    /// `for_each` returns an error. This is for files that nobody changes.
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

    /// Returns positions outside of which no fragment of the chromosome overlaps the bases.
    ///
    /// Not all fragments inside need overlap them.
    ///
    /// # Errors
    ///
    /// Fails where the chromosome has no such number, or the data cannot be read.
    fn overlapping(&self, chromosome: u32, bases: Range<u32>) -> Result<Range<u64>>;
}

/// Chromosomes in their order, with their sizes where those are known.
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
    /// Makes batches ready to be written.
    ///
    /// # Errors
    ///
    /// Fails where a fragment cannot be stored.
    fn encode(&self, batches: &[FragmentBatch]) -> Result<Encoded>;
}

/// Fragments being written. Dropped unfinished, they leave nothing behind.
pub trait FragmentSink: Send {
    /// Writes the next fragments: all of a chromosome together, and inside it starts ascend.
    ///
    /// Chromosomes may come in any order. Their names, and those of cells, are told at the end:
    /// whoever imports a text learns them on the way.
    ///
    /// # Errors
    ///
    /// Fails where the order is broken, or the disk is full.
    fn write(&mut self, batch: &FragmentBatch) -> Result<()>;

    /// Returns what makes batches ready on any thread, for [`write_encoded`](Self::write_encoded);
    /// `None` where only [`write`](Self::write) is there.
    fn encoder(&self) -> Option<Arc<dyn FragmentEncoder>> {
        None
    }

    /// Writes the next batches, made ready by the [`encoder`](Self::encoder) of this sink.
    ///
    /// # Errors
    ///
    /// Fails as [`write`](Self::write).
    fn write_encoded(&mut self, encoded: Encoded) -> Result<()> {
        drop(encoded);
        Err(Error::argument("this sink makes no batches ready"))
    }

    /// Completes the fragments and puts them in their place.
    ///
    /// # Errors
    ///
    /// Fails where a batch was of a chromosome or cell that has no name, or it cannot be done;
    /// nothing is left behind then.
    fn finish(
        self: Box<Self>,
        chromosomes: &StringList,
        cells: &StringList,
    ) -> Result<crate::Written>;
}
