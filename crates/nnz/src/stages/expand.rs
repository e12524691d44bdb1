//! Entries that follow from others: the other triangle of a symmetric matrix.

use nnz_core::{
    At, Batch, Error, ErrorKind, Header, Place, Result, Rounding, Scalar, Storage, Structure,
    Triangle, ValueType, Values,
};

use super::{Builder, Step, emptied};

/// Says what to do with a structured matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirroring {
    /// Add the entries that follow.
    Expand,
    /// Bring entries on the wrong side of the diagonal to the right one.
    Fold,
}

/// Mirrors entries across the diagonal, as the structure of the matrix says.
struct Mirror {
    structure: Structure,
    mirroring: Mirroring,
    /// Whether zeros are cells like any other, so that none becomes a negative one.
    dense: bool,
    /// Whether what follows from one value that all entries share is another.
    differs: bool,
    builder: Builder,
}

/// Makes the steps that mirror the entries of a matrix: none where there is nothing to mirror.
pub(crate) fn mirror(header: &Header, mirroring: Mirroring) -> Vec<Box<dyn Step>> {
    let structure = header.structure;
    if structure == Structure::General {
        return Vec::new();
    }
    let builder = Builder::new(header.order, header.shape);
    let dense = header.storage == Storage::Dense;
    let differs = !stays_shared(header);
    vec![Box::new(Mirror { structure, mirroring, dense, differs, builder })]
}

/// Returns whether one value that all entries share is that of those that follow from them, too.
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

/// Makes the error that the type does not have the value across the diagonal from one.
fn unfit(structure: Structure, value: Scalar, row: u64, col: u64) -> Error {
    let wider = [ValueType::I64, ValueType::F64]
        .into_iter()
        .find_map(|wide| structure.across(false, value.cast(wide, Rounding::Refused).ok()?));
    // What no type holds at all is told by the value it follows from.
    let (found, row, col) = wider.map_or((value, row, col), |across| (across, col, row));
    let kind = ErrorKind::Inexact { found, target: value.value_type(), holds: None };
    Error::new(kind, Place::default().at(At::Entry { row, col }))
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
                let Some(across) = self.structure.across(self.dense, value) else {
                    return Err(unfit(self.structure, value, row, col));
                };
                self.builder.push(spare, minor, major);
                if !spare.values.push(across) && self.differs {
                    let place = Place::default().at(At::Entry { row, col });
                    let found = "an entry on the other side of the diagonal than it should be";
                    return Err(Error::mismatch(place, found, "the one value that all share"));
                }
            }
            Ok(())
        })?;
        std::mem::swap(batch, spare);
        Ok(())
    }
}
