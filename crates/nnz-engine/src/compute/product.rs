//! Products of a matrix with dense matrices.

use nnz_core::{Batch, Error, ErrorKind, MatrixSource, Place, Result, Unit};
use std::borrow::Cow;
use std::sync::Mutex;

use super::entries::{Bands, Buffers, Entries, Numbers, pass};
use super::float::{Float, complex};
use super::linear_algebra::subtract_product;
use crate::accumulators::{Accumulators, TOGETHER, count_of};
use crate::flow::{Done, Work, Workers, Write};
use crate::stats::lock;
use nnz_storage::TaskContext;

/// Multiplies a matrix by a dense matrix of `width` columns, which is stored by row and has a row for each
/// column of the matrix. Returns a dense matrix, by row, with a row for each row of the matrix.
///
/// The values of the matrix are rounded to the type of the dense one. The result is the same for any number of
/// threads, and may take the [memory of results](TaskContext::result_memory). For the product from the other side, multiply
/// [`Transposed`](crate::Transposed) by the transposed dense matrix.
///
/// ```
/// use nnz_core::{Order, Shape};
/// use nnz_engine::TaskContext;
/// use nnz_engine::compute::multiply;
///
/// // 1 . 2
/// // . . 3
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1_u32, 2, 3])?;
/// let dense = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
/// let product = multiply(&*matrix.into_source()?, &dense, 2, &TaskContext::default())?;
/// assert_eq!(product, [7.0, 70.0, 9.0, 90.0]);
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the shapes do not fit, if the matrix cannot be read or is broken, if it has complex numbers or a fill
/// value, if the result takes more memory than allowed, and if cancelled.
pub fn multiply<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    width: usize,
    context: &TaskContext,
) -> Result<Vec<T>> {
    let place = &source.place();
    let header = source.header();
    let [rows, cols] = [header.shape.rows, header.shape.cols].map(usize::try_from);
    let (rows, cols) = (rows.unwrap_or(usize::MAX), cols.unwrap_or(usize::MAX));
    if cols.checked_mul(width) != Some(dense.len()) {
        let what = format!("{} elements, expected {cols} rows of {width} columns", dense.len());
        return Err(Error::argument(format!("the dense matrix has {what}")));
    }
    if header.value_type.is_complex() {
        return Err(complex().with_context(place));
    }
    if header.fill.is_some() && header.storage == nnz_core::Storage::Sparse {
        let what = "the product of a matrix with a fill value other than zero is not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    if let Some((source, removed)) = source.as_difference() {
        let mut product = multiply(&*source, dense, width, context)?;
        let factors = [&*removed.left, &*removed.right];
        subtract_product(&mut product, factors, removed.rank, dense, width);
        return Ok(product);
    }
    let panels = Panels::of::<T>(width);
    let by_row = header.order == nnz_core::Order::Row;
    let sums = match by_row {
        true => rows.saturating_mul(width),
        false => rows.saturating_mul(panels.width).saturating_mul(panels.count),
    };
    let sets = if by_row { 1 } else { count_of(sums.saturating_mul(size_of::<T>())) };
    let across = cols.saturating_mul(panels.width).saturating_mul(panels.count);
    let needed = (sums.saturating_mul(sets).saturating_add(across) as u64)
        .saturating_mul(size_of::<T>() as u64);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, place.clone()));
    }
    if width == 0 || rows == 0 {
        return Ok(Vec::new());
    }
    let dense = panels.split(dense, width);
    let done = if by_row {
        by_rows(source, &dense, (panels, width), rows, context)
    } else {
        by_cols(source, &dense, panels, rows, context).map(|sums| panels.join(sums, width))
    };
    done.map_err(|error| crate::convert::locate(error, source).with_context(place))
}

/// The division of a dense matrix into panels of a few adjacent columns, each stored by row. The rows of one panel
/// that entries refer to are more likely to stay in the cache than whole rows.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    /// Columns of each panel: a multiple of 8, or 1.
    pub(super) width: usize,
    pub(super) count: usize,
}

