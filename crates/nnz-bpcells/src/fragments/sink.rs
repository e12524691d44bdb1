//! Writing fragments.

use std::collections::BTreeMap;
use std::ops::Range;

use nnz_bitpack::{CHUNK, Codec};
use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{At, Error, FragmentBatch, Place, Result, StringList, ValueType, Written};

use super::end_max::EndMax;
use super::members::{CELL, CELL_NAMES, CHR_NAMES, CHR_PTR, END, END_MAX, START};
use crate::arrays::IntegerSink;
use crate::version;
use crate::{FormatVersion, FragmentVersion, Packing, SinkOptions};

/// Fragments that are checked and encoded at a time: few enough to stay in the L1 cache.
const BLOCK: usize = 16 * CHUNK;

/// Fragments being written to a container.
pub struct FragmentSink {
    container: NamedArraysWriter,
    version: FragmentVersion,
    cells: IntegerSink,
    starts: IntegerSink,
    /// Ends, or lengths if fragments are packed.
    ends: IntegerSink,
    end_max: EndMax,
    end_max_array: NodeId,
    chr_ptr: NodeId,
    /// The range of fragments of each chromosome that has any.
    segments: BTreeMap<u32, Range<u64>>,
    /// The chromosome being written, and its last start.
    current: Option<(u32, u32)>,
    /// The largest cell, and the position of the first fragment that has it.
    largest_cell: Option<(u32, u64)>,
    count: u64,
    /// Whether a batch failed, part of which may have been written.
    failed: bool,
    lengths: Vec<u32>,
    entries: Vec<u32>,
}

impl std::fmt::Debug for FragmentSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FragmentSink").finish_non_exhaustive()
    }
}

impl FragmentSink {
    /// Creates a sink for fragments.
    ///
    /// # Errors
    ///
    /// Fails if the container refuses.
    pub fn create(mut container: NamedArraysWriter, options: SinkOptions) -> Result<Self> {
        let SinkOptions { packing, format_version } = options;
        let version = FragmentVersion { packing, format_version };
        let here = &mut container;
        here.set_attribute(version::TAG, &version.to_string())?;
        let mut integers =
            |name, codec| IntegerSink::create(here, name, codec, packing, format_version);
        let cells = integers(CELL, Codec::Plain)?;
        let starts = integers(START, Codec::Delta)?;
        let ends = integers(END, Codec::Plain)?;
        let end_max_array = here.create_array(END_MAX, ValueType::U32)?;
        let chr_ptr = here.create_array(CHR_PTR, format_version.pointer_type())?;
        Ok(Self {
            container,
            version,
            cells,
            starts,
            ends,
            end_max: EndMax::default(),
            end_max_array,
            chr_ptr,
            segments: BTreeMap::new(),
            current: None,
            largest_cell: None,
            count: 0,
            failed: false,
            lengths: Vec::new(),
            entries: Vec::new(),
        })
    }

    fn take(&mut self, batch: &FragmentBatch) -> Result<()> {
        let FragmentBatch { chromosome, cells, starts, ends } = batch;
        let len = starts.len();
        if cells.len() != len || ends.len() != len {
            let found = format!("{} cells, {len} starts and {} ends", cells.len(), ends.len());
            return Err(Error::mismatch(Place::default(), found, "one of each for every fragment"));
        }
        if len == 0 {
            return Ok(());
        }
        self.begin(*chromosome)?;
        let columns = cells.chunks(BLOCK).zip(starts.chunks(BLOCK)).zip(ends.chunks(BLOCK));
        for ((cells, starts), ends) in columns {
            self.check(*chromosome, cells, starts, ends)?;
            self.append(cells, starts, ends)?;
        }
        self.segments.entry(*chromosome).and_modify(|segment| segment.end = self.count);
        Ok(())
    }

    /// Makes `chromosome` the current one.
    fn begin(&mut self, chromosome: u32) -> Result<()> {
        if self.current.is_some_and(|(current, _)| current == chromosome) {
            return Ok(());
        }
        if self.segments.contains_key(&chromosome) {
            let found = format!("more fragments of chromosome {chromosome}");
            let expected = "the fragments of each chromosome together";
            return Err(Error::mismatch(self.place(START, 0), found, expected));
        }
        self.segments.insert(chromosome, self.count..self.count);
        self.current = Some((chromosome, 0));
        self.end_max.next_chromosome();
        Ok(())
    }

    fn check(
        &mut self,
        chromosome: u32,
        cells: &[u32],
        starts: &[u32],
        ends: &[u32],
    ) -> Result<()> {
        let count = self.count + starts.len() as u64;
        if self.version.format_version == FormatVersion::V1 && u32::try_from(count).is_err() {
            let most = u32::MAX;
            let what = format!("version 1 has at most {most} fragments; version 2 supports more");
            return Err(Error::unsupported(Place::default(), what));
        }
        let before = self.current.map_or(0, |(_, start)| start);
        let first = starts.first().copied().unwrap_or(before);
        if first < before || !starts.is_sorted() {
            let pairs = || std::iter::once(&before).chain(starts).zip(starts);
            let offender = pairs().position(|(before, start)| start < before).unwrap_or(0);
            let (before, start) = pairs().nth(offender).unwrap_or((&before, &first));
            let place = self.place(START, offender);
            let expected = format!("at least {before}, the start of the fragment before it");
            return Err(Error::mismatch(place, format!("the start {start}"), expected));
        }
        self.current = starts.last().map(|&last| (chromosome, last));
        // No early exit, so that the comparison is vectorized.
        let pairs = || ends.iter().zip(starts);
        if pairs().fold(false, |found, (end, start)| found | (end < start)) {
            let offender = pairs().position(|(end, start)| end < start).unwrap_or(0);
            let (end, start) = pairs().nth(offender).unwrap_or((&0, &0));
            let expected = format!("at least {start}, the start");
            return Err(Error::mismatch(
                self.place(END, offender),
                format!("the end {end}"),
                expected,
            ));
        }
        let largest = cells.iter().copied().max();
        if let Some(largest) = largest
            && self.largest_cell.is_none_or(|(cell, _)| cell < largest)
        {
            let offset = cells.iter().position(|&cell| cell == largest).unwrap_or(0);
            self.largest_cell = Some((largest, self.count + offset as u64));
        }
        Ok(())
    }

