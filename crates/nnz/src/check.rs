//! Checking a whole file.

use std::sync::Arc;

use nnz_core::{ErrorKind, Finding, Place, Result};
use nnz_engine::{CheckOptions, report_error};
use nnz_storage::Storage;

#[cfg(feature = "daphne")]
use crate::daphne::Dialect;
use crate::formats::Registry;
use crate::{Cancellation, Dataset, Location, OpenOptions, engine::default_memory};

/// Options of [`validate`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// Memory in bytes for finding duplicates, and for reading an R object.
    pub memory: u64,
    /// Number of threads, for formats whose parts are not checked separately.
    pub threads: usize,
    /// The dialect of DAPHNE, instead of the detected one; the file is then checked as DAPHNE in
    /// any case.
    #[cfg(feature = "daphne")]
    pub dialect: Option<Dialect>,
    /// The name of the format, instead of the detected one.
    pub format: Option<&'static str>,
    /// Cancels the check.
    pub cancellation: Option<Cancellation>,
    /// The storage of the paths.
    pub storage: Arc<dyn Storage>,
}

nnz_core::setters! {
    ValidateOptions {
        memory: u64,
        threads: usize,
        format: Option<&'static str>,
        cancellation: Option<Cancellation>,
        storage: Arc<dyn Storage>,
    }
}

#[cfg(feature = "daphne")]
nnz_core::setters! { ValidateOptions { dialect: Option<Dialect> } }

impl ValidateOptions {
    /// Returns the options to open the location.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let options =
            OpenOptions::new().memory_limit(self.memory).storage(Arc::clone(&self.storage));
        match self.format {
            Some(name) => options.format(name),
            #[cfg(feature = "daphne")]
            None => options.dialect(self.dialect),
            #[cfg(not(feature = "daphne"))]
            None => options,
        }
    }
}

/// Uses the [default memory](default_memory), all cores, and the file system.
impl Default for ValidateOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            memory: default_memory(),
            threads,
            #[cfg(feature = "daphne")]
            dialect: None,
            format: None,
            cancellation: None,
            storage: crate::places(),
        }
    }
}

/// Checks everything about a matrix or fragments, and passes findings to `each`.
///
/// If the location has no group, the [other groups](crate::formats::other_groups) of the file are checked as
/// well. An empty group is only the root.
///
/// ```no_run
/// use nnz::{Location, ValidateOptions};
///
/// let location = Location::parse("pbmc.mtx.gz");
/// nnz::validate(&location, &ValidateOptions::default(), &mut |finding| println!("{finding}"))?;
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the format is not recognized, if the location has several matrices, on I/O errors, and
/// if cancelled. Any other fault is a finding.
pub fn validate(
    location: impl Into<Location>,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let _entered = options.cancellation.as_ref().map(Cancellation::enter);
    let location = &location.into().resolve(&*options.storage)?;
    let mut first = None;
    check_one(location, options, &mut |finding| {
        first.get_or_insert_with(|| finding.to_string());
        each(finding);
    })?;
    let Location::Path { path, group: None } = location else { return Ok(()) };
    let open_options = options.open_options();
    if open_options.format.is_some() {
        return Ok(());
    }
    let others = match crate::formats::other_groups(location, &open_options) {
        Ok(others) => others,
        Err(error) => {
            // The error of a file that cannot be opened is reported only once.
            let error = error.with_context(&location.source_place());
            return report_error(error, &mut |finding| {
                if first.as_ref() != Some(&finding.to_string()) {
                    each(finding);
                }
            });
        }
    };
    for group in others {
        let location = Location::Path { path: path.clone(), group: Some(group) };
        check_one(&location, options, each)?;
    }
    Ok(())
}

/// Checks one location.
fn check_one(
    location: &Location,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    match Registry::default().detect(location, &options.open_options()) {
        Ok(found) => found.validate(options, each),
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => Err(error),
        Err(error) => report_error(error.with_context(&location.source_place()), each),
    }
}

/// Reads a matrix from start to end, up to the first error.
pub(crate) fn read_whole(
    dataset: Dataset,
    place: &Place,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let options = CheckOptions::default()
        .memory(options.memory)
        .threads(options.threads)
        .cancellation(options.cancellation.clone());
    nnz_engine::check(&*dataset.into_matrix()?, place, &options, each)
}
