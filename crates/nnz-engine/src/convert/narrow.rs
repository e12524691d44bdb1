//! The smallest type that holds all values of a matrix.

use nnz_core::{
    BatchReader as _, ErrorKind, MatrixSource, Narrowest, Projection, Result, Scalar, Structure,
    ValueType,
};

use super::locate;
use crate::flow::Workers;
use crate::stages::{Mirroring, Stepped, empty_batch, expand, negates_integers};

/// Reads all values, and returns the smallest type of their kind that holds them and the fill
/// value.
///
/// If negated values follow from a structure, it holds those as well; if they are not written, it
/// may be too small for them.
pub(super) fn narrowest(
    source: &dyn MatrixSource,
    mirroring: Option<Mirroring>,
    fill: Option<Scalar>,
    workers: Workers<'_>,
) -> Result<ValueType> {
    let header = source.header();
    let own = header.value_type;
    let kept = negates_integers(header) && mirroring == Some(Mirroring::Fold);
    match of_all(source, fill, workers) {
        Ok(found) if kept && found.size() >= own.size() => Ok(own),
        Err(error) if kept && matches!(error.kind(), ErrorKind::Inexact { .. }) => Ok(own),
        found => found,
    }
}

fn of_all(
    source: &dyn MatrixSource,
    fill: Option<Scalar>,
    workers: Workers<'_>,
) -> Result<ValueType> {
    let header = source.header();
    let (fields, (steps, value_type)) = match header.structure {
        Structure::SkewSymmetric(_) => (Projection::ALL, expand(header)),
        _ => (Projection::VALUES, (Vec::new(), header.value_type)),
    };
    let mut narrowest = Narrowest::new(value_type);
    if let Some(fill) = fill {
        narrowest.add(&fill.repeat(1));
    }
    let reader = source.batches(0..header.shape.major(header.order), fields)?;
    let mut reader = Stepped::new(reader, &steps, header.order);
    let mut batch = empty_batch(header.order, header.value_type);
    while reader.next_batch(&mut batch).map_err(|error| locate(error, source))? {
        workers.check()?;
        narrowest.add(&batch.values);
    }
    Ok(narrowest.value_type())
}
