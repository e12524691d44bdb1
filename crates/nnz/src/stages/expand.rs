//! Entries that follow from others: the other triangle of a symmetric matrix.

use nnz_core::{
    At, Batch, BatchReader, Error, ErrorKind, Order, Place, Result, Scalar, Shape, Structure,
    Triangle, ValueType,
};

use super::{Batches, Builder, emptied, empty_batch};

/// Says what to do with a structured matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mirroring {
    /// Add the entries that follow.
    Expand,
    /// Bring entries on the wrong side of the diagonal to the right one.
    Fold,
}

/// Mirrors entries across the diagonal, as the structure of the matrix says.
pub(crate) struct Mirror<'a> {
    inner: Batches<'a>,
    structure: Structure,
    mirroring: Mirroring,
    builder: Builder,
    stored: Batch,
}

impl<'a> Mirror<'a> {
    pub(crate) fn new(
        inner: Batches<'a>,
        structure: Structure,
        mirroring: Mirroring,
        order: Order,
        shape: Shape,
        value_type: ValueType,
    ) -> Self {
        Self {
            inner,
            structure,
            mirroring,
            builder: Builder::new(order, shape),
            stored: empty_batch(order, value_type),
        }
    }

    /// Returns the value across the diagonal from `value`.
    fn mirrored(&self, value: Scalar) -> Option<Scalar> {
        match self.structure {
            Structure::General | Structure::Symmetric(_) => Some(value),
            Structure::SkewSymmetric(_) => negated(value),
            Structure::Hermitian(_) => Some(match value {
                Scalar::ComplexF32([re, im]) => Scalar::ComplexF32([re, -im]),
                Scalar::ComplexF64([re, im]) => Scalar::ComplexF64([re, -im]),
                real => real,
            }),
        }
    }

    fn wrong_side(&self, row: u64, col: u64) -> bool {
        match self.structure.triangle() {
            Some(Triangle::Lower) => row < col,
            Some(Triangle::Upper) => row > col,
            None => false,
        }
    }
}

/// Turns the sign, or returns `None` where the type has no such value.
fn negated(value: Scalar) -> Option<Scalar> {
    Some(match value {
        Scalar::I8(v) => Scalar::I8(v.checked_neg()?),
        Scalar::I16(v) => Scalar::I16(v.checked_neg()?),
        Scalar::I32(v) => Scalar::I32(v.checked_neg()?),
        Scalar::I64(v) => Scalar::I64(v.checked_neg()?),
        Scalar::U8(v) => Scalar::U8(v.checked_neg()?),
        Scalar::U16(v) => Scalar::U16(v.checked_neg()?),
        Scalar::U32(v) => Scalar::U32(v.checked_neg()?),
        Scalar::U64(v) => Scalar::U64(v.checked_neg()?),
        Scalar::Bint8(_) => return None,
        Scalar::F32(v) => Scalar::F32(-v),
        Scalar::F64(v) => Scalar::F64(-v),
        Scalar::ComplexF32([re, im]) => Scalar::ComplexF32([-re, -im]),
        Scalar::ComplexF64([re, im]) => Scalar::ComplexF64([-re, -im]),
    })
}

impl BatchReader for Mirror<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.inner.next_batch(&mut self.stored)? {
            return Ok(false);
        }
        let stored = &self.stored;
        self.builder.start(stored.order, batch);
        batch.values = emptied(&stored.values);
        stored.try_for_each(|entry, major, minor| {
            let (row, col) = stored.order.row_col(major, minor);
            let Some(value) = stored.values.get(entry) else {
                return Ok(());
            };
            let across = || {
                self.mirrored(value).ok_or_else(|| {
                    let place = Place::default().at(At::Entry { row, col });
                    let target = value.value_type();
                    Error::new(ErrorKind::Inexact { found: value, target, holds: None }, place)
                })
            };
            let fold = self.mirroring == Mirroring::Fold && self.wrong_side(row, col);
            if !fold {
                self.builder.push(batch, major, minor);
                batch.values.push(value);
            }
            if row != col && (fold || self.mirroring == Mirroring::Expand) {
                let value = across()?;
                self.builder.push(batch, minor, major);
                batch.values.push(value);
            }
            Ok(())
        })?;
        Ok(true)
    }
}
