//! Major vectors with every element stored: DMATR, DMATC, DVEC, and listed dense vectors.

use std::ops::Range;

use nnz_core::{Batch, Majors, MatrixSource as _, Projection, Result, Unit, UnitReader};

use super::MatrixSource;
use super::runs::{check_listed, listed_range};
use super::triangle::trim;
use crate::store::{Integers, PIECE};

/// Splits a range of major vectors into pieces.
pub(super) struct DenseReader<'a> {
    source: &'a MatrixSource,
    listed: Option<&'a Integers>,
    fields: Projection,
    /// The range of values left to read.
    elements: Range<u64>,
    /// The last major read.
    last: Option<u64>,
    /// The listed majors that are only checked, because they have no elements.
    empty: Range<u64>,
}

impl<'a> DenseReader<'a> {
    pub(super) fn new(
        source: &'a MatrixSource,
        listed: Option<&'a Integers>,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Self> {
        let runs = match listed {
            Some(listed) => listed_range(listed, majors, source.majors)?,
            None => majors,
        };
        // All elements are stored, so there are no more than values.
        let elements =
            runs.start.saturating_mul(source.minors)..runs.end.saturating_mul(source.minors);
        let empty = if source.minors == 0 { runs } else { 0..0 };
        Ok(Self { source, listed, fields, elements, last: None, empty })
    }

    /// Checks the listed majors of a matrix whose minor axis has length 0.
    fn check_empty(&mut self) -> Result<()> {
        let Some(listed) = self.listed else { return Ok(()) };
        let mut majors = Vec::new();
        while !self.empty.is_empty() {
            let start = self.empty.start;
            let count = PIECE.min(self.empty.end - start);
            majors.resize(usize::try_from(count).unwrap_or(0), 0);
            listed.read(start, &mut majors)?;
            check_listed(listed, start, &majors, self.last, self.source.majors)?;
            self.last = majors.last().copied();
            self.empty.start += count;
        }
        Ok(())
    }
}

impl<'a> UnitReader<'a> for DenseReader<'a> {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit + 'a>>> {
        // Without elements the major vectors are skipped, because there may be 2^63.
        if self.elements.is_empty() {
            self.check_empty()?;
            return Ok(None);
        }
        let len = self.source.minors;
        let start = self.elements.start;
        let end = (start / PIECE).saturating_add(1).saturating_mul(PIECE).min(self.elements.end);
        let runs = start / len..(end - 1) / len + 1;
        let majors = match self.listed {
            Some(listed) => {
                let count = usize::try_from(runs.end - runs.start).unwrap_or(0);
                let mut majors = vec![0; count];
                listed.read(runs.start, &mut majors)?;
                let before = self.last.filter(|_| start.is_multiple_of(len));
                check_listed(listed, runs.start, &majors, before, self.source.majors)?;
                self.last = majors.last().copied();
                Some(majors)
            }
            None => None,
        };
        self.elements.start = end;
        let (source, fields) = (self.source, self.fields);
        Ok(Some(Box::new(DenseUnit { source, fields, majors, elements: start..end })))
    }
}

/// Consecutive elements.
struct DenseUnit<'a> {
    source: &'a MatrixSource,
    fields: Projection,
    /// The majors, if they are listed.
    majors: Option<Vec<u64>>,
    elements: Range<u64>,
}

impl Unit for DenseUnit<'_> {
    fn decode(self: Box<Self>, batch: &mut Batch) -> Result<()> {
        let Self { source, fields, majors, elements } = *self;
        batch.order = source.header().order;
        batch.span_elements(elements.clone(), source.minors);
        if let Some(majors) = majors {
            batch.majors = Majors::Listed(majors);
        }
        if fields.values {
            source.values.read(elements.clone(), &mut batch.values)?;
        }
        trim(source, elements.start, fields, batch)
    }
}
