//! NumPy arrays.

mod components;
mod target;

use crate::Context;
use crate::formats::Abilities;
use crate::formats::ComponentsFormat;
use std::path::Path;

use nnz_binsparse::{Layout, Level, LevelKind};
use nnz_container::matrix::Vector;
use nnz_container::npy::{NpyFile, is_npy};
use nnz_core::{About, Error, ErrorKind, Finding, MatrixSource, Result};
use nnz_scientific::npy::NpySource;
use nnz_storage::InputDirectory;

use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe, tensor_arrays,
};
use crate::compute::PcaWriter;
use crate::container_target::ends_in;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// A dense NumPy array, in a `.npy` file.
pub(super) struct Npy;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("npy"),
    aliases: &[],
    extensions: &["npy"],
    summary: "NumPy arrays: dense matrices in C or Fortran order; written in C order",
    reads: &[DatasetKind::Matrix, DatasetKind::Tensor],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[],
    read_options: &[],
    ..FormatInfo::new("", "")
};

impl Format for Npy {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = probe.file().is_some_and(|(_, start)| is_npy(start));
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, _: &OpenOptions) -> Result<Dataset> {
        let Some((file, _)) = probe.file() else {
            let place = probe.location().source_place();
            let what = match probe.is_stream() {
                true => "NumPy arrays are read from files only",
                false => "not a NumPy array: the magic bytes are missing",
            };
            return Err(Error::new(ErrorKind::Unrecognized(what.to_owned()), place));
        };
        let array = NpyFile::from_file(file)?;
        if matches!(array.shape.len(), 1 | 2) {
            return Ok(Dataset::Matrix(Box::new(NpySource::new(file, array)?)));
        }
        let NpyFile { shape, fortran_order, elements } = array;
        let elements = Vector::new(elements)?;
        let levels: Vec<Level> = match shape.len() {
            0 => Vec::new(),
            rank => vec![Level { kind: LevelKind::Dense, rank }],
        };
        let transpose = fortran_order.then(|| (0..shape.len()).rev().collect());
        let layout = Layout::new(levels, transpose);
        let layout = layout.ok_or_else(|| Error::argument("too many dimensions"))?;
        let about = About::new("NumPy array", "npy")
            .dialect(match shape.len() {
                0 => "a single value".to_owned(),
                rank => format!("{rank} dimensions"),
            })
            .bytes(file.len())
            .arrays(vec![elements.about()?]);
        let arrays = tensor_arrays::Arrays { indices: Vec::new(), values: elements, fill: None };
        tensor_arrays::open(file.path(), layout, shape, arrays, about)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::NpyTarget::new(to, options, context)?))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        tensor_arrays::validate(self, probe, options, context, each)
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && ends_in(path, &["npy"]))
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().components(self)
    }
}

impl ComponentsFormat for Npy {
    fn extensions(&self) -> &'static [&'static str] {
        &["npz"]
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
