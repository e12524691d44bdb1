//! Announcing reads of rows or columns, so that a storage with latency can combine the requests.

use std::ops::Range;

use nnz_core::{Projection, Result, entry_ranges, pointer_ranges};

use super::form::Form;
use super::source::MatrixSource;

impl MatrixSource {
    /// Announces reads of the pointers of some rows or columns, then of their entries.
    pub(super) fn announce(&self, majors: &[Range<u64>], fields: Projection) -> Result<()> {
        let Form::Runs { listed: None, pointers: Some(pointers), minors } = &self.form else {
            return Ok(());
        };
        if !pointers.has_latency() {
            return Ok(());
        }
        pointers.will_read(&pointer_ranges(majors));
        if !fields.minors && !fields.values {
            return Ok(());
        }
        let entries = entry_ranges(majors, minors.len(), |major| pointers.get(major))?;
        if fields.minors {
            minors.will_read(&entries);
        }
        if fields.values {
            self.values.will_read(&entries);
        }
        Ok(())
    }
}
