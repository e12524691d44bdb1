//! The formats: each is a static that implements [`Format`], and [`Registry`] lists them.
//!
//! A location is opened once, as a [`Probe`]. Each format states whether the probe contains its
//! data. The one that matches best takes the probe, with everything that has been read, and opens
//! it.

#[cfg(feature = "singlecell")]
mod anndata;
mod binsparse;
#[cfg(feature = "bpcells")]
mod bpcells;
#[cfg(feature = "bpcells")]
mod bpcells_fragments;
mod cancellable;
mod checked_arrays;
mod collections;
#[cfg(feature = "daphne")]
mod daphne;
mod detect;
#[cfg(feature = "singlecell")]
mod drop;
#[cfg(feature = "text")]
mod edges;
#[cfg(feature = "singlecell")]
mod fragment_text;
mod groups;
#[cfg(any(feature = "robjects", feature = "singlecell"))]
mod items;
#[cfg(feature = "singlecell")]
mod loom;
#[cfg(feature = "matlab")]
mod matlab;
#[cfg(feature = "matrix-market")]
mod matrix_market;
#[cfg(feature = "text")]
mod metis;
#[cfg(feature = "singlecell")]
mod mudata;
mod name;
#[cfg(feature = "scientific")]
mod npy;
mod options;
mod probe;
mod registry;
#[cfg(feature = "robjects")]
mod robjects;
#[cfg(feature = "scientific")]
mod scipy;
mod several;
#[cfg(feature = "text")]
mod svmlight;
#[cfg(feature = "text")]
mod table;
pub(crate) mod target;
mod targets;
#[cfg(feature = "scientific")]
mod tensor_arrays;
#[cfg(feature = "singlecell")]
mod tenx;
#[cfg(feature = "text")]
mod text;
mod unrecognized;
pub mod values;
mod zip;

use crate::Context;
use std::fmt;
use std::path::Path;

use nnz_container::{FoundGroup, NamedArrays};
use nnz_core::{Axis, Error, Finding, MatrixSource, Result};
use nnz_storage::InputDirectory;

pub use crate::container_target::has_groups;
#[cfg(feature = "singlecell")]
pub(crate) use anndata::{components_adder, full_path};
pub use binsparse::list_binsparse;
pub(crate) use binsparse::{Binsparse, open_container as open_binsparse};
pub(crate) use cancellable::cancellable;
pub use collections::CollectionFormat;
pub(crate) use collections::{check_strict, location_of};
#[cfg(feature = "daphne")]
pub(crate) use daphne::{DaphneOptions, NAME as DAPHNE};
pub use detect::Detected;
#[cfg(feature = "singlecell")]
pub use groups::full_group;
pub use groups::{Inspection, inspect, list_groups, list_members, other_groups};
pub(crate) use groups::{groups_inside, is_stream};
#[cfg(feature = "singlecell")]
pub(crate) use mudata::common_column;
pub use name::FormatName;
pub use nnz_engine::MatrixTarget;
pub use options::{FormatOption, FormatOptions};
pub use probe::Probe;
pub use registry::{Registry, list};
pub(crate) use registry::{check_options, format_of_path};

/// The name of the option to join layers of R objects that have parts of the cells.
#[cfg(feature = "robjects")]
const JOIN_LAYERS: &str = "join-layers";

/// The name of the option of sources to leave elements out.
pub(crate) const DROP: &str = "drop";

use crate::{
    ConvertOptions, Dataset, Location, OpenOptions, Summary, ValidateOptions, compute::PcaWriter,
    tensor::TensorFile,
};

/// The option of formats that store either entries or all elements.
#[cfg(feature = "matrix-market")]
const LAYOUT: FormatOption = FormatOption::parsed::<nnz_matrix_market::Layout>(
    "layout",
    "LAYOUT",
    "Write coordinate (a sparse matrix) or array (a dense one) [default: array if every element of SRC is \
     stored]",
);

