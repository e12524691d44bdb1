//! Reading stored fragments.

use std::ops::Range;
use std::sync::OnceLock;

use nnz_bitpack::Codec;
use nnz_container::{NamedArrays, Vector};
use nnz_core::{
    About, ArrayAbout, Error, FragmentBatch, FragmentFields, FragmentHeader, Names, PackedWidths,
    Place, Result, StringList, UnitReader, check_requested,
};

use super::members::{self, CELL, CELL_NAMES, CHR_NAMES, END, END_MAX, START};
use super::reader::{self, Reader};
use super::segments;
use crate::arrays::{By, Integers, at_least, chunks};
use crate::version;
use crate::{FragmentVersion, Packing};

/// BPCells fragments in a container.
///
/// Opening reads the version and `chr_ptr`; everything else is read when it is needed.
pub struct FragmentSource {
    pub(super) container: NamedArrays,
    version: FragmentVersion,
    pub(super) header: FragmentHeader,
    chr_ptr: Vector,
    pub(super) cells: Integers,
    pub(super) starts: Integers,
    /// Ends, or lengths if fragments are packed.
    pub(super) ends: Integers,
    /// For every 128th fragment, an upper bound of the ends on its chromosome so far.
    pub(super) end_max: Vector,
    /// The number of cell names, once it is known.
    named_cells: OnceLock<u64>,
    /// Bytes that names may take.
    memory: u64,
}

impl std::fmt::Debug for FragmentSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FragmentSource").finish_non_exhaustive()
    }
}

impl FragmentSource {
    /// Opens the fragments in a container.
    ///
    /// # Errors
    ///
    /// Fails if the version is not one of fragments, a member is missing, has the wrong type or is
    /// too short, or `chr_ptr` does not assign each fragment to exactly one chromosome.
    pub fn open(container: NamedArrays) -> Result<Self> {
        Self::open_with_limit(container, u64::MAX)
    }

    /// Opens the fragments in a container like [`open`](Self::open), with a limit for memory: names
    /// and the list of chromosomes may each take `memory` bytes, or as many as are stored.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open), and if there are more chromosomes than the limit allows.
    pub fn open_with_limit(container: NamedArrays, memory: u64) -> Result<Self> {
        let here = &container;
        let place = Place::array(here.path(), version::TAG);
        let version = FragmentVersion::parse(&here.attribute(version::TAG)?, &place)?;
        for name in [CHR_NAMES, CELL_NAMES] {
            here.strings_size(name)?;
        }
        let (chr_ptr, header) = segments::read(here, version.format_version, memory)?;
        let integers = |name, codec| {
            Integers::open(here, name, codec, version.packing, version.format_version, header.count)
        };
        let cells = integers(CELL, Codec::Plain)?;
        let starts = integers(START, Codec::Delta)?;
        let ends = integers(END, Codec::Plain)?;
        let end_max = here.array(END_MAX)?;
        at_least(&end_max, chunks(header.count))?;
        let named_cells = OnceLock::new();
        Ok(Self {
            container,
            version,
            header,
            chr_ptr,
            cells,
            starts,
            ends,
            end_max,
            named_cells,
            memory,
        })
    }

    /// Returns how the fragments are stored.
    #[must_use]
    pub fn version(&self) -> FragmentVersion {
        self.version
    }

    fn reader(&self, positions: Range<u64>, fields: FragmentFields) -> Result<Reader<'_>> {
        check_requested(&positions, self.header.count, "fragments")?;
        Ok(Reader::new(self, positions, fields))
    }

    /// Returns whether `end` has lengths of fragments.
    pub(super) fn holds_lengths(&self) -> bool {
        self.version.packing == Packing::Packed
    }

    /// Returns the number of cell names, the upper bound of cells.
    pub(super) fn named_cells(&self) -> Result<u64> {
        if let Some(count) = self.named_cells.get() {
            return Ok(*count);
        }
        let count = members::count_cells(&self.container)?;
        Ok(*self.named_cells.get_or_init(|| count))
    }
}

impl nnz_core::FragmentSource for FragmentSource {
    fn packed_widths(&self, bins: usize) -> Result<Option<Vec<PackedWidths>>> {
        if self.version.packing == Packing::Unpacked {
            return Ok(None);
        }
        let arrays = [(&self.cells, CELL), (&self.starts, START), (&self.ends, END)];
        let widths = arrays.map(|(array, name)| array.widths(name, self.header.count, bins));
        widths.into_iter().collect::<Result<_>>().map(Some)
    }

    fn header(&self) -> &FragmentHeader {
        &self.header
    }

    fn place(&self) -> Place {
        Place::path(self.container.path())
    }

    fn about(&self) -> Result<About> {
        let integers = [&self.cells, &self.starts, &self.ends];
        let numbers = integers.into_iter().flat_map(Integers::arrays);
        let mut arrays: Vec<ArrayAbout> = Vec::new();
        for array in numbers.chain([&self.end_max, &self.chr_ptr]) {
            arrays.push(
                ArrayAbout::new(array.place().array.unwrap_or_default())
                    .value_type(array.value_type())
                    .len(array.len())
                    .bytes(ArrayAbout::size(array.stored_bytes())?),
            );
        }
        for name in [CELL_NAMES, CHR_NAMES] {
            arrays.push(
                ArrayAbout::new(name).bytes(ArrayAbout::size(self.container.strings_size(name))?),
            );
        }
        Ok(About::new("BPCells fragments", self.container.info().name)
            .version(self.version.to_string())
            .with_arrays(arrays))
    }

    fn chromosome_names(&self) -> Result<StringList> {
        members::chromosome_names(&self.container, self.header.chromosomes, self.memory)
    }

    fn cell_names(&self) -> Result<StringList> {
        members::cell_names(&self.container, self.memory)
    }

    fn read_cell_names(&self) -> Result<Names<'_>> {
        self.container.read_strings(CELL_NAMES)
    }

    fn cell_count(&self) -> Result<u64> {
        self.named_cells()
    }

    fn units(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
    ) -> Result<Box<dyn UnitReader<'_, FragmentBatch> + '_>> {
        Ok(Box::new(self.reader(positions, fields)?))
    }

    fn for_each(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        reader::for_each(self.reader(positions, fields)?, By::Reading, each)
    }

    fn for_each_mapped(
        &self,
        positions: Range<u64>,
        fields: FragmentFields,
        each: &mut dyn FnMut(&mut FragmentBatch) -> Result<()>,
    ) -> Result<()> {
        reader::for_each(self.reader(positions, fields)?, By::Mapping, each)
    }

    fn overlapping(&self, chromosome: u32, bases: Range<u32>) -> Result<Range<u64>> {
        if chromosome >= self.header.chromosomes {
            return Err(Error::argument(format!(
                "chromosome {chromosome} is out of range for {} chromosomes",
                self.header.chromosomes
            )));
        }
        self.find_overlapping(chromosome, bases)
    }
}
