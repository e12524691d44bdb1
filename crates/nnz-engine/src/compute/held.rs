//! The entries of a matrix that is read several times, in memory.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use nnz_core::{
    Batch, Header, MatrixSource, Projection, Result, Unit, UnitReader, Values, Wrapped,
};
use nnz_storage::TaskContext;

use super::entries::pass;
use super::packed::PackedBatch;
use crate::Observed;
use crate::flow::{Join, Work, Workers, Write};
use crate::stages::expanded_type;

/// A matrix whose entries are in memory, bit-packed. All of them are read from there; parts are read from the matrix.
struct Held<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    batches: Vec<PackedBatch>,
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("batches", &self.batches.len()).finish_non_exhaustive()
    }
}

/// The part of the memory that entries may take.
const PART: u64 = 2;

/// Keeps the entries of a matrix in memory for several passes, if they take at most half of the memory of the context;
/// otherwise it is returned as it is. Indices, and values that are whole numbers, are bit-packed.
///
/// ```
/// use nnz_core::{MatrixSource, Order, Shape};
/// use nnz_engine::compute::{keep, multiply};
/// use nnz_engine::{CsMatrix, TaskContext};
///
/// let shape = Shape { rows: 1, cols: 3 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 2], vec![1_u32, 3])?;
/// let context = TaskContext::default();
/// let kept = keep(matrix.into_source()?, &context)?;
/// assert_eq!(multiply(&*kept, &[1.0, 1.0, 1.0], 1, &context)?, [4.0]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if it cannot be read or is broken, and if cancelled.
pub fn keep<'a>(
    source: Box<dyn MatrixSource + 'a>,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let found = packed(&*source, context.memory() / PART, context);
    let found = found
        .map_err(|error| crate::convert::locate(error, &*source).with_context(&source.place()))?;
    Ok(match found {
        Some(batches) => Box::new(Held { inner: source, batches }),
        None => source,
    })
}

/// Keeps the entries of a matrix as [`keep`]. `what` is the name of this pass. Values that are computed are computed again in each
/// pass, from entries that take less memory.
pub(super) fn hold<'a>(
    source: &'a dyn MatrixSource,
    what: &str,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let mut copy = |inner: Box<dyn MatrixSource + 'a>| -> Result<Box<dyn MatrixSource + 'a>> {
        let observed = Observed::new(&*inner, what, context.progress());
        let found = packed(&observed, context.memory() / PART, context)?;
        Ok(match found {
            Some(batches) => Box::new(Held { inner, batches }),
            None => inner,
        })
    };
    match source.over_copy(None, &mut copy)? {
        Some(computed) => Ok(computed),
        None => copy(Box::new(source)),
    }
}

/// Reads and packs the entries; `None` if they take more than `most` bytes.
fn packed(
    source: &dyn MatrixSource,
    most: u64,
    context: &TaskContext,
) -> Result<Option<Vec<PackedBatch>>> {
    let reading = Reading { most, header: source.header(), bytes: AtomicU64::new(0) };
    let mut batches = Batches(Vec::new());
    pass(source, &reading, &mut WhileFits, &mut batches, Workers::of(context))?;
    let fits = reading.bytes.into_inner() <= most;
    Ok(fits.then_some(batches.0))
}

/// Packs batches.
struct Reading<'a> {
    most: u64,
    header: &'a Header,
    /// The bytes of all batches so far.
    bytes: AtomicU64,
}

impl Work for Reading<'_> {
    type Batch = Batch;
    /// The batch, unless there is no room for it.
    type Decoded = Option<PackedBatch>;
    type Encoded = Option<PackedBatch>;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Option<PackedBatch>, Vec<u64>)> {
        let mut batch = Batch::new(self.header.order, Values::new(expanded_type(self.header)));
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        let packed = PackedBatch::new(&batch);
        let bytes = packed.bytes();
        let before = self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= self.most;
        Ok((fits.then_some(packed), stored))
    }

    fn encode(&self, batch: Option<PackedBatch>, (): ()) -> Result<Option<PackedBatch>> {
        Ok(batch)
    }
}

/// Stops when there is no room.
struct WhileFits;

impl Join<Reading<'_>> for WhileFits {
    fn join(&mut self, batch: &Option<PackedBatch>) -> Result<Option<()>> {
        Ok(batch.as_ref().map(|_| ()))
    }
}

struct Batches(Vec<PackedBatch>);

impl Write<Reading<'_>> for Batches {
    fn write(&mut self, batch: Option<PackedBatch>) -> Result<()> {
        self.0.extend(batch);
        Ok(())
    }
}

impl MatrixSource for Held<'_> {
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
        let header = self.header();
        match majors == (0..header.shape.major(header.order)) {
            true => Ok(Box::new(HeldUnits { batches: self.batches.iter() })),
            false => self.inner.units(majors, fields),
        }
    }
}

struct HeldUnits<'a> {
    batches: std::slice::Iter<'a, PackedBatch>,
}

impl<'a> UnitReader<'a> for HeldUnits<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        Ok(self.batches.next().map(|batch| Box::new(HeldUnit { batch }) as Box<dyn Unit + 'a>))
    }
}

struct HeldUnit<'a> {
    batch: &'a PackedBatch,
}

impl Unit for HeldUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        self.batch.unpack(batch)
    }
}
