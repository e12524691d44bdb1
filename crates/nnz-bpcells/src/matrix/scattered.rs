//! Reading many short ranges of major vectors.

use std::ops::Range;

use nnz_core::{Batch, Element, Error, ErrorKind, Projection, Result, Unit, read_pointers};

use super::reader::{check_minors, typed, with_scratch};
use super::source::{MatrixSource, ValueArray};
use crate::arrays::Scratch;

/// Ranges of major vectors, whose entries are decoded into one batch.
pub(super) struct ScatteredUnit<'a> {
    pub(super) source: &'a MatrixSource,
    pub(super) majors: Vec<Range<u64>>,
    /// The number of entries that they had before.
    pub(super) most: u64,
    pub(super) fields: Projection,
}

impl Unit for ScatteredUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        batch.order = self.source.header.order;
        let entries = self.list(batch)?;
        with_scratch(|scratch| {
            if self.fields.minors {
                let minors = batch.minors.u32_buffer();
                self.source.index.read_scattered(&entries, scratch, minors)?;
                check_minors(self.source, entries.iter().cloned(), minors)?;
            }
            if self.fields.values {
                self.read_values(&entries, scratch, batch)?;
            }
            Ok(())
        })
    }
}

impl ScatteredUnit<'_> {
    /// Lists the major vectors with entries in a batch, and returns the ranges of their entries.
    fn list(&self, batch: &mut Batch) -> Result<Vec<Range<u64>>> {
        let changed = || Error::new(ErrorKind::Changed, self.source.pointers.array.place());
        let listed = batch.majors.listed_mut();
        let offsets = &mut batch.offsets;
        offsets.clear();
        offsets.push(0);
        let mut entries: Vec<Range<u64>> = Vec::with_capacity(self.majors.len());
        let (mut pointers, mut sum) = (Vec::new(), 0_u64);
        for range in &self.majors {
            let count = range.end.saturating_sub(range.start).saturating_add(1);
            pointers.resize(usize::try_from(count).map_err(|_| changed())?, 0);
            read_pointers(&self.source.pointers, range.start, 0, &mut pointers)?;
            for (pair, major) in pointers.windows(2).zip(range.clone()) {
                let &[start, end] = pair else { continue };
                if start == end {
                    continue;
                }
                // They were read before, and do not descend.
                sum = sum.saturating_add(end - start);
                if sum > self.most {
                    return Err(changed());
                }
                listed.push(major);
                offsets.push(usize::try_from(sum).map_err(|_| changed())?);
                match entries.last_mut().filter(|last| last.end == start) {
                    Some(last) => last.end = end,
                    None => entries.push(start..end),
                }
            }
        }
        Ok(entries)
    }

    fn read_values(
        &self,
        entries: &[Range<u64>],
        scratch: &mut Scratch,
        batch: &mut Batch,
    ) -> Result<()> {
        let len = batch.entries();
        match &self.source.values {
            ValueArray::Integers(integers) => {
                integers.read_scattered(entries, scratch, u32::vec_mut(&mut batch.values))
            }
            ValueArray::Floats(array) => {
                let size = array.value_type().size();
                let mut rest = typed(&mut batch.values, array.value_type()).resize_bytes(len);
                for range in entries {
                    let count = usize::try_from(range.end - range.start).unwrap_or(usize::MAX);
                    let bytes = count.saturating_mul(size).min(rest.len());
                    let (part, after) = rest.split_at_mut(bytes);
                    array.read_bytes(range.start, part)?;
                    rest = after;
                }
                Ok(())
            }
        }
    }
}
