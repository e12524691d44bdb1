//! Checking a whole file.

mod entries;
mod uniqueness;

use nnz_core::{Axis, Error, ErrorKind, Finding, MatrixSource, Place, Projection, Result};

use crate::daphne::Dialect;
use crate::flow::{Done, run};
use crate::formats::Registry;
use crate::stages::DuplicatePolicy;
use crate::{Dataset, Location, OpenOptions, default_memory};
use entries::Checking;
pub(crate) use uniqueness::{Ascent, Watch, refuse_repeated};

/// Says what checking may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidateOptions {
    /// Bytes of memory for looking for duplicates, and as much for an object of R.
    pub memory: u64,
    /// Threads that decode entries at the same time, of formats whose parts are not checked one by
    /// one.
    pub threads: usize,
    /// DAPHNE: the dialect, instead of the one that is detected; a file is then checked as one of
    /// DAPHNE in any case.
    pub dialect: Option<Dialect>,
}

impl ValidateOptions {
    /// Returns how what is checked is opened.
    pub(crate) fn open_options(&self) -> OpenOptions {
        OpenOptions::new().memory_limit(self.memory).dialect(self.dialect)
    }
}

/// The [default memory](default_memory), and all cores.
impl Default for ValidateOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { memory: default_memory(), threads, dialect: None }
    }
}

/// Checks everything about the matrix or the fragments at a place, and hands what is found to `each`.
///
/// Where no group of a file is named, its [other groups](crate::other_groups) are checked, too. The
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
/// Fails where there is nothing that is recognised, where one of several has to be named, or where the
/// system cannot read it. All else that is wrong is a finding.
pub fn validate(
    location: impl Into<Location>,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let location = &location.into();
    check_one(location, options, each)?;
    let Location::Path { path, group: None } = location else { return Ok(()) };
    if options.dialect.is_some() {
        return Ok(());
    }
    let others = match crate::other_groups(location) {
        Ok(others) => others,
        Err(error) => return finding(error.with_context(&location.source_place()), each),
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
        Err(error) => finding(error.with_context(&location.source_place()), each),
    }
}

/// Reads a matrix from its start to its end: the first error ends it.
pub(crate) fn read_whole(
    dataset: Dataset,
    place: &Place,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let source = &*dataset.into_matrix()?;
    for axis in [Axis::Rows, Axis::Cols] {
        let read = source.read_names(axis).and_then(|names| match names {
            Some(mut names) => names.drain(),
            None => Ok(()),
        });
        if let Err(error) = read {
            finding(error, each)?;
        }
    }
    read_all(source, options)?;
    for note in source.notes() {
        each(Finding::note(place.clone(), note));
    }
    Ok(())
}

fn read_all(source: &dyn MatrixSource, options: &ValidateOptions) -> Result<()> {
    let header = source.header();
    let units = source.units(0..header.shape.major(header.order), Projection::ALL)?;
    let watch = Watch::of(source, DuplicatePolicy::Refuse);
    if watch == Watch::Sorting {
        return refuse_repeated(units, source, options.memory);
    }
    let checking = Checking::new(header, watch == Watch::AsTheyCome);
    let mut ascent = Ascent::new(source);
    run(units, &checking, &mut ascent, &mut Done, options.threads)?;
    ascent.finish(source, options.memory)
}

/// Makes a finding of an error, unless the system failed, the memory allowed does not suffice, or the
/// location names several matrices.
pub(crate) fn finding(error: Error, each: &mut dyn FnMut(Finding)) -> Result<()> {
    if matches!(error.kind(), ErrorKind::Memory { .. } | ErrorKind::Argument(_))
        || error.is_system()
    {
        return Err(error);
    }
    let (kind, place) = error.into_parts();
    each(Finding::fault(place, kind.to_string()));
    Ok(())
}
