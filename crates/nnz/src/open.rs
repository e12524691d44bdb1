//! Opening what a place holds.

use std::sync::Arc;

use nnz_core::{MatrixSource, Repairs, Result};
use nnz_storage::Storage;

#[cfg(feature = "daphne")]
use crate::daphne::Dialect;
use crate::formats::{DatasetKind, Registry};
use crate::{Dataset, Location};

/// Opens what a place holds, whatever its format.
///
/// An R object is read whole; it may take [`default_memory`](crate::engine::default_memory).
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
/// Fails where there is nothing, nothing that is recognised, or something that is broken.
pub fn open(location: impl Into<Location>) -> Result<Dataset> {
    OpenOptions::new().open(location)
}

/// Opens the matrix at a place.
pub(crate) fn open_matrix(location: &Location, memory: u64) -> Result<Box<dyn MatrixSource>> {
    OpenOptions::new().memory_limit(memory).open_matrix(location)
}

/// How a place is opened.
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
    pub(crate) preferred: DatasetKind,
    pub(crate) repairs: Option<Arc<Repairs>>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            registry: Registry::default(),
            memory: None,
            storage: crate::places(),
            #[cfg(feature = "daphne")]
            dialect: None,
            format: None,
            preferred: DatasetKind::Matrix,
            repairs: None,
        }
    }
}

impl OpenOptions {
    /// Detects the format and allows the [default memory](crate::engine::default_memory).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the formats that are recognised; by default all of this crate.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Returns the formats that are recognised.
    pub(crate) fn formats(&self) -> &Registry {
        &self.registry
    }

    /// Sets where paths are looked up; by default [here](crate::places).
    #[must_use]
    pub fn storage(mut self, storage: Arc<dyn Storage>) -> Self {
        self.storage = storage;
        self
    }

    /// Sets how many bytes may be taken by what has to be read whole, such as an R object.
    #[must_use]
    pub fn memory_limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.memory = bytes.into();
        self
    }

    /// Returns how many bytes may be taken. What is free is asked for here, where it is needed.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(crate::engine::default_memory)
    }

    /// Mends what is wrong and certain, and lists it; see [`repair`](fn@crate::repair).
    #[must_use]
    pub fn repairs(mut self, repairs: Option<Arc<Repairs>>) -> Self {
        self.repairs = repairs;
        self
    }

    /// Opens with the format of this name, without detection.
    #[must_use]
    pub fn format(mut self, name: &'static str) -> Self {
        self.format = Some(name);
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

    /// Prefers groups with this kind of data in a file with several; by default matrices.
    #[must_use]
    pub fn prefer(mut self, kind: DatasetKind) -> Self {
        self.preferred = kind;
        self
    }

    /// Opens what a place holds.
    ///
    /// # Errors
    ///
    /// Fails as [`open`], and where an R object takes more memory than allowed.
    pub fn open(&self, location: impl Into<Location>) -> Result<Dataset> {
        self.registry.open(&location.into(), self)
    }

    /// Opens the matrix at a place.
    pub(crate) fn open_matrix(&self, location: &Location) -> Result<Box<dyn MatrixSource>> {
        let matrix = self.open(location).and_then(Dataset::into_matrix);
        matrix.map_err(|error| error.with_context(&location.source_place()))
    }
}
