//! Regions of a genome, from a BED file.

use std::collections::HashMap;
use std::path::Path;

use nnz_core::{Error, Result, StringList};
use nnz_interop::fragment_tsv::each_region;

/// Regions, in the order they were listed. They may overlap.
#[derive(Clone, Debug, Default)]
pub struct Peaks {
    /// Names of their chromosomes.
    pub(super) chromosomes: StringList,
    pub(super) list: Vec<Peak>,
}

/// A region that was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Peak {
    /// The number of the chromosome among those of the list.
    pub(super) chromosome: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Peaks {
    /// Reads the first three columns of a BED file: chromosome, start and end, counted from 0, the
    /// end not a part of it.
    ///
    /// Lines that are blank, or begin with `#`, `track` or `browser` are passed over; the file may
    /// be gzipped.
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be read, or a line is no region or has no bases.
    pub fn read(path: &Path) -> Result<Self> {
        let mut peaks = Self::default();
        let mut numbers = HashMap::new();
        let (mut last, mut last_name) = (0, None);
        each_region(path, |name, start, end| {
            // Most are on the chromosome of the one before.
            if last_name.as_deref() == Some(name) {
                peaks.list.push(Peak { chromosome: last, start, end });
                return Ok(());
            }
            let next = u32::try_from(numbers.len())
                .map_err(|_| Error::argument("more chromosomes than can be numbered"))?;
            let chromosome = match numbers.get(name) {
                Some(&number) => number,
                None => {
                    numbers.insert(name.to_vec(), next);
                    peaks.chromosomes.push(name);
                    next
                }
            };
            (last, last_name) = (chromosome, Some(name.to_vec()));
            peaks.list.push(Peak { chromosome, start, end });
            Ok(())
        })?;
        Ok(peaks)
    }
}
