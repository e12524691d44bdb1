//! Writing a matrix.

mod integers;

use integers::IntegerSink;
use nnz_bitpack::Codec;
use nnz_container::{ArrayId, ContainerWriter};
use nnz_core::{
    At, Axis, Batch, Element, Error, Header, Minors, Needs, Order, Place, Result, StringList,
    ValueType, Values, Written,
};

use super::members;
use crate::version::{self, Version};
use crate::{Generation, Packing};

/// What a BPCells matrix can hold.
pub const NEEDS: Needs = Needs {
    orders: &[Order::Col, Order::Row],
    value_types: &[ValueType::U32, ValueType::F32, ValueType::F64],
    structure: false,
    unique: false,
    names: true,
    dense: false,
};

/// Says how a matrix is to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkOptions {
    /// Whether integers are bit-packed.
    pub packing: Packing,
    /// The revision of the format.
    pub generation: Generation,
}

/// A BPCells matrix being written to a container.
pub struct MatrixSink {
    container: Box<dyn ContainerWriter>,
    version: Version,
    majors: u64,
    minors: u64,
    /// Where `idxptr` stands: the pointers written, which the entries so far may still move on.
    pointers: ArrayId,
    pointers_written: u64,
    entries: u64,
    index: IntegerSink,
    values: ValueSink,
    /// Minor indices of batches that do not come as 32-bit ones.
    narrowed: Vec<u32>,
}

enum ValueSink {
    Integers(IntegerSink),
    Floats(ArrayId),
}

impl MatrixSink {
    /// Starts a matrix of the shape, order and value type of `header`.
    ///
    /// # Errors
    ///
    /// Fails where the shape has 2^32 rows or columns or more, the value type is none of BPCells,
    /// or the container refuses.
    pub fn create(
        mut container: Box<dyn ContainerWriter>,
        header: &Header,
        names: [Option<&StringList>; 2],
        options: SinkOptions,
    ) -> Result<Self> {
        let version = Version {
            packing: options.packing,
            value_type: header.value_type,
            generation: options.generation,
        };
        if !NEEDS.value_types.contains(&header.value_type) {
            let what = format!("a BPCells matrix cannot hold {}", header.value_type);
            return Err(Error::unsupported(Place::default(), what));
        }
        let (Ok(rows), Ok(cols)) =
            (u32::try_from(header.shape.rows), u32::try_from(header.shape.cols))
        else {
            let what = format!(
                "a BPCells matrix has at most {} rows and columns, this one is {}",
                u32::MAX,
                header.shape
            );
            return Err(Error::unsupported(Place::default(), what));
        };
        container.set_tag(version::TAG, &version.to_string())?;
        let here = &mut *container;
        let index = IntegerSink::create(here, members::INDEX, Codec::DeltaZigzag, version)?;
        let values = match header.value_type {
            ValueType::U32 => ValueSink::Integers(IntegerSink::create(
                here,
                members::VAL,
                Codec::MinusOne,
                version,
            )?),
            other => ValueSink::Floats(here.create_array(members::VAL, other)?),
        };
        let pointers = here.create_array(members::IDXPTR, version.generation.pointer_type())?;
        let shape = here.create_array(members::SHAPE, ValueType::U32)?;
        here.append(shape, &[rows, cols])?;
        for (axis, names) in [Axis::Rows, Axis::Cols].into_iter().zip(names) {
            let name = members::names_of(axis);
            match names {
                Some(names) => here.write_strings(name, &mut names.iter())?,
                None => here.write_strings(name, &mut std::iter::empty())?,
            }
        }
        let order = header.order.to_string();
        here.write_strings(members::STORAGE_ORDER, &mut std::iter::once(order.as_bytes()))?;
        Ok(Self {
            majors: header.shape.major(header.order),
            minors: header.shape.minor(header.order),
            container,
            version,
            pointers,
            pointers_written: 0,
            entries: 0,
            index,
            values,
            narrowed: Vec::new(),
        })
    }

