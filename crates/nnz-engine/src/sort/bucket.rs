//! Sorting the entries of a bucket.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{Batch, Majors, Order, Result, Unit, UnitReader, Values};

use super::SortPlan;
use super::cut::Cut;
use super::packet::{Entries, PackBuffers, Packet, UnstoredPacket, scatter};
use super::shares::Shares;
use super::store::Store;
use crate::stages::BATCH;

/// Packets of one division, and buffers to unpack them.
struct Packets {
    cut: Cut,
    packets: Vec<Packet>,
    store: Arc<Store>,
    /// Empty, of the type of the values.
    values: Values,
    order: Order,
    /// Whether minors need 64 bits in batches.
    wide: bool,
    /// To be reused: memory that is new for each bucket costs more than sorting.
    buffers: Mutex<Vec<Buffers>>,
}

/// The buffers of a thread.
#[derive(Default)]
struct Buffers {
    entries: Entries,
    scratch: [Vec<u32>; 2],
    places: Vec<u32>,
}

impl Packets {
    fn count(&self, bucket: usize) -> usize {
        self.packets.iter().map(|packet| packet.count(bucket)).sum()
    }

    /// Unpacks the entries of adjacent buckets, in their original order.
    fn unpack(&self, buckets: &Range<usize>, buffers: &mut Buffers) -> Result<()> {
        let Buffers { entries, scratch, .. } = buffers;
        entries.clear();
        entries.reserve(buckets.clone().map(|bucket| self.count(bucket)).sum());
        for packet in &self.packets {
            packet.unpack(buckets.clone(), &self.cut, scratch, entries)?;
        }
        Ok(())
    }
}

/// Yields buckets in order, each as a unit; small ones together, large ones divided again.
pub(super) struct Buckets {
    packets: Arc<Packets>,
    next: usize,
    /// Maximum number of entries of a unit.
    most: usize,
    /// The parts of a bucket that was divided again, which come first.
    inner: Option<Box<Buckets>>,
}

impl Buckets {
    pub(super) fn new(
        plan: SortPlan<'_>,
        shares: Shares,
        cut: Cut,
        packets: Vec<Packet>,
        store: Arc<Store>,
        values: Values,
    ) -> Self {
        let wide = plan.shape.minor(plan.order) > 1 << 32;
        let (order, buffers) = (plan.order, Mutex::default());
        let packets = Packets { cut, packets, store, values, order, wide, buffers };
        Self { packets: Arc::new(packets), next: 0, most: shares.bucket, inner: None }
    }

    /// Divides a bucket that is too large into smaller ones; `None` if it is a single element.
    fn cut_again(&self, bucket: usize, count: usize) -> Result<Option<Self>> {
        let outer = &self.packets;
        let [majors, minors] = outer.cut.covers(bucket);
        if majors.end - majors.start <= 1 && minors.end - minors.start <= 1 {
            return Ok(None);
        }
        let cut = Cut::of_ranges(majors, minors, Some(count as u64 * 64));
        let mut packets = Vec::new();
        let mut scratch = [Vec::new(), Vec::new()];
        let mut buffers = PackBuffers::default();
        let mut entries = Entries { values: outer.values.clone(), ..Entries::default() };
        for (position, packet) in (1..).zip(&outer.packets) {
            packet.unpack(bucket..bucket + 1, &outer.cut, &mut scratch, &mut entries)?;
            let full = entries.len() >= self.most || position == outer.packets.len();
            if full && entries.len() > 0 {
                let loose = UnstoredPacket::new(&entries, &cut, &mut buffers)?;
                packets.push(loose.keep(&outer.store)?);
                entries = Entries { values: outer.values.clone(), ..Entries::default() };
            }
        }
        let packets = Packets {
            cut,
            packets,
            store: Arc::clone(&outer.store),
            values: outer.values.clone(),
            order: outer.order,
            wide: outer.wide,
            buffers: Mutex::default(),
        };
        Ok(Some(Self { packets: Arc::new(packets), next: 0, most: self.most, inner: None }))
    }
}

impl<'a> UnitReader<'a> for Buckets {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        if let Some(inner) = &mut self.inner {
            if let Some(unit) = inner.next_unit()? {
                return Ok(Some(unit));
            }
            self.inner = None;
        }
        let all = self.packets.cut.buckets();
        while self.next < all {
            let start = self.next;
            let mut count = self.packets.count(start);
            self.next += 1;
            if count > self.most
                && let Some(inner) = self.cut_again(start, count)?
            {
                self.inner = Some(Box::new(inner));
                return self.next_unit();
            }
            while self.next < all && self.packets.cut.by_major() && count < BATCH {
                let more = self.packets.count(self.next);
                if count + more > self.most {
                    break;
                }
                count += more;
                self.next += 1;
            }
            if count > 0 {
                let packets = Arc::clone(&self.packets);
                return Ok(Some(Box::new(Bucket { packets, buckets: start..self.next })));
            }
        }
        Ok(None)
    }
}

/// Adjacent buckets, to be sorted by any thread.
struct Bucket {
    packets: Arc<Packets>,
    buckets: Range<usize>,
}

impl Unit for Bucket {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let pool = || self.packets.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = pool().pop();
        let mut buffers = unused.unwrap_or_else(|| Buffers {
            entries: Entries { values: self.packets.values.clone(), ..Entries::default() },
            ..Buffers::default()
        });
        self.packets.unpack(&self.buckets, &mut buffers)?;
        self.sort(&mut buffers, batch);
        pool().push(buffers);
        Ok(())
    }
}

