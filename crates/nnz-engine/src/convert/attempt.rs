//! One attempt at a conversion, with as little sorting as possible.

use nnz_storage::TaskContext;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nnz_core::{
    At, Axis, Batch, BatchEncoder, BatchUnits, Encoded, Error, ErrorKind, Extent, MatrixSink,
    MatrixSource, Place, Projection, Result, SequentialReader, Unit, ValueType, Values, Written,
};

use super::plan::Plan;
use crate::ascent::ASCENT;
use crate::flow::{Join, Work, Workers, Write, run};
use crate::sort::{SortPlan, sorted, sorting_workers};
use crate::stages::{
    Batches, Builder, Cast, DuplicatePolicy, Grouped, PatternValues, Step, Stepped, TrianglePart,
    Triangular, Unique, Units, apply, empty_batch, mirror_for,
};
use crate::{MatrixTarget, Progress};

/// Sorting that the entries need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// None: they are already sorted.
    InOrder,
    /// They are grouped by major, and each major is sorted.
    Grouped,
    /// All entries are sorted.
    Sorted,
}

impl Strategy {
    /// Lists possible strategies, fastest first. The last one always works.
    pub(super) fn from_fastest(source: &dyn MatrixSource, plan: &Plan<'_>) -> &'static [Self] {
        let header = source.header();
        let grouped = header.order == plan.order
            && header.sorted_majors
            && plan.mirroring.is_none()
            && plan.duplicates != DuplicatePolicy::Sum;
        let certain = header.sorted_indices == Some(true);
        if grouped && (certain || source.rereadable()) {
            &[Self::InOrder, Self::Grouped, Self::Sorted]
        } else {
            &[Self::Sorted]
        }
    }
}

/// Assumption about the order of entries.
#[derive(Clone, Copy)]
enum Assumption<'a> {
    /// Nothing: they have been sorted.
    None,
    /// That they are in order, which is checked during writing.
    InOrder,
    /// A property that the reader checks. If it does not hold, the reader ends early and sets this
    /// flag.
    Checked(&'a AtomicBool),
}

/// The source, the target and the plan of an attempt.
pub(super) struct Attempt<'a> {
    pub(super) source: &'a dyn MatrixSource,
    pub(super) plan: &'a Plan<'a>,
    pub(super) target: &'a dyn MatrixTarget,
    pub(super) context: &'a TaskContext,
    /// Bytes of sorted entries on disk.
    pub(super) disk: Arc<AtomicU64>,
}

