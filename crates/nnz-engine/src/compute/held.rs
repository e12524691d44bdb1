//! The entries of a matrix that is read several times, in memory.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz_core::{
    Batch, Header, MatrixSource, Minors, Projection, Result, Unit, UnitReader, Values, Wrapped,
};
use nnz_storage::TaskContext;

use super::entries::pass;
use crate::flow::{Join, Work, Workers, Write};
use crate::stages::expanded_type;

/// A matrix whose decoded entries are in memory. All of them are read from there; parts are read from the matrix.
pub(super) struct Held<'a> {
    inner: &'a dyn MatrixSource,
    batches: Vec<Batch>,
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("batches", &self.batches.len()).finish_non_exhaustive()
    }
}

impl<'a> Held<'a> {
    /// `batches` are what [`read`](Self::read) returned for this matrix.
    pub(super) fn new(inner: &'a dyn MatrixSource, batches: Vec<Batch>) -> Self {
        Self { inner, batches }
    }

    /// Reads the entries; `None` if they take more than `most` bytes.
    pub(super) fn read(
        inner: &dyn MatrixSource,
        most: u64,
        context: &TaskContext,
    ) -> Result<Option<Vec<Batch>>> {
        let reading = Reading { most, header: inner.header(), bytes: AtomicU64::new(0) };
        let mut batches = Batches(Vec::new());
        pass(inner, &reading, &mut WhileFits, &mut batches, Workers::of(context))?;
        let fits = reading.bytes.into_inner() <= most;
        Ok(fits.then_some(batches.0))
    }
}

/// Copies decoded batches into memory of their size.
struct Reading<'a> {
    most: u64,
    header: &'a Header,
    /// The bytes of all batches so far.
    bytes: AtomicU64,
}

impl Reading<'_> {
    fn empty(&self) -> Batch {
        Batch::new(self.header.order, Values::new(expanded_type(self.header)))
    }
}

impl Work for Reading<'_> {
    type Batch = Batch;
    /// The batch, unless there is no room for it.
    type Decoded = Option<Batch>;
    type Encoded = Batch;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Option<Batch>, Vec<u64>)> {
        let mut batch = self.empty();
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        let bytes = bytes_of(&batch);
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= self.most;
        // A copy has no room for more.
        Ok((fits.then(|| batch.clone()), stored))
    }

    fn encode(&self, batch: Option<Batch>, (): ()) -> Result<Batch> {
        // Without room, nothing is encoded.
        Ok(batch.unwrap_or_else(|| self.empty()))
    }
}

/// Stops when there is no room.
struct WhileFits;

impl Join<Reading<'_>> for WhileFits {
    fn join(&mut self, batch: &Option<Batch>) -> Result<Option<()>> {
        Ok(batch.as_ref().map(|_| ()))
    }
}

struct Batches(Vec<Batch>);

impl Write<Reading<'_>> for Batches {
    fn write(&mut self, batch: Batch) -> Result<()> {
        self.0.push(batch);
        Ok(())
    }
}

fn bytes_of(batch: &Batch) -> u64 {
    let entries = batch.entries() as u64;
    let minor = match &batch.minors {
        Minors::U32(_) => 4,
        Minors::U64(_) => 8,
        Minors::Spans(_) => 0,
    };
    let value = match &batch.values {
        Values::Iso(_) => 0,
        values => values.value_type().size() as u64,
    };
    // An offset, and perhaps a number, for each run.
    entries * (minor + value) + batch.runs() as u64 * 24
}

impl MatrixSource for Held<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::OtherEntries(self.inner)
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
        let header = self.header();
        match majors == (0..header.shape.major(header.order)) {
            true => Ok(Box::new(HeldUnits { batches: self.batches.iter() })),
            false => self.inner.units(majors, fields),
        }
    }
}

struct HeldUnits<'a> {
    batches: std::slice::Iter<'a, Batch>,
}

impl<'a> UnitReader<'a> for HeldUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        Ok(self.batches.next().map(|batch| Box::new(HeldUnit { batch }) as Box<dyn Unit + 'a>))
    }
}

struct HeldUnit<'a> {
    batch: &'a Batch,
}

impl Unit for HeldUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        batch.clone_from(self.batch);
        Ok(())
    }
}
