//! Checking a whole file.

use std::sync::Arc;

use nnz_core::{ErrorKind, Finding, Place, Result};
use nnz_engine::{CheckOptions, report_error};
use nnz_storage::Storage;

#[cfg(feature = "daphne")]
use crate::daphne::Dialect;
use crate::formats::Registry;
use crate::{Cancellation, Dataset, Location, OpenOptions, engine::default_memory};

/// Says what checking may take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// Bytes of memory for looking for duplicates, and as much for an object of R.
    pub memory: u64,
    /// Threads that decode entries at the same time, of formats whose parts are not checked one by
    /// one.
    pub threads: usize,
    /// DAPHNE: the dialect, instead of the one that is detected; a file is then checked as one of
    /// DAPHNE in any case.
    #[cfg(feature = "daphne")]
    pub dialect: Option<Dialect>,
    /// The name of the format, instead of the one that is detected.
    pub format: Option<&'static str>,
    /// Cancels it.
    pub cancellation: Option<Cancellation>,
    /// Where paths are looked up.
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
    /// Returns how what is checked is opened.
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

/// The [default memory](default_memory), all cores, and the file system.
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

/// Checks everything about the matrix or the fragments at a place, and hands what is found to `each`.
///
/// Where no group of a file is named, its [other groups](crate::formats::other_groups) are checked, too. The
/// empty group is the root alone.
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
/// Fails where there is nothing that is recognised, where one of several has to be named, where the system
/// cannot read it, and where it is cancelled. All else that is wrong is a finding.
pub fn validate(
    location: impl Into<Location>,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let location = &location.into().resolve(&*options.storage)?;
    check_one(location, options, each)?;
    let Location::Path { path, group: None } = location else { return Ok(()) };
    let open_options = options.open_options();
    if open_options.format.is_some() {
        return Ok(());
    }
    let others = match crate::formats::other_groups(location, &open_options) {
        Ok(others) => others,
        Err(error) => return report_error(error.with_context(&location.source_place()), each),
    };
    for group in others {
        let location = Location::Path { path: path.clone(), group: Some(group) };
        check_one(&location, options, each)?;
    }
    Ok(())
}

/// Checks what is at one place.
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

/// Reads a matrix from its start to its end: the first error ends it.
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
