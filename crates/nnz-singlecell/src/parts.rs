//! Writing several matrices into one file, each from any source.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nnz_core::{
    Batch, Error, Header, MatrixSink, MatrixSource, Metadata, Names, Order, Place, Projection,
    Result, SinkCapabilities, UnitReader, ValueType, Wrapped, Written,
};
use nnz_engine::flow::Workers;
use nnz_engine::{ConvertOptions, MatrixTarget, TaskContext, convert, unsorted};

/// A matrix that is being written into a file.
pub(crate) trait PartWriter: Send {
    /// Writes the entries of a batch, which follow the previous ones.
    fn put(&mut self, batch: &Batch) -> Result<()>;

    /// Completes the matrix.
    fn finish(&mut self) -> Result<()>;
}

/// A file into which matrices are written one after the other.
pub(crate) trait PartOutput: PartWriter {
    /// Starts a matrix.
    fn start(&mut self, header: &Header) -> Result<()>;
}

/// Capabilities of a part of a file.
#[derive(Clone, Copy)]
pub(crate) struct PartCapabilities {
    pub(crate) value_types: &'static [ValueType],
    pub(crate) orders: &'static [Order],
    /// Whether every element is stored.
    pub(crate) dense: bool,
}

/// Writes a source as the next matrix of a file, and returns the number of entries. `target` is the path of the file,
/// and the location of the matrix in it.
pub(crate) fn write_part(
    source: &dyn MatrixSource,
    output: &Arc<Mutex<impl PartOutput + 'static>>,
    (capabilities, target, item): (PartCapabilities, &Path, &str),
    options: &ConvertOptions,
    context: &TaskContext,
) -> Result<u64> {
    let workers = Workers::of(context);
    // An array is started only once, so entries that are not in order have to be known before.
    let must_sort = unsorted(source, workers)?.is_some();
    let sorted_later = Unsorted::new(source);
    let source = if must_sort { &sorted_later } else { source };
    let (path, item) = (target.to_path_buf(), item.to_owned());
    let target = PartTarget { output: Arc::clone(output), capabilities, path, item };
    Ok(convert(source, &target, options, context)?.entries)
}

fn lock<T: ?Sized>(output: &Mutex<T>) -> MutexGuard<'_, T> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a file that is complete.
pub(crate) fn take<T>(output: Arc<Mutex<T>>) -> Result<T> {
    let output = Arc::into_inner(output).and_then(|output| output.into_inner().ok());
    output.ok_or_else(|| Error::argument("a matrix of the file is still being written"))
}

struct PartTarget<T> {
    output: Arc<Mutex<T>>,
    capabilities: PartCapabilities,
    path: PathBuf,
    item: String,
}

impl<T: PartOutput + 'static> MatrixTarget for PartTarget<T> {
    fn capabilities(&self) -> SinkCapabilities {
        let PartCapabilities { value_types, orders, dense } = self.capabilities;
        // Names and annotations are written with the tables of the file.
        SinkCapabilities::new(orders, value_types).dense(dense).unique(dense)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn place(&self) -> Place {
        Place::array(&self.path, &self.item)
    }

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn keeps_tables(&self) -> bool {
        true
    }

    fn unsupported(&self, _: Metadata) -> Vec<String> {
        Vec::new()
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        lock(&self.output).start(header)?;
        Ok(Box::new(Sink { output: Arc::clone(&self.output) }))
    }
}

struct Sink<T> {
    output: Arc<Mutex<T>>,
}

impl<T: PartOutput> MatrixSink for Sink<T> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        lock(&self.output).put(batch)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        lock(&self.output).finish()?;
        Ok(Written::new(0))
    }
}

/// A source whose entries are sorted in any case.
struct Unsorted<'a> {
    source: &'a dyn MatrixSource,
    header: Header,
}

impl<'a> Unsorted<'a> {
    fn new(source: &'a dyn MatrixSource) -> Self {
        let header = source.header().clone();
        Self { source, header: header.sorted_majors(false) }
    }
}

impl MatrixSource for Unsorted<'_> {
    fn wrapped(&self) -> Wrapped<'_> {
        Wrapped::SameEntries(self.source)
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn random_access(&self) -> bool {
        self.source.random_access()
    }

    fn units(
        &self,
        majors: std::ops::Range<u64>,
        fields: Projection,
    ) -> Result<Box<dyn UnitReader<'_> + '_>> {
        self.source.units(majors, fields)
    }
}
