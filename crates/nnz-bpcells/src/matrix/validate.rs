//! Checking all of a matrix.
//!
//! Opening a matrix stops at the first thing that is wrong. Here every member is looked at on its
//! own, so that all faults are found that can be told apart.

use nnz_bitpack::{Codec, EPOCH_WORDS};
use nnz_container::{Container, NumberArray};
use nnz_core::{
    At, Axis, Batch, Error, Fields, Finding, MatrixSource as _, Minors, Order, Place, Result,
    Shape, ValueType, Values,
};

use super::members::{self, IDXPTR, INDEX, SHAPE, STORAGE_ORDER, VAL};
use super::source::MatrixSource;
use crate::arrays::chunks;
use crate::version::{self, Version};
use crate::{Generation, Packing};

/// Elements that are read at a time.
const BLOCK: u64 = 16 * 1024;

/// Words of a chunk of 32-bit values.
const WIDEST: u32 = 128;

/// Checks every member of the matrix in the container that `open` opens, and hands what is found
/// to `each`.
///
/// # Errors
///
/// Fails only where `open` does; whatever else is wrong is a finding.
pub fn validate(
    open: &dyn Fn() -> Result<Box<dyn Container>>,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let container = open()?;
    let mut check = Check { container: &*container, faults: 0, each };
    if check.members().is_some() && check.faults == 0 {
        // All lengths fit: now every entry can be decoded.
        let decoded = MatrixSource::open(open()?).and_then(|matrix| check.entries(&matrix));
        if let Err(error) = decoded {
            check.error(error);
        }
    }
    Ok(())
}

struct Check<'a> {
    container: &'a dyn Container,
    faults: usize,
    each: &'a mut dyn FnMut(Finding),
}

