//! Files as a whole: all elements, or a selection of cells and genes.

mod arrays;
pub(crate) mod attributes;
pub(crate) mod collections;
pub(crate) mod concat;
pub(crate) mod diff;
pub(crate) mod elements;
mod entries;
mod min_size;
pub(crate) mod picks;
pub(crate) mod tables;

use std::path::Path;

use nnz_container::Compression;
use nnz_container::tree::TreeWriter;
use nnz_core::{Annotations as _, Axis, Place, Placed, Repairs, Result, Shape};
use nnz_engine::flow::Workers;
use nnz_engine::{Labels, Selection, Slice, TaskContext};

use super::AnnData;
use elements::Transfer;
use picks::{FilePicks, Pick};
use tables::Tables;

pub use concat::ConcatFilesOptions;

/// Options for writing a file as a whole.
#[derive(Clone, Copy)]
pub struct FileOptions<'a> {
    /// The compression of arrays; by default compressed arrays are written with the default
    /// compression of the container.
    pub compression: Option<Compression>,
    /// The memory for what is read at a time, threads, cancellation and progress.
    pub context: &'a TaskContext,
    /// The directory for what does not fit into memory.
    pub directory: &'a Path,
    /// Names and annotations of cells and genes, where they replace the ones in the file.
    pub labels: [&'a Labels; 2],
    /// Records repairs, if they are allowed; then rows are also sorted.
    pub repairs: Option<&'a Repairs>,
}

impl std::fmt::Debug for FileOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileOptions").field("context", &self.context).finish_non_exhaustive()
    }
}

impl FileOptions<'_> {
    fn workers(&self) -> Workers<'_> {
        Workers::of(self.context)
    }
}

/// Summary of a written file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The numbers of cells and genes.
    pub shape: Option<Shape>,
    /// The number of entries of `X`.
    pub entries: u64,
    /// Elements that the target does not support: paths, with reasons.
    pub dropped: Vec<String>,
    /// Elements that were left out for another reason: paths, with reasons.
    pub left_out: Vec<String>,
    /// Notes on elements that are stored in another form.
    pub notes: Vec<String>,
}

impl AnnData {
    /// Writes the file into an empty tree, which the caller finishes. Elements of versions before
    /// anndata 0.8 are written in the layout of 0.8; all others are kept as they are stored, except
    /// that both index arrays of a sparse matrix get the same type.
    ///
    /// # Errors
    ///
    /// Fails if the file is invalid or cannot be read, if the tree cannot be written, or if it is
    /// cancelled.
    pub fn copy_to(
        &self,
        tree: Box<dyn TreeWriter>,
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        Transfer::new(tree, options).file(self, &FilePicks::default())
    }

    /// Writes the elements of some cells and genes into an empty tree, which the caller finishes.
    /// `raw` keeps all of its genes, and `uns` is copied.
    ///
    /// # Errors
    ///
    /// Fails like [`copy_to`](Self::copy_to) and [`Slice::new`].
    pub fn slice_to(
        &self,
        tree: Box<dyn TreeWriter>,
        [cells, genes]: [&Selection; 2],
        options: &FileOptions<'_>,
    ) -> Result<(Box<dyn TreeWriter>, Report)> {
        let place = Place::path(self.root.path());
        let tables = Placed::new(self.tables()?, place);
        let slice = Slice::new(Box::new(tables), cells, genes)?;
        let picked = |axis, len| Pick::new(slice.ranges(axis), len);
        let picks = FilePicks {
            obs: picked(Axis::Rows, self.obs()?.len()),
            var: picked(Axis::Cols, self.var()?.len()),
        };
        Transfer::new(tree, options).file(self, &picks)
    }

    /// Returns the names and tables of cells and genes, as a matrix without entries.
    ///
    /// # Errors
    ///
    /// Fails if a table is missing or invalid.
    pub fn tables(&self) -> Result<Box<dyn nnz_core::MatrixSource>> {
        Ok(Box::new(Tables::of_file(self)?))
    }

    /// Describes the columns of `obs`, `var` and the table of `raw` that are not supported.
    ///
    /// # Errors
    ///
    /// Fails if a table is missing or invalid.
    pub fn unread_columns(&self) -> Result<Vec<String>> {
        let mut tables = vec![self.obs()?, self.var()?];
        if self.element(&super::Item::RawX)?.is_some() {
            tables.push(self.raw_var()?);
        }
        Ok(tables.iter().flat_map(|table| table.unread().collect::<Vec<_>>()).collect())
    }

    /// Lists everything in the file except a matrix and the tables of its axes.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn others(&self, item: &super::Item) -> Result<Vec<String>> {
        collections::others(self, item)
    }

    /// Lists the attributes of users and of other programs that a matrix and the tables of its axes have; for the main
    /// matrix of a file that was opened without a group, also attributes of the root.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn foreign_attributes(&self, item: &super::Item, with_root: bool) -> Result<Vec<String>> {
        Ok(collections::foreign_attributes(self, item, with_root)?.into_iter().collect())
    }
}
