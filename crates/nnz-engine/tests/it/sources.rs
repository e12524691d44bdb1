//! Sources for tests.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz_core::{Header, MatrixSource, Order, Projection, Result, Shape, Unit, UnitReader, Wrapped};
use nnz_engine::{Cancellation, CsMatrix};

/// Creates a matrix of 1000 rows with an entry in every other of 2000 columns.
pub(crate) fn matrix() -> CsMatrix {
    let shape = Shape { rows: 1000, cols: 2000 };
    let indptr: Vec<u64> = (0..=1000).map(|row| row * 1000).collect();
    let indices: Vec<u32> = (0..1000).flat_map(|_| (0..1000).map(|col| 2 * col)).collect();
    let values: Vec<u32> = (0..1_000_000).map(|entry| entry % 91 + 1).collect();
    CsMatrix::from_parts(shape, Order::Row, indptr, indices, values).unwrap()
}

/// A source that cancels after a number of units.
pub(crate) struct Cancelling {
    inner: Box<dyn MatrixSource>,
    cancellation: Cancellation,
    left: AtomicU64,
}

impl Cancelling {
    pub(crate) fn new(cancellation: &Cancellation, units: u64) -> Self {
        let inner = matrix().into_source().unwrap();
        Self { inner, cancellation: cancellation.clone(), left: AtomicU64::new(units) }
    }

    fn reached(&self) {
        let one_less = |left: u64| Some(left.saturating_sub(1));
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        if left == Ok(1) {
            self.cancellation.cancel();
        }
    }
}

impl MatrixSource for Cancelling {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        Ok(Box::new(Units { source: self, units: self.inner.units(majors, fields)? }))
    }
}

struct Units<'a> {
    source: &'a Cancelling,
    units: Box<dyn UnitReader<'a> + 'a>,
}

impl<'a> UnitReader<'a> for Units<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        self.source.reached();
        self.units.next_unit()
    }

    fn on_decoded(&mut self, entries: u64) -> Result<()> {
        self.units.on_decoded(entries)
    }

    fn end(&mut self) -> Result<()> {
        self.units.end()
    }
}
