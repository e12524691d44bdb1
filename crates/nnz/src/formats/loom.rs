//! Loom.

mod collection;
mod members;
mod place;
mod target;
mod validate;
mod write;

use crate::Context;
use crate::formats::Abilities;
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Finding, MatrixSource, Result};
use nnz_storage::InputDirectory;

use collection::LoomCollection;

use super::items::absent;
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe};
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// A Loom file, or one matrix of it.
pub(super) struct LoomFile;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("loom"),
    aliases: &[],
    extensions: &["loom"],
    summary: "Loom, versions 2 and 3: matrix, layers, row_graphs, col_graphs",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: true,
    options: &[],
    read_options: super::drop::OPTIONS,
    ..FormatInfo::new("", "")
};

impl Format for LoomFile {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        if probe.group_name().is_none() {
            return Ok(None);
        }
        let named = probe.path().is_some_and(|path| INFO.is_extension_of(path));
        let found = match place::find(probe) {
            Ok(found) => found.is_some() || (named && place::is_incomplete(probe)?),
            Err(error) if error.is_system() => return Err(error),
            // Opening it gives the error.
            Err(_) => named,
        };
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let (file, item) = place::open(&probe)?;
        let Some(item) = item else {
            return Ok(Dataset::Collection(Arc::new(LoomCollection::new(file, &probe))));
        };
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
        Ok(Box::new(target::LoomTarget::new(to, options, source, context)?))
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        match place::open(probe)? {
            (file, None) => members::members(&file),
            _ => Ok(Vec::new()),
        }
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && INFO.is_extension_of(path))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().collections(self)
    }
}
