//! Opening a location.

use std::sync::Arc;

use crate::formats::FormatName;
#[cfg(feature = "daphne")]
use crate::formats::values::Dialect;
use crate::formats::{DatasetKind, FormatOptions};
use crate::{Context, Dataset, Location};
use nnz_core::{MatrixSource, Repairs, Result};

/// Opens the data of a location, in any built-in format; [`Context::open`] also in a format or storage of your own.
///
/// An R object is read as a whole, and may take the memory of the context; here the
/// [default memory](crate::engine::default_memory).
///
/// ```no_run
/// use nnz::Dataset;
///
/// match nnz::open("x.h5")? {
///     Dataset::Matrix(matrix) => println!("{}", matrix.header().shape),
///     Dataset::Tensor(tensor) => println!("{:?}", tensor.descriptor().shape),
///     Dataset::Fragments(source) => println!("{} fragments", source.header().count),
///     Dataset::Table(frame) => println!("{} columns", frame.columns().len()),
///     _ => {}
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the location does not exist, has no known format, or is broken.
pub fn open(location: impl Into<Location>) -> Result<Dataset> {
    Context::default().open(location)
}

/// Opens the matrix of a location.
pub(crate) fn open_matrix(location: &Location, context: &Context) -> Result<Box<dyn MatrixSource>> {
    OpenOptions::new().open_matrix(location, context)
}

/// Options of opening a location.
///
/// ```no_run
/// use nnz::{Context, OpenOptions};
///
/// let context = Context::default().with_memory(1 << 30);
/// let dataset = OpenOptions::new().format("10x").open("m.h5", &context)?;
/// let matrix = dataset.into_matrix()?;
/// # Ok::<(), nnz::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    #[cfg(feature = "daphne")]
    pub(crate) dialect: Option<Dialect>,
    pub(crate) format: Option<FormatName>,
    pub(crate) format_options: FormatOptions,
    pub(crate) preferred: DatasetKind,
    pub(crate) repairs: Option<Arc<Repairs>>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            #[cfg(feature = "daphne")]
            dialect: None,
            format: None,
            format_options: FormatOptions::new(),
            preferred: DatasetKind::Matrix,
            repairs: None,
        }
    }
}

impl OpenOptions {
    /// Detects the format.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Repairs faults with a certain correction, and lists them; see [`repair`](fn@crate::repair).
    #[must_use]
    pub fn repairs(mut self, repairs: Option<Arc<Repairs>>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Opens with this format, without detection.
    #[must_use]
    pub fn format(mut self, name: impl Into<FormatName>) -> Self {
        self.format = Some(name.into());
        self
    }

    /// Sets options of the format, which are declared as [`read_options`](crate::formats::FormatInfo::read_options).
    /// Opening data of a format that does not have one of them is an error.
    #[must_use]
    pub fn format_options(mut self, options: FormatOptions) -> Self {
        self.format_options = options;
        self
    }

    /// Returns the options of the format, for [`Format::open`](crate::formats::Format::open).
    #[must_use]
    pub fn read_options(&self) -> &FormatOptions {
        &self.format_options
    }

    /// Sets the dialect of DAPHNE. The location is opened as DAPHNE then, unless another format is set.
    #[cfg(feature = "daphne")]
    #[must_use]
    pub fn dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        match (dialect, self.format) {
            (Some(_), None) => self.format(crate::formats::DAPHNE),
            _ => self,
        }
    }

    /// Detects the format again.
    pub(crate) fn detected(self) -> Self {
        Self {
            format: None,
            format_options: FormatOptions::new(),
            #[cfg(feature = "daphne")]
            dialect: None,
            ..self
        }
    }

    /// Returns whether a dialect of DAPHNE is given, and no other format.
    pub(crate) fn has_dialect(&self) -> bool {
        #[cfg(feature = "daphne")]
        return self.dialect.is_some() && self.format == Some(crate::formats::DAPHNE);
        #[cfg(not(feature = "daphne"))]
        false
    }

    /// Prefers groups with this kind of data in files with several; by default matrices.
    #[must_use]
    pub fn prefer(mut self, kind: DatasetKind) -> Self {
        self.preferred = kind;
        self
    }

    /// Opens the data of a location.
    ///
    /// # Errors
    ///
    /// Fails as [`open`], and if an R object exceeds the memory limit.
    pub fn open(&self, location: impl Into<Location>, context: &Context) -> Result<Dataset> {
        context.open_with(&location.into(), self)
    }

    /// Opens the matrix of a location.
    pub(crate) fn open_matrix(
        &self,
        location: &Location,
        context: &Context,
    ) -> Result<Box<dyn MatrixSource>> {
        let matrix = self.open(location, context).and_then(Dataset::into_matrix);
        matrix.map_err(|error| error.with_context(&location.source_place()))
    }
}
