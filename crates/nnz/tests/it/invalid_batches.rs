//! Sources of other programs whose batches contradict their header: an error, never a broken file or a panic.

use std::ops::Range;

use nnz::matrix::{BatchReader, BatchUnits, Majors, Minors, UnitReader};
use nnz::{
    Batch, Context, ConvertOptions, Header, MatrixSource, Order, Projection, Result, Shape,
    StatsOptions, ValueType, Values, engine,
};

/// A source with one batch.
struct Invalid(Header, Batch);

impl MatrixSource for Invalid {
    fn header(&self) -> &Header {
        &self.0
    }

    fn random_access(&self) -> bool {
        false
    }

    fn units(&self, _: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
        let empty = Batch::new(self.0.order, Values::new(self.0.value_type));
        Ok(Box::new(BatchUnits::new(Box::new(Once(Some(self.1.clone()))), empty)))
    }
}

struct Once(Option<Batch>);

impl BatchReader for Once {
    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let next = self.0.take();
        let more = next.is_some();
        next.into_iter().for_each(|next| *batch = next);
        Ok(more)
    }
}

/// Sources of 3 rows and 4 columns with an invalid batch of 2 entries.
fn sources() -> Vec<(&'static str, Invalid)> {
    let valid = Batch {
        order: Order::Row,
        majors: Majors::Consecutive(0),
        offsets: vec![0, 1, 1, 2],
        minors: Minors::U32(vec![1, 3]),
        values: Values::F64(vec![1.5, 2.5]),
    };
    let header = Header::new(Shape { rows: 3, cols: 4 }, Order::Row, ValueType::F64);
    let changed = |change: fn(&mut Batch)| {
        let mut batch = valid.clone();
        change(&mut batch);
        Invalid(header.clone(), batch)
    };
    vec![
        ("column", changed(|batch| batch.minors = Minors::U32(vec![1, 4]))),
        ("wide column", changed(|batch| batch.minors = Minors::U64(vec![1, u64::MAX]))),
        ("row", changed(|batch| batch.majors = Majors::Consecutive(1))),
        ("listed row", changed(|batch| batch.majors = Majors::Listed(vec![0, 1, 9]))),
        ("span", changed(|batch| batch.minors = Minors::Spans(vec![1, 0, 4]))),
        ("last row", changed(|batch| batch.majors = Majors::Consecutive(u64::MAX))),
        (
            "span past the end",
            changed(|batch| {
                batch.offsets = vec![0, 2, 2, 2];
                batch.minors = Minors::Spans(vec![u64::MAX, 0, 0]);
            }),
        ),
        ("fewer minors", changed(|batch| batch.minors = Minors::U32(vec![1]))),
        ("fewer values", changed(|batch| batch.values = Values::F64(vec![1.5]))),
        ("type", changed(|batch| batch.values = Values::U32(vec![1, 2]))),
        ("offsets", changed(|batch| batch.offsets = vec![0, 2, 1, 2])),
        ("no offsets", changed(|batch| batch.offsets = Vec::new())),
    ]
}

#[test]
fn batches_that_contradict_their_header_are_refused_by_every_target() {
    let folder = tempfile::tempdir().unwrap();
    let context = Context::default();
    for target in [
        "m.h5ad",
        "m.zarr",
        "m.loom",
        "m.bpcells",
        "m.mtx",
        "m.npz",
        "m.npy",
        "m.bsp.h5",
        "m.dbdf",
        "m.mat",
        "m.csv",
        "m.rds",
    ] {
        for (case, source) in sources() {
            if (target, case) == ("m.mat", "type") {
                // Numbers of any type are written as doubles.
                continue;
            }
            let path = folder.path().join(target);
            let options = ConvertOptions::default().sync(false);
            let done = nnz::convert_source(&source, &path, &options, &context);
            assert!(done.is_err(), "{target}: {case}");
            assert!(!path.exists(), "{target}: {case}");
        }
    }
}

#[test]
fn batches_that_contradict_their_header_are_faults() {
    let context = Context::default();
    for (case, source) in sources() {
        assert!(engine::check(&source, &context, &mut |_| {}).is_err(), "{case}");
        let whole = StatsOptions::default();
        for options in [whole.clone(), whole.clone().rows(true), whole.cols(true)] {
            // Without measures of columns, they are not looked at.
            let _ = engine::stats(&source, &options, &context);
        }
    }
}
