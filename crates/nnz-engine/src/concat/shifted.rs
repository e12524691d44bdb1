//! Entries of one matrix at their positions in a larger one.

use nnz_core::{
    At, Batch, Bint8, Error, Header, Majors, Minors, Order, Place, Result, Scalar, Shape, Values,
};

use crate::stages::{Builder, Step, emptied};

/// Shifts entries to the position of their matrix.
pub(crate) struct Shifted {
    /// The shape and order of the matrix, which are checked.
    shape: Shape,
    order: Order,
    /// The order of the result.
    target: Order,
    rows: u64,
    cols: u64,
    builder: Builder,
    /// Whether minors need 64 bits in the result.
    wide: bool,
}

impl Shifted {
    pub(crate) fn new(source: &Header, target: &Header, rows: u64, cols: u64) -> Self {
        Self {
            shape: source.shape,
            order: source.order,
            target: target.order,
            rows,
            cols,
            builder: Builder::new(target.order, target.shape),
            wide: target.shape.minor(target.order) > 1 << 32,
        }
    }

    fn outside(&self, batch: &Batch, major: u64, minor: u64) -> Error {
        let (row, col) = batch.order.row_col(major, minor);
        let place = Place::default().at(At::Entry { row, col });
        let expected = format!("a position inside {}", self.shape);
        Error::mismatch(place, "an entry outside the matrix", expected)
    }

    /// Fails for an entry outside of the matrix: it would be in the next one.
    fn check(&self, batch: &Batch) -> Result<()> {
        let majors = self.shape.major(batch.order);
        let minors = self.shape.minor(batch.order);
        // Most batches are inside, which is found out for all entries at once.
        if let (Majors::Consecutive(first), Minors::U32(all)) = (&batch.majors, &batch.minors)
            && first.checked_add(batch.runs() as u64).is_some_and(|end| end <= majors)
            && nnz_bitpack::max(all).is_none_or(|largest| u64::from(largest) < minors)
        {
            return Ok(());
        }
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            let Some(last) = entries.end.checked_sub(1).filter(|last| *last >= entries.start)
            else {
                continue;
            };
            let largest = match &batch.minors {
                Minors::U32(all) => all[entries].iter().copied().max().map_or(0, u64::from),
                Minors::U64(all) => all[entries].iter().copied().max().unwrap_or(0),
                Minors::Spans(_) => batch.minor(run, last),
            };
            let major = batch.majors.get(run);
            if major >= majors || largest >= minors {
                return Err(self.outside(batch, major, largest));
            }
        }
        Ok(())
    }

    /// Exchanges majors and minors.
    fn exchange(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        self.builder.start(self.target, spare);
        spare.values = emptied(&batch.values);
        batch.try_for_each(|_, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let (major, minor) = self.target.major_minor(row + self.rows, col + self.cols);
            self.builder.push(spare, major, minor);
            Ok::<(), Error>(())
        })?;
        // The order of the entries and of the values is unchanged.
        std::mem::swap(&mut batch.values, &mut spare.values);
        std::mem::swap(batch, spare);
        Ok(())
    }
}

impl Step for Shifted {
    fn apply(&self, batch: &mut Batch, spare: &mut Batch) -> Result<()> {
        self.check(batch)?;
        if self.order != self.target {
            return self.exchange(batch, spare);
        }
        let (majors, minors) = self.order.major_minor(self.rows, self.cols);
        match &mut batch.majors {
            Majors::Consecutive(first) => *first = first.saturating_add(majors),
            Majors::Listed(list) => {
                // An empty run can have any major.
                list.iter_mut().for_each(|major| *major = major.saturating_add(majors));
            }
        }
        if minors == 0 && !self.wide {
            return Ok(());
        }
        match (&mut batch.minors, u32::try_from(minors)) {
            (Minors::Spans(starts), _) => {
                // An empty run can have any start.
                starts.iter_mut().for_each(|start| *start = start.saturating_add(minors));
            }
            (Minors::U64(list), _) => list.iter_mut().for_each(|minor| *minor += minors),
            (Minors::U32(list), Ok(minors)) if !self.wide => {
                list.iter_mut().for_each(|minor| *minor += minors);
            }
            (Minors::U32(list), _) => {
                let list: Vec<u64> = list.iter().map(|&minor| u64::from(minor) + minors).collect();
                batch.minors = Minors::U64(list);
            }
        }
        Ok(())
    }
}

/// The shared value of the entries of a pattern.
pub(super) struct Shared {
    /// Whether all matrices share it. Otherwise each entry gets its own copy.
    pub(super) stays: bool,
}

impl Step for Shared {
    fn apply(&self, batch: &mut Batch, _: &mut Batch) -> Result<()> {
        match batch.values {
            Values::Iso(Scalar::Bint8(Bint8(1))) if self.stays => Ok(()),
            Values::Iso(scalar) if !self.stays => {
                batch.values = scalar.repeat(batch.entries());
                Ok(())
            }
            _ if !self.stays => Ok(()),
            _ => {
                let what = "a pattern matrix whose value is not 1";
                Err(Error::unsupported(Place::default(), what))
            }
        }
    }
}
