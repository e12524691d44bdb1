//! A file of DAPHNE to be written, or a directory of segments.

use std::path::{Path, PathBuf};

use nnz_container::staging::WriteOptions;
use nnz_core::{Error, Header, MatrixSink, Result, SinkCapabilities};
use nnz_daphne::{DataType, Options, SegmentsSink};
use nnz_interop::matrix_market::Layout;

use super::DaphneOptions;
use crate::ConvertOptions;

/// Where and how a matrix is written.
pub(crate) struct Target {
    path: PathBuf,
    write: WriteOptions,
    options: Options,
    segments: Option<u64>,
}

impl Target {
    /// Decides how a matrix is written. `dense` says whether the source stores every cell.
    pub(crate) fn new(path: &Path, options: &ConvertOptions, dense: bool) -> Result<Self> {
        if options.compress.is_some() {
            return Err(crate::home::uncompressed());
        }
        let DaphneOptions { dialect, block, block_type, narrow, meta, segments } = options.daphne;
        let dialect = dialect.unwrap_or_default();
        let data_type = match options.layout {
            Some(Layout::Array) => DataType::Dense,
            Some(Layout::Coordinate) => DataType::Csr,
            None if dense => DataType::Dense,
            None => DataType::Csr,
        };
        if segments == Some(0) {
            return Err(Error::argument("a matrix has at least one segment"));
        }
        // What DAPHNE calls the directory of a matrix in several files.
        let directory = crate::home::ends_in(path, &["hdfs"]).then_some(1);
        Ok(Self {
            path: path.to_path_buf(),
            write: options.write,
            options: Options { dialect, data_type, block, block_type, narrow, meta },
            segments: segments.or(directory),
        })
    }

    /// Returns what the dialect can hold.
    pub(crate) fn needs(&self) -> SinkCapabilities {
        nnz_daphne::needs(&self.options)
    }

    /// Checks that the place may be written, before any work is done.
    pub(crate) fn check(&self) -> Result<()> {
        match self.segments {
            Some(_) => SegmentsSink::check(&self.path, self.write),
            None => nnz_daphne::MatrixSink::check(&self.path, self.write, &self.options),
        }
    }

    /// Returns the bytes that a matrix takes however few entries it has.
    pub(crate) fn least_bytes(&self, header: &Header) -> u64 {
        let plain = self.options.block_type.is_none() && !self.options.narrow;
        if self.options.data_type != DataType::Dense || !plain || self.options.block.is_some() {
            return 0;
        }
        let cells = u64::try_from(header.shape.cells()).unwrap_or(u64::MAX);
        cells.saturating_mul(header.value_type.size() as u64)
    }

    /// Starts writing.
    pub(crate) fn create(&self, header: &Header) -> Result<Box<dyn MatrixSink>> {
        let Self { path, write, options, segments } = self;
        Ok(match segments {
            Some(segments) => {
                Box::new(SegmentsSink::create(path, header, *write, options, *segments)?)
            }
            None => Box::new(nnz_daphne::MatrixSink::create(path, header, *write, options)?),
        })
    }
}
