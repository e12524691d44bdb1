//! Finding duplicate entries.

use nnz_core::{
    At, Batch, Duplicates, Error, ErrorKind, Extent, MatrixSource, Place, Projection, Result,
    SequentialReader, Structure, Triangle,
};
use nnz_storage::TaskContext;

use crate::ascent::ASCENT;
use crate::convert::locate;
use crate::flow::Workers;
use crate::sort::{SortPlan, sorted};
use crate::stages::{DuplicatePolicy, Mirroring, Units, empty_batch, mirror};

/// Search for duplicate entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DuplicateSearch {
    /// None: they are allowed, or another step finds them.
    None,
    /// By comparing neighbours during reading; by sorting in a second pass if they are not in
    /// order.
    InStorageOrder,
    /// By sorting during reading, since the source can be read only once.
    Sorting,
}

impl DuplicateSearch {
    /// Selects the search for a source. By default, duplicates are an error if its format does not allow them.
    pub(crate) fn of(source: &dyn MatrixSource, policy: Option<DuplicatePolicy>) -> Self {
        let header = source.header();
        // Ascending indices of a format that allows duplicates can repeat.
        let refused = header.duplicates == Duplicates::Refused;
        let open = match policy {
            None => refused && header.sorted_indices != Some(true),
            Some(DuplicatePolicy::Refuse) => !(refused && header.sorted_indices == Some(true)),
            Some(_) => false,
        };
        match (open, source.rereadable()) {
            (false, _) => Self::None,
            (true, true) => Self::InStorageOrder,
            (true, false) => Self::Sorting,
        }
    }
}

/// Checks entries in storage order.
///
/// While they ascend, comparing neighbours is enough.
pub(crate) struct Ascent {
    structure: Structure,
    last: Option<(u64, u64)>,
    ascends: bool,
}

impl Ascent {
    pub(crate) fn new(source: &dyn MatrixSource) -> Self {
        Self { structure: source.header().structure, last: None, ascends: true }
    }

    /// Checks the entries of a batch as they are stored.
    pub(crate) fn watch(&mut self, batch: &Batch) {
        if self.ascends {
            self.add(&BatchSummary::of(batch, self.structure));
        }
    }

    /// Continues with the summary of the next batch.
    pub(super) fn add(&mut self, summary: &BatchSummary) {
        let Some([start, end]) = summary.extent.ends else { return };
        let follows = self.last.is_none_or(|last| last < start);
        self.ascends &= summary.ascends() && follows;
        self.last = Some(end);
    }

    /// Returns whether all entries so far ascend, so that none is a duplicate.
    pub(crate) fn ascends(&self) -> bool {
        self.ascends
    }

    /// Returns whether there are duplicate entries, after all batches.
    ///
    /// # Errors
    ///
    /// Fails with the position of the first duplicate.
    pub(crate) fn finish(self, source: &dyn MatrixSource, context: &TaskContext) -> Result<()> {
        if self.ascends {
            return Ok(());
        }
        let header = source.header();
        let units = source.units(0..header.shape.major(header.order), Projection::MINORS)?;
        refuse_repeated(units, source, context)
    }
}

/// A summary of the entries of a batch as they are stored.
pub(super) struct BatchSummary {
    extent: Extent,
    /// Whether one is on the side of the diagonal that is not stored.
    wrong_side: bool,
}

impl BatchSummary {
    pub(super) fn of(batch: &Batch, structure: Structure) -> Self {
        let mut wrong_side = false;
        if let Some(triangle) = structure.triangle() {
            // Its mirror image could be stored on the other side.
            let _ = batch.try_for_each(|_, major, minor| {
                let (row, col) = batch.order.row_col(major, minor);
                wrong_side |= match triangle {
                    Triangle::Lower => row < col,
                    Triangle::Upper => row > col,
                };
                Ok::<(), ()>(())
            });
        }
        Self { extent: Extent::of(batch, &ASCENT), wrong_side }
    }

    fn ascends(&self) -> bool {
        self.extent.ascends && self.extent.repeated.is_none() && !self.wrong_side
    }
}

/// Sorts the positions of all entries and fails with the position of the first duplicate.
pub(crate) fn refuse_repeated(
    units: Units<'_>,
    source: &dyn MatrixSource,
    context: &TaskContext,
) -> Result<()> {
    let header = source.header();
    let steps = mirror(header, Mirroring::Fold);
    let directory = context.temporary_directory();
    let workers = Workers::of(context).alone();
    let plan = SortPlan {
        value_type: None,
        ..SortPlan::of(source, header.order, context.memory(), &directory, workers)
    };
    let (units, _) = sorted(units, &steps, plan, &|_| {})?;
    let mut reader = SequentialReader(units);
    let mut batch = empty_batch(header.order, nnz_core::ValueType::U8);
    let mut last = None;
    while nnz_core::BatchReader::next_batch(&mut reader, &mut batch)? {
        workers.check()?;
        let extent = Extent::of(&batch, &ASCENT);
        let Some([start, end]) = extent.ends else { continue };
        if let Some((major, minor)) = (last == Some(start)).then_some(start).or(extent.repeated) {
            let (row, col) = header.order.row_col(major, minor);
            let place = Place::default().at(At::Entry { row, col });
            let error = Error::new(ErrorKind::Duplicate { other: None }, place);
            return Err(locate(error, source));
        }
        last = Some(end);
    }
    Ok(())
}
