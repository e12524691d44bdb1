//! Open fragments.

use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use nnz::engine::fragments::{FragmentRange, NameNumbers};
use nnz::fragments::{Counts, FragmentFields, FragmentSource as _};
use nnz::{Place, Values};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::read::FragmentRequest;
use super::regions::{self, CountRegions, GivenRegion};
use super::shared::Shared;
use crate::arrays::{from_values, vector};
use crate::columns::{from_strings, to_strings};
use crate::source::{Source, location};
use crate::storage::Scope;
use crate::task;

/// A range of positions, and the bases that fragments have to overlap, if any.
type RangeTuple = (u64, u64, Option<(u32, u32)>);

/// Genomic fragments.
#[pyclass(frozen, module = "nnz._nnz")]
pub(crate) struct FragmentSource {
    inner: Arc<dyn nnz::fragments::FragmentSource>,
    /// Its place in messages.
    place: Place,
    /// The names of cells and of chromosomes, each read when it is first needed.
    names: Arc<[OnceLock<NameNumbers>; 2]>,
}

impl FragmentSource {
    pub(crate) fn new(inner: Arc<dyn nnz::fragments::FragmentSource>, place: Place) -> Self {
        Self { inner, place, names: Arc::default() }
    }
}

#[pymethods]
impl FragmentSource {
    /// Opens a store of fragments.
    #[staticmethod]
    #[pyo3(signature = (path, memory_limit=None))]
    fn open(
        py: Python<'_>,
        path: OsString,
        memory_limit: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let location = location(path);
        let place = location.source_place();
        let inner = task::run_detached(
            py,
            crate::options::limits(py, memory_limit.as_ref(), None)?,
            move |context| {
                let opened =
                    nnz::fragments::open_with(&location, &nnz::OpenOptions::new(), context);
                opened.map_err(|error| error.with_context(&location.source_place()))
            },
        )?;
        Ok(Self::new(inner.into(), place))
    }

    /// The number of fragments.
    #[getter]
    fn count(&self) -> u64 {
        self.inner.header().count
    }