impl Check<'_> {
    fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.faults += 1;
        (self.each)(Finding::fault(place, message));
    }

    fn note(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::note(place, message));
    }

    fn error(&mut self, error: Error) {
        let (kind, place) = error.into_parts();
        self.fault(place, kind.to_string());
    }

    /// Takes what was read, or makes a finding of why it could not be.
    fn take<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.error(error)).ok()
    }

    fn place(&self, name: &str) -> Place {
        Place::array(self.container.path(), name)
    }

    /// Checks each member by itself and the lengths that follow from each other. `None` where what
    /// the rest depends on is not known.
    fn members(&mut self) -> Option<()> {
        let text = self.container.tag(version::TAG);
        let text = self.take(text)?;
        let version = Version::parse(&text, &self.place(version::TAG));
        let version = self.take(version)?;

        let order = members::storage_order(self.container);
        let order = self.take(order);
        let shape = members::shape(self.container);
        let shape = self.take(shape);
        self.trailing(SHAPE);
        for axis in [Axis::Rows, Axis::Cols] {
            self.names(axis, shape.map(|shape| shape.len(axis)));
        }
        self.foreign(version);
        let entries = self.pointers(version, shape, order)?;
        self.integers(INDEX, Codec::DeltaZigzag, version.packing, version.generation, entries);
        if version.value_type == ValueType::U32 {
            self.integers(VAL, Codec::MinusOne, version.packing, version.generation, entries);
        } else {
            self.array(VAL, version.value_type, entries);
        }
        shape.and(order).map(drop)
    }

    fn names(&mut self, axis: Axis, expected: Option<u64>) {
        let name = members::names_of(axis);
        let mut count = 0;
        let read = self.container.for_each_string(name, &mut |_| {
            count += 1;
            Ok(())
        });
        if self.take(read).is_some()
            && let Some(expected) = expected
            && count != 0
            && count != expected
        {
            let expected = format!("{expected}, one for each of the {axis}, or none");
            self.fault(self.place(name), format!("found {count} names, expected {expected}"));
        }
    }

    /// Notes members that are no part of a matrix.
    fn foreign(&mut self, version: Version) {
        let own = member_names(version);
        let members = self.container.members();
        for name in self.take(members).unwrap_or_default() {
            if !own.contains(&name) {
                self.note(self.place(&name), format!("not a member of a {version}"));
            }
        }
    }

    fn trailing(&mut self, name: &str) {
        // What else is wrong with the array is found by who reads it.
        if let Ok(array) = self.container.array(name) {
            let bytes = array.trailing_bytes();
            if bytes > 0 {
                let place = array.place().at(At::Element(array.len()));
                self.fault(place, format!("found {bytes} bytes behind the last whole element"));
            }
        }
    }

    /// Checks that an array is there, of a type and of a length.
    fn array(
        &mut self,
        name: &str,
        value_type: ValueType,
        len: u64,
    ) -> Option<Box<dyn NumberArray>> {
        let array = self.container.array(name);
        let array = self.take(array)?;
        self.trailing(name);
        if array.value_type() != value_type {
            let found = array.value_type();
            let message = format!("found elements of type {found}, expected {value_type}");
            self.fault(array.place(), message);
            return None;
        }
        if array.len() != len {
            let message = format!("found {} elements, expected {len}", array.len());
            self.fault(array.place(), message);
        }
        (array.len() >= len).then_some(array)
    }

    /// Checks `idxptr` and returns the number of entries it tells of.
    fn pointers(
        &mut self,
        version: Version,
        shape: Option<Shape>,
        order: Option<Order>,
    ) -> Option<u64> {
        let array = self.container.array(IDXPTR);
        let array = self.take(array)?;
        self.trailing(IDXPTR);
        let place = array.place();
        let expected = version.generation.pointer_type();
        if array.value_type() != expected {
            let found = array.value_type();
            let message = format!("found elements of type {found}, expected {expected}");
            self.fault(place, message);
            return None;
        }
        if let (Some(shape), Some(order)) = (shape, order) {
            let majors = shape.major(order);
            if majors == 0 && array.len() == 2 {
                let message = "two pointers for no major vectors, as BPCells writes them";
                self.note(place.clone(), message);
            } else if array.len() != majors + 1 {
                let message = format!(
                    "found {} elements, expected {}, since {SHAPE} has {majors} {}",
                    array.len(),
                    majors + 1,
                    order.major()
                );
                self.fault(place.clone(), message);
            }
        }
        let last = array.len().checked_sub(1);
        let Some(last) = last else {
            self.fault(place, "found no elements, expected at least 1");
            return None;
        };
        let mut entries = [0];
        let read = array.read_widened(last, &mut entries);
        self.take(read)?;

        let mut block = Vec::new();
        let mut previous = 0;
        for start in (0..array.len()).step_by(usize::try_from(BLOCK).unwrap_or(1)) {
            let len = BLOCK.min(array.len() - start);
            block.resize(usize::try_from(len).unwrap_or(0), 0_u64);
            let read = array.read_widened(start, &mut block);
            self.take(read)?;
            for (&pointer, element) in block.iter().zip(start..) {
                let place = place.clone().at(At::Element(element));
                if element == 0 && pointer != 0 {
                    self.fault(place, format!("found {pointer}, expected 0"));
                    return None;
                }
                if pointer < previous {
                    let message = format!("found {pointer}, expected at least {previous}");
                    self.fault(place, message);
                    return None;
                }
                previous = pointer;
            }
        }
        Some(entries[0])
    }

    /// Checks the arrays of integers, packed or not.
    fn integers(
        &mut self,
        name: &str,
        codec: Codec,
        packing: Packing,
        generation: Generation,
        entries: u64,
    ) {
        if packing == Packing::Unpacked {
            self.array(name, ValueType::U32, entries);
            return;
        }
        let chunks = chunks(entries);
        let member = |suffix: &str| format!("{name}_{suffix}");
        let idx = self.array(&member("idx"), ValueType::U32, chunks.saturating_add(1));
        if codec.has_starts() {
            self.array(&member("starts"), ValueType::U32, chunks);
        }
        let words = idx.and_then(|idx| {
            let walked = self.walk_idx(&*idx, chunks);
            self.take(walked).flatten()
        });
        let Some(words) = words else {
            // Without it nothing is known of the rest but its types.
            let data = self.container.array(&member("data"));
            self.take(data);
            return;
        };
        self.array(&member("data"), ValueType::U32, words);
        if generation == Generation::V2 {
            let expected = (words / EPOCH_WORDS).saturating_add(2);
            let offsets = self.array(&member("idx_offsets"), ValueType::U64, expected);
            if let Some(offsets) = offsets
                && offsets.len() == 2
                && words < EPOCH_WORDS
            {
                let mut found = [0_u64; 2];
                let read = offsets.read(0, &mut found);
                self.take(read);
                if found != [0, chunks + 1] {
                    let message = format!("found {found:?}, expected [0, {}]", chunks + 1);
                    self.fault(offsets.place(), message);
                }
            }
        }
    }

    /// Checks every step of an `idx` array and returns the words it reaches, or `None` after a
    /// fault.
    fn walk_idx(&mut self, idx: &dyn NumberArray, chunks: u64) -> Result<Option<u64>> {
        let mut block = Vec::new();
        let mut words = 0_u64;
        let mut previous = 0;
        for start in (0..=chunks).step_by(usize::try_from(BLOCK).unwrap_or(1)) {
            let len = BLOCK.min(chunks + 1 - start);
            block.resize(usize::try_from(len).unwrap_or(0), 0_u32);
            idx.read(start, &mut block)?;
            for (&position, element) in block.iter().zip(start..) {
                let step = position.wrapping_sub(previous);
                let expected = if element == 0 {
                    (position != 0).then(|| "0".to_owned())
                } else {
                    (step > WIDEST || !step.is_multiple_of(4))
                        .then(|| format!("{previous} plus 0, 4, 8, ... or {WIDEST}"))
                };
                if let Some(expected) = expected {
                    let message = format!("found {position}, expected {expected}");
                    self.fault(idx.place().at(At::Element(element)), message);
                    return Ok(None);
                }
                words += u64::from(step);
                previous = position;
            }
        }
        Ok(Some(words))
    }

    /// Decodes every entry; notes vectors that are not sorted, or hold two entries at one place.
    fn entries(&mut self, matrix: &MatrixSource) -> Result<()> {
        let header = matrix.header();
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let mut reader = matrix.batches(0..header.shape.major(header.order), Fields::ALL)?;
        let mut unsorted: Option<(u64, u64)> = None;
        let mut repeated: Option<(u64, u64)> = None;
        let mut last: Option<(u64, u32)> = None;
        while reader.next_batch(&mut batch)? {
            let Minors::U32(minors) = &batch.minors else {
                continue;
            };
            for run in 0..batch.runs() {
                let major = batch.majors.get(run);
                for &minor in &minors[batch.run(run)] {
                    match last {
                        Some((m, previous)) if m == major && previous >= minor => {
                            let here = header.order.row_col(major, minor.into());
                            let seen =
                                if previous == minor { &mut repeated } else { &mut unsorted };
                            seen.get_or_insert(here);
                        }
                        _ => {}
                    }
                    last = Some((major, minor));
                }
            }
        }
        let notes = [(unsorted, "is not in ascending order"), (repeated, "is there twice")];
        for ((row, col), message) in notes.into_iter().filter_map(|(at, m)| Some((at?, m))) {
            let place = Place::path(self.container.path()).at(At::Entry { row, col });
            self.note(place, message);
        }
        Ok(())
    }
}

/// Lists the members a matrix of a version has.
fn member_names(version: Version) -> Vec<String> {
    let mut names: Vec<String> =
        [version::TAG, IDXPTR, SHAPE, STORAGE_ORDER, "row_names", "col_names"]
            .map(str::to_owned)
            .into();
    let mut add = |name: &str, packed: bool, starts: bool| {
        if !packed {
            names.push(name.to_owned());
            return;
        }
        let offsets = (version.generation == Generation::V2).then_some("idx_offsets");
        let suffixes = [Some("data"), Some("idx"), starts.then_some("starts"), offsets];
        names.extend(suffixes.into_iter().flatten().map(|suffix| format!("{name}_{suffix}")));
    };
    add(INDEX, version.packing == Packing::Packed, true);
    add(VAL, version.packs_values(), false);
    names
}
