//! Writing a matrix as a new file.

use std::path::{Path, PathBuf};

use nnz_container::Compression;
use nnz_core::{Annotations, AxisKind, Error, Header, MatrixSink, Names, Result, SinkCapabilities};
use nnz_singlecell::anndata as format;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::MatrixTarget;
use crate::formats::target::named;
use crate::{ConvertOptions, Location};

/// A matrix that becomes `X` of a new `.h5ad`.
pub(super) struct Target {
    path: PathBuf,
    write: WriteOptions,
    compression: Compression,
}

impl Target {
    pub(super) fn new(to: &Location, options: &ConvertOptions) -> Result<Self> {
        let (path, group) = named(to, "anndata")?;
        if !matches!(group, None | Some("" | "X")) {
            let what = format!("{to}: only X of a new AnnData file is written");
            return Err(Error::argument(what));
        }
        let zarr = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zarr"));
        if zarr || path.is_dir() {
            return Err(Error::argument(format!("{to}: AnnData is not written to Zarr yet")));
        }
        let compression = options.compress.unwrap_or_default();
        Ok(Self { path: path.to_path_buf(), write: options.write, compression })
    }
}

impl MatrixTarget for Target {
    fn capabilities(&self) -> SinkCapabilities {
        format::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        StagedFile::create(&self.path, self.write).map(drop)
    }

    fn least_bytes(&self, header: &Header) -> u64 {
        // A pointer for each major vector, if it is not compressed.
        match self.compression {
            Compression::None => header.shape.major(header.order).saturating_mul(4),
            _ => 0,
        }
    }

    fn axis_kinds(&self) -> [AxisKind; 2] {
        [AxisKind::Cells, AxisKind::Features]
    }

    fn create(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        self.create_annotated(header, names, [None, None])
    }

    fn create_annotated(
        &self,
        header: &Header,
        names: [Option<Names<'_>>; 2],
        annotations: [Option<&dyn Annotations>; 2],
    ) -> Result<Box<dyn MatrixSink>> {
        let (path, write) = (&self.path, self.write);
        let sink =
            format::MatrixSink::create(path, write, header, names, annotations, self.compression)?;
        Ok(Box::new(sink))
    }
}
