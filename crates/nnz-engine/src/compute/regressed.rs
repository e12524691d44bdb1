//! A matrix without what covariates explain.

use std::sync::Arc;

use nnz_core::{Axis, Error, ErrorKind, LowRank, MatrixSource, Order, Result, Storage, ValueType};
use nnz_storage::TaskContext;

use super::derived::{Derived, LineFunction, checked, in_order};
use super::linear_algebra::{by_row, dot, orthonormal};
use super::lines::{Layout, Line};
use super::product::multiply;
use crate::Transposed;

/// Returns the residuals of a linear least-squares fit of each feature to covariates of the observations and a constant, as
/// `scanpy.pp.regress_out` computes them.
///
/// `observations` is the axis of the observations, and each covariate has a number for each of them. Covariates that others determine
/// change nothing. The residuals are a dense matrix, which is computed as it is read; products with it
/// ([`multiply`]) and [`pca`](super::pca) take the entries of the matrix and a few numbers of each row and column instead.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::compute::regress_out;
/// use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
///
/// // 1
/// // 3
/// // 8
/// let shape = Shape { rows: 3, cols: 1 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 1, 2, 3], vec![0_u32; 3], vec![1.0, 3.0, 8.0])?;
/// let context = TaskContext::default();
/// let residuals = regress_out(matrix.into_source()?, Axis::Rows, &[vec![0.0, 0.0, 1.0]], &context)?;
/// let dense = nnz_engine::read_dense(&*residuals, &ReadOptions::default(), &context)?;
/// let nnz_core::Values::F64(values) = dense.values else { unreachable!() };
/// assert!(values.iter().zip([-1.0, 1.0, 0.0]).all(|(found, expected)| (found - expected).abs() < 1e-12));
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if a covariate has not a finite number for each observation, if the matrix has complex numbers or a fill value, if it cannot
/// be read or is broken, and if the coefficients take more memory than allowed.
pub fn regress_out<'a>(
    source: Box<dyn MatrixSource + 'a>,
    observations: Axis,
    covariates: &[Vec<f64>],
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let source = checked(source, "regression of")?;
    let header = source.header();
    let [count, features] = [observations, observations.other()].map(|axis| header.shape.len(axis));
    for (at, covariate) in covariates.iter().enumerate() {
        if covariate.len() as u64 != count {
            let what = format!("covariate {at} has {} numbers", covariate.len());
            return Err(Error::argument(format!("{what}: expected {count}, of {observations}")));
        }
        if let Some(number) = covariate.iter().find(|number| !number.is_finite()) {
            let what = format!("covariate {at} has a value of {number}: expected finite numbers");
            return Err(Error::argument(what));
        }
    }
    let width = covariates.len() as u64 + 1;
    let needed = count.saturating_add(features).saturating_mul(3 * 8).saturating_mul(width);
    if needed > context.result_memory() {
        let kind = ErrorKind::Memory { needed, allowed: context.result_memory() };
        return Err(Error::new(kind, source.place()));
    }
    let value_type = match header.value_type {
        ValueType::F64 | ValueType::I64 | ValueType::U64 => ValueType::F64,
        _ => ValueType::F32,
    };
    let order = header.order;
    let source = in_order(source, order, context)?;
    let constant = vec![1.0; usize::try_from(count).unwrap_or(usize::MAX)];
    let columns = orthonormal(std::iter::once(&constant).chain(covariates));
    // Without observations, there are no columns, and their sums are zero.
    let rank = columns.len().max(1);
    let left = by_row(&columns);
    let right = match observations {
        Axis::Rows => multiply(&Transposed::new(Box::new(&*source)), &left, rank, context)?,
        Axis::Cols => multiply(&*source, &left, rank, context)?,
    };
    let (left, right): (Arc<[f64]>, Arc<[f64]>) = (left.into(), right.into());
    let [left, right] = if observations == Axis::Rows { [left, right] } else { [right, left] };
    let function = Regressed { removed: LowRank::new(rank, left, right), order };
    Ok(Box::new(Derived::new(source, Box::new(function), (value_type, Storage::Dense))))
}

/// Subtracts what is explained.
struct Regressed {
    removed: LowRank,
    order: Order,
}

impl LineFunction for Regressed {
    fn compute(&self, _: &Layout, line: &Line<f64>, into: &mut Vec<f64>) -> Result<()> {
        let LowRank { rank, left, right, .. } = &self.removed;
        let [own, others] =
            if self.order.major() == Axis::Rows { [left, right] } else { [right, left] };
        let own =
            usize::try_from(line.position).ok().and_then(|at| own.chunks_exact(*rank).nth(at));
        let own = own.unwrap_or_default();
        let start = into.len();
        into.extend(others.chunks_exact(*rank).map(|other| 0.0 - dot(own, other)));
        for (value, minor) in line.values.iter().zip(&line.minors) {
            into[start + *minor as usize] += value;
        }
        Ok(())
    }

    fn low_rank(&self) -> Option<&LowRank> {
        Some(&self.removed)
    }
}
