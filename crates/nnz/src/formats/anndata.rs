//! AnnData.

pub(super) mod collection;
mod components;
mod members;
mod place;
pub(super) mod scanpy;
pub(super) mod target;
mod validate;
pub(super) mod write;

use crate::Context;
use crate::formats::Abilities;
use crate::formats::ComponentsFormat;
use std::path::Path;
use std::sync::Arc;

use nnz_container::FoundGroup;
use nnz_core::{Finding, MatrixSource, Result, readable};
use nnz_storage::InputDirectory;

use collection::AnnDataCollection;
pub(crate) use components::adder as components_adder;
pub(crate) use place::full_path;

use super::items::absent;
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe};
use crate::compute::PcaWriter;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// An AnnData file or store, or one matrix of it.
pub(super) struct AnnDataFile;

/// The attribute that states what a group of AnnData is.
pub(super) const ENCODING: &str = "encoding-type";

pub(super) static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("anndata"),
    aliases: &["h5ad"],
    extensions: &["h5ad"],
    summary: "AnnData of any version in HDF5 and Zarr: X, layers, raw/X, obsm, varm, obsp, varp",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    // These files can have groups of other formats.
    containers: true,
    hdf5: true,
    options: target::OPTIONS,
    read_options: super::drop::OPTIONS,
    group_attributes: &[ENCODING],
    ..FormatInfo::new("", "")
};

impl Format for AnnDataFile {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        if probe.group_name().is_none() {
            return Ok(None);
        }
        Ok(match place::find(probe) {
            Ok(Some(_)) => Some(Confidence::Certain),
            Err(error) if error.is_system() => return Err(error),
            // Opening it gives the error.
            Err(_) if probe.path().is_some_and(|path| INFO.is_extension_of(path)) => {
                Some(Confidence::Certain)
            }
            Ok(None) | Err(_) => None,
        })
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let (file, item, missing) = place::open_any(&probe)?;
        let repairs = options.repairs.clone();
        let collection = AnnDataCollection::new(file, missing, &probe, repairs);
        let Some(item) = item else { return Ok(Dataset::Collection(Arc::new(collection))) };
        let file = collection.file()?;
        let matrix = file.matrix(&item);
        let matrix =
            matrix.map_err(|error| absent(error, &item, file.items(), probe.location()))?;
        Ok(Dataset::Matrix(Box::new(matrix)))
    }

    fn validate(
        &self,
        probe: Probe,
        _: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        validate::validate(&probe, context, each)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::AnnDataTarget::new(to, options, context)?.without_unsupported(source)?))
    }

    fn adapted(
        &self,
        source: &dyn MatrixSource,
        options: &ConvertOptions,
    ) -> Result<Option<ConvertOptions>> {
        scanpy::options_for(source, options)
    }

    fn keeps(&self, path: &Path, source: &dyn MatrixSource) -> Result<bool> {
        if !target::is_zarr(path) {
            return Ok(false);
        }
        Ok(readable(source.about())?.is_some_and(|about| about.format == "AnnData"))
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        match place::open(probe)? {
            (file, None) => members::members(&file),
            _ => Ok(Vec::new()),
        }
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.attribute == ENCODING && found.text == "anndata"
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && INFO.is_extension_of(path))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().collections(self).components(self)
    }
}

impl ComponentsFormat for AnnDataFile {
    fn extensions(&self) -> &'static [&'static str] {
        &["h5ad", "zarr"]
    }

    fn writer<'a>(
        &self,
        to: &'a Location,
        options: &'a ConvertOptions,
        context: &'a Context,
    ) -> Result<PcaWriter<'a>> {
        components::writer(to, options, context)
    }
}
