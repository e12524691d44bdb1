//! Writing sparse matrices of SciPy.

use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_container::npz::NpzOptions;
use nnz_core::{Header, MatrixSink, Names, Result, SinkCapabilities};
use nnz_scientific::scipy;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::MatrixTarget;
use crate::formats::target::without_group;
use crate::{ConvertOptions, Location};

/// An `.npz` file that is written.
pub(super) struct Target {
    path: PathBuf,
    npz: NpzOptions,
    write: WriteOptions,
}

impl Target {
    pub(super) fn new(to: &Location, options: &ConvertOptions) -> Result<Self> {
        let path = without_group(to, "scipy")?.to_path_buf();
        let npz = NpzOptions { compress: options.compress.unwrap_or(Compression::None) };
        Ok(Self { path, npz, write: options.write })
    }
}

impl MatrixTarget for Target {
    fn capabilities(&self) -> SinkCapabilities {
        scipy::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, self.write).map(drop)
    }

    fn least_bytes(&self, header: &Header) -> u64 {
        // A pointer for each major vector.
        header.shape.major(header.order).saturating_mul(4)
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        Ok(Box::new(scipy::create(&self.path, header, self.write, self.npz)?))
    }
}
