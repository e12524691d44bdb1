//! Reading a matrix into memory as a dense array.

use crate::read::Workers;
use nnz_storage::TaskContext;
use std::sync::{Mutex, PoisonError};

use nnz_core::{
    Batch, Duplicates, Error, ErrorKind, MatrixSource, Minors, Order, Place, Projection, Result,
    Shape, Storage, Structure, Unit, Values,
};
use nnz_storage::prefault;

use super::{CsMatrix, ReadOptions, no_memory, read};
use crate::flow::{Done, Join, Work, run};
use crate::stages::add_duplicate;

/// Side of the blocks of elements that are transposed at once, which fit into the cache.
const TILE: usize = 32;

/// A dense matrix in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// Number of rows and columns.
    pub shape: Shape,
    /// Whether elements are stored by row or by column.
    pub order: Order,
    /// The elements.
    pub values: Values,
}

/// Reads a matrix into memory as a dense array.
///
/// The elements of a dense matrix are copied bit by bit. Elements of a sparse matrix that are not stored
/// are zero.
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if there are duplicate entries and the format does not
/// define that they are summed, if it takes more memory than allowed, and if cancelled.
pub fn read_dense(
    source: &dyn MatrixSource,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<Dense> {
    let from = &source.place();
    let own = source.header().order;
    if stores_all_elements(source)
        && let Some(dense) = fill(source, context).map_err(|error| error.with_context(from))?
    {
        return match options.order {
            Some(order) if order != own => dense.turned(context.result_memory()),
            _ => Ok(dense),
        };
    }
    let summed = source.header().duplicates == Duplicates::Summed;
    let dense = read(source, options, context)
        .and_then(|matrix| spread(&matrix, summed, context.result_memory()));
    dense.map_err(|error| error.with_context(from))
}

fn stores_all_elements(source: &dyn MatrixSource) -> bool {
    let header = source.header();
    header.storage == Storage::Dense
        && header.structure == Structure::General
        && header.sorted_majors
        && !header.iso
        && source.rereadable()
}

/// Allocates zeros, which take no memory until they are written.
fn zeros(
    shape: Shape,
    order: Order,
    value_type: nnz_core::ValueType,
    allowed: u64,
) -> Result<Dense> {
    let needed = shape.elements().saturating_mul(value_type.size() as u128);
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    if needed > allowed {
        return Err(Error::new(ErrorKind::Memory { needed, allowed }, Place::default()));
    }
    let elements = usize::try_from(shape.elements()).ok();
    let values = elements.and_then(|elements| Values::try_zeroed(value_type, elements));
    Ok(Dense { shape, order, values: values.ok_or_else(no_memory)? })
}

/// Copies panels of elements into place; `None` if they are not consecutive.
fn fill(source: &dyn MatrixSource, context: &TaskContext) -> Result<Option<Dense>> {
    let header = source.header();
    let mut dense = zeros(header.shape, header.order, header.value_type, context.result_memory())?;
    if header.shape.is_empty() {
        // There can be any number of rows without elements.
        return Ok(Some(dense));
    }
    let majors = header.shape.major(header.order);
    let mut placement = Placement {
        left: dense.values.bytes_mut(),
        size: header.value_type.size(),
        width: header.shape.minor(header.order),
        next: 0,
        follow: true,
    };
    let panels = Panels {
        order: header.order,
        value_type: header.value_type,
        spare: Mutex::default(),
        memory: std::marker::PhantomData,
    };
    let units = source.units(0..majors, Projection::ALL)?;
    run(units, &panels, &mut placement, &mut Done, Workers::of(context))?;
    let complete = placement.follow && placement.left.is_empty();
    Ok(complete.then_some(dense))
}

/// The parallel part.
struct Panels<'m> {
    order: Order,
    value_type: nnz_core::ValueType,
    /// Batches to be reused.
    spare: Mutex<Vec<Batch>>,
    memory: std::marker::PhantomData<fn() -> &'m mut [u8]>,
}

impl<'m> Work for Panels<'m> {
    type Batch = Batch;
    type Decoded = Batch;
    type Encoded = ();
    type Joint = &'m mut [u8];

    fn decode(&self, units: Vec<Box<dyn Unit + '_>>) -> Result<(Batch, Vec<u64>)> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let empty = || Batch::new(self.order, Values::new(self.value_type));
        let mut batch = spare.unwrap_or_else(empty);
        let mut stored = Vec::with_capacity(1);
        for unit in units {
            unit.decode(&mut batch)?;
            stored.push(batch.entries() as u64);
        }
        Ok((batch, stored))
    }

