//! Entries that follow from others: the other triangle of a symmetric matrix.

use nnz_core::{
    At, Batch, Error, ErrorKind, Header, Place, Result, Rounding, Scalar, Storage, Structure,
    Triangle, ValueType, Values,
};

use super::{Builder, Cast, Step, emptied};

/// Processing of a structured matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirroring {
    /// Add the entries that follow.
    Expand,
    /// Move entries on the wrong side of the diagonal to the other.
    Fold,
}

/// Mirrors entries across the diagonal, according to the structure of the matrix.
struct Mirror {
    structure: Structure,
    mirroring: Mirroring,
    /// Whether zeros are not negated, so that none becomes negative.
    dense: bool,
    /// Whether the value that follows from a shared one is different.
    differs: bool,
    /// Types that support the value instead.
    possible: &'static [ValueType],
    builder: Builder,
}

/// Returns the steps that mirror the entries of a matrix; none if it has no structure.
pub(crate) fn mirror(header: &Header, mirroring: Mirroring) -> Vec<Box<dyn Step>> {
    mirror_for(header, mirroring, ValueType::ALL)
}

/// Returns the steps that mirror the entries of a matrix for a target with some types. The entries
/// may have been cast before.
pub(crate) fn mirror_for(
    header: &Header,
    mirroring: Mirroring,
    possible: &'static [ValueType],
) -> Vec<Box<dyn Step>> {
    let structure = header.structure;
    if structure == Structure::General {
        return Vec::new();
    }
    let builder = Builder::new(header.order, header.shape);
    // Integers have no negative zero, and casting them to floats gives none.
    let dense = header.storage == Storage::Dense || negates_integers(header);
    let differs = !stays_shared(header);
    vec![Box::new(Mirror { structure, mirroring, dense, differs, possible, builder })]
}

/// Returns the steps from stored entries to all entries of a matrix, and their type, which also
/// holds the negatives of integers if these follow.
pub(crate) fn expand(header: &Header) -> (Vec<Box<dyn Step>>, ValueType) {
    let target = expanded_type(header);
    let mut steps: Vec<Box<dyn Step>> = Vec::new();
    if target != header.value_type {
        let possible = ValueType::ALL;
        steps.push(Box::new(Cast { target, rounding: Rounding::Refused, possible }));
    }
    steps.extend(mirror(header, Mirroring::Expand));
    (steps, target)
}

/// Returns the type of all entries of a matrix.
pub(crate) fn expanded_type(header: &Header) -> ValueType {
    if negates_integers(header) { signed(header.value_type) } else { header.value_type }
}

/// Returns whether negatives of integers follow, which their type may not hold.
pub(crate) fn negates_integers(header: &Header) -> bool {
    matches!(header.structure, Structure::SkewSymmetric(_)) && header.value_type.is_integer()
}

/// Returns the next wider signed type, which holds all negatives, if there is one.
fn signed(value_type: ValueType) -> ValueType {
    match value_type {
        ValueType::Bint8 => ValueType::I8,
        ValueType::U8 | ValueType::I8 => ValueType::I16,
        ValueType::U16 | ValueType::I16 => ValueType::I32,
        ValueType::U32 | ValueType::I32 | ValueType::U64 => ValueType::I64,
        other => other,
    }
}

/// Returns whether a shared value is also the value of the entries that follow.
pub(crate) fn stays_shared(header: &Header) -> bool {
    match header.structure {
        Structure::General | Structure::Symmetric(_) => true,
        Structure::Hermitian(_) => !header.value_type.is_complex(),
        Structure::SkewSymmetric(_) => false,
    }
}

impl Mirror {
    fn wrong_side(&self, row: u64, col: u64) -> bool {
        match self.structure.triangle() {
            Some(Triangle::Lower) => row < col,
            Some(Triangle::Upper) => row > col,
            None => false,
        }
    }
}

impl Mirror {
    /// The error for a value whose counterpart the type does not hold.
    fn unfit(&self, value: Scalar, row: u64, col: u64) -> Error {
        let across = |wide| {
            let wide = value.cast(wide, Rounding::Refused).ok()?;
            self.structure.mirrored(false, wide)
        };
        // A value that no type holds is described by the value it follows from.
        let wider = [ValueType::I64, ValueType::F64].into_iter().find_map(across);
        let (found, row, col) = wider.map_or((value, row, col), |across| (across, col, row));
        let target = value.value_type();
        let wanted = [signed(target)].into_iter().filter(|t| self.possible.contains(t));
        let simple = self.possible.iter().rev().copied().filter(|t| !t.is_complex());
        let holds = wanted.chain(simple).find(|&t| across(t).is_some());
        let kind = ErrorKind::Inexact { found, target, holds };
        Error::new(kind, Place::default().at(At::Entry { row, col }))
    }
}

impl Step for Mirror {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        let stored = &*batch;
        self.builder.start(stored.order, spare);
        spare.values = match self.differs && self.mirroring == Mirroring::Expand {
            true => Values::new(stored.values.value_type()),
            false => emptied(&stored.values),
        };
        stored.try_for_each(|entry, major, minor| {
            let (row, col) = stored.order.row_col(major, minor);
            let Some(value) = stored.values.get(entry) else { return Ok(()) };
            let fold = self.mirroring == Mirroring::Fold && self.wrong_side(row, col);
            if !fold {
                self.builder.push(spare, major, minor);
                spare.values.push(value);
            }
            if row != col && (fold || self.mirroring == Mirroring::Expand) {
                let Some(across) = self.structure.mirrored(self.dense, value) else {
                    return Err(self.unfit(value, row, col));
                };
                self.builder.push(spare, minor, major);
                if !spare.values.push(across) && self.differs {
                    let place = Place::default().at(At::Entry { row, col });
                    let found = "an entry whose mirrored value differs";
                    return Err(Error::mismatch(place, found, "the shared value of all entries"));
                }
            }
            Ok(())
        })?;
        std::mem::swap(batch, spare);
        Ok(())
    }
}
