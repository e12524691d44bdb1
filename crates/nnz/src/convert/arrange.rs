//! Getting entries into the order the target wants, with as little work as they allow.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nnz_core::{Fields, MatrixSource, Result};

use super::plan::Plan;
use crate::Progress;
use crate::sort::sorted;
use crate::stages::{Batches, Cast, DropZeros, DuplicatePolicy, Grouped, InOrder, Mirror, Unique};

/// How entries are brought into order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// They are in order already.
    InOrder,
    /// They are grouped by major, and each is sorted.
    Grouped,
    /// All of them are sorted.
    Sorted,
}

impl Strategy {
    /// Lists what may work, fastest first. The last always does.
    pub(super) fn from_fastest(source: &dyn MatrixSource, plan: &Plan) -> &'static [Self] {
        let header = source.header();
        let grouped =
            header.order == plan.order && header.majors_ascend && plan.mirroring.is_none();
        let certain = header.minors_ascend == Some(true);
        if grouped && (certain || source.rereadable()) {
            &[Self::InOrder, Self::Grouped, Self::Sorted]
        } else {
            &[Self::Sorted]
        }
    }
}

/// Whether the entries of one attempt turned out to be out of order.
#[derive(Default)]
pub(super) struct Arranged {
    violated: AtomicBool,
}

impl Arranged {
    pub(super) fn violated(&self) -> bool {
        self.violated.load(Ordering::Relaxed)
    }

    /// Starts reading entries as the target wants them, and tells their number where it is known.
    pub(super) fn read<'a>(
        &'a self,
        source: &'a dyn MatrixSource,
        plan: &Plan,
        strategy: &Strategy,
        spool: &Path,
        progress: &dyn Progress,
    ) -> Result<(Batches<'a>, Option<u64>)> {
        let header = source.header();
        let (shape, value_type) = (header.shape, header.value_type);
        let mut reader = source.batches(0..shape.major(header.order), Fields::ALL)?;
        let mut stored = header.stored;
        if let Some(mirroring) = plan.mirroring {
            let structure = header.structure;
            let order = header.order;
            reader = Box::new(Mirror::new(reader, structure, mirroring, order, shape, value_type));
            stored = None;
        }
        if plan.drop_zeros {
            reader = Box::new(DropZeros::new(reader, header.order, shape, value_type));
            stored = None;
        }
        reader = match strategy {
            Strategy::InOrder => Box::new(InOrder::new(reader, &self.violated)),
            Strategy::Grouped => Box::new(Grouped::new(
                reader,
                plan.order,
                shape,
                value_type,
                plan.memory,
                &self.violated,
            )),
            Strategy::Sorted => {
                progress.begin("sorting", header.stored);
                let read = |entries| progress.advance(entries);
                let sorted = sorted(reader, header, plan.order, plan.memory, spool, read);
                progress.end();
                let (reader, count) = sorted?;
                stored = Some(count);
                reader
            }
        };
        if plan.duplicates == DuplicatePolicy::Sum {
            stored = None;
        }
        reader = Box::new(Unique::new(reader, plan.duplicates, plan.order, shape));
        if plan.value_type != value_type {
            reader = Box::new(Cast::new(
                reader,
                value_type,
                plan.value_type,
                plan.rounding,
                plan.needs.value_types,
            ));
        }
        Ok((reader, stored))
    }
}