    fn append(&mut self, cells: &[u32], starts: &[u32], ends: &[u32]) -> Result<()> {
        let container = &mut self.container;
        self.entries.clear();
        self.end_max.push(ends, |entry| self.entries.push(entry.exact));
        container.append(self.end_max_array, &self.entries)?;
        self.cells.append(container, cells)?;
        self.starts.append(container, starts)?;
        match self.version.packing {
            Packing::Unpacked => self.ends.append(container, ends)?,
            Packing::Packed => {
                self.lengths.clear();
                let pairs = ends.iter().zip(starts);
                self.lengths.extend(pairs.map(|(end, start)| end.wrapping_sub(*start)));
                self.ends.append(container, &self.lengths)?;
            }
        }
        self.count += starts.len() as u64;
        Ok(())
    }

    /// Writes the range of each chromosome.
    ///
    /// Chromosomes without fragments get an empty range at the end of the previous chromosome, or
    /// at the end of all fragments if no other follows.
    fn write_pointers(&mut self, chromosomes: u64) -> Result<()> {
        let mut pointers = Vec::new();
        let mut segments = self.segments.iter().peekable();
        let mut before = 0;
        for chromosome in 0..chromosomes {
            let nothing = match segments.peek() {
                Some(_) => before..before,
                None => self.count..self.count,
            };
            let segment = segments.next_if(|(next, _)| u64::from(**next) == chromosome);
            let segment = segment.map_or(nothing, |(_, segment)| segment.clone());
            pointers.extend([segment.start, segment.end]);
            before = segment.end;
            if pointers.len() >= BLOCK {
                append_pointers(&mut self.container, self.chr_ptr, self.version, &pointers)?;
                pointers.clear();
            }
        }
        append_pointers(&mut self.container, self.chr_ptr, self.version, &pointers)
    }

    /// Returns the location of the fragment `offset` positions after the last one written.
    fn place(&self, array: &str, offset: usize) -> Place {
        let at = At::Element(self.count + offset as u64);
        Place::default().with_array(array.to_owned()).at(at)
    }
}

fn append_pointers(
    container: &mut NamedArraysWriter,
    array: NodeId,
    version: FragmentVersion,
    pointers: &[u64],
) -> Result<()> {
    match version.format_version {
        FormatVersion::V2 => container.append(array, pointers),
        FormatVersion::V1 => {
            // The count was checked to fit.
            let narrow = pointers.iter().map(|&pointer| u32::try_from(pointer).unwrap_or(u32::MAX));
            container.append(array, &narrow.collect::<Vec<_>>())
        }
    }
}

impl nnz_core::FragmentSink for FragmentSink {
    fn write(&mut self, batch: &FragmentBatch) -> Result<()> {
        if self.failed {
            return Err(Error::argument("a batch before this one could not be written"));
        }
        let taken = self.take(batch);
        self.failed = taken.is_err();
        taken
    }

    fn finish(
        mut self: Box<Self>,
        chromosomes: &StringList,
        cells: &StringList,
    ) -> Result<Written> {
        if self.failed {
            return Err(Error::argument("not all fragments could be written"));
        }
        if u32::try_from(chromosomes.len()).is_err() {
            let what = format!("BPCells fragments have at most {} chromosomes", u32::MAX);
            return Err(Error::unsupported(Place::default(), what));
        }
        if let Some((&chromosome, segment)) = self.segments.last_key_value()
            && u64::from(chromosome) >= chromosomes.len()
        {
            let at = At::Element(segment.start);
            let found = format!("chromosome {chromosome}");
            let expected = format!("less than {}, the number of {CHR_NAMES}", chromosomes.len());
            return Err(Error::mismatch(Place::default().at(at), found, expected));
        }
        if let Some((cell, fragment)) = self.largest_cell
            && u64::from(cell) >= cells.len()
        {
            let place = Place::default().with_array(CELL.to_owned());
            let expected = format!("less than {}, the number of {CELL_NAMES}", cells.len());
            let place = place.at(At::Element(fragment));
            return Err(Error::mismatch(place, format!("the cell {cell}"), expected));
        }
        self.write_pointers(chromosomes.len())?;
        let Self { mut container, end_max, end_max_array, .. } = *self;
        let here = &mut container;
        if let Some(entry) = end_max.finish() {
            here.append(end_max_array, &[entry.exact])?;
        }
        for integers in [self.cells, self.starts, self.ends] {
            integers.finish(here)?;
        }
        here.write_strings(CELL_NAMES, &mut cells.iter())?;
        here.write_strings(CHR_NAMES, &mut chromosomes.iter())?;
        container.finish().map(Written::new)
    }
}
