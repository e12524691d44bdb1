//! Checking a whole file.

mod entries;
mod uniqueness;

use nnz_core::{Axis, Error, ErrorKind, Finding, MatrixSource, Projection, Result};

use crate::flow::{Done, run};
use crate::open::{Recognised, Sought, recognise};
use crate::stages::DuplicatePolicy;
use crate::{Location, default_memory};
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
}

/// The [default memory](default_memory), and all cores.
impl Default for ValidateOptions {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { memory: default_memory(), threads }
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
    location: &Location,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    check_one(location, options, each)?;
    let Location::Path { path, group: None } = location else { return Ok(()) };
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
    let memory = options.memory;
    let found = match recognise(location, memory, Sought::Matrix) {
        Ok(Recognised::BpCells(store)) => return nnz_bpcells::validate(&|| store.open(), each),
        Ok(Recognised::Binsparse(store)) => return nnz_binsparse::validate(&|| store.open(), each),
        Ok(Recognised::Fragments(store)) => {
            return nnz_bpcells::validate_fragments(&|| store.open(), memory, each);
        }
        Ok(Recognised::Daphne(found)) => found.validate(None, each),
        Ok(other) => read_whole(other, location, options, each),
        Err(error) if matches!(error.kind(), ErrorKind::Unrecognized(_)) => return Err(error),
        Err(error) => Err(error),
    };
    found.or_else(|error| finding(error.with_context(&location.source_place()), each))
}

/// Reads a matrix from its start to its end: what is wrong with it ends it.
fn read_whole(
    found: Recognised,
    location: &Location,
    options: &ValidateOptions,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let opened = found.open()?;
    let source = &*opened.source;
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
    let place = location.source_place();
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
fn finding(error: Error, each: &mut dyn FnMut(Finding)) -> Result<()> {
    if matches!(error.kind(), ErrorKind::Memory { .. } | ErrorKind::Argument(_))
        || error.is_system()
    {
        return Err(error);
    }
    let (kind, place) = error.into_parts();
    each(Finding::fault(place, kind.to_string()));
    Ok(())
}
