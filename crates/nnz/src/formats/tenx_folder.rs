//! Folders of 10x Genomics.

use std::path::Path;

use nnz_core::Result;
use nnz_matrix_market::tenx_folder;

use super::{Confidence, DatasetKind, Format, FormatInfo, Probe};
use crate::{Dataset, OpenOptions};

/// A folder with a Matrix Market file and the names of rows and columns.
pub(super) struct TenxFolder;

static INFO: FormatInfo = FormatInfo {
    name: "10x",
    aliases: &[],
    extensions: &[],
    summary: "10x folders: matrix.mtx, barcodes.tsv, features.tsv or genes.tsv, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[],
    containers: false,
    options: &[],
};

impl Format for TenxFolder {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = probe.directory().is_some_and(tenx_folder::looks_like);
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let path = probe.path().unwrap_or(Path::new(""));
        let source = Box::new(tenx_folder::open(path)?);
        Ok(Dataset::Matrix(source))
    }

    fn is_entry(&self, path: &Path) -> bool {
        path.is_dir() && tenx_folder::looks_like(path)
    }
}