impl Panels {
    /// Bytes of a row of a panel. Half of it takes longer, because each addition to a sum waits for the previous one, and twice
    /// as much does not fit into the registers.
    const ROW: usize = 256;

    pub(super) fn of<T>(width: usize) -> Self {
        let most = Self::ROW / size_of::<T>();
        match width {
            0 | 1 => Self { width, count: 1 },
            // Rows of the full width are found faster than shorter ones.
            _ if width <= most && width > most / 4 * 3 => Self { width: most, count: 1 },
            _ if width <= most => Self { width: width.next_multiple_of(8), count: 1 },
            _ => Self { width: most, count: width.div_ceil(most) },
        }
    }

    /// Divides a matrix that is stored by row. Columns that are missing in the last panel are zero.
    pub(super) fn split<T: Float>(self, dense: &[T], width: usize) -> Cow<'_, [T]> {
        if self.count == 1 && self.width == width {
            return Cow::Borrowed(dense);
        }
        let rows = dense.len() / width;
        let mut panels = vec![T::default(); rows * self.width * self.count];
        for (number, panel) in panels.chunks_exact_mut((rows * self.width).max(1)).enumerate() {
            let from = number * self.width;
            let len = self.width.min(width - from);
            for (into, row) in panel.chunks_exact_mut(self.width).zip(dense.chunks_exact(width)) {
                into[..len].copy_from_slice(&row[from..from + len]);
            }
        }
        Cow::Owned(panels)
    }

    /// Joins panels to a matrix that is stored by row.
    pub(super) fn join<T: Float>(self, panels: Vec<T>, width: usize) -> Vec<T> {
        if self.count == 1 && self.width == width {
            return panels;
        }
        let rows = panels.len() / (self.width * self.count);
        let mut dense = vec![T::default(); rows * width];
        for (number, panel) in panels.chunks_exact((rows * self.width).max(1)).enumerate() {
            let from = number * self.width;
            let len = self.width.min(width - from);
            for (into, row) in dense.chunks_exact_mut(width).zip(panel.chunks_exact(self.width)) {
                into[from..from + len].copy_from_slice(&row[..len]);
            }
        }
        dense
    }
}

/// Multiplies a matrix that is stored by row: each row is summed by itself.
fn by_rows<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    (panels, width): (Panels, usize),
    rows: usize,
    context: &TaskContext,
) -> Result<Vec<T>> {
    let bands = Bands::of(source, panels.width * size_of::<T>());
    let work = Rows { entries: Entries::new(source), dense, panels, bands };
    let mut product = Product { sums: vec![T::default(); rows * width], width, panels };
    pass(source, &work, &mut Numbers::default(), &mut product, Workers::of(context))?;
    Ok(product.sums)
}

/// Multiplies a matrix that is stored by column: each column is added to all rows.
fn by_cols<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    panels: Panels,
    rows: usize,
    context: &TaskContext,
) -> Result<Vec<T>> {
    let sums = rows * panels.width * panels.count;
    let accumulators =
        Accumulators::new(count_of(sums * size_of::<T>()), || vec![T::default(); sums]);
    let work = Cols {
        entries: Entries::new(source),
        dense,
        panels,
        rows,
        bands: Bands::of(source, panels.width * size_of::<T>()),
        accumulators,
        spare: Mutex::default(),
    };
    pass(source, &work, &mut Numbers::default(), &mut Done, Workers::of(context))?;
    Ok(total(work.accumulators))
}

/// Adds up accumulators.
pub(super) fn total<T: Float>(accumulators: Accumulators<Vec<T>>) -> Vec<T> {
    let mut all = accumulators.finish();
    let mut total = all.next().unwrap_or_default();
    all.for_each(|sums| T::add(&mut total, &sums));
    total
}

