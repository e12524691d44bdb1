//! Writing `idxptr`.

use nnz_container::NamedArraysWriter;
use nnz_container::tree::NodeId;
use nnz_core::{Error, Majors, Place, Result};

use crate::FormatVersion;
use crate::matrix::members::IDXPTR;

/// The `idxptr` of a matrix being written.
pub(super) struct PointerSink {
    array: NodeId,
    format_version: FormatVersion,
    majors: u64,
    /// The number of pointers written: all up to the last major vector that has current.
    written: u64,
}

impl PointerSink {
    pub(super) fn create(
        container: &mut NamedArraysWriter,
        majors: u64,
        format_version: FormatVersion,
    ) -> Result<Self> {
        let array = container.create_array(IDXPTR, format_version.pointer_type())?;
        Ok(Self { array, format_version, majors, written: 0 })
    }

    /// Takes the runs of a batch whose first entry has the number `first`.
    pub(super) fn push(
        &mut self,
        container: &mut NamedArraysWriter,
        majors: &Majors,
        offsets: &[usize],
        first: u64,
    ) -> Result<()> {
        let mut pointers = Vec::with_capacity(offsets.len());
        for (run, &offset) in offsets[..offsets.len().saturating_sub(1)].iter().enumerate() {
            let major = majors.get(run);
            let current = (self.written + pointers.len() as u64).saturating_sub(1);
            if major >= self.majors || major < current {
                let found = format!("major vector {major}");
                let expected = format!("at least {current}, and less than {}", self.majors);
                return Err(Error::mismatch(Place::default(), found, expected));
            }
            // The majors in between have no entries: they begin at the same position.
            while self.written + (pointers.len() as u64) <= major {
                pointers.push(first + offset as u64);
                if pointers.len() == 1 << 16 {
                    self.append(container, &pointers)?;
                    pointers.clear();
                }
            }
        }
        self.append(container, &pointers)
    }

    /// Writes the remaining pointers of a matrix with `entries` entries.
    pub(super) fn finish(&mut self, container: &mut NamedArraysWriter, entries: u64) -> Result<()> {
        // One pointer more than majors; BPCells writes two if there are no majors.
        let all = self.majors.max(1) + 1;
        let block = [entries; 512];
        while self.written < all {
            let now = (all - self.written).min(block.len() as u64);
            self.append(container, &block[..usize::try_from(now).unwrap_or(0)])?;
        }
        Ok(())
    }

    fn append(&mut self, container: &mut NamedArraysWriter, pointers: &[u64]) -> Result<()> {
        self.written += pointers.len() as u64;
        match self.format_version {
            FormatVersion::V2 => container.append(self.array, pointers),
            FormatVersion::V1 => {
                let narrow: Option<Vec<u32>> =
                    pointers.iter().map(|&pointer| u32::try_from(pointer).ok()).collect();
                let Some(narrow) = narrow else {
                    let what = format!(
                        "a version 1 matrix has at most {} entries; version 2 supports more",
                        u32::MAX
                    );
                    return Err(Error::unsupported(Place::default(), what));
                };
                container.append(self.array, &narrow)
            }
        }
    }
}
