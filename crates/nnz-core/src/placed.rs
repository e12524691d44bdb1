//! A matrix with a name in messages.

use std::ops::Range;

use crate::{Header, MatrixSource, Place, Projection, Result, UnitReader, Wrapped};

/// A matrix with the name that it has in messages.
pub struct Placed<'a> {
    inner: Box<dyn MatrixSource + 'a>,
    place: Place,
}

impl<'a> Placed<'a> {
    /// Sets the name of a matrix.
    #[must_use]
    pub fn new(inner: Box<dyn MatrixSource + 'a>, place: Place) -> Self {
        Self { inner, place }
    }
}

impl std::fmt::Debug for Placed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Placed").field("place", &self.place).finish_non_exhaustive()
    }
}

impl MatrixSource for Placed<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(&*self.inner)
    }

    fn place(&self) -> Place {
        self.place.clone()
    }

    fn header(&self) -> &Header {
        self.inner.header()
    }

    fn random_access(&self) -> bool {
        self.inner.random_access()
    }

    fn units(
        &self,
        majors: Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.inner.units(majors, fields)
    }
}