/// Returns the container of a probe, which the format has detected before.
fn arrays(probe: Probe) -> Result<NamedArrays> {
    let place = probe.location().source_place();
    let container = probe.into_container()?;
    container.ok_or_else(|| Error::mismatch(place, "no named arrays", "a container"))
}

/// Describes a format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormatInfo {
    /// The name, as in `--to` if the format is written.
    pub name: FormatName,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Extensions of files and directories that are written as this format unless another is named,
    /// without the leading dot.
    pub extensions: &'static [&'static str],
    /// One line about the format.
    pub summary: &'static str,
    /// The kinds of data that are read.
    pub reads: &'static [DatasetKind],
    /// The kinds of data that are written.
    pub writes: &'static [DatasetKind],
    /// Whether it consists of named arrays, as in containers such as HDF5.
    pub containers: bool,
    /// Whether matrices are written to HDF5 files of any name, if the format is given.
    pub hdf5: bool,
    /// Options of targets.
    pub options: &'static [FormatOption],
    /// Options of sources, with other names than the options of targets of any format.
    pub read_options: &'static [FormatOption],
    /// Whether the data can be read from a stream: standard input, a pipe, a device.
    pub streams: bool,
    /// The attributes that mark a group of this format. They are searched for if the root of a file has no known
    /// format.
    pub group_attributes: &'static [&'static str],
    /// The arrays that follow from others, which are correct once they are written again.
    pub derived: &'static [&'static str],
    /// Options of stores of fragments that are written with the name of this format, if any.
    pub fragment_options: Option<&'static [FormatOption]>,
    /// Returns the options for a value of `--to` that the format accepts besides its names, as Binsparse accepts
    /// `CSR`.
    pub claims: fn(&str) -> Option<FormatOptions>,
}

nnz_core::setters! {
    const FormatInfo {
        aliases: &'static [&'static str],
        extensions: &'static [&'static str],
        reads: &'static [DatasetKind],
        writes: &'static [DatasetKind],
        containers: bool,
        hdf5: bool,
        options: &'static [FormatOption],
        read_options: &'static [FormatOption],
        streams: bool,
        group_attributes: &'static [&'static str],
        derived: &'static [&'static str],
        fragment_options: Option<&'static [FormatOption]>,
        claims: fn(&str) -> Option<FormatOptions>,
    }
}

impl FormatInfo {
    /// Returns whether a path has one of the extensions, in any letter case.
    #[must_use]
    pub fn is_extension_of(&self, path: &Path) -> bool {
        self.extension_of(path).is_some()
    }

    /// Returns the extension of a path, if it is one of this format.
    pub(crate) fn extension_of(&self, path: &Path) -> Option<&'static str> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        // What is read with gzip is read with other compressions, too.
        let name = match nnz_lines::Compression::of_name(&name) {
            (_, nnz_lines::Compression::None) => name,
            (stem, _) => format!("{stem}.gz"),
        };
        self.extensions
            .iter()
            .copied()
            .find(|extension| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.')))
    }

    /// Describes a format without extensions and options. What it reads and writes is added by
    /// [`reads`](Self::reads()) and [`writes`](Self::writes()).
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name: FormatName::new(name),
            streams: false,
            group_attributes: &[],
            derived: &[],
            fragment_options: None,
            claims: |_| None,
            aliases: &[],
            extensions: &[],
            summary,
            reads: &[],
            writes: &[],
            containers: false,
            hdf5: false,
            options: &[],
            read_options: &[],
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
    /// Several matrices and tables along shared axes.
    Collection,
}

impl fmt::Display for DatasetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matrix => "matrix",
            Self::Tensor => "tensor",
            Self::Fragments => "fragments",
            Self::Table => "table",
            Self::Collection => "collection",
        })
    }
}

/// A part of a location with several, such as a layer of an AnnData file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The path after `::`, or the path of a column of a table.
    pub path: String,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The axis of the file along which each dimension is, if the file has shared axes; `None` for another one.
    pub axes: Vec<Option<Axis>>,
    /// How it is stored, for example `csr_matrix`.
    pub kind: String,
    /// The type of its values, for example `float32` or `categorical`.
    pub value_type: String,
}

