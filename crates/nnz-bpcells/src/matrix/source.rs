//! Reading a stored matrix.

use std::ops::Range;

use nnz_bitpack::Codec;
use nnz_container::{NamedArrays, Vector};
use nnz_core::{
    About, Annotations, ArrayAbout, Axis, AxisKind, Error, Header, Names, PackedWidths, Place,
    Projection, Result, Unit, UnitReader, ValueType, entry_ranges, pointer_ranges, read_pointers,
    readable,
};

use super::members::{self, INDEX, MEMBERS, VAL};
use super::pointers::Pointers;
use super::positions::{Positions, positions_of};
use super::reader::Reader;
use super::scattered::ScatteredUnit;
use super::within::ReaderWithin;
use crate::arrays::{Integers, constant};
use crate::version::{self, Version};
use crate::{FormatVersion, Packing};

/// A BPCells matrix in a container.
///
/// Opening reads the version, the shape, the storage order and the last element of `idxptr`;
/// everything else is read when it is needed.
pub struct MatrixSource {
    pub(super) container: NamedArrays,
    pub(super) version: Version,
    pub(super) header: Header,
    pub(super) pointers: Pointers,
    pub(super) index: Integers,
    pub(super) values: ValueArray,
}

impl std::fmt::Debug for MatrixSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatrixSource").field("header", &self.header).finish_non_exhaustive()
    }
}

/// The values: packed integers, or plain numbers of any type.
pub(super) enum ValueArray {
    Integers(Integers),
    Floats(Vector),
}

impl MatrixSource {
    /// Opens the matrix in a container.
    ///
    /// # Errors
    ///
    /// Fails if the version is not one of a matrix, a member is missing, has the wrong type or is
    /// too short, or `shape` and `idxptr` disagree.
    pub fn open(container: NamedArrays) -> Result<Self> {
        let here = &container;
        let place = Place::array(here.path(), version::TAG);
        let version = Version::parse(&here.attribute(version::TAG)?, &place)?;
        here.will_open(&members_of(version));
        let order = members::storage_order(here)?;
        let shape = members::shape(here)?;
        for axis in [Axis::Rows, Axis::Cols] {
            here.strings_size(members::names_of(axis))?;
        }
        let pointers = Pointers::open(here, version.format_version, shape, order)?;
        let entries = pointers.entries;
        let integers = |name, codec| {
            Integers::open(here, name, codec, version.packing, version.format_version, entries)
        };
        let index = integers(INDEX, Codec::DeltaZigzag)?;
        let values = match version.value_type {
            ValueType::U32 => ValueArray::Integers(integers(VAL, Codec::MinusOne)?),
            _ => ValueArray::Floats(floats(here, version.value_type, entries)?),
        };
        let header = Header::new(shape, order, version.value_type)
            .nnz(entries)
            .axis_kinds([AxisKind::Features, AxisKind::Cells]);
        Ok(Self { container, version, header, pointers, index, values })
    }

    /// Announces reads of the pointers of some rows or columns, then of the positions of their packed entries, then
    /// of these.
    fn announce(&self, majors: &[Range<u64>], fields: Projection) -> Result<()> {
        self.pointers.array.will_read(&pointer_ranges(majors));
        if !fields.minors && !fields.values {
            return Ok(());
        }
        let entries = entry_ranges(majors, self.pointers.entries, |major| {
            let mut pointer = [0];
            self.pointers.array.read_widened(major, &mut pointer).map(|()| pointer[0])
        })?;
        self.announce_positions(&entries, fields);
        self.announce_entries(&entries, fields)
    }

    /// Returns the arrays of integers that are read.
    pub(super) fn integers(&self, fields: Projection) -> impl Iterator<Item = &Integers> {
        let values = match &self.values {
            ValueArray::Integers(values) => Some(values).filter(|_| fields.values),
            ValueArray::Floats(_) => None,
        };
        fields.minors.then_some(&self.index).into_iter().chain(values)
    }

    /// Announces reads of the positions of packed entries.
    pub(super) fn announce_positions(&self, entries: &[Range<u64>], fields: Projection) {
        self.integers(fields).for_each(|array| array.will_read_positions(entries));
    }

    /// Announces reads of values that are not integers.
    pub(super) fn announce_floats(&self, entries: &[Range<u64>], fields: Projection) {
        if let (ValueArray::Floats(array), true) = (&self.values, fields.values) {
            array.will_read(entries);
        }
    }

    /// Announces reads of entries, whose positions were announced.
    pub(super) fn announce_entries(
        &self,
        entries: &[Range<u64>],
        fields: Projection,
    ) -> Result<()> {
        self.announce_floats(entries, fields);
        self.integers(fields).try_for_each(|array| array.will_read(entries))
    }

    /// Returns how the matrix is stored.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }
}