    /// Writes the pointers of all majors before `major`, and its own: they start at `entries`.
    fn start_majors(&mut self, through: u64, entries: u64) -> Result<()> {
        if self.pointers_written > through {
            return Ok(());
        }
        let mut missing = through + 1 - self.pointers_written;
        self.pointers_written = through + 1;
        let mut block = [entries; 512];
        while missing > 0 {
            let now = missing.min(block.len() as u64);
            let block = &mut block[..usize::try_from(now).unwrap_or(0)];
            match self.version.generation {
                Generation::V2 => self.container.append(self.pointers, block)?,
                Generation::V1 => {
                    let Ok(narrow) = u32::try_from(entries) else {
                        let what = format!(
                            "a version 1 matrix has at most {} entries; version 2 holds more",
                            u32::MAX
                        );
                        return Err(Error::unsupported(Place::default(), what));
                    };
                    let block: Vec<u32> = block.iter().map(|_| narrow).collect();
                    self.container.append(self.pointers, &block)?;
                }
            }
            missing -= now;
        }
        Ok(())
    }

    fn check_place(&self, batch: &Batch, run: usize, previous: &mut Option<u64>) -> Result<u64> {
        let major = batch.majors.get(run);
        let ascends = previous.is_none_or(|previous| previous <= major);
        let begun = self.pointers_written.saturating_sub(1);
        if major >= self.majors || !ascends || major < begun {
            let found = format!("{} {major}", batch.order.major());
            let expected = format!("at least {begun}, and less than {}", self.majors);
            return Err(Error::mismatch(Place::default(), found, expected));
        }
        *previous = Some(major);
        Ok(major)
    }
}

impl nnz_core::MatrixSink for MatrixSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let mut previous = None;
        for run in 0..batch.runs() {
            let major = self.check_place(batch, run, &mut previous)?;
            self.start_majors(major, self.entries + batch.offsets[run] as u64)?;
        }

        let mut narrowed = std::mem::take(&mut self.narrowed);
        let minors = match &batch.minors {
            Minors::U32(minors) => &minors[..],
            _ => {
                narrowed.clear();
                batch.try_for_each(|entry, _, minor| match u32::try_from(minor) {
                    Ok(minor) => {
                        narrowed.push(minor);
                        Ok(())
                    }
                    Err(_) => Err(out_of_range(batch, entry, self.minors)),
                })?;
                &narrowed[..]
            }
        };
        let entries = batch.entries();
        if minors.len() != entries || batch.values.len().is_some_and(|len| len != entries) {
            let found = format!("{} indices for {entries} entries", minors.len());
            return Err(Error::mismatch(Place::default(), found, "one of each"));
        }
        if let Some(entry) = minors.iter().position(|&minor| u64::from(minor) >= self.minors) {
            return Err(out_of_range(batch, entry, self.minors));
        }
        self.index.push(&mut *self.container, minors)?;
        self.narrowed = narrowed;

        let repeated;
        let values = match &batch.values {
            Values::Iso(scalar) => {
                repeated = scalar.repeat(entries);
                &repeated
            }
            values => values,
        };
        if values.value_type() != self.version.value_type {
            let found = format!("values of type {}", values.value_type());
            return Err(Error::mismatch(Place::default(), found, self.version.value_type));
        }
        match &mut self.values {
            ValueSink::Integers(sink) => {
                sink.push(&mut *self.container, u32::slice(values).unwrap_or_default())?;
            }
            ValueSink::Floats(id) => self.container.append_bytes(*id, values.bytes())?,
        }
        self.entries += entries as u64;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        // One pointer more than majors; BPCells writes two where there are none.
        self.start_majors(self.majors.max(1), self.entries)?;
        self.index.finish(&mut *self.container)?;
        if let ValueSink::Integers(sink) = self.values {
            sink.finish(&mut *self.container)?;
        }
        self.container.finish().map(|bytes| Written { bytes })
    }
}

fn out_of_range(batch: &Batch, entry: usize, minors: u64) -> Error {
    let (row, col) = batch.row_col(entry);
    let place = Place::default().at(At::Entry { row, col });
    Error::mismatch(place, "an index past the end", format!("less than {minors}"))
}