impl Attempt<'_> {
    /// Converts, and returns the number of entries; `None` if the strategy does not suit them.
    pub(super) fn run(&self, strategy: Strategy) -> Result<Option<(u64, Written)>> {
        let (plan, header) = (self.plan, self.source.header());
        let builder = Builder::new(plan.order, plan.shape);
        let possible = plan.capabilities.value_types;
        let mut cast: Vec<Box<dyn Step>> = Vec::new();
        if plan.value_type != header.value_type {
            let target = plan.value_type;
            cast.push(Box::new(Cast { target, rounding: plan.rounding, possible }));
        }
        let mut first: Vec<Box<dyn Step>> = Vec::new();
        if plan.casts_first() {
            first.append(&mut cast);
        }
        if let Some(mirroring) = plan.mirroring {
            first.extend(mirror_for(header, mirroring, possible));
        }
        if plan.found.is_some() {
            let builder = Builder::new(header.order, header.shape);
            first.push(Box::new(Triangular { part: TrianglePart::Lower, builder }));
        }
        if plan.drop_zeros {
            // Entries are still in the order of the source.
            first.extend(plan.drop_unstored(header));
        }
        let mut stored = match plan.found {
            Some(found) => Some(found.stored),
            None => header.nnz.filter(|_| first.is_empty()),
        };
        let units = self.source.units(0..header.shape.major(header.order), Projection::ALL)?;
        let violated = AtomicBool::new(false);
        match strategy {
            Strategy::InOrder => {
                first.append(&mut cast);
                self.write(units, &first, stored, Assumption::InOrder, plan.workers)
            }
            Strategy::Grouped => {
                let stepped = Stepped::new(Box::new(SequentialReader(units)), &first, header.order);
                let grouped = Grouped::new(
                    Box::new(stepped),
                    plan.order,
                    builder,
                    header.value_type,
                    plan.memory,
                    &violated,
                );
                let assumption = Assumption::Checked(&violated);
                self.write(self.decoded(Box::new(grouped)), &cast, stored, assumption, plan.workers)
            }
            Strategy::Sorted => {
                let sum = plan.duplicates == DuplicatePolicy::Sum;
                let mut value_type = plan.value_type;
                if sum {
                    // Sums are cast, not their terms.
                    value_type = header.value_type;
                    if let Some(counted) = PatternValues::of_pattern(header) {
                        first.push(Box::new(PatternValues(counted)));
                        value_type = counted;
                    }
                } else {
                    first.append(&mut cast);
                }
                let (units, count) = self.sorted(units, &first, value_type)?;
                let workers = sorting_workers(plan.workers, plan.memory);
                stored = Some(count).filter(|_| !sum);
                if !sum {
                    return self.write(units, &[], stored, Assumption::None, workers);
                }
                let unique = Unique::new(Box::new(SequentialReader(units)), plan.order, builder);
                self.write(self.decoded(Box::new(unique)), &cast, stored, Assumption::None, workers)
            }
        }
    }

    fn decoded<'b>(&self, reader: Batches<'b>) -> Units<'b> {
        let empty = empty_batch(self.plan.order, self.source.header().value_type);
        Box::new(BatchUnits::new(reader, empty))
    }

    fn sorted<'b>(
        &self,
        units: Units<'_>,
        steps: &[Box<dyn Step>],
        value_type: ValueType,
    ) -> Result<(Units<'b>, u64)> {
        let (plan, header) = (self.plan, self.source.header());
        let directory = self.context.spill_directory(&self.target.directory(self.context));
        let sort = SortPlan {
            value_type: Some(value_type),
            disk: Some(&self.disk),
            ..SortPlan::of(self.source, plan.order, plan.memory, &directory, plan.workers)
        };
        self.context.progress().begin("sorting", header.nnz.filter(|_| plan.mirroring.is_none()));
        let sorted = sorted(units, steps, sort, &|entries| {
            self.context.progress().advance(entries);
            self.context.progress().disk(self.disk.load(Ordering::Relaxed));
        });
        self.context.progress().end();
        sorted
    }

    /// Writes the entries of units. If an assumption does not hold, nothing is written and `None`
    /// is returned.
    fn write(
        &self,
        units: Units<'_>,
        steps: &[Box<dyn Step>],
        stored: Option<u64>,
        assumption: Assumption<'_>,
        workers: Workers<'_>,
    ) -> Result<Option<(u64, Written)>> {
        let plan = self.plan;
        let at_target = |error: Error| error.with_context(&self.target.place());
        let header = plan.sink_header(stored);
        self.target.check_header(&header).map_err(at_target)?;
        // A few bytes of text can state a shape that no disk can store.
        let mut least = self.target.min_bytes(&header);
        let mut names = [None, None];
        if plan.capabilities.names {
            names = [self.source.read_names(Axis::Rows)?, self.source.read_names(Axis::Cols)?];
            let of_names = names.iter().flatten().map(|names| names.min_bytes());
            least = of_names.fold(least, u64::saturating_add);
        }
        let smaller = self.target.smaller_format(&header);
        let with = smaller.as_ref().map(|(what, _)| format!(", with {what},"));
        let what = format!("the target{}", with.unwrap_or_default());
        crate::free_space::check_free_space(&self.target.directory(self.context), least, &what)
            .map_err(|error| match smaller {
                Some((_, format)) => {
                    error.with_hint("format", format!("{format} does not need them"))
                }
                None => error,
            })?;
        let mut tables = [None, None];
        let capabilities = self.target.capabilities();
        if capabilities.annotations || capabilities.positions {
            tables = [self.source.annotations(Axis::Rows)?, self.source.annotations(Axis::Cols)?];
        }
        let tables = tables.each_ref().map(|table| table.as_deref());
        let sink = self.target.create_annotated(&header, names, tables).map_err(at_target)?;
        let writing = ConvertWork {
            steps,
            encoder: sink.encoder(),
            plan,
            buffers: Mutex::default(),
            place: self.target.place(),
        };
        let mut check = OrderCheck {
            plan,
            unsure: matches!(assumption, Assumption::InOrder),
            violated: false,
            last: None,
            entries: 0,
        };
        let mut writer = SinkWriter { writing: &writing, sink, progress: self.context.progress() };
        self.context.progress().begin("writing", stored.or(self.source.header().nnz));
        let done = run(units, &writing, &mut check, &mut writer, workers);
        self.context.progress().end();
        done?;
        // Before the output appears: a reader that ended early has not returned all entries.
        let broken =
            matches!(assumption, Assumption::Checked(broken) if broken.load(Ordering::Relaxed));
        if check.violated || broken {
            return Ok(None);
        }
        Ok(Some((check.entries, writer.sink.finish().map_err(at_target)?)))
    }
}

