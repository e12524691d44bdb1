//! Sorting any number of entries in bounded memory, on all cores.
//!
//! First pass: entries are divided into buckets by their major, in *packets* of up to a quarter of a million, which fit
//! in the cache, and bit-packed. Packets are kept in memory, and in an unnamed file when that is used up; for it, several
//! are made one, so that fewer and larger pieces are read. Second
//! pass: each bucket is unpacked from all packets in sequence, so that entries keep their order,
//! and sorted. A bucket that does not fit into memory is divided again.

mod block;
mod bucket;
mod cut;
mod packet;
mod shares;
mod store;

use nnz_storage::TaskContext;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nnz_core::{
    Batch, Bint8, MatrixSource, Order, Projection, Result, Scalar, Shape, Unit, UnitReader,
    ValueType, Values,
};

use crate::flow::{Join, Work, Workers, Write, run};
use crate::stages::{Step, Units, apply, emptied};
use bucket::Buckets;
use cut::Cut;
use packet::{Entries, PackBuffers, Packet, UnstoredPacket};
use shares::Shares;
pub(crate) use shares::sorting_workers;
pub(crate) use store::{Store, StoredWords};

/// Minimum bytes of a stored entry, for checking the free disk space.
const LEAST: u64 = 2;

/// Returns the expected number of entries of a source: the stated one, limited by the size of the
/// file.
///
/// The maximum ratio of deflate is 1032, and an entry of a text takes four bytes.
fn expected(source: &dyn MatrixSource) -> Option<u64> {
    const PER_BYTE: u64 = 1032 / 4;
    let bytes = source.about().ok()?.bytes?;
    source.header().nnz.map(|claim| claim.min(bytes.saturating_mul(PER_BYTE)))
}

/// Options of sorting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortPlan<'a> {
    /// The order to sort by.
    pub(crate) order: Order,
    pub(crate) shape: Shape,
    /// The type of values after the steps; `None` if they are not needed.
    pub(crate) value_type: Option<ValueType>,
    /// The expected number of entries; see [`expected`].
    pub(crate) expected: Option<u64>,
    /// Memory in bytes.
    pub(crate) memory: u64,
    /// The directory of the temporary file.
    pub(crate) directory: &'a Path,
    /// Is called with the bytes of the temporary file.
    pub(crate) disk: Option<&'a Arc<AtomicU64>>,
    pub(crate) workers: Workers<'a>,
}

impl<'a> SortPlan<'a> {
    /// Options for sorting the entries of a source as they are stored.
    pub(crate) fn of(
        source: &dyn MatrixSource,
        order: Order,
        memory: u64,
        directory: &'a Path,
        workers: Workers<'a>,
    ) -> Self {
        let header = source.header();
        let (shape, value_type) = (header.shape, Some(header.value_type));
        let (expected, disk) = (expected(source), None);
        Self { order, shape, value_type, expected, memory, directory, disk, workers }
    }

    /// Creates a buffer for values; if they are not needed, all entries share one.
    fn no_values(&self) -> Values {
        let unwanted = Values::Iso(Scalar::Bint8(Bint8(1)));
        self.value_type.map_or(unwanted, Values::new)
    }
}

/// Sorts the entries of a source out of core, and returns units of them and their number. The sort is stable.
///
/// ```
/// use nnz_core::{MatrixSource, Order, Shape};
/// use nnz_engine::{CsMatrix, TaskContext, sorted_units};
///
/// let shape = Shape { rows: 2, cols: 1 };
/// let matrix = CsMatrix::from_parts(shape, Order::Col, vec![0, 1], vec![1_u32], vec![2.0])?;
/// let source = matrix.into_source()?;
/// let (context, directory) = (TaskContext::default(), std::env::temp_dir());
/// let (_, count) = sorted_units(&*source, Order::Row, &directory, &context)?;
/// assert_eq!(count, 1);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the source cannot be read, if the disk is full, and if cancelled.
pub fn sorted_units(
    source: &dyn MatrixSource,
    order: Order,
    directory: &Path,
    context: &TaskContext,
) -> Result<(Box<dyn UnitReader<'static>>, u64)> {
    sorted_units_after(source, &[], order, directory, context)
}

/// Sorts the entries of a source after steps, as [`sorted_units`].
pub(crate) fn sorted_units_after(
    source: &dyn MatrixSource,
    steps: &[Box<dyn Step>],
    order: Order,
    directory: &Path,
    context: &TaskContext,
) -> Result<(Box<dyn UnitReader<'static>>, u64)> {
    let header = source.header();
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let disk = Arc::<AtomicU64>::default();
    let plan = SortPlan {
        disk: Some(&disk),
        ..SortPlan::of(source, order, context.memory(), directory, Workers::of(context))
    };
    context.progress().begin("sorting", header.nnz);
    let done = sorted(units, steps, plan, &|entries| {
        context.progress().advance(entries);
        context.progress().disk(disk.load(Ordering::Relaxed));
    });
    context.progress().end();
    done
}

