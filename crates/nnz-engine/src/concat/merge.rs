//! Reading matrices side by side: the same majors of all.

use std::ops::Range;

use nnz_core::{Batch, Error, Header, Projection, Result, Unit, Values};

use super::ConcatInput;
use crate::parts::Gathering;
use crate::stages::BATCH;

/// Maximum number of majors that are read together.
const WIDEST: u64 = 1 << 16;

/// The next step.
pub(super) enum MergeStep<'a> {
    /// Several majors, or one short major.
    Several(MergedUnit<'a>),
    /// One major with too many entries to hold: its entries are read matrix by matrix.
    Long(u64),
    End,
}

/// Divides majors into ranges with about as many entries as a batch.
pub(super) struct MajorRanges<'a> {
    inputs: &'a [ConcatInput],
    gathering: Gathering,
    majors: Range<u64>,
    fields: Projection,
    /// The number of majors to try next.
    width: u64,
    /// The number of entries before the next major, in all matrices.
    before: Option<u64>,
}

impl<'a> MajorRanges<'a> {
    pub(super) fn new(
        inputs: &'a [ConcatInput],
        header: &Header,
        majors: Range<u64>,
        fields: Projection,
    ) -> Self {
        let gathering = Gathering::new(header.order, header.shape, header.value_type);
        Self { inputs, gathering, majors, fields, width: 256, before: None }
    }

    fn before(&self, major: u64) -> Result<Option<u64>> {
        let mut sum = 0_u64;
        for input in self.inputs {
            let before = input.source.stored_before(major);
            let before = before.map_err(|error| error.with_context(&input.place))?;
            let Some(more) = before.and_then(|before| sum.checked_add(before)) else {
                return Ok(None);
            };
            sum = more;
        }
        Ok(Some(sum))
    }

    pub(super) fn next(&mut self) -> Result<MergeStep<'a>> {
        if self.majors.is_empty() {
            return Ok(MergeStep::End);
        }
        let start = self.majors.start;
        let before = match self.before {
            Some(before) => Some(before),
            None => self.before(start)?,
        };
        loop {
            self.width = self.width.clamp(1, self.majors.end - start);
            let end = start + self.width;
            let up_to = self.before(end)?;
            let count = up_to.zip(before).and_then(|(up_to, before)| up_to.checked_sub(before));
            let fits = count.is_some_and(|count| count <= BATCH as u64);
            if !fits && self.width > 1 {
                self.width /= 2;
                continue;
            }
            self.majors.start = end;
            self.before = up_to;
            if !fits {
                return Ok(MergeStep::Long(start));
            }
            if count.is_some_and(|count| count < BATCH as u64 / 2) {
                self.width = (self.width * 2).min(WIDEST);
            }
            // Also without entries: the pointers between these two are checked where they are read.
            return Ok(MergeStep::Several(MergedUnit {
                inputs: self.inputs,
                gathering: self.gathering,
                majors: start..end,
                fields: self.fields,
            }));
        }
    }
}

/// The same majors of all matrices, merged by any thread.
pub(super) struct MergedUnit<'a> {
    inputs: &'a [ConcatInput],
    gathering: Gathering,
    majors: Range<u64>,
    fields: Projection,
}

/// The batch of one matrix, and the position in it.
struct BatchCursor {
    batches: Vec<Batch>,
    batch: usize,
    run: usize,
}

impl BatchCursor {
    /// Returns the next non-empty run.
    fn next(&mut self) -> Option<(&Batch, usize)> {
        while let Some(batch) = self.batches.get(self.batch) {
            if self.run < batch.runs() {
                if !batch.run(self.run).is_empty() {
                    break;
                }
                self.run += 1;
            } else {
                self.batch += 1;
                self.run = 0;
            }
        }
        self.batches.get(self.batch).map(|batch| (batch, self.run))
    }
}

impl Unit for MergedUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let mut all = Vec::with_capacity(self.inputs.len());
        for input in self.inputs {
            let within = |error: Error| error.with_context(&input.place);
            let mut batches = Vec::new();
            let mut reader =
                input.source.batches(self.majors.clone(), self.fields).map_err(within)?;
            let mut read = Batch::new(batch.order, Values::default());
            while reader.next_batch(&mut read).map_err(within)? {
                input.steps.apply(&mut read)?;
                if read.entries() > 0 {
                    let fresh = Batch::new(batch.order, Values::default());
                    batches.push(std::mem::replace(&mut read, fresh));
                }
            }
            if !batches.is_empty() {
                all.push(BatchCursor { batches, batch: 0, run: 0 });
            }
        }
        let order = self.inputs.first().map_or(batch.order, |input| input.source.header().order);
        self.gathering.start(order, batch, 0);
        let major_of = |read: &mut BatchCursor| read.next().map(|(from, run)| from.majors.get(run));
        while let Some(major) = all.iter_mut().filter_map(major_of).min() {
            for read in &mut all {
                while let Some((from, run)) = read.next()
                    && from.majors.get(run) == major
                {
                    self.gathering.push_run(batch, from, run)?;
                    read.run += 1;
                }
            }
        }
        Ok(())
    }
}
