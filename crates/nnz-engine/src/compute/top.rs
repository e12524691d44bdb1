//! Sums of the greatest values of each row or column.

use nnz_core::{Batch, Duplicates, Error, ErrorKind, MatrixSource, Result, Structure, Unit};
use nnz_storage::TaskContext;

use super::entries::{Buffers, Entries, pass};
use super::float::complex;
use crate::check::{Ascent, DuplicateSearch};
use crate::flow::{Join, Work, Workers, Write};
use crate::summed::Summed;
use crate::{Selection, Slice};

/// Adds up the greatest stored values of each row of a matrix that is stored by row, or of each column of one that is stored by
/// column: for each of `tops`, the sum of so many. Returns the sums by row or column.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::TaskContext;
/// use nnz_engine::compute::top_sums;
///
/// // 1 . 2 4
/// // . . 3 .
/// let shape = Shape { rows: 2, cols: 4 };
/// let (pointers, indices) = (vec![0, 3, 4], vec![0_u32, 2, 3, 2]);
/// let matrix = nnz_engine::CsMatrix::from_parts(shape, Order::Row, pointers, indices, vec![1_u32, 2, 4, 3])?;
/// let sums = top_sums(&*matrix.into_source()?, &[1, 2], &TaskContext::default())?;
/// assert_eq!(sums, [4.0, 6.0, 3.0, 3.0]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if it has complex numbers or a fill value, if the result takes more memory
/// than allowed, and if cancelled.
pub fn top_sums(
    source: &dyn MatrixSource,
    tops: &[usize],
    context: &TaskContext,
) -> Result<Vec<f64>> {
    let place = &source.place();
    let header = source.header();
    if header.value_type.is_complex() {
        return Err(complex().with_context(place));
    }
    if header.fill.is_some() && header.storage == nnz_core::Storage::Sparse {
        let what =
            "adding up values of a matrix with a fill value other than zero is not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    if header.structure != Structure::General {
        let all = Selection::all();
        return top_sums(&Slice::new(Box::new(source), &all, &all)?, tops, context);
    }
    if !header.sorted_majors {
        return top_sums(&Summed::new(Box::new(source), context), tops, context);
    }
    let majors = usize::try_from(header.shape.major(header.order)).unwrap_or(usize::MAX);
    let needed = (majors.saturating_mul(tops.len()) as u64).saturating_mul(8);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    let work = TopValues { entries: Entries::new(source), tops };
    let searched = DuplicateSearch::of(source, None) != DuplicateSearch::None
        || (header.duplicates == Duplicates::Summed && header.sorted_indices != Some(true));
    let mut watch = Watch(searched.then(|| Ascent::new(source)));
    let mut sums = TopSums { tops, sums: vec![0.0; majors * tops.len()], open: None };
    let located = |error| crate::convert::locate(error, source).with_context(place);
    pass(source, &work, &mut watch, &mut sums, Workers::of(context)).map_err(located)?;
    if let Some(ascent) = watch.0
        && let Err(error) = ascent.finish(source, context)
    {
        let are_summed = header.duplicates == Duplicates::Summed;
        if !are_summed || !matches!(error.kind(), ErrorKind::Duplicate { .. }) {
            return Err(located(error));
        }
        return top_sums(&Summed::new(Box::new(source), context), tops, context);
    }
    sums.close();
    Ok(sums.sums)
}

/// The greatest values of each run, in descending order.
struct TopValues<'a> {
    entries: Entries<f64>,
    tops: &'a [usize],
}

/// The runs of a batch. Only the first and the last may continue in another batch, so that of the others only the sums are kept.
struct Runs {
    majors: Vec<u64>,
    first: Vec<f64>,
    sums: Vec<f64>,
    last: Vec<f64>,
}