/// Reads all units and returns their entries sorted, with their number. The sort is stable. `read`
/// is called with the number of entries read.
pub(crate) fn sorted<'a>(
    units: Units<'_>,
    steps: &[Box<dyn Step>],
    plan: SortPlan<'_>,
    read: &(dyn Fn(u64) + Sync),
) -> Result<(Units<'a>, u64)> {
    let shares = Shares::of(&plan);
    let cut = Cut::of_shape(plan.shape, plan.order, plan.expected, shares.packet);
    let store = Store::new(plan.directory, plan.memory / 2).reporting(plan.disk.cloned());
    let store = Arc::new(store);
    if let Some(expected) = plan.expected {
        store.check_space(expected.saturating_mul(LEAST))?;
    }
    let collecting =
        PackWork { plan, shares, cut: &cut, steps, store: &store, buffers: Mutex::default() };
    let mut counted = EntryCount { entries: 0, values: plan.no_values(), read };
    let mut packets = Packets(Vec::new());
    let workers = Workers { threads: shares.threads, ..plan.workers };
    run(units, &collecting, &mut counted, &mut packets, workers)?;
    drop(collecting);
    let EntryCount { entries, values, .. } = counted;
    let buckets = Buckets::new(plan, shares, cut, packets.0, store, values);
    Ok((Box::new(buckets), entries))
}

/// Makes packets of units.
struct PackWork<'a> {
    plan: SortPlan<'a>,
    shares: Shares,
    cut: &'a Cut,
    steps: &'a [Box<dyn Step>],
    store: &'a Store,
    /// Buffers of packets, to be reused.
    buffers: Mutex<Vec<Buffers>>,
}

/// The buffers of a packet.
struct Buffers {
    entries: Entries,
    packing: PackBuffers,
    batches: [Batch; 2],
}

impl Buffers {
    fn new(order: Order) -> Self {
        let batch = || Batch::new(order, Values::default());
        let (entries, packing) = Default::default();
        Self { entries, packing, batches: [batch(), batch()] }
    }
}

/// Packets of consecutive units.
struct UnitPackets {
    packets: Vec<Packet>,
    /// Those to be merged and stored.
    loose: Vec<UnstoredPacket>,
    entries: u64,
    /// Empty, of the type of the values.
    values: Values,
}

/// The packets so far.
struct Packets(Vec<Packet>);

/// The number of entries so far.
struct EntryCount<'a> {
    entries: u64,
    /// Empty, of the type of the values.
    values: Values,
    read: &'a (dyn Fn(u64) + Sync),
}

impl PackWork<'_> {
    fn buffers(&self) -> MutexGuard<'_, Vec<Buffers>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Packs and keeps the entries of a buffer, and empties it.
    fn pack(&self, buffers: &mut Buffers, packed: &mut UnitPackets) -> Result<()> {
        let Buffers { entries, packing, .. } = buffers;
        if matches!(entries.values, Values::Iso(_)) {
            packed.values = emptied(&entries.values);
        }
        packed.entries += entries.len() as u64;
        packed.loose.push(UnstoredPacket::new(entries, self.cut, packing)?);
        entries.clear();
        if packed.loose.len() >= self.shares.merged {
            return self.store(packed);
        }
        Ok(())
    }

    /// Stores packets. Any thread stores its own, so that none wait in memory for others.
    fn store(&self, packed: &mut UnitPackets) -> Result<()> {
        if let Some(merged) = UnstoredPacket::merge(&mut packed.loose)? {
            packed.packets.push(merged.keep(self.store)?);
        }
        Ok(())
    }

    /// Packs the entries of units.
    fn pack_units(
        &self,
        units: Vec<Box<dyn Unit + '_>>,
        buffers: &mut Buffers,
    ) -> Result<(UnitPackets, Vec<u64>)> {
        let (plan, most) = (&self.plan, self.shares.packet);
        buffers.entries.clear();
        if buffers.entries.values.value_type() != plan.no_values().value_type() {
            buffers.entries.values = plan.no_values();
        }
        let (packets, loose) = (Vec::new(), Vec::new());
        let mut packed = UnitPackets { packets, loose, entries: 0, values: plan.no_values() };
        let mut stored = Vec::with_capacity(units.len());
        for unit in units {
            let [batch, spare] = &mut buffers.batches;
            batch.order = plan.order;
            unit.decode(batch)?;
            batch.check_lengths(Projection { minors: true, values: plan.value_type.is_some() })?;
            stored.push(batch.entries() as u64);
            apply(self.steps, batch, spare)?;
            let mut run = 0;
            while run < buffers.batches[0].runs() {
                let (batch, with_values) = (&buffers.batches[0], plan.value_type.is_some());
                run =
                    buffers.entries.push(batch, run, most, plan.order, plan.shape, with_values)?;
                if buffers.entries.len() >= most {
                    self.pack(buffers, &mut packed)?;
                }
            }
        }
        if buffers.entries.len() > 0 {
            self.pack(buffers, &mut packed)?;
        }
        self.store(&mut packed)?;
        Ok((packed, stored))
    }
}

impl Work for PackWork<'_> {
    type Batch = Batch;
    type Decoded = UnitPackets;
    type Encoded = Vec<Packet>;
    type Joint = ();

    fn together(&self) -> usize {
        self.shares.units
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(UnitPackets, Vec<u64>)> {
        let unused = self.buffers().pop();
        let mut buffers = unused.unwrap_or_else(|| Buffers::new(self.plan.order));
        let packed = self.pack_units(units, &mut buffers)?;
        self.buffers().push(buffers);
        Ok(packed)
    }

    fn encode(&self, packed: UnitPackets, (): ()) -> Result<Vec<Packet>> {
        Ok(packed.packets)
    }
}

impl Join<PackWork<'_>> for EntryCount<'_> {
    fn join(&mut self, packed: &UnitPackets) -> Result<Option<()>> {
        if matches!(packed.values, Values::Iso(_)) {
            self.values = emptied(&packed.values);
        }
        self.entries += packed.entries;
        (self.read)(packed.entries);
        Ok(Some(()))
    }
}

impl Write<PackWork<'_>> for Packets {
    fn write(&mut self, packets: Vec<Packet>) -> Result<()> {
        self.0.extend(packets);
        Ok(())
    }
}