impl Member {
    /// The kind of a part that is broken.
    pub(crate) const INVALID: &str = "invalid";
}

/// The confidence of a format that a probe contains its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Confidence {
    /// It is tried if no other format matches.
    Fallback,
    /// A signature, a marker or the file name identifies it.
    Certain,
}

/// Abilities of a format besides reading, checking and writing matrices.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Abilities<'a> {
    /// Writes collections.
    pub collections: Option<&'a dyn CollectionFormat>,
    /// Writes tensors.
    pub tensors: Option<&'a dyn TensorFormat>,
    /// Writes principal components.
    pub components: Option<&'a dyn ComponentsFormat>,
}

impl fmt::Debug for Abilities<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abilities")
            .field("collections", &self.collections.is_some())
            .field("tensors", &self.tensors.is_some())
            .field("components", &self.components.is_some())
            .finish()
    }
}

impl<'a> Abilities<'a> {
    /// Adds writing collections.
    #[must_use]
    pub fn collections(mut self, format: &'a dyn CollectionFormat) -> Self {
        self.collections = Some(format);
        self
    }

    /// Adds writing tensors.
    #[must_use]
    pub fn tensors(mut self, format: &'a dyn TensorFormat) -> Self {
        self.tensors = Some(format);
        self
    }

    /// Adds writing principal components.
    #[must_use]
    pub fn components(mut self, format: &'a dyn ComponentsFormat) -> Self {
        self.components = Some(format);
        self
    }
}

/// A format that stores tensors.
pub trait TensorFormat: Sync {
    /// Writes a tensor.
    ///
    /// # Errors
    ///
    /// Fails as [`Format::target`], and if the tensor cannot be read, stored or written.
    fn write_tensor(
        &self,
        tensor: &TensorFile,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary>;
}

/// A format that stores principal components.
pub trait ComponentsFormat: Sync {
    /// Returns the extensions of the files.
    fn extensions(&self) -> &'static [&'static str];

    /// Starts writing principal components to a path with one of the [extensions](Self::extensions).
    ///
    /// # Errors
    ///
    /// Fails if the target exists and may not be replaced, or cannot be written.
    fn writer<'a>(
        &self,
        to: &'a Location,
        options: &'a ConvertOptions,
        context: &'a Context,
    ) -> Result<PcaWriter<'a>>;
}

