//! Products of a matrix with dense matrices.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Batch, Error, ErrorKind, MatrixSource, Minors, Place, Projection, Result, Unit, Values,
};

use super::float::{Float, complex, round_into};
use super::lanes::Lanes;
use crate::flow::{Done, Join, Work, Workers, Write, run};
use crate::stages::{Step, apply, expand, expanded_type};
use crate::{Cancellation, default_memory};

/// Options of [`multiply`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProductOptions {
    /// Memory in bytes for the result and for sums of each thread.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
    /// Cancels the operation.
    pub cancellation: Option<Cancellation>,
}

nnz_core::setters! {
    ProductOptions {
        memory: u64,
        threads: usize,
        cancellation: Option<Cancellation>,
    }
}

/// Three quarters of the free memory, and all cores.
impl Default for ProductOptions {
    fn default() -> Self {
        Self {
            memory: default_memory().saturating_mul(3),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            cancellation: None,
        }
    }
}

/// Multiplies a matrix by a dense matrix of `width` columns, which is stored by row and has a row for each
/// column of the matrix. Returns a dense matrix, by row, with a row for each row of the matrix.
///
/// The values of the matrix are rounded to the type of the dense one. The result is the same for any number of
/// threads. `place` is the name of the matrix in messages. For the product from the other side, multiply
/// [`Transposed`](crate::Transposed) by the transposed dense matrix.
///
/// ```
/// use nnz_core::{Order, Place, Shape};
/// use nnz_engine::compute::{ProductOptions, multiply};
///
/// // 1 . 2
/// // . . 3
/// let shape = Shape { rows: 2, cols: 3 };
/// let matrix =
///     nnz_engine::CsMatrix::from_parts(shape, Order::Row, vec![0, 2, 3], vec![0_u32, 2, 2], vec![1_u32, 2, 3])?;
/// let dense = [1.0, 10.0, 2.0, 20.0, 3.0, 30.0];
/// let product = multiply(&*matrix.into_source()?, &Place::default(), &dense, 2, &ProductOptions::default())?;
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
    place: &Place,
    dense: &[T],
    width: usize,
    options: &ProductOptions,
) -> Result<Vec<T>> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let header = source.header();
    let [rows, cols] = [header.shape.rows, header.shape.cols].map(usize::try_from);
    let (rows, cols) = (rows.unwrap_or(usize::MAX), cols.unwrap_or(usize::MAX));
    if cols.checked_mul(width) != Some(dense.len()) {
        let what = format!("{} elements of {width} columns for {cols} rows", dense.len());
        return Err(Error::argument(format!("the dense matrix has {what}")));
    }
    if header.value_type.is_complex() {
        return Err(complex().with_context(place));
    }
    if header.fill.is_some() && header.storage == nnz_core::Storage::Sparse {
        let what = "the product of a matrix with a fill value other than zero is not supported";
        return Err(Error::unsupported(place.clone(), what));
    }
    // Rows of a multiple of 8 elements are added without a loop for the rest.
    let padded = if width > 1 { width.next_multiple_of(8) } else { width };
    let sums = rows.saturating_mul(padded);
    let by_row = header.order == nnz_core::Order::Row;
    let sets = if by_row { 1 } else { Lanes::<T>::count(sums) };
    let elements = sums.saturating_mul(sets).saturating_add(cols.saturating_mul(padded));
    let needed = (elements as u64).saturating_mul(size_of::<T>() as u64);
    if needed > options.memory {
        let kind = ErrorKind::Memory { needed, allowed: options.memory };
        return Err(Error::new(kind, place.clone()));
    }
    if width == 0 || rows == 0 {
        return Ok(Vec::new());
    }
    let dense = pad(dense, width, padded);
    let done = if by_row {
        by_rows(source, &dense, padded, sums, options)
    } else {
        by_cols(source, &dense, padded, sums, options)
    };
    let product =
        done.map_err(|error| crate::convert::locate(error, source).with_context(place))?;
    Ok(match padded == width {
        true => product,
        false => product.chunks_exact(padded).flat_map(|row| &row[..width]).copied().collect(),
    })
}

fn pad<T: Float>(dense: &[T], width: usize, padded: usize) -> Cow<'_, [T]> {
    if width == padded {
        return Cow::Borrowed(dense);
    }
    let mut wide = vec![T::default(); dense.len() / width * padded];
    for (into, row) in wide.chunks_exact_mut(padded).zip(dense.chunks_exact(width)) {
        into[..width].copy_from_slice(row);
    }
    Cow::Owned(wide)
}

/// Multiplies a matrix that is stored by row: each row is summed by itself.
fn by_rows<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    width: usize,
    sums: usize,
    options: &ProductOptions,
) -> Result<Vec<T>> {
    let rows = Rows { entries: Entries::new(source), dense, width };
    let mut product = Product { sums: vec![T::default(); sums], width };
    pass(source, &rows, &mut Numbers(0), &mut product, options)?;
    Ok(product.sums)
}

/// Multiplies a matrix that is stored by column: each column is added to all rows.
fn by_cols<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    width: usize,
    sums: usize,
    options: &ProductOptions,
) -> Result<Vec<T>> {
    let cols = Cols { entries: Entries::new(source), dense, width, lanes: Lanes::new(sums) };
    pass(source, &cols, &mut Numbers(0), &mut Done, options)?;
    Ok(cols.lanes.finish())
}

