//! Validating a matrix.
//!
//! Opening a matrix stops at the first error. Validation checks every member on its own, to find
//! all faults that are independent.

use nnz_bitpack::Codec;
use nnz_container::NamedArrays;
use nnz_core::{
    At, Axis, Batch, Finding, MatrixSource as _, Minors, Order, Place, Projection, Result, Shape,
    ValueType, Values, readable,
};

use super::members::{self, IDXPTR, INDEX, SHAPE, STORAGE_ORDER, VAL};
use super::positions::{self, positions_of};
use super::source::MatrixSource;
use crate::Packing;
use crate::check::{BLOCK, Check, add_member_names};
use crate::version::{self, Version};

/// Checks every member of the matrix in the container that `open` opens, and passes findings to
/// `each`.
///
/// # Errors
///
/// Fails if `open` does, if the system cannot read, or if reading is cancelled. Everything else is
/// a finding.
pub fn validate(
    open: &dyn Fn() -> Result<NamedArrays>,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let container = open()?;
    let mut check = Check::new(&container, each);
    if check.members().is_some() && check.faults == 0 {
        // All lengths are right, so every entry can be decoded.
        let decoded = MatrixSource::open(open()?).and_then(|matrix| check.entries(&matrix));
        if let Err(error) = decoded {
            check.error(error);
        }
    }
    check.finish()
}

impl Check<'_> {
    /// Checks each member on its own, and that their lengths agree. Returns `None` if what the
    /// other checks depend on is not known.
    fn members(&mut self) -> Option<()> {
        let text = self.container.attribute(version::TAG);
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
            if let Some(shape) = shape {
                self.positions(axis, shape.len(axis));
            }
        }
        self.foreign(&member_names(version), version);
        let entries = self.pointers(version, shape, order)?;
        self.integers(INDEX, Codec::DeltaZigzag, version.packing, version.format_version, entries);
        if version.value_type == ValueType::U32 {
            self.integers(VAL, Codec::MinusOne, version.packing, version.format_version, entries);
        } else {
            self.array(VAL, version.value_type, entries);
        }
        shape.and(order).map(drop)
    }

    fn positions(&mut self, axis: Axis, len: u64) {
        let array = readable(self.container.array(positions_of(axis)));
        if let Some(array) = self.take(array).flatten() {
            self.trailing(positions_of(axis));
            let checked = positions::check(&array, len);
            self.take(checked);
        }
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

    /// Checks `idxptr` and returns the number of entries according to it.
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
        let expected = version.format_version.pointer_type();
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

    /// Decodes every entry; notes vectors that are not sorted, or have two entries at the same
    /// position.
    fn entries(&mut self, matrix: &MatrixSource) -> Result<()> {
        let header = matrix.header();
        let mut batch = Batch::new(header.order, Values::new(header.value_type));
        let mut reader = matrix.batches(0..header.shape.major(header.order), Projection::ALL)?;
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
        let found = |at: Option<(u64, u64)>, what: &str| {
            at.map(|(row, col)| format!("{what} (row {row}, column {col})"))
        };
        let notes =
            [found(unsorted, "not in ascending order: entry"), found(repeated, "duplicate entry")];
        for message in notes.into_iter().flatten() {
            self.note(Place::path(self.container.path()), message);
        }
        Ok(())
    }
}

/// Lists the members of a matrix of a version.
fn member_names(version: Version) -> Vec<String> {
    let mut names: Vec<String> =
        [version::TAG, IDXPTR, SHAPE, STORAGE_ORDER, "row_names", "col_names"]
            .into_iter()
            .chain([Axis::Rows, Axis::Cols].map(positions_of))
            .map(str::to_owned)
            .collect();
    let Version { packing, format_version, .. } = version;
    let packed = packing == Packing::Packed;
    add_member_names(&mut names, INDEX, packed, true, format_version);
    add_member_names(&mut names, VAL, version.packs_values(), false, format_version);
    names
}
