//! The entries of a matrix that is read several times, in memory or in a temporary file.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{
    Batch, Header, MatrixSource, Projection, Result, Unit, UnitReader, Values, Wrapped,
};
use nnz_storage::TaskContext;

use super::entries::pass;
use super::packed::PackedBatch;
use crate::Observed;
use crate::flow::{Join, Work, Workers, Write};
use crate::sort::Store;
use crate::stages::expanded_type;

/// A matrix whose entries are kept, bit-packed. All of them are read from there; parts are read from the matrix.
struct Held<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    batches: Vec<PackedBatch>,
}

impl std::fmt::Debug for Held<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("batches", &self.batches.len()).finish_non_exhaustive()
    }
}

/// Returns the bytes of entries in memory, besides results of `needed` bytes.
fn allowed(needed: u64, context: &TaskContext) -> u64 {
    (context.memory() / 2).min(context.memory().saturating_sub(needed))
}

/// Keeps the entries of a matrix for several passes: in memory while they take at most half of that of the context, and what is
/// more in a temporary file. Indices, and values that are whole numbers, are bit-packed. If the disk has no space, the matrix is
/// returned as it is.
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
    let found = packed(&*source, 0, context);
    let found = found
        .map_err(|error| crate::convert::locate(error, &*source).with_context(&source.place()))?;
    Ok(match found {
        Some(batches) => Box::new(Held { inner: source, batches }),
        None => source,
    })
}

/// Keeps the entries of a matrix as [`keep`], besides results of `needed` bytes. `what` is the name of this pass. Values that are computed are computed again in each
/// pass, from entries that take less memory.
pub(super) fn hold<'a>(
    source: &'a dyn MatrixSource,
    what: &str,
    needed: u64,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let mut copy = |inner: Box<dyn MatrixSource + 'a>| -> Result<Box<dyn MatrixSource + 'a>> {
        let observed = Observed::new(&*inner, what, context.progress());
        let found = packed(&observed, needed, context)?;
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

/// Reads and packs the entries; `None` if the disk has no space for them.
fn packed(
    source: &dyn MatrixSource,
    needed: u64,
    context: &TaskContext,
) -> Result<Option<Vec<PackedBatch>>> {
    let store = Store::new(&context.temporary_directory(), allowed(needed, context));
    let reading = Reading { store: &store, header: source.header(), is_full: false.into() };
    let mut batches = Batches(Vec::new());
    pass(source, &reading, &mut WhileFits, &mut batches, Workers::of(context))?;
    Ok((!reading.is_full.into_inner()).then_some(batches.0))
}

/// Packs batches.
struct Reading<'a> {
    store: &'a Store,
    header: &'a Header,
    /// Whether a batch could not be stored.
    is_full: AtomicBool,
}

impl Work for Reading<'_> {
    type Batch = Batch;
    /// The batch, unless it could not be stored.
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
        let packed = PackedBatch::new(&batch, self.store).ok();
        if packed.is_none() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        Ok((packed, stored))
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
