//! Ranks of values.

use nnz_core::{Axis, Error, MatrixSource, Order, Result, Storage, ValueType};
use nnz_storage::TaskContext;

use super::derived::{Derived, LineFunction, checked, in_order};
use super::lines::{Layout, Line, Ranked};

/// Returns a matrix of the ranks of the values in each row, or in each column, minus the rank of zero, so that zero stays zero.
///
/// Equal values have the mean of their ranks, as in `scipy.stats.rankdata`; BPCells computes the same by `rank_transform`. An element
/// with several entries has their sum. Ranks are of type `f64`. A row or column is held in memory as a whole. If a matrix is not
/// stored by the axis, its entries are sorted first, and kept in memory or in a temporary file.
///
/// ```
/// use nnz_core::{Axis, Order, Shape};
/// use nnz_engine::compute::ranks;
/// use nnz_engine::{CsMatrix, ReadOptions, TaskContext};
///
/// // 7 . . 2
/// let shape = Shape { rows: 1, cols: 4 };
/// let matrix = CsMatrix::from_parts(shape, Order::Row, vec![0, 2], vec![0_u32, 3], vec![7_u32, 2])?;
/// let context = TaskContext::default();
/// let ranks = ranks(matrix.into_source()?, Axis::Rows, &context)?;
/// let matrix = nnz_engine::read(&*ranks, &ReadOptions::default(), &context)?;
/// // The ranks are 4, 1.5, 1.5 and 3.
/// assert_eq!(matrix.values(), &vec![2.5, 1.5].into());
/// # Ok::<(), nnz_core::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the matrix has complex numbers or a fill value, and if entries cannot be sorted. Reading fails for NaN, for integers of
/// 2^53 or more, and if an element has several entries in a format that does not define their meaning.
pub fn ranks<'a>(
    source: Box<dyn MatrixSource + 'a>,
    axis: Axis,
    context: &TaskContext,
) -> Result<Box<dyn MatrixSource + 'a>> {
    let source = checked(source, "ranks of")?;
    let order = if axis == Axis::Rows { Order::Row } else { Order::Col };
    let source = in_order(source, order, context)?;
    Ok(Box::new(Derived::new(source, Box::new(Ranks), (ValueType::F64, Storage::Sparse))))
}

/// Ranks, minus that of zero.
struct Ranks;

impl LineFunction for Ranks {
    #[allow(clippy::cast_precision_loss, reason = "there are fewer than 2^53 elements")]
    fn compute(&self, layout: &Layout, line: &Line<f64>, into: &mut Vec<f64>) -> Result<()> {
        layout.check_exact(line, "ranks are those of")?;
        if let Some(at) = line.values.iter().position(|value| value.is_nan()) {
            let place = layout.place(line.position, line.minors[at]);
            return Err(Error::unsupported(place, "a value of NaN: it has no rank"));
        }
        let entries = (0_u32..).zip(&line.values).filter(|(_, value)| **value != 0.0);
        let mut keys: Vec<_> = entries.map(|(at, value)| value.key(at)).collect();
        keys.sort_unstable();
        let zeros = layout.len.saturating_sub(keys.len() as u64) as f64;
        let negative = keys.partition_point(|key| <f64 as Ranked>::is_negative(*key)) as f64;
        let start = into.len();
        into.resize(start + line.values.len(), 0.0);
        let mut before = 0.0;
        for equal in keys.chunk_by(|one, other| f64::have_equal_values(*one, *other)) {
            let len = equal.len() as f64;
            // The mean of the ranks without zeros, minus the rank of a value between negative and positive ones. Half of the zeros
            // are on either side of their rank.
            let rank = before + f64::midpoint(len, 1.0) - negative - 0.5;
            let rank = if before < negative { rank - zeros / 2.0 } else { rank + zeros / 2.0 };
            equal.iter().for_each(|key| into[start + f64::code(*key) as usize] = rank);
            before += len;
        }
        Ok(())
    }
}
