//! A matrix whose axes are stated from outside.

use std::ops::Range;

use nnz_core::{Axis, AxisKind, Header, MatrixSource, Projection, Result, UnitReader, Wrapped};

/// A matrix of cells and features.
pub(super) struct Stated {
    inner: Box<dyn MatrixSource>,
    header: Header,
}

impl Stated {
    /// States the axis of the cells.
    pub(super) fn new(inner: Box<dyn MatrixSource>, cells: Axis) -> Self {
        let kinds = match cells {
            Axis::Rows => [AxisKind::Cells, AxisKind::Features],
            Axis::Cols => [AxisKind::Features, AxisKind::Cells],
        };
        let header = inner.header().clone().axis_kinds(kinds);
        Self { inner, header }
    }
}

impl MatrixSource for Stated {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }
}