/// Returns a row of a panel, or nothing.
fn row_of<T>(panel: &[T], row: u64, width: usize) -> Option<&[T]> {
    let start = usize::try_from(row).ok()?.checked_mul(width)?;
    panel.get(start..)?.get(..width)
}

/// A matrix that is stored by row.
struct Rows<'a, T> {
    entries: Entries<T>,
    dense: &'a [T],
    panels: Panels,
    bands: Option<Bands>,
}

/// Sums of some rows, of which others may have more of the first and the last.
struct RowSums<T> {
    rows: Vec<u64>,
    /// In panels.
    sums: Vec<T>,
}

impl<T: Float> Work for Rows<'_, T> {
    type Batch = Batch;
    type Decoded = Buffers<T>;
    type Encoded = RowSums<T>;
    type Joint = u64;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Buffers<T>, Vec<u64>)> {
        let (mut decoded, stored) = self.entries.decode(units)?;
        Ok((decoded.pop().unwrap_or_else(|| self.entries.buffers()), stored))
    }

    fn encode(&self, mut buffers: Buffers<T>, _: u64) -> Result<RowSums<T>> {
        self.entries.prepare(&mut buffers)?;
        let Panels { width, count } = self.panels;
        let mut rows = Vec::with_capacity(buffers.batch.runs());
        buffers.for_each(|row, _, _| {
            rows.push(row);
            true
        })?;
        let mut sums = vec![T::default(); rows.len() * width * count];
        let panel_len = (self.dense.len() / count).max(1);
        let panels = sums.chunks_exact_mut((rows.len() * width).max(1));
        for (sums, dense) in panels.zip(self.dense.chunks_exact(panel_len)) {
            buffers.for_each_in(self.bands, |number, _, values, minors| {
                let sums = sums.chunks_exact_mut(width).nth(number);
                sums.is_some_and(|sums| T::add_rows(sums, values, minors, dense))
            })?;
        }
        self.entries.reuse(buffers);
        Ok(RowSums { rows, sums })
    }
}

/// The result for a matrix that is stored by row.
struct Product<T> {
    /// By row, of so many columns.
    sums: Vec<T>,
    width: usize,
    panels: Panels,
}

impl<T: Float> Write<Rows<'_, T>> for Product<T> {
    fn write(&mut self, part: RowSums<T>) -> Result<()> {
        let Self { sums: all, width, panels } = self;
        let panel_len = (part.sums.len() / panels.count).max(1);
        for (number, panel) in part.sums.chunks_exact(panel_len).enumerate() {
            let first = number * panels.width;
            let len = panels.width.min(*width - first);
            for (row, sums) in part.rows.iter().zip(panel.chunks_exact(panels.width)) {
                let start = usize::try_from(*row).unwrap_or(usize::MAX).saturating_mul(*width);
                let into = all.get_mut(start..).and_then(|rest| rest.get_mut(first..first + len));
                T::add(into.unwrap_or_default(), &sums[..len]);
            }
        }
        Ok(())
    }
}

/// A matrix that is stored by column.
struct Cols<'a, T> {
    entries: Entries<T>,
    dense: &'a [T],
    panels: Panels,
    rows: usize,
    bands: Option<Bands>,
    accumulators: Accumulators<Vec<T>>,
    spare: Mutex<Vec<ByRow<T>>>,
}

/// Calls `each` with the entries of each column, and returns whether all are inside of the matrix.
fn each_col<T: Float>(
    decoded: &[Buffers<T>],
    mut each: impl FnMut(u32, &[T], &[u32]) -> bool,
) -> bool {
    let all = decoded.iter().try_for_each(|buffers| {
        buffers.for_each(|col, values, minors| {
            u32::try_from(col).is_ok_and(|col| each(col, values, minors))
        })
    });
    all.is_ok()
}

/// The entries of some columns, ordered by row. The rows of the dense matrix that belong to few columns stay in the cache,
/// and the sums of a row in registers.
#[derive(Default)]
struct ByRow<T> {
    /// The end of each row.
    ends: Vec<usize>,
    cols: Vec<u32>,
    values: Vec<T>,
}

