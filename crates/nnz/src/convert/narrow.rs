//! The smallest type that holds all values of a matrix.

use nnz_binsparse::Narrowest;
use nnz_core::{BatchReader as _, Fields, MatrixSource, Result, Structure, ValueType};

use super::locate;
use crate::stages::{Mirroring, Stepped, empty_batch, mirror};

/// Reads all values, and finds the smallest type of their kind that holds them.
///
/// Where values follow from others with the sign turned, it holds those too.
pub(super) fn narrowest(source: &dyn MatrixSource) -> Result<ValueType> {
    let header = source.header();
    let mut narrowest = Narrowest::new(header.value_type);
    if let Some(fill) = header.fill {
        narrowest.add(&fill.repeat(1));
    }
    let (fields, steps) = match header.structure {
        Structure::SkewSymmetric(_) => (Fields::ALL, mirror(header, Mirroring::Expand)),
        _ => (Fields::VALUES, Vec::new()),
    };
    let reader = source.batches(0..header.shape.major(header.order), fields)?;
    let mut reader = Stepped::new(reader, &steps, header.order);
    let mut batch = empty_batch(header.order, header.value_type);
    while reader.next_batch(&mut batch).map_err(|error| locate(error, source))? {
        narrowest.add(&batch.values);
    }
    Ok(narrowest.value_type())
}
