//! Writing DAPHNE matrices: a file, or a directory of segments.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_core::{Error, Header, MatrixSink, MatrixSource, Names, Result, SinkCapabilities, Storage};
use nnz_daphne::{DataType, Options, SegmentsSink};
use nnz_matrix_market::Layout;
use nnz_storage::staging::WriteOptions;

use super::options::DaphneOptions;
use crate::container_target::ends_in;
use crate::formats::MatrixTarget;
use crate::formats::target::{uncompressed, without_group};
use crate::{ConvertOptions, Location};

/// The target of a matrix.
pub(super) struct DaphneTarget {
    path: PathBuf,
    write: WriteOptions,
    options: Options,
    segments: Option<u64>,
}

impl DaphneTarget {
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Self> {
        uncompressed(options.compress, "daphne")?;
        let path = without_group(to, "daphne")?;
        context.check_name(path, &super::INFO, &[])?;
        let DaphneOptions { dialect, block, block_type, narrow, meta, segments } =
            DaphneOptions::parse(&options.format_options)?;
        let dialect = dialect.unwrap_or_default();
        let dense = source.header().storage == Storage::Dense;
        let data_type = match options.format_options.parse("layout")? {
            Some(Layout::Array) => DataType::Dense,
            Some(Layout::Coordinate) => DataType::Csr,
            None if dense => DataType::Dense,
            None => DataType::Csr,
        };
        if segments == Some(0) {
            return Err(Error::argument("a matrix has at least one segment"));
        }
        // The extension of a directory of segments in DAPHNE.
        let directory = ends_in(path, &["hdfs"]).then_some(1);
        Ok(Self {
            path: path.to_path_buf(),
            write: options.output(context),
            options: Options { dialect, data_type, block, block_type, narrow, meta },
            segments: segments.or(directory),
        })
    }
}

impl MatrixTarget for DaphneTarget {
    fn capabilities(&self) -> SinkCapabilities {
        nnz_daphne::capabilities(&self.options)
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        match self.segments {
            Some(_) => SegmentsSink::check(&self.path, self.write.clone()),
            None => nnz_daphne::MatrixSink::check(&self.path, self.write.clone(), &self.options),
        }
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        let plain = self.options.block_type.is_none() && !self.options.narrow;
        if self.options.data_type != DataType::Dense || !plain || self.options.block.is_some() {
            return 0;
        }
        let elements = u64::try_from(header.shape.elements()).unwrap_or(u64::MAX);
        elements.saturating_mul(header.value_type.size() as u64)
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        let Self { path, write, options, segments } = self;
        Ok(match segments {
            Some(segments) => {
                Box::new(SegmentsSink::create(path, header, write.clone(), options, *segments)?)
            }
            None => Box::new(nnz_daphne::MatrixSink::create(path, header, write.clone(), options)?),
        })
    }
}