/// Returns the members that a matrix of a version has, but for the version.
fn members_of(version: Version) -> Vec<&'static str> {
    let integers = version.value_type == ValueType::U32;
    let has = |name: &&&str| match **name {
        version::TAG | "row_original_position" | "col_original_position" => false,
        INDEX => version.packing == Packing::Unpacked,
        VAL => version.packing == Packing::Unpacked || !integers,
        name if name.starts_with("index_") || name.starts_with("val_") => {
            version.packing == Packing::Packed
                && (integers || !name.starts_with("val_"))
                && (version.format_version == FormatVersion::V2 || !name.ends_with("_idx_offsets"))
        }
        _ => true,
    };
    MEMBERS.iter().filter(has).copied().collect()
}

fn floats(container: &NamedArrays, value_type: ValueType, entries: u64) -> Result<Vector> {
    let array = container.array(VAL)?;
    if array.value_type() != value_type {
        let found = format!("elements of type {}", array.value_type());
        let expected = format!("elements of type {value_type}, as the version requires");
        return Err(Error::mismatch(array.place(), found, expected));
    }
    if array.len() < entries {
        let found = format!("{} elements", array.len());
        return Err(Error::mismatch(array.place(), found, format!("{entries} elements")));
    }
    Ok(array)
}

impl nnz_core::MatrixSource for MatrixSource {
    fn header(&self) -> &Header {
        &self.header
    }

    fn about(&self) -> Result<About> {
        let mut arrays: Vec<ArrayAbout> = Vec::new();
        let numbers = self.index.arrays().into_iter().chain(match &self.values {
            ValueArray::Integers(integers) => integers.arrays(),
            ValueArray::Floats(array) => vec![array],
        });
        let shape = self.container.array(members::SHAPE)?;
        for array in numbers.chain([&self.pointers.array, &shape]) {
            arrays.push(
                ArrayAbout::new(array.place().array.unwrap_or_default())
                    .value_type(array.value_type())
                    .len(array.len())
                    .bytes(ArrayAbout::size(array.stored_bytes())?),
            );
        }
        for name in ["row_names", "col_names", members::STORAGE_ORDER] {
            arrays.push(
                ArrayAbout::new(name).bytes(ArrayAbout::size(self.container.strings_size(name))?),
            );
        }
        Ok(About::new("BPCells matrix", self.container.info().name)
            .version(self.version.to_string())
            .with_arrays(arrays))
    }

    fn read_names(&self, axis: Axis) -> Result<Option<Names<'_>>> {
        if self.pointers.array.has_latency() {
            // Most readers of the names of an axis read the names and annotations of both. The other list is announced when it
            // is opened.
            self.container.will_open(&[Axis::Rows, Axis::Cols].map(positions_of));
            let _ = readable(self.container.read_strings(members::names_of(axis.other())));
        }
        members::names(&self.container, axis, self.header.shape.len(axis))
    }

    fn annotations(&self, axis: Axis) -> Result<Option<Box<dyn Annotations + '_>>> {
        let found = Positions::open(&self.container, axis, self.header.shape.len(axis))?;
        Ok(found.map(|found| Box::new(found) as Box<dyn Annotations>))
    }

    fn random_access(&self) -> bool {
        true
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.header.check_majors(&majors)?;
        Ok(Box::new(Reader::new(self, majors, fields)))
    }

    fn units_within(
        &self,
        majors: Range<u64>,
        minors: &[Range<u64>],
        fields: Projection,
    ) -> Result<Option<Box<dyn UnitReader<'_> + '_>>> {
        self.header.check_majors(&majors)?;
        let reader = ReaderWithin::new(self, majors, minors, fields)?;
        Ok(reader.map(|reader| Box::new(reader) as Box<dyn UnitReader<'_>>))
    }

    fn will_read(&self, majors: &[Range<u64>], fields: Projection) {
        if self.pointers.array.has_latency() {
            // An array that cannot be read is an error when it is read.
            let _ = readable(self.announce(majors, fields));
        }
    }

    fn scattered(
        &self,
        majors: &[Range<u64>],
        most: u64,
        fields: Projection,
    ) -> Option<Box<dyn Unit + '_>> {
        // Invalid ranges are errors of `units`.
        majors.iter().try_for_each(|range| self.header.check_majors(range)).ok()?;
        Some(Box::new(ScatteredUnit { source: self, majors: majors.to_vec(), most, fields }))
    }

    fn packed_widths(&self, bins: usize) -> Result<Option<Vec<PackedWidths>>> {
        if self.version.packing == Packing::Unpacked {
            return Ok(None);
        }
        let count = self.pointers.entries;
        let values = match &self.values {
            ValueArray::Integers(values) => values.widths(VAL, count, bins)?,
            ValueArray::Floats(array) => {
                let bits = if array.value_type().size() == 8 { 64.0 } else { 32.0 };
                constant(VAL, count, bits)
            }
        };
        Ok(Some(vec![self.index.widths(INDEX, count, bins)?, values]))
    }

    fn stored_before(&self, major: u64) -> Result<Option<u64>> {
        let mut pointer = [0];
        read_pointers(&self.pointers, major, 0, &mut pointer)?;
        Ok(Some(pointer[0]))
    }
}
