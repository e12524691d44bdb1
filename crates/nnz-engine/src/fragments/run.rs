//! Writing fragments on many threads.

use nnz_storage::TaskContext;
use std::sync::Arc;

use nnz_core::{Encoded, FragmentBatch, FragmentEncoder, FragmentSink, Result, Unit, UnitReader};

use crate::Progress;
use crate::flow::{self, Join, Work, Workers, Write};

/// The change of a unit, on any thread. Its result is written.
pub(super) type Change<'a, B> = &'a (dyn Fn(&mut B) -> Result<Vec<FragmentBatch>> + Sync);

/// Writes all units to a sink. Returns the number of fragments.
pub(super) fn run<'a, B: Default>(
    units: Box<dyn UnitReader<'a, B> + 'a>,
    change: Change<'_, B>,
    sink: &mut dyn FragmentSink,
    context: &TaskContext,
) -> Result<u64> {
    let work = WriteWork { change, encoder: sink.encoder() };
    let mut count = FragmentCount { fragments: 0, progress: context.progress() };
    flow::run(units, &work, &mut count, &mut FragmentWriter(sink), Workers::of(context))?;
    Ok(count.fragments)
}

/// The parallel part: changes and encodes units.
struct WriteWork<'a, B> {
    change: Change<'a, B>,
    encoder: Option<Arc<dyn FragmentEncoder>>,
}

/// The number of fragments so far.
struct FragmentCount<'a> {
    fragments: u64,
    progress: &'a dyn Progress,
}

struct FragmentWriter<'a>(&'a mut dyn FragmentSink);

/// Batches ready to be written.
enum FragmentInput {
    Encoded(Encoded),
    Batches(Vec<FragmentBatch>),
}

impl<B: Default> Work for WriteWork<'_, B> {
    type Batch = B;
    type Decoded = Vec<FragmentBatch>;
    type Encoded = FragmentInput;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit<B> + '_>>) -> Result<(Self::Decoded, Vec<u64>)> {
        let mut batches = Vec::new();
        for unit in units {
            let mut batch = B::default();
            unit.decode(&mut batch)?;
            batches.append(&mut (self.change)(&mut batch)?);
        }
        Ok((batches, Vec::new()))
    }

    fn encode(&self, batches: Vec<FragmentBatch>, (): ()) -> Result<FragmentInput> {
        match &self.encoder {
            Some(encoder) => encoder.encode(&batches).map(FragmentInput::Encoded),
            None => Ok(FragmentInput::Batches(batches)),
        }
    }
}

impl<B: Default> Join<WriteWork<'_, B>> for FragmentCount<'_> {
    fn join(&mut self, batches: &Vec<FragmentBatch>) -> Result<Option<()>> {
        let fragments = batches.iter().map(|batch| batch.starts.len() as u64).sum();
        self.fragments += fragments;
        self.progress.advance(fragments);
        Ok(Some(()))
    }
}

impl<B: Default> Write<WriteWork<'_, B>> for FragmentWriter<'_> {
    fn write(&mut self, ready: FragmentInput) -> Result<()> {
        match ready {
            FragmentInput::Encoded(encoded) => self.0.write_encoded(encoded),
            FragmentInput::Batches(batches) => {
                batches.iter().try_for_each(|batch| self.0.write(batch))
            }
        }
    }
}

/// Returns a batch unchanged.
pub(super) fn unchanged(batch: &mut FragmentBatch) -> Result<Vec<FragmentBatch>> {
    Ok(vec![std::mem::take(batch)])
}