impl<T: Float> ByRow<T> {
    /// Bytes of the sums of a panel that stay in the cache of a core.
    const CACHED: usize = 512 << 10;

    /// Entries that a row has at least, on average; the order is not worth it for fewer.
    const LEAST: usize = 4;

    /// Orders entries. Returns whether that is worth it, and all are inside of the matrix.
    fn fill(&mut self, decoded: &[Buffers<T>], rows: usize) -> bool {
        let entries: usize = decoded.iter().map(|buffers| buffers.batch.entries()).sum();
        if entries / Self::LEAST < rows {
            return false;
        }
        let Self { ends, cols, values: ordered } = self;
        ends.clear();
        ends.resize(rows, 0);
        let are_inside = each_col(decoded, |_, _, minors| {
            let mut count = |minor: &u32| ends.get_mut(*minor as usize).map(|count| *count += 1);
            minors.iter().all(|minor| count(minor).is_some())
        });
        if !are_inside {
            return false;
        }
        let mut total = 0;
        for end in ends.iter_mut() {
            // The start of each row, which becomes its end.
            (*end, total) = (total, total + *end);
        }
        cols.resize(total, 0);
        ordered.resize(total, T::default());
        each_col(decoded, |col, values, minors| {
            for (value, minor) in values.iter().zip(minors) {
                let Some(next) = ends.get_mut(*minor as usize) else { return false };
                let (Some(to), Some(into)) = (cols.get_mut(*next), ordered.get_mut(*next)) else {
                    return false;
                };
                (*to, *into) = (col, *value);
                *next += 1;
            }
            true
        })
    }

    /// Adds the products with a panel.
    fn multiply(&self, sums: &mut [T], dense: &[T], width: usize) -> Result<()> {
        let mut start = 0;
        for (sums, end) in sums.chunks_exact_mut(width).zip(&self.ends) {
            let entries = start..*end;
            start = *end;
            if !T::add_rows(sums, &self.values[entries.clone()], &self.cols[entries], dense) {
                let what = "a column outside of the matrix";
                return Err(Error::mismatch(Place::default(), what, "columns within it"));
            }
        }
        Ok(())
    }
}

impl<T: Float> Work for Cols<'_, T> {
    type Batch = Batch;
    type Decoded = Vec<Buffers<T>>;
    type Encoded = ();
    type Joint = u64;

    fn together(&self) -> usize {
        TOGETHER
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Vec<Buffers<T>>, Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut decoded: Vec<Buffers<T>>, number: u64) -> Result<()> {
        let prepared = decoded.iter_mut().try_for_each(|buffers| self.entries.prepare(buffers));
        let Panels { width, count } = self.panels;
        let panel_len = (self.dense.len() / count).max(1);
        let by_row = match prepared {
            // Sums that stay in the cache are added to in any order.
            Ok(()) if width > 1 && self.rows * width * size_of::<T>() > ByRow::<T>::CACHED => {
                let mut by_row = lock(&self.spare).pop().unwrap_or_default();
                by_row.fill(&decoded, self.rows).then_some(by_row)
            }
            _ => None,
        };
        // Its turn passes also if it failed: others wait for it.
        self.accumulators.add(number, |sums| {
            prepared?;
            let len = (sums.len() / count).max(1);
            for (sums, dense) in sums.chunks_exact_mut(len).zip(self.dense.chunks_exact(panel_len))
            {
                if let Some(by_row) = &by_row {
                    by_row.multiply(sums, dense, width)?;
                    continue;
                }
                for buffers in &decoded {
                    buffers.for_each_in(self.bands, |_, col, values, minors| {
                        let row = row_of(dense, col, width);
                        row.is_some_and(|row| T::add_to_rows(sums, values, minors, row))
                    })?;
                }
            }
            Ok(())
        })?;
        decoded.into_iter().for_each(|buffers| self.entries.reuse(buffers));
        Ok(())
    }
}
