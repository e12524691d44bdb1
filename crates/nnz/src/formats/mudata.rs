//! MuData.

pub(super) mod collection;
mod place;
mod write;

use std::path::Path;
use std::sync::Arc;

use nnz_container::FoundGroup;
use nnz_container::tree::Group;
use nnz_core::{Axis, Column, Finding, MatrixSource, Result};
use nnz_singlecell::mudata::MuData;
use nnz_storage::InputDirectory;

use super::anndata::ENCODING;
use super::anndata::target::FORMAT_VERSION;
use super::items::{absent, check_items, place_of_item};
use super::{
    Abilities, Confidence, DatasetKind, Format, FormatInfo, FormatName, FormatOption, Member, Probe,
};
use crate::{Context, Dataset, Location, OpenOptions, ValidateOptions};
use collection::MuDataCollection;

/// A MuData file or store, or a matrix that belongs to all modalities.
pub(super) struct MuDataFile;

/// The names of modalities that are made of AnnData files.
const MODALITY: &str = "modality";

pub(super) static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("mudata"),
    aliases: &["h5mu"],
    extensions: &["h5mu"],
    summary: "MuData in HDF5 and Zarr: AnnData of several modalities",
    reads: &[DatasetKind::Collection],
    writes: &[DatasetKind::Collection],
    containers: true,
    hdf5: true,
    options: &[
        FORMAT_VERSION,
        FormatOption::repeated(
            MODALITY,
            "NAME",
            "MuData of AnnData files: name of a modality, once for each file in their order [default: the name of \
             the file without extension]",
        ),
    ],
    read_options: super::drop::OPTIONS,
    group_attributes: &[ENCODING],
    ..FormatInfo::new("", "")
};

/// Reads a column of the common table of cells or features for a matrix of a modality, such as `cite.h5mu::mod/rna`; `None` if a matrix
/// is none of a modality, or if there is no such column.
pub(crate) fn common_column(
    source: &dyn MatrixSource,
    axis: Axis,
    name: &str,
    memory: u64,
) -> Result<Option<Column>> {
    let place = source.place();
    let Some(path) = place.path.filter(|_| !place.selection) else { return Ok(None) };
    let Location::Path { path, group: Some(group) } = Location::parse(&path) else {
        return Ok(None);
    };
    let root: Arc<dyn Group> = match nnz_core::readable(nnz_container::tree::open(&path, ""))? {
        Some(root) => root.into(),
        None => return Ok(None),
    };
    if !nnz_core::readable(MuData::is_root(&*root))?.unwrap_or(false) {
        return Ok(None);
    }
    let full = super::full_path(&root, &group)?;
    let Some(("mod", rest)) = full.trim_matches('/').split_once('/') else { return Ok(None) };
    let modality = rest.split('/').next().unwrap_or(rest);
    let column = MuData::open(root)?.common_column(modality, axis, name, memory)?;
    Ok(column.filter(|column| column.len() == source.header().shape.len(axis)))
}

impl Format for MuDataFile {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        if probe.group_name().is_none() {
            return Ok(None);
        }
        Ok(place::find(probe)?.map(|_| Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let (file, item, missing) = place::open_any(&probe)?;
        let file = file.with_repairs(options.repairs.as_ref());
        let collection = MuDataCollection::new(file, missing, &probe);
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
        let opened = place::open(&probe).and_then(|(file, item)| match item {
            Some(item) => Ok((file, vec![item])),
            None => {
                file.validate(context, each)?;
                let items = file.items()?;
                Ok((file, items))
            }
        });
        let place = probe.location().source_place();
        let of_item = |item: &_| place_of_item((probe.location(), probe.group_name()), item);
        check_items(opened, &place, of_item, |file, item| file.matrix(item), context, each)
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        match place::open(probe)? {
            (file, None) => collection::members(&file),
            _ => Ok(Vec::new()),
        }
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.attribute == ENCODING && found.text == "MuData"
    }

    fn includes_groups(&self) -> bool {
        true
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && INFO.is_extension_of(path))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().collections(self)
    }
}
