//! AnnData.

mod components;
mod members;
mod other;
mod place;
pub(super) mod target;
mod validate;
mod whole;

use crate::Context;
use crate::formats::Abilities;
use crate::formats::ComponentsFormat;
use std::path::Path;

use nnz_container::FoundGroup;
use nnz_core::{Error, ErrorKind, Finding, MatrixSource, Place, Result, readable};
use nnz_singlecell::anndata::{AnnData, Item};
use nnz_storage::InputDirectory;

use super::unrecognized::no_group;
use super::{Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe};
use crate::compute::PcaWriter;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// An AnnData file or store, or one matrix of it.
pub(super) struct AnnDataFile;

/// Lists the matrices of a file that does not have the selected one.
fn absent(error: Error, item: &Item, file: &AnnData, probe: &Probe) -> Error {
    let array = error.place().array.as_deref();
    if !matches!(error.kind(), ErrorKind::Missing) || array != Some(&*item.to_string()) {
        return error;
    }
    match file.items() {
        Ok(items) => {
            let names = items.iter().map(ToString::to_string).collect();
            no_group("no such group", names, probe.location())
        }
        Err(_) => error,
    }
}

/// The attribute that states what a group of AnnData is.
const ENCODING: &str = "encoding-type";

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
        let (file, item) = place::open(&probe)?;
        let file = file.with_repairs(options.repairs.clone());
        Ok(Dataset::Matrix(Box::new(match item {
            Some(item) => {
                file.matrix(&item).map_err(|error| absent(error, &item, &file, &probe))?
            }
            None => file.main_matrix(&main_matrix(&file, &probe)?)?,
        })))
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

    fn keeps(&self, path: &Path, source: &dyn MatrixSource) -> Result<bool> {
        if !target::is_zarr(path) {
            return Ok(false);
        }
        Ok(readable(source.about())?.is_some_and(|about| about.format == "AnnData"))
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        members::members(probe)
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.attribute == ENCODING && found.text == "anndata"
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && INFO.is_extension_of(path))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().whole(self).conversion(self).components(self)
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

/// Returns `X`, or an error that lists the other matrices.
fn main_matrix(file: &AnnData, probe: &Probe) -> Result<Item> {
    let items = file.items()?;
    if items.contains(&Item::X) {
        return Ok(Item::X);
    }
    let place = probe.location().source_place();
    let what = match &items[..] {
        [] => "AnnData without matrices".to_owned(),
        items => {
            let places = items.iter().map(|item| format!("\n  {}", place::of_item(probe, item)));
            format!("AnnData without X; select one of{}", places.collect::<String>())
        }
    };
    Err(Error::new(ErrorKind::Argument(what), place))
}

/// Returns the place of a matrix, for messages.
fn item_place(probe: &Probe, item: &Item) -> Place {
    place::of_item(probe, item)
}
