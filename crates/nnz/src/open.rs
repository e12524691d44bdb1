//! Opening a location.

use std::sync::Arc;

use nnz_core::{MatrixSource, Repairs, Result};
use nnz_storage::Storage;

#[cfg(feature = "daphne")]
use crate::daphne::Dialect;
use crate::formats::{DatasetKind, FormatOptions, Registry};
use crate::{Dataset, Location};

/// Opens the data of a location, in any format.
///
/// An R object is read as a whole and may take [`default_memory`](crate::engine::default_memory).
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
    OpenOptions::new().open(location)
}

/// Opens the matrix of a location.
pub(crate) fn open_matrix(location: &Location, memory: u64) -> Result<Box<dyn MatrixSource>> {
    OpenOptions::new().memory_limit(memory).open_matrix(location)
}

/// Options of opening a location.
///
/// ```no_run
/// use nnz::OpenOptions;
///
/// let dataset = OpenOptions::new().memory_limit(1 << 30).open("m.rds")?;
/// let matrix = dataset.into_matrix()?;
/// # Ok::<(), nnz::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    registry: Registry,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) memory: Option<u64>,
    #[cfg(feature = "daphne")]
    pub(crate) dialect: Option<Dialect>,
    pub(crate) format: Option<&'static str>,
    pub(crate) format_options: FormatOptions,
    pub(crate) preferred: DatasetKind,
    pub(crate) repairs: Option<Arc<Repairs>>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            registry: Registry::default(),
            memory: None,
            storage: crate::default_storage(),
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
    /// Detects the format and uses the [default memory](crate::engine::default_memory).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the formats to detect; by default all of this crate.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Returns the formats to detect.
    pub(crate) fn formats(&self) -> &Registry {
        &self.registry
    }

    /// Sets the storage of the paths; by default the file system.
    #[must_use]
    pub fn storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.storage = storage;
        self
    }

    /// Sets the memory limit in bytes of data that is read as a whole, such as an R object.
    #[must_use]
    pub fn memory_limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.memory = bytes.into();
        self
    }

    /// Returns the memory limit. The free memory is determined here, if needed.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(crate::engine::default_memory)
    }

    /// Repairs faults with a certain correction, and lists them; see [`repair`](fn@crate::repair).
    #[must_use]
    pub fn repairs(mut self, repairs: Option<Arc<Repairs>>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Opens with this format, without detection.
    #[must_use]
    pub fn format(mut self, name: &'static str) -> Self {
        self.format = Some(name);
        self
    }

    /// Sets options of the format, which are declared as [`read_options`](crate::formats::FormatInfo::read_options).
    /// Opening data of a format that does not have one of them is an error.
    #[must_use]
    pub fn format_options(mut self, options: FormatOptions) -> Self {
        self.format_options = options;
        self
    }

    /// Opens as DAPHNE, in this dialect if one is given.
    #[cfg(feature = "daphne")]
    #[must_use]
    pub fn dialect(mut self, dialect: Option<Dialect>) -> Self {
        self.dialect = dialect;
        match dialect {
            Some(_) => self.format(crate::formats::DAPHNE),
            None => self,
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

    /// Returns whether a dialect is given.
    pub(crate) fn has_dialect(&self) -> bool {
        #[cfg(feature = "daphne")]
        return self.dialect.is_some();
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
    pub fn open(&self, location: impl Into<Location>) -> Result<Dataset> {
        self.registry.open(&location.into(), self)
    }

    /// Opens the matrix of a location.
    pub(crate) fn open_matrix(&self, location: &Location) -> Result<Box<dyn MatrixSource>> {
        let matrix = self.open(location).and_then(Dataset::into_matrix);
        matrix.map_err(|error| error.with_context(&location.source_place()))
    }
}
