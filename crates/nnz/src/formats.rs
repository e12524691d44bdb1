//! The formats that can be read: each is one static behind [`Format`], and [`Registry`] lists them.
//!
//! A place is looked at once, as a [`Probe`]. Each format says whether the probe holds its data; the
//! one that matches best takes the probe over and opens it, with what was read already.

#[cfg(feature = "singlecell")]
mod anndata;
mod binsparse;
#[cfg(feature = "bpcells")]
mod bpcells;
#[cfg(feature = "bpcells")]
mod bpcells_fragments;
mod cancellable;
#[cfg(feature = "daphne")]
mod daphne;
#[cfg(feature = "singlecell")]
mod fragment_text;
mod groups;
#[cfg(feature = "matrix-market")]
mod matrix_market;
#[cfg(feature = "scientific")]
mod npy;
mod options;
mod probe;
#[cfg(feature = "scientific")]
mod r_matrix;
mod registry;
#[cfg(feature = "scientific")]
mod scipy;
pub(crate) mod target;
#[cfg(feature = "scientific")]
mod tensor_arrays;
#[cfg(feature = "singlecell")]
mod tenx;
mod whole;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use nnz_container::{Container, FoundGroup};
use nnz_core::{Error, Finding, MatrixSource, Result};
use nnz_storage::InputDirectory;

pub use crate::container_target::has_groups;
pub use binsparse::list_binsparse;
pub(crate) use binsparse::{Binsparse, open_container as open_binsparse};
pub(crate) use cancellable::cancellable;
#[cfg(feature = "daphne")]
pub(crate) use daphne::{DaphneOptions, NAME as DAPHNE};
pub(crate) use groups::groups_inside;
pub use groups::{list_groups, list_members, other_groups};
pub use nnz_engine::MatrixTarget;
pub use options::{FormatOption, FormatOptions};
pub use probe::Probe;
#[cfg(feature = "daphne")]
pub(crate) use registry::check_options;
pub(crate) use registry::format_of_path;
pub use registry::{Detected, Registry, list};
pub use whole::{RowGroups, WholeFormat};

use crate::{
    ConvertOptions, Dataset, Location, OpenOptions, Summary, ValidateOptions, tensor::TensorFile,
};

/// The option of formats that store either entries or every cell.
#[cfg(feature = "matrix-market")]
const LAYOUT: FormatOption = FormatOption::parsed::<nnz_matrix_market::Layout>(
    "layout",
    "LAYOUT",
    "Write coordinate (a sparse matrix) or array (a dense one) [default: array if every cell of SRC is \
     stored]",
);

/// Returns the container of a probe that was claimed.
fn arrays(probe: Probe) -> Result<Arc<dyn Container>> {
    let place = probe.location().source_place();
    let container = probe.into_container()?;
    container.ok_or_else(|| Error::mismatch(place, "no named arrays", "a container"))
}

/// Describes a format.
#[derive(Clone, Debug)]
pub struct FormatInfo {
    /// The name, as `--to` takes it if the format is written.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Extensions of files and directories that are written as this format unless another is named,
    /// without the leading dot.
    pub extensions: &'static [&'static str],
    /// One line about the format.
    pub summary: &'static str,
    /// What can be read.
    pub reads: &'static [DatasetKind],
    /// What can be written.
    pub writes: &'static [DatasetKind],
    /// Whether it consists of named arrays, which containers such as HDF5 hold.
    pub containers: bool,
    /// Options of targets.
    pub options: &'static [FormatOption],
}

impl FormatInfo {
    /// Returns whether a path has one of the extensions, in any letter case.
    #[must_use]
    pub fn is_extension_of(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        self.extensions
            .iter()
            .any(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
    }

    /// Describes a format that is read; nothing is written.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            extensions: &[],
            summary,
            reads: &[],
            writes: &[],
            containers: false,
            options: &[],
        }
    }
}

/// A kind of [`Dataset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatasetKind {
    /// A matrix.
    Matrix,
    /// A scalar, vector or tensor.
    Tensor,
    /// Genomic fragments.
    Fragments,
    /// Columns of different types.
    Table,
}

impl fmt::Display for DatasetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matrix => "matrix",
            Self::Tensor => "tensor",
            Self::Fragments => "fragments",
            Self::Table => "table",
        })
    }
}

