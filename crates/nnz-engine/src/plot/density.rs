//! Counts of entries in the bins of a grid.

use nnz_storage::TaskContext;
use std::sync::Mutex;

use nnz_core::{AxisKind, Batch, MatrixSource, Minors, Order, Projection, Result, Shape, Unit};

use super::steps::{look, shown_entries};
use crate::flow::Work;
use crate::stats::entries::Entries;
use crate::stats::lock;

/// Maximum number of bins along an axis.
const MOST: usize = 4096;

/// The number of entries in each bin of a grid that covers a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Density {
    /// The shape of the matrix.
    pub shape: Shape,
    /// Kinds of its rows and columns.
    pub axis_kinds: [AxisKind; 2],
    /// Rows of a bin. The last bin may have fewer.
    pub rows_per_bin: u64,
    /// Columns of a bin. The last bin may have fewer.
    pub cols_per_bin: u64,
    /// Number of bins along the rows.
    pub rows: usize,
    /// Number of bins along the columns.
    pub cols: usize,
    /// Entries in each bin, row by row.
    pub counts: Vec<u64>,
    /// Entries of the matrix.
    pub entries: u64,
}

impl Density {
    /// Returns how many rows the last bin of rows has, as a part of the other bins, and the same of columns.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "positions on a picture are rounded")]
    pub fn last_bin(&self) -> [f64; 2] {
        let part = |len: u64, step: u64| match len % step.max(1) {
            0 => 1.0,
            rest => rest as f64 / step as f64,
        };
        [part(self.shape.rows, self.rows_per_bin), part(self.shape.cols, self.cols_per_bin)]
    }
}

/// Counts the entries in each bin of a grid of at most `most` rows and columns, in one pass. Each bin has the same number of
/// rows and of columns, except for the last ones.
///
/// The entries of a symmetric matrix include the implied ones; the entries of a dense matrix are its nonzero elements.
/// Memory depends on the grid only.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::plot::density;
/// use nnz_engine::{CsMatrix, TaskContext};
///
/// let shape = Shape { rows: 3, cols: 4 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3, 4], vec![0_u32, 1, 2, 3], vec![1_u32; 4])?;
/// let source = matrix.into_source()?;
/// let found = density(&*source, [2, 2], &TaskContext::default())?;
/// assert_eq!((found.rows_per_bin, found.cols_per_bin), (2, 2));
/// assert_eq!(found.counts, [2, 1, 0, 1]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken.
pub fn density(
    source: &dyn MatrixSource,
    most: [usize; 2],
    context: &TaskContext,
) -> Result<Density> {
    let shape = source.header().shape;
    let bins = [Bins::of(shape.rows, most[0]), Bins::of(shape.cols, most[1])];
    density_in(source, bins, context)
}

/// Counts the entries in each bin of a grid with a number of rows and columns for each bin, such as of the grid of another
/// matrix. There are at most 4096 bins along an axis, with more rows or columns each if necessary.
///
/// # Errors
///
/// Fails as [`density`].
pub fn density_per_bin(
    source: &dyn MatrixSource,
    [rows, cols]: [u64; 2],
    context: &TaskContext,
) -> Result<Density> {
    let shape = source.header().shape;
    let bins = [Bins::of_step(shape.rows, rows), Bins::of_step(shape.cols, cols)];
    density_in(source, bins, context)
}

fn density_in(
    source: &dyn MatrixSource,
    [rows, cols]: [Bins; 2],
    context: &TaskContext,
) -> Result<Density> {
    let place = &source.place();
    let header = source.header();
    let (order, shape) = (header.order, header.shape);
    let (majors, minors) = match order {
        Order::Row => (rows, cols),
        Order::Col => (cols, rows),
    };
    let (entries, fields) = shown_entries(header, Projection::MINORS);
    let grid = Grid { entries, majors, minors, counts: Mutex::default() };
    look(source, fields, &grid, context)
        .map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    let mut counts = vec![0; majors.len * minors.len];
    for some in lock(&grid.counts).iter() {
        counts.iter_mut().zip(some).for_each(|(all, some)| *all += some);
    }
    let by_row = |counts: Vec<u64>| {
        let at = |bin: usize| match order {
            Order::Row => bin,
            Order::Col => bin % cols.len * rows.len + bin / cols.len,
        };
        (0..counts.len()).map(|bin| counts.get(at(bin)).copied().unwrap_or(0)).collect()
    };
    Ok(Density {
        shape,
        axis_kinds: header.axis_kinds,
        rows_per_bin: rows.step,
        cols_per_bin: cols.step,
        rows: rows.len,
        cols: cols.len,
        entries: counts.iter().sum(),
        counts: by_row(counts),
    })
}

