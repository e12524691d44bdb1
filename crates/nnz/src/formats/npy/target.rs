//! Writing NumPy arrays.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_core::{Header, MatrixSink, Names, Order, Result, SinkCapabilities};
use nnz_scientific::npy;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::MatrixTarget;
use crate::formats::target::{uncompressed, without_group};
use crate::{ConvertOptions, Location};

/// The target of a `.npy` file.
pub(super) struct NpyTarget {
    path: PathBuf,
    write: WriteOptions,
}

impl NpyTarget {
    pub(super) fn new(to: &Location, options: &ConvertOptions, context: &Context) -> Result<Self> {
        uncompressed(options.compress, "npy")?;
        let path = without_group(to, "npy")?.to_path_buf();
        context.check_name(&path, &super::INFO, &[])?;
        Ok(Self { path, write: options.output(context) })
    }
}

impl MatrixTarget for NpyTarget {
    fn capabilities(&self) -> SinkCapabilities {
        npy::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, &self.write).map(drop)
    }

    fn min_bytes(&self, header: &Header) -> u64 {
        let elements = header.shape.elements().saturating_mul(header.value_type.size() as u128);
        u64::try_from(elements).unwrap_or(u64::MAX)
    }

    fn unsupported_order(&self, order: Order) -> String {
        format!("a NumPy array is written by row, not by {order}")
    }

    fn create(&self, header: &Header, _: [Option<Names<'_>>; 2]) -> Result<Box<dyn MatrixSink>> {
        Ok(Box::new(npy::create(&self.path, header, self.write.clone())?))
    }
}