    fn encode(&self, batch: Batch, elements: &'m mut [u8]) -> Result<()> {
        prefault(elements);
        elements.copy_from_slice(batch.values.bytes());
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
        Ok(())
    }
}

/// The sequential part, which finds the position of panels.
struct Placement<'m> {
    /// The part that is not filled yet.
    left: &'m mut [u8],
    size: usize,
    /// Elements per major vector.
    width: u64,
    /// The next element.
    next: u64,
    follow: bool,
}

impl<'m> Join<Panels<'m>> for Placement<'m> {
    fn join(&mut self, batch: &Batch) -> Result<Option<&'m mut [u8]>> {
        let held = matches!(&batch.minors, Minors::Spans(_))
            && batch.values.bytes().len() == batch.entries() * self.size;
        let follows = |run: usize| {
            let entries = batch.run(run);
            let minor = if entries.is_empty() { 0 } else { batch.minor(run, entries.start) };
            let first = batch.majors.get(run).checked_mul(self.width)?.checked_add(minor)?;
            let before = entries.start as u64;
            (entries.is_empty() || first == self.next + before).then_some(())
        };
        let follow = held && (0..batch.runs()).all(|run| follows(run).is_some());
        let left = std::mem::take(&mut self.left);
        let bytes = batch.entries() * self.size;
        match left.split_at_mut_checked(bytes).filter(|_| follow) {
            Some((elements, rest)) => {
                self.left = rest;
                self.next += batch.entries() as u64;
                Ok(Some(elements))
            }
            None => {
                self.follow = false;
                Ok(None)
            }
        }
    }
}

/// Copies sorted entries into their elements, or adds duplicates.
fn spread(matrix: &CsMatrix, summed: bool, allowed: u64) -> Result<Dense> {
    let mut dense = zeros(matrix.shape, matrix.order, matrix.values.value_type(), allowed)?;
    let size = matrix.values.value_type().size();
    let width = dense.width();
    let from = matrix.values.bytes();
    let into = dense.values.bytes_mut();
    for (major, ends) in matrix.pointers.windows(2).enumerate() {
        let [first, last] =
            [ends[0], ends[1]].map(|end| usize::try_from(end).unwrap_or(usize::MAX));
        let mut before = None;
        let mut total = None;
        for entry in first..last {
            let minor = matrix.minor(entry);
            // It is inside of the matrix, which fits into memory.
            let element = (major * width + usize::try_from(minor).unwrap_or(usize::MAX)) * size;
            let element = &mut into[element..element + size];
            if before == Some(minor) {
                if !summed {
                    return Err(shared(matrix.order, major as u64, minor));
                }
                let so_far = total.take().or_else(|| matrix.values.get(entry - 1));
                let (Some(so_far), Some(value)) = (so_far, matrix.values.get(entry)) else {
                    continue;
                };
                let sum = add_duplicate(so_far, value, || at(matrix.order, major as u64, minor))?;
                element.copy_from_slice(sum.repeat(1).bytes());
                total = Some(sum);
            } else {
                (before, total) = (Some(minor), None);
                element.copy_from_slice(&from[entry * size..(entry + 1) * size]);
            }
        }
    }
    Ok(dense)
}

fn at(order: Order, major: u64, minor: u64) -> Place {
    let (row, col) = order.row_col(major, minor);
    Place::default().at(nnz_core::At::Entry { row, col })
}

fn shared(order: Order, major: u64, minor: u64) -> Error {
    Error::new(ErrorKind::Duplicate { other: None }, at(order, major, minor))
}

impl Dense {
    /// Elements per major vector.
    pub(crate) fn width(&self) -> usize {
        // At most the number of elements, unless that is zero.
        usize::try_from(self.shape.minor(self.order)).unwrap_or(usize::MAX)
    }

    /// Transposes elements.
    fn turned(&self, allowed: u64) -> Result<Self> {
        let order = match self.order {
            Order::Row => Order::Col,
            Order::Col => Order::Row,
        };
        let value_type = self.values.value_type();
        let mut turned = zeros(self.shape, order, value_type, allowed)?;
        if self.shape.is_empty() {
            return Ok(turned);
        }
        let size = value_type.size();
        let (width, height) = (self.width(), turned.width());
        let from = self.values.bytes();
        let into = turned.values.bytes_mut();
        for top in (0..height).step_by(TILE) {
            for left in (0..width).step_by(TILE) {
                for minor in left..width.min(left + TILE) {
                    for major in top..height.min(top + TILE) {
                        let (to, own) = (minor * height + major, major * width + minor);
                        into[to * size..(to + 1) * size]
                            .copy_from_slice(&from[own * size..(own + 1) * size]);
                    }
                }
            }
        }
        Ok(turned)
    }
}
