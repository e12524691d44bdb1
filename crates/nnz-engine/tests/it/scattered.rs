//! Slices of a source that reads many short ranges together are the same as slices of any other source.

use nnz_storage::TaskContext;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nnz_core::{
    Batch, Header, MatrixSource, Minors, Order, Projection, Result, Shape, Unit, UnitReader,
    Values, Wrapped,
};
use nnz_engine::{CsMatrix, ReadOptions, Selection, Slice, Transposed, read};

/// A source with units of several ranges, of which it counts the ranges.
struct Together(Arc<dyn MatrixSource>, Arc<AtomicUsize>);

struct Ranges {
    source: Arc<dyn MatrixSource>,
    majors: Vec<Range<u64>>,
    fields: Projection,
}

impl Unit for Ranges {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let header = self.source.header();
        let mut part = Batch::new(header.order, Values::new(header.value_type));
        let (mut minors, mut values) = (Vec::new(), Values::new(header.value_type));
        let (mut majors, mut offsets) = (Vec::new(), vec![0]);
        for range in self.majors {
            let mut batches = self.source.batches(range, self.fields)?;
            while batches.next_batch(&mut part)? {
                for run in 0..part.runs() {
                    majors.push(part.majors.get(run));
                    minors.extend(
                        part.run(run).map(|entry| u32::try_from(part.minor(run, entry)).unwrap()),
                    );
                    assert!(values.extend_from(&part.values, part.run(run)));
                    offsets.push(minors.len());
                }
            }
        }
        batch.order = header.order;
        *batch.majors.listed_mut() = majors;
        (batch.offsets, batch.minors, batch.values) = (offsets, Minors::U32(minors), values);
        Ok(())
    }
}

impl MatrixSource for Together {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.0)
    }

    fn header(&self) -> &Header {
        self.0.header()
    }

    fn random_access(&self) -> bool {
        self.0.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.0.units(majors, fields)
    }

    fn scattered(
        &self,
        majors: &[Range<u64>],
        most: u64,
        fields: Projection,
    ) -> Option<Box<dyn Unit + '_>> {
        let before = |major| self.0.stored_before(major).unwrap().unwrap();
        let stored: u64 = majors.iter().map(|range| before(range.end) - before(range.start)).sum();
        assert_eq!(most, stored);
        self.1.fetch_add(majors.len(), Ordering::Relaxed);
        let (source, majors) = (Arc::clone(&self.0), majors.to_vec());
        Some(Box::new(Ranges { source, majors, fields }))
    }
}

/// A matrix of 500 columns with 0 to 99 entries each.
fn matrix() -> CsMatrix {
    let (mut pointers, mut minors) = (vec![0_u64], Vec::new());
    for col in 0..500_u32 {
        let count = col * 37 % 100;
        minors.extend((0..count).map(|entry| entry * 10 + col % 10));
        pointers.push(minors.len() as u64);
    }
    let count = u32::try_from(minors.len()).unwrap();
    let values: Vec<f64> = (0..count).map(|entry| f64::from(entry) + 0.5).collect();
    let shape = Shape { rows: 1000, cols: 500 };
    CsMatrix::from_parts(shape, Order::Col, pointers, minors, values).unwrap()
}

/// Every `step`th position from `start` on, as ranges of one or two, from the end to the start if `backwards`.
fn spread(start: u64, step: usize, len: u64, backwards: bool) -> Selection {
    let mut ranges: Vec<_> =
        (start..len - 1).step_by(step).map(|at| at..at + 1 + at % 2 * (at % 3 % 2)).collect();
    if backwards {
        ranges.reverse();
    }
    Selection::ranges(ranges)
}

#[test]
fn slices_are_the_same() {
    let plain: Arc<dyn MatrixSource> = matrix().into_source().unwrap().into();
    for transposed in [false, true] {
        for (step, backwards) in [(2, false), (3, true), (7, false), (50, true)] {
            for minors in [Selection::all(), spread(1, 2, 1000, false), spread(0, 5, 1000, true)] {
                for threads in [1, 3] {
                    let ranges = Arc::new(AtomicUsize::new(0));
                    let sources: [Box<dyn MatrixSource>; 2] = [
                        matrix().into_source().unwrap(),
                        Box::new(Together(Arc::clone(&plain), Arc::clone(&ranges))),
                    ];
                    let majors = spread(3, step, 500, backwards);
                    let [expected, found] = sources.map(|source| {
                        let (rows, cols) = (&minors, &majors);
                        let slice = match transposed {
                            true => Slice::new(Box::new(Transposed::new(source)), cols, rows),
                            false => Slice::new(source, rows, cols),
                        };
                        let context = TaskContext::default().with_threads(threads);
                        let options = ReadOptions::default();
                        read(&slice.unwrap(), &options, &context).unwrap()
                    });
                    assert!(ranges.load(Ordering::Relaxed) > 5);
                    assert_eq!(found.indptr(), expected.indptr());
                    assert_eq!(found.indices(), expected.indices());
                    assert_eq!(found.values(), expected.values());
                }
            }
        }
    }
}
