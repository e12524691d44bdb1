//! Reading a whole matrix into memory.

mod cs_matrix;
mod dense;
mod filling;
mod index_pointers;
mod sink;
mod source;
#[cfg(feature = "sprs")]
mod sprs_matrix;

use nnz_core::{
    Axis, Element, Error, ErrorKind, Header, MatrixSource, Minors, Order, Place, Projection,
    Result, Storage, Structure, Values,
};
use nnz_storage::TaskContext;

use nnz_storage::{FreshPages, enlarge_pages};

use crate::DuplicatePolicy;
use crate::convert::{ConvertOptions, write_entries};
use crate::flow::{Done, Workers, run};
pub use cs_matrix::CsMatrix;
pub use dense::{Dense, read_dense};
use filling::{FillState, FillWork};
pub use index_pointers::IndexPointers;
use sink::MemoryTarget;

/// Options of reading a matrix into memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The storage order; by default the same as in the source, or columns if it has none.
    pub order: Option<Order>,
    /// Handling of duplicate entries. By default, they are kept if the format allows them, and
    /// refused otherwise.
    pub duplicates: Option<DuplicatePolicy>,
    /// Whether names of rows and columns are read as well, if any.
    pub names: bool,
}

nnz_core::setters! {
    ReadOptions {
        order: Option<Order>,
        duplicates: Option<DuplicatePolicy>,
        names: bool,
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { order: None, duplicates: None, names: true }
    }
}

/// Reads a whole matrix into memory, with its names and kinds of axes.
///
/// ```
/// # use nnz_core::{Order, Shape};
/// # use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
/// # let shape = Shape { rows: 1, cols: 1 };
/// # let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1], vec![0_u32], vec![1.0])?;
/// # let source = matrix.into_source()?;
/// let (options, context) = (ReadOptions::default(), TaskContext::default());
/// let matrix = nnz_engine::read(&*source, &options, &context)?;
/// println!("{} entries", matrix.nnz());
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix cannot be read or is broken, if it takes more memory than allowed, and if
/// cancelled.
pub fn read(
    source: &dyn MatrixSource,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<CsMatrix> {
    let from = &source.place();
    let matrix = read_entries(source, options, context)?;
    let mut matrix = matrix.with_axis_kinds(source.header().axis_kinds);
    for axis in [Axis::Rows, Axis::Cols].into_iter().filter(|_| options.names) {
        let names = source.read_names(axis).and_then(|names| {
            names.map(|mut names| names.list_with_limit(context.result_memory())).transpose()
        });
        if let Some(names) = names.map_err(|error| error.with_context(from))? {
            matrix.names[usize::from(axis == Axis::Cols)] = Some(names);
        }
    }
    Ok(matrix)
}

fn read_entries(
    source: &dyn MatrixSource,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<CsMatrix> {
    let from = &source.place();
    let own = source.header().own_order();
    if options.order.is_none_or(|order| own == Some(order)) && is_in_requested_form(source) {
        let filled = fill(source, options, context).map_err(|error| error.with_context(from))?;
        if let Some(matrix) = filled {
            return Ok(matrix);
        }
    }
    let target = MemoryTarget::new(context.result_memory());
    let options = ConvertOptions {
        order: options.order,
        duplicates: options.duplicates,
        ..ConvertOptions::default()
    };
    write_entries(source, own, &target, &options, &context.without_progress())?;
    target.take().ok_or_else(|| Error::argument("nothing was read"))
}

/// Returns whether entries are in the form of the result, according to the header.
fn is_in_requested_form(source: &dyn MatrixSource) -> bool {
    let header = source.header();
    header.sorted_majors
        && source.rereadable()
        && source.random_access()
        && header.nnz.is_some()
        && !header.iso
        && header.fill.is_none()
        && header.storage == Storage::Sparse
        && header.structure == Structure::General
}

/// Decodes entries into place; `None` if they do not ascend, or if there are duplicates that are
/// not allowed.
fn fill(
    source: &dyn MatrixSource,
    options: &ReadOptions,
    context: &TaskContext,
) -> Result<Option<CsMatrix>> {
    let header = source.header();
    let majors = header.shape.major(header.order);
    let entries = header.nnz.unwrap_or(0);
    allow(header, majors, entries, context.result_memory())?;
    let (majors_len, len) = (in_memory(majors)?, in_memory(entries)?);
    let pointers = zeroed(majors_len.saturating_add(1))?;
    let minors = Minors::U32(zeroed(len)?);
    let values = Values::try_zeroed(header.value_type, len).ok_or_else(no_memory)?;
    let mut matrix = CsMatrix::unchecked(header.shape, header.order, pointers, minors, values);
    let Minors::U32(minors) = &mut matrix.minors else { return Ok(None) };
    enlarge_pages(bytemuck::cast_slice_mut(minors));
    enlarge_pages(matrix.values.bytes_mut());
    let unique = match options.duplicates {
        // Usually there are none to sum.
        Some(policy) => matches!(policy, DuplicatePolicy::Refuse | DuplicatePolicy::Sum),
        None => header.duplicates == nnz_core::Duplicates::Refused,
    };
    let (fresh, [minors, values]) =
        FreshPages::new([bytemuck::cast_slice_mut(minors), matrix.values.bytes_mut()]);
    let minors = bytemuck::cast_slice_mut(minors);
    let mut filled = FillState::new(&mut matrix.pointers, minors, values, unique);
    let filling = FillWork::new(header, fresh);
    let units = source.units(0..majors, Projection::ALL)?;
    run(units, &filling, &mut filled, &mut Done, Workers::of(context))?;
    Ok(filled.complete()?.then_some(matrix))
}

/// Refuses a matrix above the memory limit.
fn allow(header: &Header, majors: u64, entries: u64, allowed: u64) -> Result<()> {
    let each = (size_of::<u32>() + header.value_type.size()) as u64;
    let needed = majors.saturating_mul(8).saturating_add(entries.saturating_mul(each));
    if needed <= allowed {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Memory { needed, allowed }, Place::default()))
}

fn in_memory(len: u64) -> Result<usize> {
    usize::try_from(len).map_err(|_| Error::argument("too large for the address space"))
}

/// Allocates zeros, which take no memory until they are written.
fn zeroed<T: Element>(len: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| no_memory())
}

fn no_memory() -> Error {
    let error = std::io::ErrorKind::OutOfMemory.into();
    Error::new(ErrorKind::Io(error), Place::default())
}
