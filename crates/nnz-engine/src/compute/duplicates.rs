//! Checks that no element has two entries, while units are decoded on any thread.

use std::sync::Mutex;

use nnz_core::{Batch, Error, MatrixSource, Place, Projection, Result, Values};

/// The ends of a decoded unit.
#[derive(Debug, Default)]
pub(super) struct UnitEnds(Mutex<Option<Ends>>);

/// The first and the last row or column of a unit, which may be parts of one that others continue.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: Run,
    last: Run,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    major: u64,
    /// Its least and greatest index.
    minors: (u64, u64),
}

impl UnitEnds {
    /// Checks each run of a batch, and keeps the ends.
    ///
    /// # Errors
    ///
    /// Fails if a run has two entries of the same element, and if rows or columns do not ascend, so that one may be continued.
    pub(super) fn find(&self, batch: &Batch) -> Result<()> {
        let mut ends: Option<Ends> = None;
        for run in 0..batch.runs() {
            let entries = batch.run(run);
            if entries.is_empty() {
                continue;
            }
            let minor = |entry| batch.minor(run, entry);
            let ascends = match &batch.minors {
                nnz_core::Minors::U32(all) => nnz_bitpack::ascends(&all[entries.clone()]),
                _ => entries.clone().skip(1).all(|entry| minor(entry - 1) < minor(entry)),
            };
            let minors = if ascends {
                (minor(entries.start), minor(entries.end - 1))
            } else {
                let mut sorted: Vec<u64> = entries.map(minor).collect();
                sorted.sort_unstable();
                if sorted.windows(2).any(|two| two[0] == two[1]) {
                    return Err(several_entries());
                }
                (sorted[0], sorted[sorted.len() - 1])
            };
            let major = batch.majors.get(run);
            let mut found = Run { major, minors };
            if let Some(ends) = &mut ends {
                if ends.last.major > major {
                    return Err(several_entries());
                }
                if ends.last.major == major {
                    found = ends.last.joined(found)?;
                    if ends.first.major == major {
                        ends.first = found;
                    }
                }
                ends.last = found;
            } else {
                ends = Some(Ends { first: found, last: found });
            }
        }
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = ends;
        Ok(())
    }
}

impl Run {
    /// Joins two parts of a row or column, of which the second has the greater indices if entries are sorted.
    fn joined(self, next: Self) -> Result<Self> {
        match self.minors.1 < next.minors.0 {
            true => Ok(self.with(next)),
            false => Err(several_entries()),
        }
    }

    fn with(self, next: Self) -> Self {
        let [least, greatest] =
            [self.minors.0.min(next.minors.0), self.minors.1.max(next.minors.1)];
        Self { minors: (least, greatest), ..self }
    }
}

/// Checks units in order.
#[derive(Debug, Default)]
pub(super) struct DuplicateCheck {
    last: Option<Run>,
    /// A row or column that is not sorted and has no duplicates.
    distinct: Option<u64>,
}

impl DuplicateCheck {
    /// Adds the next unit of a source.
    ///
    /// # Errors
    ///
    /// Fails if a row or column that several units share has two entries of the same element, or if it is not sorted and cannot be
    /// read again to find them.
    pub(super) fn add(&mut self, edges: &UnitEnds, source: &dyn MatrixSource) -> Result<()> {
        let ends = *edges.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(Ends { first, last }) = ends else { return Ok(()) };
        self.last = Some(match self.last {
            Some(previous) if previous.major == first.major => {
                let joined = match previous.joined(first) {
                    Err(_) if self.distinct == Some(first.major) => previous.with(first),
                    Err(_) if is_distinct(source, first.major)? => {
                        self.distinct = Some(first.major);
                        previous.with(first)
                    }
                    joined => joined?,
                };
                if first.major == last.major { joined } else { last }
            }
            // An earlier row or column may be continued.
            Some(previous) if previous.major > first.major => return Err(several_entries()),
            _ => last,
        });
        Ok(())
    }
}

/// Returns whether a row or column has one entry of each of its elements. One that is too long is not read.
fn is_distinct(source: &dyn MatrixSource, major: u64) -> Result<bool> {
    const LONGEST: usize = 1 << 24;
    let mut minors: Vec<u64> = Vec::new();
    if !source.random_access() {
        return Ok(false);
    }
    let mut batch = Batch::new(source.header().order, Values::default());
    let mut batches = source.batches(major..major + 1, Projection::MINORS)?;
    while batches.next_batch(&mut batch)? {
        if batch.entries() > LONGEST - minors.len() {
            return Ok(false);
        }
        for run in 0..batch.runs() {
            minors.extend(batch.run(run).map(|entry| batch.minor(run, entry)));
        }
    }
    minors.sort_unstable();
    Ok(minors.windows(2).all(|two| two[0] != two[1]))
}

pub(super) fn several_entries() -> Error {
    let what = "the matrix has duplicate entries, which the format sums, or a very long row or column is not sorted; \
                functions such as log1p, and counting, need the sums";
    Error::unsupported(Place::default(), what).with_hint("DuplicatePolicy::Sum", "adds them up")
}
