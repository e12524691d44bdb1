//! Checks that no element has two entries, while units are decoded on any thread.

use std::sync::Mutex;

use nnz_core::{Batch, Error, Place, Result};

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
    /// Fails if a run has two entries of the same element.
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
    /// Joins two parts of a row or column, of which the second has the greater indices.
    fn joined(self, next: Self) -> Result<Self> {
        match self.minors.1 < next.minors.0 {
            true => Ok(Self { minors: (self.minors.0, next.minors.1), ..self }),
            false => Err(several_entries()),
        }
    }
}

/// Checks units in order.
#[derive(Debug, Default)]
pub(super) struct DuplicateCheck(Option<Run>);

impl DuplicateCheck {
    /// Adds the next unit.
    ///
    /// # Errors
    ///
    /// Fails if a row or column goes on with an index that is not greater than the previous ones.
    pub(super) fn add(&mut self, edges: &UnitEnds) -> Result<()> {
        let ends = *edges.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(Ends { first, last }) = ends else { return Ok(()) };
        self.0 = Some(match self.0 {
            Some(previous) if previous.major == first.major => {
                let joined = previous.joined(first)?;
                if first.major == last.major { joined } else { last }
            }
            _ => last,
        });
        Ok(())
    }
}

fn several_entries() -> Error {
    let what = "the matrix has duplicate entries, which the format sums, or a long row or column is not sorted; \
                functions such as log1p, and counting, need the sums";
    Error::unsupported(Place::default(), what).with_hint("DuplicatePolicy::Sum", "adds them up")
}
