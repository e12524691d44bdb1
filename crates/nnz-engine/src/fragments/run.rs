//! Writing fragments on many threads.

use nnz_storage::TaskContext;
use std::sync::Arc;

use nnz_core::{Encoded, FragmentBatch, FragmentEncoder, FragmentSink, Result, Unit, UnitReader};

use crate::Progress;
use crate::flow::{self, Join, Work, Workers, Write};

/// The step on a piece, on any thread. Its result is written.
pub(super) type Change<'a, B> = &'a (dyn Fn(&mut B) -> Result<Vec<FragmentBatch>> + Sync);

/// Writes all pieces to a sink. Returns the number of fragments.
pub(super) fn run<'a, B: Default>(
    units: Box<dyn UnitReader<'a, B> + 'a>,
    change: Change<'_, B>,
    sink: &mut dyn FragmentSink,
    context: &TaskContext,
) -> Result<u64> {
    let taking = Taking { change, encoder: sink.encoder() };
    let mut counted = Counted { fragments: 0, progress: context.progress() };
    flow::run(units, &taking, &mut counted, &mut Appended(sink), Workers::of(context))?;
    Ok(counted.fragments)
}

struct Taking<'a, B> {
    change: Change<'a, B>,
    encoder: Option<Arc<dyn FragmentEncoder>>,
}

struct Counted<'a> {
    fragments: u64,
    progress: &'a dyn Progress,
}

struct Appended<'a>(&'a mut dyn FragmentSink);

/// Batches ready to be written.
enum Ready {
    Encoded(Encoded),
    Batches(Vec<FragmentBatch>),
}

impl<B: Default> Work for Taking<'_, B> {
    type Batch = B;
    type BatchUnits = Vec<FragmentBatch>;
    type Encoded = Ready;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit<B> + '_>>) -> Result<(Self::BatchUnits, Vec<u64>)> {
        let mut batches = Vec::new();
        for unit in units {
            let mut batch = B::default();
            unit.decode(&mut batch)?;
            batches.append(&mut (self.change)(&mut batch)?);
        }
        Ok((batches, Vec::new()))
    }

    fn encode(&self, batches: Vec<FragmentBatch>, (): ()) -> Result<Ready> {
        match &self.encoder {
            Some(encoder) => encoder.encode(&batches).map(Ready::Encoded),
            None => Ok(Ready::Batches(batches)),
        }
    }
}

impl<B: Default> Join<Taking<'_, B>> for Counted<'_> {
    fn join(&mut self, batches: &Vec<FragmentBatch>) -> Result<Option<()>> {
        let fragments = batches.iter().map(|batch| batch.starts.len() as u64).sum();
        self.fragments += fragments;
        self.progress.advance(fragments);
        Ok(Some(()))
    }
}

impl<B: Default> Write<Taking<'_, B>> for Appended<'_> {
    fn write(&mut self, ready: Ready) -> Result<()> {
        match ready {
            Ready::Encoded(encoded) => self.0.write_encoded(encoded),
            Ready::Batches(batches) => batches.iter().try_for_each(|batch| self.0.write(batch)),
        }
    }
}

/// Returns a batch unchanged.
pub(super) fn unchanged(batch: &mut FragmentBatch) -> Result<Vec<FragmentBatch>> {
    Ok(vec![std::mem::take(batch)])
}