/// Bins of equal size along an axis.
#[derive(Clone, Copy, Debug)]
struct Bins {
    step: u64,
    len: usize,
    /// 2^64 divided by the step, rounded up: the upper half of a product with it is the quotient, for all numbers of 32
    /// bits.
    inverse: u64,
}

impl Bins {
    fn of(axis: u64, most: usize) -> Self {
        Self::of_step(axis, axis.div_ceil(most.clamp(1, MOST) as u64))
    }

    fn of_step(axis: u64, step: u64) -> Self {
        let step = step.max(axis.div_ceil(MOST as u64)).max(1);
        let len = usize::try_from(axis.div_ceil(step)).unwrap_or(0);
        Self { step, len, inverse: if step == 1 { 0 } else { u64::MAX / step + 1 } }
    }

    #[inline(always)]
    fn of_u32(self, position: u32) -> usize {
        match self.inverse {
            0 => position as usize,
            inverse => {
                let product = u128::from(inverse) * u128::from(position);
                usize::try_from(product >> 64).unwrap_or(usize::MAX)
            }
        }
    }

    fn of_u64(self, position: u64) -> usize {
        usize::try_from(position / self.step).unwrap_or(usize::MAX)
    }
}

/// Counts the entries of batches.
struct Grid {
    entries: Entries,
    majors: Bins,
    minors: Bins,
    /// Counts of each thread that needed some, by major bin.
    counts: Mutex<Vec<Vec<u64>>>,
}

impl Work for Grid {
    type Batch = Batch;
    type Decoded = [Batch; 2];
    type Encoded = ();
    type Joint = ();

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<([Batch; 2], Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut batches: [Batch; 2], (): ()) -> Result<()> {
        self.entries.prepare(&mut batches, false)?;
        let spare = lock(&self.counts).pop();
        let mut counts = spare.unwrap_or_else(|| vec![0; self.majors.len * self.minors.len]);
        self.add(&batches[0], &mut counts);
        lock(&self.counts).push(counts);
        self.entries.reuse(batches);
        Ok(())
    }
}

impl Grid {
    fn add(&self, batch: &Batch, counts: &mut [u64]) {
        let width = self.minors.len;
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            if entries.is_empty() {
                continue;
            }
            let start = self.majors.of_u64(batch.majors.get(run)).saturating_mul(width);
            let Some(bins) = counts.get_mut(start..).and_then(|from| from.get_mut(..width)) else {
                continue;
            };
            match &batch.minors {
                Minors::U32(minors) => {
                    let minors = minors.get(entries).unwrap_or_default();
                    count(minors.iter().map(|&minor| self.minors.of_u32(minor)), bins);
                }
                Minors::U64(minors) => {
                    let minors = minors.get(entries).unwrap_or_default();
                    count(minors.iter().map(|&minor| self.minors.of_u64(minor)), bins);
                }
                Minors::Spans(starts) => {
                    let first = starts.get(run).copied().unwrap_or(0);
                    self.add_span(first, entries.len() as u64, bins);
                }
            }
        }
    }

    /// Adds adjacent entries.
    fn add_span(&self, first: u64, len: u64, bins: &mut [u64]) {
        let (step, end) = (self.minors.step, first + len);
        for (start, bin) in (0..).map(|bin| bin * step).zip(bins) {
            *bin += (start + step).min(end).saturating_sub(start.max(first));
        }
    }
}

#[inline(always)]
fn count(positions: impl Iterator<Item = usize>, bins: &mut [u64]) {
    for position in positions {
        if let Some(bin) = bins.get_mut(position) {
            *bin += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_of_bins_are_exact() {
        for axis in [1, 2, 3, 7, 100, 1023, 1 << 20, (1 << 32) - 1, 1 << 32] {
            for most in [1, 2, 3, 10, 177, MOST] {
                let bins = Bins::of(axis, most);
                assert!(bins.len <= most && bins.len as u64 * bins.step >= axis);
                assert!((bins.len as u64 - 1) * bins.step < axis, "{axis} {most}");
                let edges = (0..bins.len as u64).map(|bin| bin * bins.step);
                for edge in edges.flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1]) {
                    if edge < axis {
                        let short = u32::try_from(edge).unwrap();
                        assert_eq!(bins.of_u32(short), bins.of_u64(edge), "{axis} {most} {edge}");
                    }
                }
            }
        }
        assert_eq!(Bins::of(0, 10).len, 0);
        assert!(Bins::of(u64::MAX, 10).len <= 10);
    }
}