/// The parallel part of a conversion.
struct ConvertWork<'a> {
    steps: &'a [Box<dyn Step>],
    encoder: Option<Arc<dyn BatchEncoder>>,
    plan: &'a Plan<'a>,
    /// Batches to be reused.
    buffers: Mutex<Vec<[Batch; 2]>>,
    place: Place,
}

/// A batch ready for the sink.
enum SinkInput {
    Encoded(Encoded),
    Batch(Box<[Batch; 2]>),
}

impl ConvertWork<'_> {
    fn reuse(&self, batches: [Batch; 2]) {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(batches);
    }
}

impl Work for ConvertWork<'_> {
    type Batch = Batch;
    type Decoded = ([Batch; 2], Extent);
    type Encoded = (SinkInput, usize);
    type Joint = u64;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Self::Decoded, Vec<u64>)> {
        let buffers = self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let empty = || Batch::new(self.plan.order, Values::default());
        let [mut batch, mut spare] = buffers.unwrap_or_else(|| [empty(), empty()]);
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            batch.check_lengths(Projection::ALL)?;
            stored.push(batch.entries() as u64);
            apply(self.steps, &mut batch, &mut spare)?;
        }
        let extent = Extent::of(&batch, &ASCENT);
        Ok((([batch, spare], extent), stored))
    }

    fn encode(&self, (batches, _): Self::Decoded, first: u64) -> Result<Self::Encoded> {
        let entries = batches[0].entries();
        let Some(encoder) = &self.encoder else {
            return Ok((SinkInput::Batch(Box::new(batches)), entries));
        };
        let encoded =
            encoder.encode(&batches[0], first).map_err(|e| e.with_context(&self.place))?;
        self.reuse(batches);
        Ok((SinkInput::Encoded(encoded), entries))
    }
}

/// The state of the order check.
struct OrderCheck<'a> {
    plan: &'a Plan<'a>,
    unsure: bool,
    violated: bool,
    last: Option<(u64, u64)>,
    entries: u64,
}

impl Join<ConvertWork<'_>> for OrderCheck<'_> {
    fn join(&mut self, (batches, extent): &([Batch; 2], Extent)) -> Result<Option<u64>> {
        let first = self.entries;
        self.entries += batches[0].entries() as u64;
        let Some([start, end]) = extent.ends else { return Ok(Some(first)) };
        let follows = extent.ascends && self.last.is_none_or(|last| last <= start);
        if self.unsure && !follows {
            self.violated = true;
            return Ok(None);
        }
        if self.plan.duplicates == DuplicatePolicy::Refuse {
            let repeated = (self.last == Some(start)).then_some(start).or(extent.repeated);
            if let Some((major, minor)) = repeated {
                let (row, col) = self.plan.order.row_col(major, minor);
                let place = Place::default().at(At::Entry { row, col });
                return Err(Error::new(ErrorKind::Duplicate { other: None }, place));
            }
        }
        self.last = Some(end);
        Ok(Some(first))
    }
}

/// The consumer of encoded batches.
struct SinkWriter<'a> {
    writing: &'a ConvertWork<'a>,
    sink: Box<dyn MatrixSink>,
    progress: &'a dyn Progress,
}

impl Write<ConvertWork<'_>> for SinkWriter<'_> {
    fn write(&mut self, (ready, entries): (SinkInput, usize)) -> Result<()> {
        let written = match ready {
            SinkInput::Encoded(encoded) => self.sink.write_encoded(encoded),
            SinkInput::Batch(batches) => {
                let written = self.sink.write(&batches[0]);
                self.writing.reuse(*batches);
                written
            }
        };
        self.progress.advance(entries as u64);
        written.map_err(|error| error.with_context(&self.writing.place))
    }
}