fn pass<W: Work<Batch = Batch>>(
    source: &dyn MatrixSource,
    work: &W,
    join: &mut (dyn Join<W> + '_),
    write: &mut (dyn Write<W> + '_),
    options: &ProductOptions,
) -> Result<()> {
    let header = source.header();
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let workers = Workers { threads: options.threads, cancellation: options.cancellation.as_ref() };
    run(units, work, join, write, workers)
}

/// Numbers units.
struct Numbers(u64);

impl<W: Work<Joint = u64>> Join<W> for Numbers {
    fn join(&mut self, _: &W::BatchUnits) -> Result<Option<u64>> {
        self.0 += 1;
        Ok(Some(self.0 - 1))
    }
}

/// Decodes units, adds entries that follow from a structure, and rounds values.
struct Entries<T> {
    empty: Batch,
    steps: Vec<Box<dyn Step>>,
    spare: Mutex<Vec<Buffers<T>>>,
}

/// A batch, and what is made of it.
struct Buffers<T> {
    batch: Batch,
    spare: Batch,
    values: Vec<T>,
    minors: Vec<u32>,
}

impl<T: Float> Entries<T> {
    fn new(source: &dyn MatrixSource) -> Self {
        let header = source.header();
        let (steps, _) = expand(header);
        let empty = Batch::new(header.order, Values::new(expanded_type(header)));
        Self { empty, steps, spare: Mutex::default() }
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Buffers<T>, Vec<u64>)> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffers = spare.unwrap_or_else(|| Buffers {
            batch: self.empty.clone(),
            spare: self.empty.clone(),
            values: Vec::new(),
            minors: Vec::new(),
        });
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut buffers.batch)?;
            stored.push(buffers.batch.entries() as u64);
        }
        Ok((buffers, stored))
    }

    /// Calls `each` with each row or column that has entries, its values, and their indices.
    fn for_each(
        &self,
        buffers: &mut Buffers<T>,
        mut each: impl FnMut(u64, &[T], &[u32]) -> bool,
    ) -> Result<()> {
        let Buffers { batch, spare, values, minors } = buffers;
        apply(&self.steps, batch, spare)?;
        let own = T::slice(&batch.values);
        if own.is_none() {
            round_into(&batch.values, batch.entries(), values)?;
        }
        let values = own.unwrap_or(values);
        let minors = match &batch.minors {
            Minors::U32(own) => own,
            _ => {
                minors.clear();
                // Larger indices are past the end of any matrix in memory.
                let narrow = |minor| u32::try_from(minor).unwrap_or(u32::MAX);
                minors.reserve(batch.entries());
                for run in 0..batch.runs() {
                    minors.extend(batch.run(run).map(|entry| narrow(batch.minor(run, entry))));
                }
                minors
            }
        };
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            if entries.is_empty() {
                continue;
            }
            let major = batch.majors.get(run);
            if !each(major, &values[entries.clone()], &minors[entries]) {
                let what =
                    format!("an index outside the matrix in {} {major}", batch.order.major());
                return Err(Error::mismatch(Place::default(), what, "indices below its length"));
            }
        }
        Ok(())
    }

    fn reuse(&self, buffers: Buffers<T>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }
}

/// A matrix that is stored by row.
struct Rows<'a, T> {
    entries: Entries<T>,
    dense: &'a [T],
    width: usize,
}

/// Sums of some rows, of which others may have more of the first and the last.
struct Part<T> {
    rows: Vec<u64>,
    sums: Vec<T>,
}

impl<T: Float> Work for Rows<'_, T> {
    type Batch = Batch;
    type BatchUnits = Buffers<T>;
    type Encoded = Part<T>;
    type Joint = u64;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Buffers<T>, Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut buffers: Buffers<T>, _: u64) -> Result<Part<T>> {
        let runs = buffers.batch.runs();
        let mut part = Part { rows: Vec::with_capacity(runs), sums: Vec::new() };
        self.entries.for_each(&mut buffers, |row, values, minors| {
            part.rows.push(row);
            let start = part.sums.len();
            part.sums.resize(start + self.width, T::default());
            T::add_rows(&mut part.sums[start..], values, minors, self.dense)
        })?;
        self.entries.reuse(buffers);
        Ok(part)
    }
}

/// The result for a matrix that is stored by row.
struct Product<T> {
    sums: Vec<T>,
    width: usize,
}

impl<T: Float> Write<Rows<'_, T>> for Product<T> {
    fn write(&mut self, part: Part<T>) -> Result<()> {
        for (row, sums) in part.rows.iter().zip(part.sums.chunks_exact(self.width)) {
            let start = usize::try_from(*row).unwrap_or(usize::MAX).saturating_mul(self.width);
            let into = self.sums.get_mut(start..).and_then(|rest| rest.get_mut(..self.width));
            T::add(into.unwrap_or_default(), sums);
        }
        Ok(())
    }
}

/// A matrix that is stored by column.
struct Cols<'a, T> {
    entries: Entries<T>,
    dense: &'a [T],
    width: usize,
    lanes: Lanes<T>,
}

impl<T: Float> Work for Cols<'_, T> {
    type Batch = Batch;
    type BatchUnits = Buffers<T>;
    type Encoded = ();
    type Joint = u64;

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Buffers<T>, Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut buffers: Buffers<T>, number: u64) -> Result<()> {
        self.lanes.add(number, |sums| {
            self.entries.for_each(&mut buffers, |col, values, minors| {
                let start = usize::try_from(col).unwrap_or(usize::MAX).saturating_mul(self.width);
                let row = self.dense.get(start..).and_then(|rest| rest.get(..self.width));
                row.is_some_and(|row| T::add_to_rows(sums, values, minors, row))
            })
        })?;
        self.entries.reuse(buffers);
        Ok(())
    }
}