/// A format that can be read, written, or both.
///
/// A format of a line `toy ROWS COLS` and a line `ROW COL VALUE` for each entry, by row:
///
/// ```
/// use nnz::formats::{Confidence, DatasetKind, Format, FormatInfo, MatrixTarget, Probe};
/// use nnz::matrix::{MatrixSink, Names, SinkCapabilities, Written};
/// use nnz::output::{StagedFile, WriteOptions};
/// use nnz::{
///     Batch, Context, ConvertOptions, CsMatrix, Dataset, Error, Header, Location, MatrixSource,
///     OpenOptions, Order, Place, Result, Shape, ValueType, Values,
/// };
/// use std::io::{BufRead as _, BufReader, Write as _};
/// use std::path::{Path, PathBuf};
///
/// struct Toy;
///
/// static INFO: FormatInfo = FormatInfo::new("toy", "rows, columns and values")
///     .extensions(&["toy"])
///     .reads(&[DatasetKind::Matrix])
///     .writes(&[DatasetKind::Matrix]);
///
/// impl Format for Toy {
///     fn info(&self) -> &'static FormatInfo {
///         &INFO
///     }
///
///     fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
///         let is_toy = probe.file().is_some_and(|(_, start)| start.starts_with(b"toy "));
///         Ok(is_toy.then_some(Confidence::Certain))
///     }
///
///     fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
///         let Some((file, _)) = probe.file() else { return Err(Error::argument("not a file")) };
///         let broken = || Error::mismatch(Place::path(file.path()), "a broken line", "3 numbers");
///         let (mut shape, mut rows) = (Shape::default(), Vec::new());
///         let (mut pointers, mut minors, mut values) = (vec![0], Vec::<u64>::new(), Vec::new());
///         for line in BufReader::new(file.reader()).lines() {
///             let line = line.map_err(|error| Error::io(file.path(), error))?;
///             match *line.split(' ').collect::<Vec<_>>() {
///                 ["toy", rows, cols] => {
///                     let [rows, cols] = [rows, cols].map(|number| number.parse().ok());
///                     let rows = rows.ok_or_else(broken)?;
///                     shape = Shape { rows, cols: cols.ok_or_else(broken)? };
///                 }
///                 [row, col, value] => {
///                     rows.push(row.parse::<u64>().map_err(|_| broken())?);
///                     minors.push(col.parse().map_err(|_| broken())?);
///                     values.push(value.parse::<f64>().map_err(|_| broken())?);
///                 }
///                 _ => return Err(broken()),
///             }
///         }
///         for row in 0..shape.rows {
///             pointers.push(rows.partition_point(|&other| other <= row) as u64);
///         }
///         let values = Values::F64(values);
///         // Checks that all positions are inside of the matrix.
///         let matrix = CsMatrix::from_parts(shape, Order::Row, pointers, minors, values)?;
///         Ok(Dataset::Matrix(matrix.into_source()?))
///     }
///
///     fn target(
///         &self,
///         to: &Location,
///         options: &ConvertOptions,
///         _: &dyn MatrixSource,
///         context: &Context,
///     ) -> Result<Box<dyn MatrixTarget>> {
///         match to {
///             Location::Path { path, group: None } => {
///                 Ok(Box::new(ToyTarget(path.clone(), options.output(context))))
///             }
///             _ => Err(Error::argument("toy is written to files")),
///         }
///     }
/// }
///
/// struct ToyTarget(PathBuf, WriteOptions);
///
/// impl MatrixTarget for ToyTarget {
///     fn capabilities(&self) -> SinkCapabilities {
///         SinkCapabilities::new(&[Order::Row], &[ValueType::F64])
///     }
///
///     fn path(&self) -> Option<&Path> {
///         Some(&self.0)
///     }
///
///     fn check(&self) -> Result<()> {
///         StagedFile::create(&self.0, &self.1).map(drop)
///     }
///
///     fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
///         let mut file = StagedFile::create(&self.0, &self.1)?;
///         let Shape { rows, cols } = header.shape;
///         writeln!(file, "toy {rows} {cols}").map_err(|error| Error::io(&self.0, error))?;
///         Ok(Box::new(ToySink(file)))
///     }
/// }
///
/// struct ToySink(StagedFile);
///
/// impl MatrixSink for ToySink {
///     fn write(&mut self, batch: &Batch) -> Result<()> {
///         batch.try_for_each(|entry, row, col| {
///             let value = batch.values.get(entry).and_then(|value| value.to_f64());
///             let value = value.ok_or_else(|| Error::argument("a value for each entry"))?;
///             let written = writeln!(self.0, "{row} {col} {value}");
///             written.map_err(|error| Error::io(self.0.path(), error))
///         })
///     }
///
///     fn finish(self: Box<Self>) -> Result<Written> {
///         Ok(Written::new(self.0.commit()?))
///     }
/// }
///
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = |name: &str| directory.path().join(name);
/// # std::fs::write(path("a.toy"), "toy 2 3\n0 2 1.5\n1 0 2\n").unwrap();
/// let context = Context::default().with_format(&Toy);
/// nnz::convert(path("a.toy"), path("a.mtx"), &ConvertOptions::default(), &context)?;
/// nnz::convert(path("a.mtx"), path("b.toy"), &ConvertOptions::default(), &context)?;
/// # assert_eq!(std::fs::read(path("a.toy")).unwrap(), std::fs::read(path("b.toy")).unwrap());
/// # Ok::<(), Error>(())
/// ```
pub trait Format: Send + Sync {
    /// Describes the format.
    fn info(&self) -> &'static FormatInfo;

