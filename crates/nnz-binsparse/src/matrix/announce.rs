//! Announcing what vectors take, so that a storage with a latency fetches it together.

use std::ops::Range;

use nnz_core::{Projection, Result};

use super::form::Form;
use super::source::MatrixSource;

impl MatrixSource {
    /// Announces the pointers of vectors, then their entries.
    pub(super) fn announce(&self, majors: &[Range<u64>], fields: Projection) -> Result<()> {
        let Form::Runs { listed: None, pointers: Some(pointers), minors } = &self.form else {
            return Ok(());
        };
        if !pointers.has_latency() {
            return Ok(());
        }
        let with_end: Vec<_> = majors.iter().map(|range| range.start..range.end + 1).collect();
        pointers.will_read(&with_end);
        if !fields.minors && !fields.values {
            return Ok(());
        }
        let mut entries = Vec::new();
        for range in majors {
            let (start, end) = (pointers.get(range.start)?, pointers.get(range.end)?);
            if start < end && end <= minors.len() {
                entries.push(start..end);
            }
        }
        if fields.minors {
            minors.will_read(&entries);
        }
        if fields.values {
            self.values.will_read(&entries);
        }
        Ok(())
    }
}
