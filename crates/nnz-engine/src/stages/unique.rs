//! Duplicate entries.

use nnz_core::{
    At, Batch, BatchReader, Bint8, Error, ErrorKind, Order, Place, Result, Scalar, Values,
};

use super::{Batches, Builder, emptied};

/// Handling of duplicate entries: several entries of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DuplicatePolicy {
    /// Refuse them. The default.
    #[default]
    Refuse,
    /// Store their sum; for a pattern, their number.
    Sum,
    /// Keep all, in their order.
    Keep,
}

/// Sums duplicate entries of a sorted reader.
pub(crate) struct Unique<'a> {
    inner: Batches<'a>,
    builder: Builder,
    /// The last entry, to which the next may be added.
    held: Option<(u64, u64, Scalar)>,
    sorted: Batch,
}

impl<'a> Unique<'a> {
    pub(crate) fn new(inner: Batches<'a>, order: Order, builder: Builder) -> Self {
        let sorted = Batch::new(order, Values::default());
        Self { inner, builder, held: None, sorted }
    }

    /// Moves all summed entries but the last into `batch`.
    fn add(&mut self, batch: &mut Batch) -> Result<()> {
        let order = self.sorted.order;
        self.builder.start(order, batch);
        batch.values = emptied(&self.sorted.values);
        let (sorted, held, builder) = (&self.sorted, &mut self.held, self.builder);
        sorted.try_for_each(|entry, major, minor| {
            let Some(value) = sorted.values.get(entry) else {
                return Ok(());
            };
            match held.take() {
                Some((m, n, so_far)) if (m, n) == (major, minor) => {
                    // A shared value is unchanged.
                    let total = match sorted.values {
                        Values::Iso(_) => so_far,
                        _ => add_duplicate(so_far, value, || {
                            let (row, col) = order.row_col(major, minor);
                            Place::default().at(At::Entry { row, col })
                        })?,
                    };
                    *held = Some((major, minor, total));
                }
                before => {
                    if let Some((m, n, value)) = before {
                        builder.push(batch, m, n);
                        batch.values.push(value);
                    }
                    *held = Some((major, minor, value));
                }
            }
            Ok(())
        })
    }
}

impl BatchReader for Unique<'_> {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        if self.inner.next_batch(&mut self.sorted)? {
            return self.add(batch).map(|()| true);
        }
        // One more batch for the entry that was held back, if any.
        let Some((major, minor, value)) = self.held.take() else { return Ok(false) };
        self.builder.start(self.sorted.order, batch);
        batch.values = emptied(&self.sorted.values);
        self.builder.push(batch, major, minor);
        batch.values.push(value);
        Ok(true)
    }
}

/// Adds two entries of the same position.
///
/// # Errors
///
/// Fails at `place` if their type does not hold the sum.
pub(crate) fn add_duplicate(a: Scalar, b: Scalar, place: impl FnOnce() -> Place) -> Result<Scalar> {
    sum(a, b).ok_or_else(|| {
        let kind = ErrorKind::Mismatch {
            found: "duplicate entries whose sum does not fit".to_owned(),
            expected: format!("a sum within the range of {}", b.value_type()),
        };
        Error::new(kind, place())
    })
}

/// Adds two values of a type; `None` if the sum does not fit.
fn sum(a: Scalar, b: Scalar) -> Option<Scalar> {
    Some(match (a, b) {
        (Scalar::U8(a), Scalar::U8(b)) => Scalar::U8(a.checked_add(b)?),
        (Scalar::U16(a), Scalar::U16(b)) => Scalar::U16(a.checked_add(b)?),
        (Scalar::U32(a), Scalar::U32(b)) => Scalar::U32(a.checked_add(b)?),
        (Scalar::U64(a), Scalar::U64(b)) => Scalar::U64(a.checked_add(b)?),
        (Scalar::I8(a), Scalar::I8(b)) => Scalar::I8(a.checked_add(b)?),
        (Scalar::I16(a), Scalar::I16(b)) => Scalar::I16(a.checked_add(b)?),
        (Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(a.checked_add(b)?),
        (Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.checked_add(b)?),
        (Scalar::Bint8(a), Scalar::Bint8(b)) => Scalar::Bint8(Bint8(a.0 | b.0)),
        (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(a + b),
        (Scalar::F64(a), Scalar::F64(b)) => Scalar::F64(a + b),
        (Scalar::ComplexF32(a), Scalar::ComplexF32(b)) => {
            Scalar::ComplexF32([a[0] + b[0], a[1] + b[1]])
        }
        (Scalar::ComplexF64(a), Scalar::ComplexF64(b)) => {
            Scalar::ComplexF64([a[0] + b[0], a[1] + b[1]])
        }
        _ => return None,
    })
}
