//! Targets of fragments.

use nnz_core::{FragmentSink, Place, Result, StringList};

/// A target of fragments in some format. Nothing is written before [`create`](Self::create).
pub trait FragmentTarget {
    /// Returns the place in messages.
    fn place(&self) -> Place;

    /// Returns a note on other data that is replaced as well.
    fn replaced(&self) -> Option<String> {
        None
    }

    /// Creates a sink for fragments with these names of chromosomes and cells.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be created, or if the format does not support a name.
    fn create(&self, chromosomes: &StringList, cells: &StringList)
    -> Result<Box<dyn FragmentSink>>;
}