    /// The number of cells.
    fn cell_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.read_some(py, |source| source.cell_count())
    }

    /// The names of the chromosomes.
    fn chromosome_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        from_strings(py, &self.read_some(py, |source| source.chromosome_names())?)
    }

    /// The names of the cells.
    fn cell_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        from_strings(py, &self.read_some(py, |source| source.cell_names())?)
    }

    /// The numbers of chromosomes with fragments, and their positions, in storage order.
    fn segments(&self) -> Vec<(u32, u64, u64)> {
        let segments = self.inner.header().segments.iter();
        let one = |segment: &nnz::fragments::Segment| {
            (segment.chromosome, segment.fragments.start, segment.fragments.end)
        };
        segments.map(one).collect()
    }

    /// Describes the format.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let about = self.read_some(py, |source| source.about())?;
        let made = PyDict::new(py);
        made.set_item("format", about.format)?;
        made.set_item("container", about.container)?;
        made.set_item("version", about.version)?;
        made.set_item("bytes", about.bytes)?;
        let arrays = PyList::empty(py);
        for array in about.arrays {
            let one = PyDict::new(py);
            let value_type = array.value_type.map_or("string", crate::arrays::dtype_name);
            one.set_item("name", array.name)?;
            one.set_item("type", value_type)?;
            one.set_item("len", array.len)?;
            one.set_item("bytes", array.bytes)?;
            arrays.append(one)?;
        }
        made.set_item("arrays", arrays)?;
        made.set_item("notes", about.notes)?;
        Ok(made)
    }

    /// Finds the numbers of cells or chromosomes by name, as an array of `uint64`.
    fn find_names<'py>(
        &self,
        py: Python<'py>,
        one: &str,
        names: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (wanted, cache) = (to_strings(names)?, Arc::clone(&self.names));
        let is_cell = one == "cell";
        let found = self.read_some(py, move |source| {
            let numbers = numbers(source, &cache, is_cell)?;
            wanted.iter().map(|name| numbers.find(name).map(u64::from)).collect()
        })?;
        let found: Vec<u64> = found;
        let count = found.len();
        from_values(py, Values::U64(found), count)
    }

    /// Finds the fragments of regions: strings, or names of chromosomes with start and end.
    fn find(&self, py: Python<'_>, regions: &Bound<'_, PyAny>) -> PyResult<Vec<RangeTuple>> {
        let given = regions.try_iter()?.map(|region| region?.extract::<GivenRegion>());
        let given = given.collect::<PyResult<Vec<_>>>()?;
        let cache = Arc::clone(&self.names);
        let parts = self.read_some(py, move |source| {
            let names = source.chromosome_names()?;
            let numbers = numbers(source, &cache, false)?;
            let part = |given: GivenRegion| {
                FragmentRange::of_region(source, &given.region(&names, numbers)?)
            };
            given.into_iter().map(part).collect::<nnz::Result<Vec<_>>>()
        })?;
        let one = |FragmentRange { positions, bases }: FragmentRange| {
            (positions.start, positions.end, bases.map(|bases| (bases.start, bases.end)))
        };
        Ok(parts.into_iter().map(one).collect())
    }

    /// Reads columns: chromosome, start, end and cell. Those that are not requested are None. `cells` is a mask of
    /// the cells.
    #[pyo3(signature = (parts, columns, cells=None, memory_limit=None, workers=None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        parts: Vec<RangeTuple>,
        columns: [bool; 4],
        cells: Option<&Bound<'py, PyAny>>,
        memory_limit: Option<&Bound<'py, PyAny>>,
        workers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let part = |(start, end, bases): RangeTuple| FragmentRange {
            positions: start..end,
            bases: bases.map(|(start, end)| start..end),
        };
        let wanted = FragmentRequest {
            parts: parts.into_iter().map(part).collect(),
            columns,
            cells: cells.map(vector::<bool>).transpose()?,
        };
        let (inner, place) = self.parts();
        let read = task::run(
            py,
            None,
            crate::options::limits(py, memory_limit, workers)?,
            move |context| {
                let read = wanted.read(&*inner, context);
                read.map_err(|error| error.with_context(&place))
            },
        )?;
        let made = [read.chromosomes, read.starts, read.ends, read.cells];
        let array =
            |(column, wanted): (Vec<u32>, bool)| wanted.then(|| column.into_pyarray(py).into_any());
        Ok(made.into_iter().zip(columns).map(array).collect())
    }

    /// The largest end on each chromosome, in the order of their names.
    fn furthest(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let (inner, place) = self.parts();
        task::run(py, None, task::Limits::default(), move |context| {
            let source = Shared { inner, context: context.task().clone() };
            let mut furthest = Vec::new();
            for segment in &source.header().segments {
                let at = segment.chromosome as usize;
                furthest.resize(furthest.len().max(at + 1), 0_u32);
                let fields = FragmentFields { cells: false, starts: true, ends: true };
                let read = source.for_each(segment.fragments.clone(), fields, &mut |batch| {
                    let end = batch.ends.iter().copied().max().unwrap_or(0);
                    furthest[at] = furthest[at].max(end);
                    Ok(())
                });
                read.map_err(|error| error.with_context(&place))?;
            }
            furthest.resize(source.header().chromosomes as usize, 0);
            Ok(furthest)
        })
    }

    /// Creates the matrix of counts of each cell in each region. It is computed when it is read.
    fn counts(&self, py: Python<'_>, counted: CountRegions<'_>, mode: &str) -> PyResult<Source> {
        let (regions, mode) = (counted.regions(py)?, regions::mode(py, mode)?);
        let (inner, place) = self.parts();
        // The counts are read by later operations.
        let shared = Shared { inner, context: Scope::current().context().task().clone() };
        let counts = task::run(py, None, task::Limits::default(), move |_| {
            let counts = Counts::new(Box::new(shared), regions, mode);
            counts.map_err(|error| error.with_context(&place))
        })?;
        Ok(Source::new(Arc::new(counts)))
    }
}

/// Returns the index of the names of cells or chromosomes.
fn numbers<'a>(
    source: &dyn nnz::fragments::FragmentSource,
    cache: &'a [OnceLock<NameNumbers>; 2],
    is_cell: bool,
) -> nnz::Result<&'a NameNumbers> {
    let [cells, chromosomes] = cache;
    let (cached, one) = if is_cell { (cells, "cell") } else { (chromosomes, "chromosome") };
    if let Some(found) = cached.get() {
        return Ok(found);
    }
    let names = if is_cell { source.cell_names()? } else { source.chromosome_names()? };
    Ok(cached.get_or_init(|| NameNumbers::new(one, &names)))
}

impl FragmentSource {
    fn parts(&self) -> (Arc<dyn nnz::fragments::FragmentSource>, Place) {
        (Arc::clone(&self.inner), self.place.clone())
    }

    /// Runs a short read.
    fn read_some<T: Send + 'static>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&dyn nnz::fragments::FragmentSource) -> nnz::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (inner, place) = self.parts();
        task::run_detached(py, task::Limits::default(), move |_| {
            read(&*inner).map_err(|error| error.with_context(&place))
        })
    }
}
