//! A file as a whole: all of its elements, or what belongs to some cells and genes.

mod arrays;
mod collections;
mod concat;
mod diff;
mod elements;
mod entries;
mod groups;
mod picks;
mod room;
mod tables;

use std::path::Path;

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{Annotations as _, Axis, Place, Repairs, Result, Shape};
use nnz_engine::flow::Workers;
use nnz_engine::{Cancellation, Labels, Progress, Selection, Slice};

use super::AnnData;
use elements::Transfer;
use picks::{FilePicks, Picked};
use tables::Tables;

pub use concat::ConcatFilesOptions;
pub use groups::Groups;

/// How a file is written as a whole.
#[derive(Clone, Copy)]
pub struct FileOptions<'a> {
    /// How arrays are compressed; by default those that are compressed are so in the usual way of the
    /// container.
    pub compression: Option<Compression>,
    /// Bytes of memory for what is read at a time.
    pub memory: u64,
    /// Threads that decode and encode matrices.
    pub threads: usize,
    /// Cancels it.
    pub cancellation: Option<&'a Cancellation>,
    /// The directory of what does not fit into memory.
    pub directory: &'a Path,
    /// Is called as entries are written.
    pub progress: &'a dyn Progress,
    /// What cells and genes are called and described by, where that is not what the file says.
    pub labels: [&'a Labels; 2],
    /// Collects what is mended, if anything may be: then rows are sorted, too.
    pub repairs: Option<&'a Repairs>,
}

impl std::fmt::Debug for FileOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileOptions").field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl FileOptions<'_> {
    fn workers(&self) -> Workers<'_> {
        Workers { threads: self.threads, cancellation: self.cancellation }
    }
}

/// What was written of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Cells and genes.
    pub shape: Option<Shape>,
    /// Entries of `X`.
    pub entries: u64,
    /// What the target does not hold, by its place.
    pub dropped: Vec<String>,
    /// What was left out for another reason, by its place.
    pub left_out: Vec<String>,
    /// What is stored in another form.
    pub notes: Vec<String>,
}

impl AnnData {
    /// Writes all of the file into an empty tree, which remains to be finished. Elements of versions before
    /// anndata 0.8 get the layout of that; the rest stays as it is stored, except that both index arrays of a
    /// sparse matrix get one type.
    ///
    /// # Errors
    ///
    /// Fails where the file is broken or cannot be read, the tree cannot be written, or it is cancelled.
    pub fn copy_to(
        &self,
        tree: Box<dyn TreeWriter>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        Transfer::new(tree, options).file(self, &FilePicks::default())
    }

    /// Writes what belongs to some cells and genes into an empty tree, which remains to be finished. `raw`
    /// keeps all of its genes, and `uns` is copied.
    ///
    /// # Errors
    ///
    /// Fails as [`copy_to`](Self::copy_to) and [`Slice::new`].
    pub fn slice_to(
        &self,
        tree: Box<dyn TreeWriter>,
        [cells, genes]: [&Selection; 2],
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        let place = Place::path(self.root.path());
        let slice = Slice::new(Box::new(Tables::of_file(self)?), place, cells, genes)?;
        let picked = |axis, len| Picked::new(slice.ranges(axis), len);
        let picks = FilePicks {
            obs: picked(Axis::Rows, self.obs()?.len()),
            var: picked(Axis::Cols, self.var()?.len()),
        };
        Transfer::new(tree, options).file(self, &picks)
    }

    /// Returns names and tables of cells and genes, as a matrix without entries.
    ///
    /// # Errors
    ///
    /// Fails where a table is missing or broken.
    pub fn tables(&self) -> Result<Box<dyn nnz_core::MatrixSource>> {
        Ok(Box::new(Tables::of_file(self)?))
    }

    /// Names everything beside a matrix and the tables of its axes that the file holds.
    ///
    /// # Errors
    ///
    /// Fails where a group cannot be read.
    pub fn others(&self, item: &super::Item) -> Result<Vec<String>> {
        collections::others(self, item)
    }
}