    /// Returns whether a probe contains data of this format, from as few bytes as possible. Missing or
    /// broken data is an answer ([`readable`](nnz_core::readable)), an I/O error is not.
    ///
    /// # Errors
    ///
    /// Fails on I/O errors, and if the data is known not to be supported.
    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>>;

    /// Opens the data of a probe.
    ///
    /// # Errors
    ///
    /// Fails if the data is broken or needs more memory than allowed.
    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset>;

    /// Checks all data of a probe and passes findings to `each`. By default, all entries are read.
    ///
    /// # Errors
    ///
    /// Fails on I/O errors, and if more memory is needed than allowed.
    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let read = self
            .open(probe, &options.open)
            .and_then(|dataset| crate::check::read_whole(dataset, &place, context, each));
        read.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
    }

    /// Lists the parts of a probe, for formats with several matrices or tables in one location. By
    /// default there are none.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let _ = probe;
        Ok(Vec::new())
    }

    /// Returns whether a name after `::` selects a part of a probe that is a plain file or a directory. In
    /// files and stores with groups it always selects a group. By default it does not.
    ///
    /// # Errors
    ///
    /// Fails if the data cannot be read.
    fn selects(&self, probe: &Probe) -> Result<bool> {
        let _ = probe;
        Ok(false)
    }

    /// Returns whether a matrix in this format keeps it when it is written to a path with the extension of another
    /// format. By default it does not.
    ///
    /// # Errors
    ///
    /// Fails if the format of the source cannot be read.
    fn keeps(&self, path: &Path, source: &dyn MatrixSource) -> Result<bool> {
        let _ = (path, source);
        Ok(false)
    }

    /// Returns the options to write a source as programs of this format have such data; `None` if these are the given ones, as
    /// by default. What is given is kept.
    ///
    /// # Errors
    ///
    /// Fails if the annotations of the source cannot be read.
    fn adapted(
        &self,
        source: &dyn MatrixSource,
        options: &ConvertOptions,
    ) -> Result<Option<ConvertOptions>> {
        let _ = (source, options);
        Ok(None)
    }

    /// Decides where and how a matrix is written. By default the format is read only.
    ///
    /// # Errors
    ///
    /// Fails if the format is not written, or not to this location, and if an option has an invalid
    /// value.
    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        let _ = (to, options, source, context);
        Err(Error::argument(format!("{} is read only", self.info().name)))
    }

    /// Returns what else the format can do. By default, nothing.
    fn abilities(&self) -> Abilities<'_> {
        Abilities::default()
    }

    /// Returns whether it may be written to a path, judging by the extension or by an existing file. By default the
    /// extension decides.
    ///
    /// # Errors
    ///
    /// Fails if an existing file cannot be read.
    fn may_write_to(&self, path: &Path) -> Result<bool> {
        Ok(self.info().is_extension_of(path))
    }

    /// Returns whether a matrix is written to a group of a file with other matrices. By default those of formats of single
    /// matrices are, in containers with groups.
    ///
    /// # Errors
    ///
    /// Fails if an existing file cannot be read.
    fn adds_groups(&self, path: &Path) -> Result<bool> {
        Ok(self.info().containers && self.abilities().collections.is_none() && has_groups(path)?)
    }

    /// Returns the name of a group for a matrix with this name, if several are written. By default it is the same.
    fn group_name(&self, name: &str) -> String {
        name.to_owned()
    }

    /// Returns whether an attribute marks its group as one of this format. By default it does not.
    fn marks_group(&self, found: &FoundGroup) -> bool {
        let _ = found;
        false
    }

    /// Returns whether groups inside of one of this format are parts of it, and not listed as other data. By default they
    /// are not.
    fn includes_groups(&self) -> bool {
        false
    }

    /// Returns whether a file or directory looks like this format, by its extension or by the names in
    /// the directory. A file is then opened as this format whatever its content. If a directory has no
    /// known format, such entries of it are listed. By default it does not.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        let _ = (path, directory);
        Ok(false)
    }
}