/// Something that a place holds, such as a layer of an AnnData file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The path behind `::`, or of a column of a table.
    pub path: String,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// How it is stored, such as `csr_matrix`.
    pub kind: String,
    /// The type of its values, such as `float32` or `categorical`.
    pub value_type: String,
}

/// How sure a format is that a probe holds its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is tried if no other format matches.
    Fallback,
    /// A signature, a marker or the file name says so.
    Certain,
}

/// A format that can be read, written, or both.
pub trait Format: Send + Sync {
    /// Describes the format.
    fn info(&self) -> &'static FormatInfo;

    /// Returns whether a probe holds data of this format, judging by as little of it as possible. What
    /// is missing or broken is an answer ([`readable`](nnz_core::readable)), an error of the system none.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot read the place, or holds what is known not to be supported.
    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>>;

    /// Opens what a probe holds.
    ///
    /// # Errors
    ///
    /// Fails where the data is broken or needs more memory than allowed.
    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset>;

    /// Checks all of what a probe holds and passes what is wrong to `each`. By default all entries
    /// are read.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot read, or more memory is needed than allowed.
    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let read = self
            .open(probe, &options.open_options())
            .and_then(|dataset| crate::check::read_whole(dataset, &place, options, each));
        read.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
    }

    /// Returns whether what a finding says is wrong follows from the rest of the data, so that it is right once that is
    /// written anew.
    fn is_derived(&self, finding: &Finding) -> bool {
        let _ = finding;
        false
    }

    /// Lists all that a probe holds, of formats with several matrices or tables in one place; by default
    /// nothing.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be read.
    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let _ = probe;
        Ok(Vec::new())
    }

    /// Returns the options for a value of `--to` that this format takes beside its names, as Binsparse
    /// takes `CSR`.
    fn claims(&self, name: &str) -> Option<FormatOptions> {
        let _ = name;
        None
    }

    /// Returns whether a matrix that is read in this format stays in it at a path whose extension is that of
    /// another.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot read what the source is.
    fn keeps(&self, path: &Path, source: &dyn MatrixSource) -> Result<bool> {
        let _ = (path, source);
        Ok(false)
    }

    /// Decides where and how a matrix is written.
    ///
    /// # Errors
    ///
    /// Fails where the format is not written, or not to such a place, and where an option has a wrong
    /// value.
    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
    ) -> Result<Box<dyn MatrixTarget>> {
        let _ = (to, options, source);
        Err(Error::argument(format!("{} is read only", self.info().name)))
    }

    /// Returns how files are written as a whole, of formats with several matrices or tables in one file.
    fn whole(&self) -> Option<&dyn WholeFormat> {
        None
    }

    /// Writes a tensor.
    ///
    /// # Errors
    ///
    /// Fails as [`target`](Self::target), and where the tensor cannot be read, held or written.
    fn write_tensor(
        &self,
        tensor: &TensorFile,
        to: &Location,
        options: &ConvertOptions,
    ) -> Result<Summary> {
        let _ = (to, options);
        let (rank, name) = (tensor.descriptor().shape.len(), self.info().name);
        let what = format!("a tensor of {rank} dimensions cannot be stored as {name}");
        Err(Error::argument(what))
    }

    /// Returns whether it may be written to a path, going by the extension or by the file that is there.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot say what is there.
    fn may_write_to(&self, path: &Path) -> Result<bool> {
        Ok(self.info().is_extension_of(path))
    }

    /// Returns the options of stores of fragments, where these are written under the name of this format as
    /// its matrices are; `None` where it has no such stores.
    fn fragment_options(&self) -> Option<&'static [FormatOption]> {
        None
    }

    /// Names the attributes that mark a group of this format. Groups are searched for them where the
    /// root of a file is of no format.
    fn group_attributes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether an attribute marks its group as one of this format.
    fn marks_group(&self, found: &FoundGroup) -> bool {
        let _ = found;
        false
    }

    /// Returns whether a file or directory looks like this format from outside, as by its extension or by
    /// the names in the directory. A file is then of this format whatever its content. Where a directory
    /// is of no format, such entries of it are listed.
    ///
    /// # Errors
    ///
    /// Fails where the system cannot say what is in the directory.
    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        let _ = (path, directory);
        Ok(false)
    }
}
