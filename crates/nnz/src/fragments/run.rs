//! Taking fragments to where they are written, on many threads.

use nnz_core::{FragmentBatch, Result, Unit, UnitReader};

use super::target::{Encoder, Output, Ready};
use crate::Progress;
use crate::flow::{self, Join, Work, Write};

/// What is done with a piece on any thread: what becomes of it is written.
pub(super) type Change<'a, B> = &'a (dyn Fn(&mut B) -> Result<Vec<FragmentBatch>> + Sync);

/// Takes all pieces to an output. Returns the number of fragments written.
pub(super) fn run<'a, B: Default>(
    units: Box<dyn UnitReader<'a, B> + 'a>,
    change: Change<'_, B>,
    output: &mut Output,
    progress: &dyn Progress,
    threads: usize,
) -> Result<u64> {
    let taking = Taking { change, encoder: output.encoder() };
    let mut counted = Counted { fragments: 0, progress };
    flow::run(units, &taking, &mut counted, &mut Appended(output), threads)?;
    Ok(counted.fragments)
}

struct Taking<'a, B> {
    change: Change<'a, B>,
    encoder: Encoder,
}

struct Counted<'a> {
    fragments: u64,
    progress: &'a dyn Progress,
}

struct Appended<'a>(&'a mut Output);

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
        self.encoder.encode(batches)
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
        self.0.write(ready)
    }
}

/// Returns a batch as it is.
pub(super) fn unchanged(batch: &mut FragmentBatch) -> Result<Vec<FragmentBatch>> {
    Ok(vec![std::mem::take(batch)])
}
