//! The product of a transposed matrix, the matrix and a dense one, in one pass.

use nnz_core::{Batch, Error, MatrixSource, Order, Place, Result, Structure, Unit};
use nnz_storage::TaskContext;

use super::entries::{Bands, Buffers, Entries, Numbers, pass};
use super::float::Float;
use super::product::Panels;
use crate::accumulators::{Accumulators, TOGETHER, count_of};
use crate::flow::{Work, Workers, Write};

/// Returns whether the rows of a matrix can be multiplied one by one: each is a sequence of its entries.
pub(super) fn has_rows(source: &dyn MatrixSource) -> bool {
    let header = source.header();
    header.order == Order::Row && header.structure == Structure::General && header.sorted_majors
}

/// Multiplies a matrix that [has rows](has_rows) by `dense`, subtracts `shift` from each row of the product, and multiplies the
/// transposed matrix by that. Returns the result, and the sums of the columns of the product between.
pub(super) fn multiply_twice<T: Float>(
    source: &dyn MatrixSource,
    dense: &[T],
    shift: &[f64],
    context: &TaskContext,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let width = shift.len();
    let panels = Panels::of::<T>(width);
    let dense = panels.split(dense, width);
    let row = panels.width * panels.count;
    let empty =
        || Sums { product: vec![T::default(); dense.len()], between: vec![0.0; row], rows: 0 };
    let work = Gram {
        entries: Entries::new(source),
        panels,
        shift: shift.iter().copied().chain(std::iter::repeat(0.0)).take(row).collect(),
        bands: Bands::of(source, panels.width * size_of::<T>()),
        accumulators: Accumulators::new(count_of(size_of_val(&*dense)), empty),
        dense: &dense,
    };
    let mut edges = Edges { work: &work, open: None, sums: empty() };
    pass(source, &work, &mut Numbers::default(), &mut edges, Workers::of(context))?;
    edges.close()?;
    let mut total = edges.sums;
    for sums in work.accumulators.finish() {
        T::add(&mut total.product, &sums.product);
        total.between.iter_mut().zip(&sums.between).for_each(|(sum, more)| *sum += more);
        total.rows += sums.rows;
    }
    // Of a row without entries, the product is zero.
    #[allow(clippy::cast_precision_loss, reason = "it rounds")]
    let empty_rows = source.header().shape.rows.saturating_sub(total.rows) as f64;
    let between = total.between.iter().zip(shift).map(|(sum, shift)| sum - empty_rows * shift);
    let between = between.collect();
    let product = panels.join(total.product, width);
    Ok((product.into_iter().map(Into::into).collect(), between))
}

/// The work on rows that are complete in a group of units.
struct Gram<'a, T> {
    entries: Entries<T>,
    panels: Panels,
    /// For each column of the panels.
    shift: Vec<f64>,
    bands: Option<Bands>,
    accumulators: Accumulators<Sums<T>>,
    /// In panels.
    dense: &'a [T],
}

/// Sums of some rows.
struct Sums<T> {
    /// In panels.
    product: Vec<T>,
    between: Vec<f64>,
    rows: u64,
}

/// Rows of a group of units, and their products.
struct Rows<T> {
    /// The number of the row of each run that has entries.
    of_runs: Vec<usize>,
    /// The first such run of each batch.
    firsts: Vec<usize>,
    count: usize,
    /// In panels.
    products: Vec<T>,
}

impl<T> Rows<T> {
    /// Returns the number of the row of a run of a batch; `None` if other units may have more of it.
    fn complete(&self, batch: usize, run: usize) -> Option<usize> {
        let row = *self.of_runs.get(self.firsts.get(batch)? + run)?;
        (row > 0 && row + 1 < self.count).then_some(row)
    }
}

/// A part of a row.
struct Piece<T> {
    row: u64,
    values: Vec<T>,
    minors: Vec<u32>,
}

