//! Writing a matrix as a new file or store.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use nnz_container::Compression;
use nnz_container::hdf5::Hdf5TreeWriter;
use nnz_container::hdf5::file::FileOptions;
use nnz_container::tree::TreeWriter;
use nnz_container::zarr::{ZarrTreeOptions, ZarrTreeWriter, ZarrVersion};
use nnz_core::{Annotations, AxisKind, Error, Header, MatrixSink, Names, Result, SinkCapabilities};
use nnz_singlecell::anndata as format;
use nnz_storage::staging::{StagedFile, WriteOptions};

use crate::formats::target::named;
use crate::formats::{FormatOption, MatrixTarget};
use crate::{ConvertOptions, Location};

/// Options of targets.
pub(super) const OPTIONS: &[FormatOption] = &[FormatOption::parsed::<Version>(
    "format-version",
    "N",
    "AnnData in Zarr: the version of Zarr, 2 or 3 [default: 2, which every anndata reads]",
)];

/// A version of Zarr.
#[derive(Clone, Copy)]
struct Version(ZarrVersion);

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "2" => Ok(Self(ZarrVersion::V2)),
            "3" => Ok(Self(ZarrVersion::V3)),
            _ => Err("expected 2 or 3".to_owned()),
        }
    }
}

/// A matrix that becomes `X` of a new file or store.
pub(super) struct Target {
    path: PathBuf,
    write: WriteOptions,
    compression: Compression,
    /// Where it is a Zarr store.
    zarr: Option<ZarrVersion>,
    threads: usize,
}

impl Target {
    pub(super) fn new(to: &Location, options: &ConvertOptions) -> Result<Self> {
        let (path, group) = named(to, "anndata")?;
        if !matches!(group, None | Some("" | "X")) {
            let what = format!("{to}: only X of a new AnnData file is written");
            return Err(Error::argument(what));
        }
        let version: Option<Version> = options.format_options.parse("format-version")?;
        let zarr = is_zarr(path) || path.is_dir();
        if version.is_some() && !zarr {
            return Err(Error::argument("--format-version applies to Zarr stores (.zarr)"));
        }
        let version = version.map_or(ZarrVersion::V2, |version| version.0);
        let compression = options.compress.unwrap_or_default();
        Ok(Self {
            path: path.to_path_buf(),
            write: options.write,
            compression,
            zarr: zarr.then_some(version),
            threads: options.threads,
        })
    }

    fn tree(&self) -> Result<Box<dyn TreeWriter>> {
        let Self { path, write, zarr, threads, .. } = self;
        Ok(match zarr {
            None => {
                let options = FileOptions { threads: *threads, ..FileOptions::default() };
                Box::new(Hdf5TreeWriter::create(path, *write, options)?)
            }
            Some(version) => {
                let (version, threads) = (*version, *threads);
                let options = ZarrTreeOptions { version, threads, ..ZarrTreeOptions::default() };
                Box::new(ZarrTreeWriter::create(path, "", *write, options)?)
            }
        })
    }
}

/// Returns whether a path is named as a Zarr store.
pub(super) fn is_zarr(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zarr"))
}

impl MatrixTarget for Target {
    fn capabilities(&self) -> SinkCapabilities {
        format::CAPABILITIES
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn check(&self) -> Result<()> {
        match self.zarr {
            None => StagedFile::create(&self.path, self.write).map(drop),
            Some(_) => self.tree().map(drop),
        }
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
        let (tree, compression) = (self.tree()?, self.compression);
        let sink = format::MatrixSink::create(tree, header, names, annotations, compression)?;
        Ok(Box::new(sink))
    }
}
