//! Where and how fragments are written.

use nnz_core::{FragmentSink, Place, Result, StringList};

/// A place that fragments are written to in some form. Nothing is written before
/// [`create`](Self::create).
pub trait FragmentTarget {
    /// Returns the place, for messages.
    fn place(&self) -> Place;

    /// Says which other data is replaced along with what is there.
    fn replaced(&self) -> Option<String> {
        None
    }

    /// Starts writing fragments of chromosomes and cells with these names.
    ///
    /// # Errors
    ///
    /// Fails where nothing can be created, or a name does not fit the form.
    fn create(&self, chromosomes: &StringList, cells: &StringList)
    -> Result<Box<dyn FragmentSink>>;
}
