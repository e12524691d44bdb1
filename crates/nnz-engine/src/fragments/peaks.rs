//! A list of regions of a genome.

use std::collections::HashMap;

use nnz_core::{Error, Result, StringList};

/// Regions in the order of a list. They may overlap.
///
/// ```
/// use nnz_engine::fragments::Peaks;
///
/// let mut peaks = Peaks::default();
/// peaks.push(b"chr1", 1000, 1500)?;
/// # Ok::<(), nnz_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Peaks {
    /// Names of the chromosomes.
    pub(super) chromosomes: StringList,
    pub(super) list: Vec<Peak>,
    numbers: HashMap<Vec<u8>, u32>,
    /// The last chromosome.
    last: (Vec<u8>, u32),
}

/// A region of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peak {
    /// The number of the chromosome in the list.
    pub(super) chromosome: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Peaks {
    /// Adds a region; `start` is counted from 0, `end` is exclusive.
    ///
    /// # Errors
    ///
    /// Fails if there are too many chromosomes, or if the region is empty.
    pub fn push(&mut self, chromosome: &[u8], start: u32, end: u32) -> Result<()> {
        if start >= end {
            return Err(Error::argument(format!("empty region from {start} to {end}")));
        }
        // Most are on the same chromosome as the one before.
        if self.list.is_empty() || self.last.0 != chromosome {
            let number = self.number(chromosome)?;
            self.last = (chromosome.to_vec(), number);
        }
        self.list.push(Peak { chromosome: self.last.1, start, end });
        Ok(())
    }

    /// Returns the number of a chromosome, which is added if it is new.
    fn number(&mut self, chromosome: &[u8]) -> Result<u32> {
        if let Some(&number) = self.numbers.get(chromosome) {
            return Ok(number);
        }
        let next = u32::try_from(self.numbers.len())
            .map_err(|_| Error::argument("too many chromosomes"))?;
        self.numbers.insert(chromosome.to_vec(), next);
        self.chromosomes.push(chromosome);
        Ok(next)
    }
}