impl<T: Float> Gram<'_, T> {
    /// Returns the dense matrix in panels.
    fn dense_panels(&self) -> std::slice::ChunksExact<'_, T> {
        self.dense.chunks_exact((self.dense.len() / self.panels.count).max(1))
    }

    /// Multiplies complete rows.
    fn rows(&self, decoded: &[Buffers<T>]) -> Result<Rows<T>> {
        let Panels { width, count } = self.panels;
        let (of_runs, firsts, products) = Default::default();
        let mut rows = Rows { of_runs, firsts, count: 0, products };
        let mut last = None;
        for buffers in decoded {
            rows.firsts.push(rows.of_runs.len());
            let mut descends = None;
            buffers.for_each(|row, _, _| {
                if last.is_some_and(|last| row < last) {
                    descends = Some(row);
                }
                rows.count += usize::from(last != Some(row));
                last = Some(row);
                rows.of_runs.push(rows.count - 1);
                true
            })?;
            if let Some(row) = descends {
                return Err(out_of_order(row));
            }
        }
        let mut products = vec![T::default(); rows.count * width * count];
        let len = (rows.count * width).max(1);
        let shifts = self.shift.chunks_exact(width);
        for ((products, dense), shift) in
            products.chunks_exact_mut(len).zip(self.dense_panels()).zip(shifts)
        {
            for (batch, buffers) in decoded.iter().enumerate() {
                buffers.for_each_in(self.bands, |run, _, values, minors| {
                    let Some(row) = rows.complete(batch, run) else { return true };
                    let sums = &mut products[row * width..][..width];
                    T::add_rows(sums, values, minors, dense)
                })?;
            }
            products.chunks_exact_mut(width).for_each(|product| subtract(product, shift));
        }
        rows.products = products;
        Ok(rows)
    }

    /// Adds the products of the transposed matrix with those of complete rows.
    fn add(&self, decoded: &[Buffers<T>], rows: &Rows<T>, sums: &mut Sums<T>) -> Result<()> {
        let Panels { width, count } = self.panels;
        let (len, panel_len) = ((rows.count * width).max(1), (self.dense.len() / count).max(1));
        let panels = sums.product.chunks_exact_mut(panel_len);
        let panels = panels.zip(sums.between.chunks_exact_mut(width));
        for ((sums, between), products) in panels.zip(rows.products.chunks_exact(len)) {
            for (batch, buffers) in decoded.iter().enumerate() {
                buffers.for_each_in(self.bands, |run, _, values, minors| {
                    let Some(row) = rows.complete(batch, run) else { return true };
                    T::add_to_rows(sums, values, minors, &products[row * width..][..width])
                })?;
            }
            let complete = products.len().saturating_sub(width).max(width);
            for product in products[width..complete].chunks_exact(width) {
                add_to(between, product);
            }
        }
        sums.rows += rows.count.saturating_sub(2) as u64;
        Ok(())
    }

    /// Returns the parts of rows of which other units may have more.
    fn pieces(&self, decoded: &[Buffers<T>], rows: &Rows<T>) -> Result<Vec<Piece<T>>> {
        let mut pieces = Vec::new();
        for (batch, buffers) in decoded.iter().enumerate() {
            let mut run = 0;
            buffers.for_each(|row, values, minors| {
                if rows.complete(batch, run).is_none() {
                    let (values, minors) = (values.to_vec(), minors.to_vec());
                    pieces.push(Piece { row, values, minors });
                }
                run += 1;
                true
            })?;
        }
        Ok(pieces)
    }
}

/// The error for a row after a greater one: its product would not be that of all its entries.
fn out_of_order(row: u64) -> Error {
    let what = format!("entries of row {row} after those of a greater one");
    Error::mismatch(Place::default(), what, "rows in ascending order, as the header states")
}

fn subtract<T: Float>(product: &mut [T], shift: &[f64]) {
    for (element, shift) in product.iter_mut().zip(shift) {
        *element = T::of((*element).into() - shift);
    }
}

fn add_to<T: Float>(sums: &mut [f64], product: &[T]) {
    sums.iter_mut().zip(product).for_each(|(sum, element)| *sum += (*element).into());
}

impl<T: Float> Work for Gram<'_, T> {
    type Batch = Batch;
    type Decoded = Vec<Buffers<T>>;
    type Encoded = Vec<Piece<T>>;
    type Joint = u64;

    fn together(&self) -> usize {
        TOGETHER
    }

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Vec<Buffers<T>>, Vec<u64>)> {
        self.entries.decode(units)
    }

    fn encode(&self, mut decoded: Vec<Buffers<T>>, number: u64) -> Result<Vec<Piece<T>>> {
        let prepared = decoded.iter_mut().try_for_each(|buffers| self.entries.prepare(buffers));
        let rows = prepared.and_then(|()| self.rows(&decoded));
        // Its turn passes also if it failed: others wait for it.
        let rows = self.accumulators.add(number, |sums| {
            let rows = rows?;
            self.add(&decoded, &rows, sums)?;
            Ok(rows)
        })?;
        let pieces = self.pieces(&decoded, &rows)?;
        decoded.into_iter().for_each(|buffers| self.entries.reuse(buffers));
        Ok(pieces)
    }
}

