//! Finding out whether one triangle of a matrix follows from the other.

use crate::flow::Workers;
use nnz_core::{
    Error, Header, MatrixSource, Order, Result, Scalar, Shape, Storage, Structure, Triangle,
    ValueType,
};
use nnz_storage::TaskContext;

use super::{locate, plan};
use crate::MatrixTarget;
use crate::entry_reader::{Entry, EntryReader, read_in_storage_order, read_sorted};
use crate::sort::SortPlan;
use crate::stages::{Builder, Step, TrianglePart, Triangular, drop_unstored};

/// Which triangles of a symmetric matrix are written, if the target supports structures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StructurePolicy {
    /// Those that the source stores. The default.
    #[default]
    Keep,
    /// Both triangles.
    General,
    /// The lower triangle, also if the source stores both and they mirror each other: each stored
    /// entry has a counterpart across the diagonal with exactly the value that follows from it.
    Auto,
}

/// The structure of a matrix that stores both triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct DetectedStructure {
    pub(super) structure: Structure,
    /// The number of entries on and below the diagonal, without zeros of a dense source.
    pub(super) stored: u64,
}

/// Possible structures; the first that fits is used.
const CANDIDATES: [Structure; 3] = [
    Structure::Symmetric(Triangle::Lower),
    Structure::Hermitian(Triangle::Lower),
    Structure::SkewSymmetric(Triangle::Lower),
];

/// Returns whether a structure is possible for a type of values.
pub(super) fn suits(structure: Structure, value_type: ValueType) -> bool {
    use ValueType::{Bint8, U8, U16, U32, U64};
    match structure {
        Structure::General | Structure::Symmetric(_) => true,
        Structure::Hermitian(_) => value_type.is_complex(),
        Structure::SkewSymmetric(_) => !matches!(value_type, Bint8 | U8 | U16 | U32 | U64),
    }
}

/// Finds a structure in bounded memory: entries above the diagonal are sorted out of core.
pub(super) fn find(
    source: &dyn MatrixSource,
    target: &dyn MatrixTarget,
    context: &TaskContext,
) -> Result<Option<DetectedStructure>> {
    let header = source.header();
    let Shape { rows, cols } = header.shape;
    if header.structure != Structure::General || rows != cols {
        return Ok(None);
    }
    if !source.rereadable() {
        let what = "finding a structure needs two passes, but this source can be read only once";
        return Err(Error::argument(what));
    }
    let (order, directory) = (header.order, context.spill_directory(&target.directory(context)));
    let seen = header.clone().fill(plan::fill(header, &target.capabilities()));
    let [lower, upper] =
        [TrianglePart::Lower, TrianglePart::UpperExchanged].map(|part| steps(&seen, part));
    let plan = SortPlan::of(source, order, context.memory() / 2, &directory, Workers::of(context));
    // In storage order if that is sorted, otherwise sorted.
    for as_they_come in [true, false] {
        if as_they_come && !header.sorted_majors {
            continue;
        }
        let below = if as_they_come {
            read_in_storage_order(source, &lower)?
        } else {
            read_sorted(source, &lower, plan)?
        };
        let above = read_sorted(source, &upper, plan)?;
        let mut comparison = TriangleComparison {
            below: EntryReader::new(below, order, source, Workers::of(context)),
            above: EntryReader::new(above, order, source, Workers::of(context)),
            possible: CANDIDATES.to_vec(),
            dense: target.capabilities().dense,
            stored: 0,
        };
        comparison.possible.retain(|&structure| suits(structure, header.value_type));
        if seen.fill.is_some() {
            comparison.possible.truncate(1);
        }
        let ended = comparison.compare().map_err(|error| locate(error, source))?;
        if ended {
            let structure = comparison.possible.first();
            return Ok(structure
                .map(|&structure| DetectedStructure { structure, stored: comparison.stored }));
        }
    }
    Ok(None)
}

fn steps(header: &Header, part: TrianglePart) -> Vec<Box<dyn Step>> {
    let builder = Builder::new(header.order, header.shape);
    let mut steps: Vec<Box<dyn Step>> = vec![Box::new(Triangular { part, builder })];
    if header.storage == Storage::Dense {
        let order = match (part, header.order) {
            (TrianglePart::Lower, order) => order,
            (TrianglePart::UpperExchanged, Order::Row) => Order::Col,
            (TrianglePart::UpperExchanged, Order::Col) => Order::Row,
        };
        steps.extend(drop_unstored(&header.clone().order(order)));
    }
    steps
}

/// The two triangles, side by side.
struct TriangleComparison<'a> {
    below: EntryReader<'a>,
    above: EntryReader<'a>,
    /// The structures that fit all entries so far.
    possible: Vec<Structure>,
    /// Whether the target stores all elements of its triangle, which decides on counterparts of zeros.
    dense: bool,
    stored: u64,
}

impl TriangleComparison<'_> {
    /// Compares the triangles until no structure is possible; `false` if entries are not in order.
    fn compare(&mut self) -> Result<bool> {
        let mut last = None;
        while let Some((place, value)) = self.below.next()? {
            if last > Some(place) {
                return Ok(false);
            }
            // Duplicate entries would have to mirror duplicates, which may be in another order.
            let repeated = last == Some(place);
            last = Some(place);
            self.stored += 1;
            let across = if place.0 == place.1 { None } else { self.above.next()? };
            let dense = self.dense;
            self.possible.retain(|&s| !repeated && follows(s, dense, (place, value), across));
            if self.possible.is_empty() {
                return Ok(true);
            }
        }
        if self.above.next()?.is_some() {
            self.possible.clear();
        }
        Ok(true)
    }
}

/// Returns whether an entry and its counterpart fit a structure.
fn follows(
    structure: Structure,
    dense: bool,
    (place, value): Entry,
    across: Option<Entry>,
) -> bool {
    if place.0 == place.1 {
        return match (structure, value) {
            (Structure::SkewSymmetric(_), _) => false,
            (Structure::Hermitian(_), Scalar::ComplexF32([_, im])) => im == 0.0,
            (Structure::Hermitian(_), Scalar::ComplexF64([_, im])) => im == 0.0,
            _ => true,
        };
    }
    let wanted = structure.mirrored(dense, value);
    matches!((across, wanted), (Some((there, found)), Some(wanted))
        if there == place && identical(found, wanted))
}

/// Returns whether two values of a type are equal bit by bit.
fn identical(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => a.to_bits() == b.to_bits(),
        (Scalar::F64(a), Scalar::F64(b)) => a.to_bits() == b.to_bits(),
        (Scalar::ComplexF32(a), Scalar::ComplexF32(b)) => {
            a.map(f32::to_bits) == b.map(f32::to_bits)
        }
        (Scalar::ComplexF64(a), Scalar::ComplexF64(b)) => {
            a.map(f64::to_bits) == b.map(f64::to_bits)
        }
        (a, b) => a == b,
    }
}
