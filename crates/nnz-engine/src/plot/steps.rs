//! Shared code of functions that visit every entry.

use nnz_core::{Batch, Header, MatrixSource, Projection, Result, Storage};
use nnz_storage::TaskContext;

use crate::Observed;
use crate::flow::{Done, Join, Work, Workers, run};
use crate::stages::{Builder, DropZeros, expand, expanded_type};
use crate::stats::entries::Entries;

/// Decodes the entries that a picture shows: those that are implied by a symmetric matrix, too, and of a dense
/// matrix the nonzero elements. Returns also the fields to decode.
pub(super) fn shown_entries(header: &Header, fields: Projection) -> (Entries, Projection) {
    let (mut steps, _) = expand(header);
    if header.storage == Storage::Dense {
        steps.push(Box::new(DropZeros(Builder::new(header.order, header.shape))));
    }
    // These steps need whole entries.
    let fields = if steps.is_empty() { fields } else { Projection::ALL };
    (Entries::new(header.order, expanded_type(header), steps), fields)
}

/// Processes all entries of a source.
pub(super) fn look<W>(
    source: &dyn MatrixSource,
    fields: Projection,
    work: &W,
    context: &TaskContext,
) -> Result<()>
where
    W: Work<Batch = Batch, Encoded = (), Joint = ()>,
{
    let header = source.header();
    let workers = Workers::of(context);
    let observed = Observed::new(source, "reading", context.progress());
    let units = observed.units(0..header.shape.major(header.order), fields)?;
    run(units, work, &mut InAnyOrder, &mut Done, workers)
}

/// Joins nothing: batches are independent.
pub(super) struct InAnyOrder;

impl<W: Work<Joint = ()>> Join<W> for InAnyOrder {
    fn join(&mut self, _: &W::Decoded) -> Result<Option<()>> {
        Ok(Some(()))
    }
}