impl Bucket {
    fn sort(&self, buffers: &mut Buffers, batch: &mut Batch) {
        let Buffers { entries, places, .. } = buffers;
        let [first, _] = self.packets.cut.covers(self.buckets.start);
        let [last, _] = self.packets.cut.covers(self.buckets.end - 1);
        let majors = first.start..last.end;
        batch.order = self.packets.order;

        // If there are about as many majors as entries, counting is the fastest way to sort.
        let width = majors.end - majors.start;
        let counts = usize::try_from(width).ok().filter(|width| *width <= 4 * entries.len() + 1024);
        places.clear();
        let arrangement = match counts {
            Some(width) => {
                batch.majors = Majors::Consecutive(majors.start);
                by_counting(entries, majors.start, width, &mut batch.offsets, places)
            }
            None => Arrangement::From(by_comparing(entries, batch)),
        };
        match arrangement {
            Arrangement::To => to(places, entries, self.packets.wide, batch),
            Arrangement::From(positions) => from(&positions, entries, self.packets.wide, batch),
        }
    }
}

/// New order of entries.
enum Arrangement {
    /// The target of each entry is in the list of places.
    To,
    /// The position of the entry for each target.
    From(Vec<u32>),
}

/// Moves each entry to its place.
fn to(places: &[u32], entries: &Entries, wide: bool, batch: &mut Batch) {
    if wide {
        let minors = batch.minors.u64_mut();
        minors.resize(places.len(), 0);
        for (position, &place) in places.iter().enumerate() {
            minors[place as usize] = entries.minors.get(position);
        }
    } else {
        scatter(batch.minors.u32_buffer(), &entries.minors.low, places);
    }
    batch.values.scatter(&entries.values, places);
}

/// Takes the entries at positions.
fn from(positions: &[u32], entries: &Entries, wide: bool, batch: &mut Batch) {
    if wide {
        let minors = batch.minors.u64_mut();
        minors.extend(positions.iter().map(|&p| entries.minors.get(p as usize)));
    } else {
        let minors = batch.minors.u32_mut();
        minors.extend(positions.iter().map(|&p| entries.minors.low[p as usize]));
    }
    batch.values.gather(&entries.values, positions);
}

/// Sorts by counting the entries of each major.
fn by_counting(
    entries: &Entries,
    first: u64,
    width: usize,
    ends: &mut Vec<usize>,
    places: &mut Vec<u32>,
) -> Arrangement {
    match (entries.majors.narrow(), entries.minors.narrow(), u32::try_from(first)) {
        (Some(majors), Some(minors), Ok(first)) => counted(
            majors.iter().map(|&major| (major - first) as usize),
            minors.iter().copied(),
            width,
            ends,
            places,
        ),
        _ => {
            let run = |entry| usize::try_from(entries.majors.get(entry) - first);
            counted(
                (0..entries.len()).map(|entry| run(entry).unwrap_or(usize::MAX)),
                (0..entries.len()).map(|entry| entries.minors.get(entry)),
                width,
                ends,
                places,
            )
        }
    }
}

/// Does so for the run and the minor of each entry.
fn counted<M: Copy + Ord + Default>(
    runs: impl ExactSizeIterator<Item = usize> + Clone,
    minors: impl Iterator<Item = M> + Clone,
    width: usize,
    ends: &mut Vec<usize>,
    places: &mut Vec<u32>,
) -> Arrangement {
    ends.clear();
    ends.resize(width + 1, 0);
    runs.clone().for_each(|run| ends[run + 1] += 1);
    for run in 0..width {
        ends[run + 1] += ends[run];
    }
    // Buckets have fewer than 2^32 entries.
    let start = |&end: &usize| (u32::try_from(end).unwrap_or(u32::MAX), M::default());
    let mut next: Vec<(u32, M)> = ends.iter().map(start).collect();
    places.reserve(runs.len());
    let mut sorted = true;
    for (run, minor) in runs.zip(minors.clone()) {
        let (place, last) = &mut next[run];
        // Minors usually ascend, as they are the majors of the source.
        sorted &= minor >= *last;
        *last = minor;
        places.push(*place);
        *place += 1;
    }
    if sorted {
        return Arrangement::To;
    }
    let mut positions = vec![0_u32; places.len()];
    for (position, &place) in (0..).zip(&*places) {
        positions[place as usize] = position;
    }
    let minors: Vec<M> = minors.collect();
    for run in 0..width {
        let run = &mut positions[ends[run]..ends[run + 1]];
        run.sort_by_key(|&position| minors[position as usize]);
    }
    Arrangement::From(positions)
}

/// Sorts by comparing positions, for sparse buckets.
fn by_comparing(entries: &Entries, batch: &mut Batch) -> Vec<u32> {
    let mut positions: Vec<u32> = (0..).take(entries.len()).collect();
    let place = |position: u32| {
        (entries.majors.get(position as usize), entries.minors.get(position as usize))
    };
    positions.sort_by_key(|&position| place(position));
    let majors = batch.majors.listed_mut();
    batch.offsets.clear();
    batch.offsets.push(0);
    for (count, &position) in (1..).zip(&positions) {
        let (major, _) = place(position);
        if majors.last() != Some(&major) {
            majors.push(major);
            batch.offsets.push(count);
        } else if let Some(end) = batch.offsets.last_mut() {
            *end = count;
        }
    }
    positions
}
