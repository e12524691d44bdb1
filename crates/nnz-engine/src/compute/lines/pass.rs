//! A pass over a matrix that is stored by row or by column, in which all threads process these as a whole.

use std::sync::Mutex;

use nnz_core::{Batch, MatrixSource, Progress, Result, Unit};
use nnz_storage::TaskContext;

use super::{Add, Layout, Line, LineWork, Ranked};
use crate::compute::entries::{Buffers, Entries, pass};
use crate::flow::{Join, Work, Workers, Write};
use crate::stats::lock;

/// Bytes that a thread needs for each element: entries as they are read, joined and sorted.
const EACH: u64 = 64;

/// Processes the rows or columns of a matrix that is stored by them. Returns whether they are in order; otherwise, not all have been
/// processed.
pub(super) fn process<T: Ranked, W: LineWork>(
    source: &dyn MatrixSource,
    work: &W,
    (what, add): (&str, &mut Add<'_>),
    context: &TaskContext,
) -> Result<bool> {
    let layout = Layout::new(source.header());
    let needed = layout.len.saturating_mul(EACH).max(1);
    let (entries, spare) = (Entries::new(source), Mutex::default());
    let work = Processing::<T, W> { entries, layout, work, spare };
    let fit = usize::try_from(context.memory() / 2 / needed).unwrap_or(usize::MAX);
    let workers = Workers::of(context);
    let workers = Workers { threads: workers.threads.min(fit).max(1), ..workers };
    let progress = context.progress();
    let mut joined = Joined { open: None, descends: false, progress };
    progress.begin(what, source.header().nnz);
    let done = pass(source, &work, &mut joined, &mut Results { add }, workers);
    progress.end();
    done?;
    if joined.descends {
        return Ok(false);
    }
    let mut last = Processed::default();
    if let Some(mut line) = joined.open {
        work.process(&mut W::Scratch::<T>::default(), &mut line, &mut last)?;
    }
    Results { add }.write_all(&last);
    Ok(true)
}

/// Processes rows or columns.
struct Processing<'a, T: Ranked, W: LineWork> {
    entries: Entries<T>,
    layout: Layout,
    work: &'a W,
    spare: Mutex<Vec<Scratch<T, W>>>,
}

/// The buffers of a thread.
type Scratch<T, W> = (<W as LineWork>::Scratch<T>, Line<T>);

/// A unit. Other units may have more entries of its first and its last row or column.
struct Lines<T> {
    buffers: Buffers<T>,
    ends: Mutex<Vec<Line<T>>>,
    /// The positions of its first and its last row or column.
    positions: Option<[u64; 2]>,
    descends: bool,
    entries: u64,
}

/// Numbers of some rows or columns.
#[derive(Default)]
struct Processed {
    positions: Vec<u64>,
    numbers: Vec<f64>,
}

impl<T: Ranked, W: LineWork> Processing<'_, T, W> {
    fn process(
        &self,
        scratch: &mut W::Scratch<T>,
        line: &mut Line<T>,
        processed: &mut Processed,
    ) -> Result<()> {
        self.layout.unify(line)?;
        processed.positions.push(line.position);
        self.work.process(&self.layout, scratch, line, &mut processed.numbers)
    }

    /// Processes rows or columns that have all their entries in a unit.
    fn process_complete(
        &self,
        unit: &Lines<T>,
        (scratch, line): &mut Scratch<T, W>,
        processed: &mut Processed,
    ) -> Result<()> {
        let Some([first, last]) = unit.positions else { return Ok(()) };
        let (mut is_open, mut done) = (false, Ok(()));
        unit.buffers.for_each(|position, values, minors| {
            if is_open && position != line.position {
                done = std::mem::replace(&mut done, Ok(()))
                    .and_then(|()| self.process(scratch, line, processed));
                is_open = false;
            }
            if position != first && position != last {
                if !is_open {
                    line.start(position);
                    is_open = true;
                }
                line.extend(values, minors);
            }
            true
        })?;
        done
    }
}

impl<T: Ranked, W: LineWork> Work for Processing<'_, T, W> {
    type Batch = Batch;
    type Decoded = Lines<T>;
    type Encoded = Processed;
    /// Rows or columns that end where this unit starts, or in it.
    type Joint = Vec<Line<T>>;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Lines<T>, Vec<u64>)> {
        let (mut decoded, stored) = self.entries.decode(units)?;
        let mut buffers = decoded.pop().unwrap_or_else(|| self.entries.buffers());
        let entries = buffers.batch.entries() as u64;
        self.entries.prepare(&mut buffers)?;
        let (mut positions, mut descends) = (None, false);
        buffers.for_each(|position, _, _| {
            let [first, last] = positions.unwrap_or([position; 2]);
            descends |= position < last;
            positions = Some([first, position]);
            true
        })?;
        let mut ends: Vec<Line<T>> = Vec::new();
        buffers.for_each(|position, values, minors| {
            if positions.is_some_and(|ends| ends.contains(&position)) {
                if ends.last().is_none_or(|end| end.position != position) {
                    ends.push(Line::new(position));
                }
                ends.last_mut().into_iter().for_each(|end| end.extend(values, minors));
            }
            true
        })?;
        Ok((Lines { buffers, ends: ends.into(), positions, descends, entries }, stored))
    }

    fn encode(&self, unit: Lines<T>, joint: Vec<Line<T>>) -> Result<Processed> {
        let mut buffers = lock(&self.spare).pop().unwrap_or_default();
        let mut processed = Processed::default();
        for mut line in joint {
            self.process(&mut buffers.0, &mut line, &mut processed)?;
        }
        self.process_complete(&unit, &mut buffers, &mut processed)?;
        lock(&self.spare).push(buffers);
        self.entries.reuse(unit.buffers);
        Ok(processed)
    }
}

/// Joins rows or columns that are divided among units.
struct Joined<'a, T> {
    /// The last row or column, which may continue.
    open: Option<Line<T>>,
    /// Whether a row or column comes after a later one.
    descends: bool,
    progress: &'a dyn Progress,
}

impl<T: Ranked, W: LineWork> Join<Processing<'_, T, W>> for Joined<'_, T> {
    fn join(&mut self, unit: &Lines<T>) -> Result<Option<Vec<Line<T>>>> {
        self.progress.advance(unit.entries);
        self.descends |= unit.descends;
        let mut complete = Vec::new();
        for end in std::mem::take(&mut *lock(&unit.ends)) {
            match &mut self.open {
                Some(open) if open.position == end.position => open.append(&end),
                open => {
                    self.descends |= open.as_ref().is_some_and(|open| open.position > end.position);
                    complete.extend(open.replace(end));
                }
            }
        }
        Ok((!self.descends).then_some(complete))
    }
}

/// Takes the numbers in the order of rows or columns.
struct Results<'a, 'b> {
    add: &'a mut Add<'b>,
}

impl Results<'_, '_> {
    fn write_all(&mut self, processed: &Processed) {
        let each = processed.numbers.len() / processed.positions.len().max(1);
        let numbers = processed.numbers.chunks_exact(each.max(1));
        for (position, numbers) in processed.positions.iter().zip(numbers) {
            (self.add)(*position, numbers);
        }
    }
}

impl<T: Ranked, W: LineWork> Write<Processing<'_, T, W>> for Results<'_, '_> {
    fn write(&mut self, processed: Processed) -> Result<()> {
        self.write_all(&processed);
        Ok(())
    }
}