/// Rows that are divided among units, one after the other.
struct Edges<'a, T> {
    work: &'a Gram<'a, T>,
    /// The last row, which may continue.
    open: Option<Piece<T>>,
    sums: Sums<T>,
}

impl<T: Float> Edges<'_, T> {
    /// Adds the products of the last row.
    fn close(&mut self) -> Result<()> {
        let Some(Piece { row, values, minors }) = self.open.take() else { return Ok(()) };
        let Panels { width, count } = self.work.panels;
        let Sums { product, between, rows } = &mut self.sums;
        let dense_panels = self.work.dense_panels();
        let panel_len = (product.len() / count).max(1);
        let sums_panels = product.chunks_exact_mut(panel_len);
        let shifts = self.work.shift.chunks_exact(width).zip(between.chunks_exact_mut(width));
        for ((dense, sums), (shift, between)) in dense_panels.zip(sums_panels).zip(shifts) {
            let mut product = vec![T::default(); width];
            let mut is_inside = T::add_rows(&mut product, &values, &minors, dense);
            subtract(&mut product, shift);
            is_inside &= T::add_to_rows(sums, &values, &minors, &product);
            if !is_inside {
                let what = format!("an index out of bounds in row {row}");
                return Err(Error::mismatch(Place::default(), what, "indices within the matrix"));
            }
            add_to(between, &product);
        }
        *rows += 1;
        Ok(())
    }
}

impl<T: Float> Write<Gram<'_, T>> for Edges<'_, T> {
    fn write(&mut self, pieces: Vec<Piece<T>>) -> Result<()> {
        for piece in pieces {
            match &mut self.open {
                Some(open) if open.row == piece.row => {
                    open.values.extend(piece.values);
                    open.minors.extend(piece.minors);
                }
                Some(open) if open.row > piece.row => return Err(out_of_order(piece.row)),
                _ => {
                    self.close()?;
                    self.open = Some(piece);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use nnz_core::{Header, Majors, Minors, Projection, Shape, UnitReader, ValueType, Values};

    use super::*;

    /// A matrix whose batches have one row each.
    struct Rows(Header, Vec<u64>);

    impl MatrixSource for Rows {
        fn header(&self) -> &Header {
            &self.0
        }

        fn random_access(&self) -> bool {
            false
        }

        fn units(&self, _: Range<u64>, _: Projection) -> Result<Box<dyn UnitReader<'_> + '_>> {
            Ok(Box::new(Units(self.1.iter())))
        }
    }

    struct Units<'a>(std::slice::Iter<'a, u64>);

    impl<'a> UnitReader<'a> for Units<'a> {
        fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
            Ok(self.0.next().map(|row| Box::new(One(*row)) as Box<dyn Unit + 'a>))
        }
    }

    struct One(u64);

    impl Unit for One {
        fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
            *batch = Batch {
                order: Order::Row,
                majors: Majors::Listed(vec![self.0]),
                offsets: vec![0, 1],
                minors: Minors::U32(vec![0]),
                values: Values::from(vec![1.0_f64]),
            };
            Ok(())
        }
    }

    /// The parts of a row were multiplied one by one.
    #[test]
    fn rows_that_are_divided_or_out_of_order_are_not_wrong() {
        let header = Header::new(Shape { rows: 40, cols: 1 }, Order::Row, ValueType::F64);
        let found = |rows: Vec<u64>| {
            let source = Rows(header.clone().sorted_majors(true), rows);
            multiply_twice(&source, &[1.0], &[0.0], &TaskContext::default().with_threads(2))
        };
        // Parts of a row in one group of units, and in several.
        for (rows, expected) in [
            ((0..40).collect::<Vec<u64>>(), 40.0),
            (vec![3; 4], 16.0),
            ([vec![1; 5], vec![2; 30], vec![7; 1]].concat(), 25.0 + 900.0 + 1.0),
        ] {
            assert_eq!(found(rows).unwrap().0, [expected]);
        }
        for rows in [vec![1, 2, 1], [vec![5; 9], vec![4; 9]].concat()] {
            assert!(found(rows).unwrap_err().to_string().contains("after those of a greater one"));
        }
    }
}