impl Work for TopValues<'_> {
    type Batch = Batch;
    type Decoded = Buffers<f64>;
    type Encoded = Runs;
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Buffers<f64>, Vec<u64>)> {
        let (mut decoded, stored) = self.entries.decode(units)?;
        Ok((decoded.pop().unwrap_or_else(|| self.entries.buffers()), stored))
    }

    fn encode(&self, mut buffers: Buffers<f64>, (): ()) -> Result<Runs> {
        self.entries.prepare(&mut buffers)?;
        let most = self.tops.iter().copied().max().unwrap_or(0);
        let (mut majors, mut sums) = (Vec::new(), Vec::new());
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let mut counts = Counts::default();
        buffers.for_each(|major, values, _| {
            if majors.len() > 1 {
                add_tops(&last, self.tops, &mut sums);
            }
            counts.greatest(values, most, &mut last);
            if majors.is_empty() {
                first.clone_from(&last);
            }
            majors.push(major);
            true
        })?;
        self.entries.reuse(buffers);
        Ok(Runs { majors, first, sums, last })
    }
}

/// How often each small integer occurs.
#[derive(Default)]
struct Counts {
    of: Vec<u32>,
}

impl Counts {
    /// Integers that are counted instead of sorted.
    const MOST: u16 = 4096;

    /// Finds the greatest values, in descending order.
    fn greatest(&mut self, values: &[f64], most: usize, found: &mut Vec<f64>) {
        found.clear();
        if values.len() > most && self.count(values) {
            for (value, count) in (0..Self::MOST).zip(&self.of).rev() {
                let left = most - found.len();
                found.resize(found.len() + left.min(*count as usize), f64::from(value));
            }
            return;
        }
        found.extend_from_slice(values);
        let descending = |a: &f64, b: &f64| b.total_cmp(a);
        if most < found.len() {
            found.select_nth_unstable_by(most, descending);
            found.truncate(most);
        }
        found.sort_unstable_by(descending);
    }

    /// Counts values, and returns whether all are small integers.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is compared")]
    fn count(&mut self, values: &[f64]) -> bool {
        self.of.clear();
        self.of.resize(Self::MOST.into(), 0);
        values.iter().all(|value| {
            let number = *value as u16;
            let count = self.of.get_mut(usize::from(number));
            f64::from(number) == *value && count.map(|count| *count += 1).is_some()
        })
    }
}

/// Appends the sum of each number of values, which descend.
fn add_tops(values: &[f64], tops: &[usize], sums: &mut Vec<f64>) {
    sums.extend(tops.iter().map(|top| values.iter().take(*top).sum::<f64>()));
}

/// The check for duplicates, if any.
struct Watch(Option<Ascent>);

impl Join<TopValues<'_>> for Watch {
    fn join(&mut self, buffers: &Buffers<f64>) -> Result<Option<()>> {
        if let Self(Some(ascent)) = self {
            ascent.watch(&buffers.batch);
        }
        Ok(Some(()))
    }
}

/// The sums so far.
struct TopSums<'a> {
    tops: &'a [usize],
    sums: Vec<f64>,
    /// The last row or column, which may continue.
    open: Option<(u64, Vec<f64>)>,
}

impl TopSums<'_> {
    fn set(&mut self, major: u64, sums: &[f64]) {
        let at = usize::try_from(major).ok().and_then(|at| at.checked_mul(self.tops.len()));
        let into = at.and_then(|at| self.sums.get_mut(at..)?.get_mut(..sums.len()));
        into.into_iter().for_each(|into| into.copy_from_slice(sums));
    }

    /// Adds up the last row or column.
    fn close(&mut self) {
        if let Some((major, mut values)) = self.open.take() {
            values.sort_unstable_by(|a, b| b.total_cmp(a));
            let mut sums = Vec::with_capacity(self.tops.len());
            add_tops(&values, self.tops, &mut sums);
            self.set(major, &sums);
        }
    }

    fn extend(&mut self, major: u64, values: Vec<f64>) {
        match &mut self.open {
            Some((open, known)) if *open == major => known.extend(values),
            _ => {
                self.close();
                self.open = Some((major, values));
            }
        }
    }
}

impl Write<TopValues<'_>> for TopSums<'_> {
    fn write(&mut self, runs: Runs) -> Result<()> {
        let [first, between @ .., last] = &*runs.majors else {
            runs.majors.first().iter().for_each(|major| self.extend(**major, runs.first.clone()));
            return Ok(());
        };
        self.extend(*first, runs.first);
        for (major, sums) in between.iter().zip(runs.sums.chunks_exact(self.tops.len().max(1))) {
            self.set(*major, sums);
        }
        self.extend(*last, runs.last);
        Ok(())
    }
}
