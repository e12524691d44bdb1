//! Reading matrices into memory: the slots of a dgCMatrix, and dense matrices.

use std::sync::Arc;

use nnz::error::{At, CastError};
use nnz::matrix::{Minors, Storage};
use nnz::output::DuplicatePolicy;
use nnz::{
    Axis, Context, CsMatrix, Error, ErrorKind, MatrixSource, Order, ReadOptions, Rounding,
    StatsOptions, ValueType, Values,
};

use crate::args::Args;
use crate::error::Failure;
use crate::open::selected;
use crate::sources::of;
use crate::task::{self, Limits};
use crate::value::Value;

/// The most rows, columns and entries that a dgCMatrix has.
const MOST: u64 = i32::MAX as u64;

/// Reads some rows and columns, or all, as the slots `p`, `i` and `x` of a dgCMatrix.
pub(crate) fn sparse(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let matrix = selected(matrix, args.optional_positions(1)?, args.optional_positions(2)?)?;
    let (pointers, rows, values) = task::run(limits(args, 3)?, move |context| {
        check_fill(&*matrix)?;
        check_size(&matrix, context)?;
        let read = nnz::engine::read(&*matrix, &options(), context)?;
        slots(read, &*matrix)
    })?;
    Ok(Value::list([
        ("p", Value::Integers(pointers)),
        ("i", Value::Rows(rows)),
        ("x", Value::Numbers(values)),
    ]))
}

/// Reads some rows and columns, or all, as the elements of a matrix, by column.
pub(crate) fn dense(args: &Args<'_>) -> Result<Value, Failure> {
    let matrix = of(args, 0)?.matrix;
    let matrix = selected(matrix, args.optional_positions(1)?, args.optional_positions(2)?)?;
    let limits = limits(args, 3)?;
    let values = task::run(limits, move |context| {
        check_fill(&*matrix)?;
        check_shape(&*matrix)?;
        let dense = nnz::engine::read_dense(&*matrix, &options(), context)?;
        let rows = dense.shape.rows.max(1);
        let count = usize::try_from(dense.shape.elements()).unwrap_or(usize::MAX);
        exact(dense.values, count).map_err(|error| {
            let at = error.index as u64;
            inexact(&*matrix, error, At::Entry { row: at % rows, col: at / rows })
        })
    })?;
    Ok(Value::Numbers(values))
}

/// Parses the bytes of memory and the number of threads of an operation.
pub(crate) fn limits(args: &Args<'_>, at: usize) -> Result<Limits, Failure> {
    let threads = args.optional_whole(at + 1)?;
    let threads = threads.map(|threads| usize::try_from(threads).unwrap_or(usize::MAX));
    Ok(Limits { memory: args.optional_whole(at)?, threads })
}

fn options() -> ReadOptions {
    // Matrix has no elements with several entries.
    let duplicates = Some(DuplicatePolicy::Sum);
    ReadOptions::default().order(Some(Order::Col)).duplicates(duplicates).names(false)
}

/// Fails if elements that are not stored are not zero, as they are in a dgCMatrix.
fn check_fill(matrix: &dyn MatrixSource) -> nnz::Result<()> {
    let header = matrix.header();
    match header.fill.filter(|_| header.storage == Storage::Sparse) {
        None => Ok(()),
        Some(fill) => {
            let what =
                format!("the fill value is {fill}, but only zero can be read as a dgCMatrix");
            Err(Error::unsupported(matrix.place(), what))
        }
    }
}

fn check_shape(matrix: &dyn MatrixSource) -> nnz::Result<()> {
    let shape = matrix.header().shape;
    for (axis, len) in [(Axis::Rows, shape.rows), (Axis::Cols, shape.cols)] {
        if len > MOST {
            let what = format!("{len} {axis}, but a matrix of R has at most {MOST}; select some");
            return Err(Error::unsupported(matrix.place(), what));
        }
    }
    Ok(())
}

/// Fails before anything is read if a dgCMatrix cannot have all entries. They are counted where the header does not state how
/// many there are, and the whole matrix may have too many.
fn check_size(matrix: &Arc<dyn MatrixSource>, context: &Context) -> nnz::Result<()> {
    check_shape(&**matrix)?;
    let header = matrix.header();
    let entries = match header.nnz {
        Some(entries) => entries,
        None if header.shape.elements() <= u128::from(MOST) => return Ok(()),
        None => {
            let options = StatsOptions::default().measures(nnz::engine::Measures::Nnz);
            nnz::engine::stats(&**matrix, &options, context)?.whole.nnz
        }
    };
    if entries > MOST {
        let what = format!(
            "{entries} entries, but a dgCMatrix has at most {MOST}; select rows or columns, or compute with the matrix on disk"
        );
        return Err(Error::unsupported(matrix.place(), what));
    }
    Ok(())
}

/// Converts a matrix by column to the slots of a dgCMatrix.
fn slots(read: CsMatrix, matrix: &dyn MatrixSource) -> nnz::Result<(Vec<i32>, Minors, Values)> {
    let (pointers, minors, values) = read.into_parts();
    let too_many = || Error::unsupported(matrix.place(), "too many entries for a dgCMatrix");
    let integers = |all: &[u64]| -> Option<Vec<i32>> {
        all.iter().map(|&one| i32::try_from(one).ok()).collect()
    };
    let offsets = integers(&pointers).ok_or_else(too_many)?;
    let count = offsets.last().and_then(|&count| usize::try_from(count).ok()).unwrap_or(0);
    let values = exact(values, count).map_err(|error| {
        let at = error.index as u64;
        let col = pointers.partition_point(|&pointer| pointer <= at).saturating_sub(1) as u64;
        let row = match &minors {
            Minors::U32(rows) => rows.get(error.index).map(|&row| row.into()),
            Minors::U64(rows) | Minors::Spans(rows) => rows.get(error.index).copied(),
        };
        inexact(matrix, error, At::Entry { row: row.unwrap_or(0), col })
    })?;
    Ok((offsets, minors, values))
}

fn inexact(matrix: &dyn MatrixSource, error: CastError, at: At) -> Error {
    let mut place = matrix.place();
    place.at = Some(at);
    Error::new(
        ErrorKind::Inexact { found: error.found, target: ValueType::F64, holds: None },
        place,
    )
}

/// Returns values that become numbers of R without a change. Those of types that fit are converted where R has allocated them.
fn exact(values: Values, count: usize) -> Result<Values, CastError> {
    match &values {
        Values::F64(_) | Values::F32(_) | Values::Bint8(_) => Ok(values),
        Values::U8(_) | Values::U16(_) | Values::U32(_) => Ok(values),
        Values::I8(_) | Values::I16(_) | Values::I32(_) => Ok(values),
        _ => reals(values, count).map(Values::F64),
    }
}

/// Converts values to numbers of R, if this is exact. One value that all entries share is repeated.
pub(crate) fn reals(values: Values, count: usize) -> Result<Vec<f64>, CastError> {
    let mut cast = Values::new(ValueType::F64);
    let cast = match values {
        Values::F64(reals) => return Ok(reals),
        values => {
            values.cast_into(ValueType::F64, Rounding::Refused, &mut cast)?;
            cast
        }
    };
    Ok(match cast {
        Values::F64(reals) => reals,
        Values::Iso(scalar) => vec![scalar.to_f64().unwrap_or(f64::NAN); count],
        _ => Vec::new(),
    })
}
