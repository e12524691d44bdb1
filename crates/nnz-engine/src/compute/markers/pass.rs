//! A pass over a matrix that is stored by feature, in which all threads compare features.

use std::sync::Mutex;

use nnz_core::{Batch, MatrixSource, Progress, Result, Unit};
use nnz_storage::TaskContext;

use super::feature::{Comparison, Feature, NUMBERS, Scratch};
use super::groups::Groups;
use super::ranked::Ranked;
use super::{MarkerOptions, Markers};
use crate::compute::entries::{Buffers, Entries, pass};
use crate::flow::{Join, Work, Workers, Write};
use crate::stats::lock;

/// Bytes that a thread needs for each cell: entries as they are read, joined and sorted.
const EACH: u64 = 64;

/// Compares the features of a matrix that is stored by feature, into `markers`. Returns whether they are in order; otherwise, not
/// all have been compared.
pub(super) fn compare<T: Ranked>(
    source: &dyn MatrixSource,
    groups: &Groups,
    options: &MarkerOptions,
    markers: &mut Markers,
    context: &TaskContext,
) -> Result<bool> {
    let comparison = Comparison::new(groups, options, source.header());
    let (entries, spare) = (Entries::new(source), Mutex::default());
    let work = Comparing::<T> { entries, comparison, spare };
    let needed = (groups.codes.len() as u64).saturating_mul(EACH).max(1);
    let fit = usize::try_from(context.memory() / 2 / needed).unwrap_or(usize::MAX);
    let workers = Workers::of(context);
    let workers = Workers { threads: workers.threads.min(fit).max(1), ..workers };
    let progress = context.progress();
    let mut joined = Joined { open: None, descends: false, progress };
    progress.begin("comparing", source.header().nnz);
    let done = pass(source, &work, &mut joined, &mut Results { markers }, workers);
    progress.end();
    done?;
    if joined.descends {
        return Ok(false);
    }
    let mut last = Compared::default();
    if let Some(mut feature) = joined.open {
        work.compare(&mut Scratch::default(), &mut feature, &mut last)?;
    }
    Results { markers }.add(&last);
    Ok(true)
}

/// Compares features.
struct Comparing<'a, T: Ranked> {
    entries: Entries<T>,
    comparison: Comparison<'a>,
    spare: Mutex<Vec<(Scratch<T>, Feature<T>)>>,
}

/// A unit. Other units may have more entries of its first and its last feature.
struct Features<T> {
    buffers: Buffers<T>,
    ends: Mutex<Vec<Feature<T>>>,
    /// The positions of its first and its last feature.
    positions: Option<[u64; 2]>,
    descends: bool,
    entries: u64,
}

/// Numbers of some features.
#[derive(Default)]
struct Compared {
    features: Vec<u64>,
    numbers: Vec<f64>,
}

impl<T: Ranked> Comparing<'_, T> {
    fn compare(
        &self,
        scratch: &mut Scratch<T>,
        feature: &mut Feature<T>,
        compared: &mut Compared,
    ) -> Result<()> {
        compared.features.push(feature.position);
        scratch.compare(&self.comparison, feature, &mut compared.numbers)
    }

    /// Compares features of a unit that have all their entries in it.
    fn compare_complete(
        &self,
        unit: &Features<T>,
        (scratch, feature): &mut (Scratch<T>, Feature<T>),
        compared: &mut Compared,
    ) -> Result<()> {
        let Some([first, last]) = unit.positions else { return Ok(()) };
        let (mut is_open, mut done) = (false, Ok(()));
        unit.buffers.for_each(|position, values, cells| {
            if is_open && position != feature.position {
                done = std::mem::replace(&mut done, Ok(()))
                    .and_then(|()| self.compare(scratch, feature, compared));
                is_open = false;
            }
            if position != first && position != last {
                if !is_open {
                    feature.start(position);
                    is_open = true;
                }
                feature.extend(values, cells);
            }
            true
        })?;
        done
    }
}

impl<T: Ranked> Work for Comparing<'_, T> {
    type Batch = Batch;
    type Decoded = Features<T>;
    type Encoded = Compared;
    /// Features that end where this unit starts, or in it.
    type Joint = Vec<Feature<T>>;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Features<T>, Vec<u64>)> {
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
        let mut ends: Vec<Feature<T>> = Vec::new();
        buffers.for_each(|position, values, cells| {
            if positions.is_some_and(|ends| ends.contains(&position)) {
                if ends.last().is_none_or(|end| end.position != position) {
                    ends.push(Feature::new(position));
                }
                ends.last_mut().into_iter().for_each(|end| end.extend(values, cells));
            }
            true
        })?;
        Ok((Features { buffers, ends: ends.into(), positions, descends, entries }, stored))
    }

    fn encode(&self, unit: Features<T>, joint: Vec<Feature<T>>) -> Result<Compared> {
        let mut buffers = lock(&self.spare).pop().unwrap_or_default();
        let mut compared = Compared::default();
        for mut feature in joint {
            self.compare(&mut buffers.0, &mut feature, &mut compared)?;
        }
        self.compare_complete(&unit, &mut buffers, &mut compared)?;
        lock(&self.spare).push(buffers);
        self.entries.reuse(unit.buffers);
        Ok(compared)
    }
}

/// Joins features that are divided among units.
struct Joined<'a, T> {
    /// The last feature, which may continue.
    open: Option<Feature<T>>,
    /// Whether a feature comes after a later one.
    descends: bool,
    progress: &'a dyn Progress,
}

impl<T: Ranked> Join<Comparing<'_, T>> for Joined<'_, T> {
    fn join(&mut self, unit: &Features<T>) -> Result<Option<Vec<Feature<T>>>> {
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

/// The numbers of all features.
struct Results<'a> {
    markers: &'a mut Markers,
}

impl Results<'_> {
    fn add(&mut self, compared: &Compared) {
        let Markers {
            groups,
            features,
            scores,
            p_values,
            log2_fold_changes,
            fractions,
            rest_fractions,
            ..
        } = &mut *self.markers;
        let each = compared.numbers.chunks_exact((*groups * NUMBERS).max(1));
        for (feature, numbers) in compared.features.iter().zip(each) {
            let feature = usize::try_from(*feature).unwrap_or(usize::MAX);
            for (group, numbers) in numbers.chunks_exact(NUMBERS).enumerate() {
                let lists = [
                    &mut *scores,
                    &mut *p_values,
                    &mut *log2_fold_changes,
                    &mut *fractions,
                    &mut *rest_fractions,
                ];
                for (list, number) in lists.into_iter().zip(numbers) {
                    let of_group = list.get_mut(group * *features..);
                    let of_group = of_group.and_then(|numbers| numbers.get_mut(..*features));
                    let into = of_group.and_then(|numbers| numbers.get_mut(feature));
                    into.into_iter().for_each(|into| *into = *number);
                }
            }
        }
    }
}

impl<T: Ranked> Write<Comparing<'_, T>> for Results<'_> {
    fn write(&mut self, compared: Compared) -> Result<()> {
        self.add(&compared);
        Ok(())
    }
}
