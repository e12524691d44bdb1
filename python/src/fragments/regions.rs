//! Regions, lists of cells and sizes of chromosomes, from arrays, strings and files.

use std::path::{Path, PathBuf};

use nnz::engine::fragments::NameNumbers;
use nnz::fragments::{
    ChromosomeSizes, Chromosomes, CountMode, Peaks, Region, Regions, Tiles, read_cells, read_peaks,
};
use nnz::matrix::StringList;
use pyo3::prelude::*;

use crate::columns::to_strings;
use crate::error::{OrRaise as _, argument};
use crate::task;

/// A region: a string of the command, or the name of a chromosome with start and exclusive end.
#[derive(FromPyObject)]
pub(super) enum GivenRegion {
    #[pyo3(transparent)]
    Text(String),
    #[pyo3(transparent)]
    Bases((std::ffi::OsString, u32, u32)),
}

impl GivenRegion {
    /// Finds the chromosome.
    pub(super) fn region(
        &self,
        chromosomes: &StringList,
        numbers: &NameNumbers,
    ) -> nnz::Result<Region> {
        match self {
            Self::Text(text) => Region::parse(text, chromosomes),
            Self::Bases((name, start, end)) if start < end => Ok(Region {
                chromosome: numbers.find(name.as_encoded_bytes())?,
                bases: *start..*end,
            }),
            Self::Bases((_, start, end)) => {
                Err(nnz::Error::argument(format!("empty region from {start} to {end}")))
            }
        }
    }
}

/// The regions to count in: the path of a BED file, or names, starts and ends of regions; or the width of tiles, and
/// the path of a list of chromosomes or their names and sizes.
#[derive(FromPyObject)]
pub(super) enum CountRegions<'py> {
    #[pyo3(transparent)]
    Listed((Bound<'py, PyAny>, Vec<u32>, Vec<u32>)),
    #[pyo3(transparent)]
    Tiles((u32, Bound<'py, PyAny>)),
    #[pyo3(transparent)]
    Bed(PathBuf),
}

impl CountRegions<'_> {
    /// Converts to regions.
    pub(super) fn regions(self, py: Python<'_>) -> PyResult<Regions> {
        match self {
            Self::Bed(path) => {
                let peaks =
                    task::run_detached(py, task::Limits::default(), move |_| read_peaks(&path))?;
                Ok(Regions::Peaks(peaks))
            }
            Self::Listed((names, starts, ends)) => {
                let mut peaks = Peaks::default();
                let names = to_strings(&names)?;
                for ((name, start), end) in names.iter().zip(starts).zip(ends) {
                    peaks.push(name, start, end).or_raise(py)?;
                }
                Ok(Regions::Peaks(peaks))
            }
            Self::Tiles((width, sizes)) => {
                let chromosomes = Some(sizes_of(&sizes)?);
                Ok(Regions::Tiles(Tiles { width, chromosomes }))
            }
        }
    }
}

/// Reads sizes of chromosomes: the path of a file, or names and sizes.
pub(super) fn sizes_of(given: &Bound<'_, PyAny>) -> PyResult<ChromosomeSizes> {
    let py = given.py();
    if let Ok((names, sizes)) = given.extract::<(Bound<'_, PyAny>, Vec<Option<u32>>)>() {
        let names = to_strings(&names)?;
        return Ok(ChromosomeSizes { names, sizes, ..ChromosomeSizes::default() });
    }
    let path: PathBuf = given.extract()?;
    task::run_detached(py, task::Limits::default(), move |_| {
        Chromosomes::read(&path).map(Into::into)
    })
}

/// Reads names: a list, or the path of a file.
pub(super) fn names(given: &Bound<'_, PyAny>) -> PyResult<StringList> {
    match given.extract::<PathBuf>() {
        Ok(path) => task::run_detached(given.py(), task::Limits::default(), move |_| {
            read_cells(Path::new(&path))
        }),
        Err(_) => to_strings(given),
    }
}

/// Parses the mode of counting.
pub(super) fn mode(py: Python<'_>, name: &str) -> PyResult<CountMode> {
    match name {
        "insertions" => Ok(CountMode::Insertions),
        "overlaps" => Ok(CountMode::Overlaps),
        _ => {
            let what = format!("mode {name:?}: expected \"insertions\" or \"overlaps\"");
            Err(argument(py, what))
        }
    }
}
