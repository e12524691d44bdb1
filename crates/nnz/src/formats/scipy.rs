//! SciPy sparse matrices.

mod sorted;
mod target;

use crate::Context;
use crate::formats::Abilities;
use crate::formats::TensorFormat;
use nnz_binsparse::{Layout, Level, LevelKind};
use nnz_container::matrix::{Indices, Vector};
use nnz_core::{About, Error, Finding, MatrixSource, Result, readable};
use nnz_scientific::scipy::{self, ScipyFile, is_scipy};

use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Probe, tensor_arrays,
};
use crate::tensor::TensorFile;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, Summary, ValidateOptions};

/// A SciPy sparse matrix or array, in an `.npz` file.
pub(super) struct Scipy;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("scipy"),
    aliases: &[],
    extensions: &["npz"],
    summary: "SciPy sparse: csr, csc, coo; bsr, dia and PyData sparse are read but not written",
    reads: &[DatasetKind::Matrix, DatasetKind::Tensor],
    writes: &[DatasetKind::Matrix, DatasetKind::Tensor],
    containers: false,
    hdf5: false,
    options: target::OPTIONS,
    read_options: &[],
    ..FormatInfo::new("", "")
};

impl Format for Scipy {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let Some((..)) = probe.file() else { return Ok(None) };
        // A broken file is an error when it is opened.
        let Some(file) = readable(probe.tree())?.flatten() else { return Ok(None) };
        Ok(is_scipy(file)?.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let Some(file) = probe.tree()? else {
            let place = probe.location().source_place();
            return Err(Error::mismatch(
                place,
                "another container than .npz",
                "a SciPy sparse matrix",
            ));
        };
        let bytes = probe.file().map(|(file, _)| file.len());
        let tensor = match ScipyFile::open_with_repairs(file, bytes, options.repairs.as_deref())? {
            ScipyFile::Matrix(matrix) => return Ok(Dataset::Matrix(matrix)),
            ScipyFile::Tensor(tensor) => tensor,
            _ => return Err(Error::argument("neither a matrix nor a tensor")),
        };
        let level = Level { kind: LevelKind::Sparse, rank: tensor.shape.len() };
        let layout = Layout::new(vec![level], None);
        let layout = layout.ok_or_else(|| Error::argument("too many dimensions"))?;
        let indices = tensor.coordinates.iter().map(Indices::vector);
        let about = About::new(tensor.package.array_name(), "npz")
            .dialect(format!("coo array of {} dimensions", tensor.shape.len()))
            .bytes(bytes)
            .notes(scipy::not_read(&tensor.others).into_iter().collect())
            .arrays(indices.chain([&tensor.values]).map(Vector::about).collect::<Result<_>>()?);
        let (shape, fill) = (tensor.shape.clone(), tensor.fill);
        let (indices, values) = sorted::sorted(*tensor, probe.context().memory())?;
        let arrays = tensor_arrays::Arrays { indices, values, fill };
        tensor_arrays::open(file.path(), layout, shape, arrays, about)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        _: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::ScipyTarget::new(to, options, context)?))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        // Errors are reported when it is opened.
        if let Some(file) = readable(probe.tree())?.flatten() {
            let others = readable(scipy::other_members(file))?.unwrap_or_default();
            if let Some(note) = scipy::not_read(&others) {
                each(Finding::note(place, note));
            }
        }
        tensor_arrays::validate(self, probe, options, context, each)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().tensors(self)
    }
}

impl TensorFormat for Scipy {
    fn write_tensor(
        &self,
        tensor: &TensorFile,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        target::write_tensor(tensor, to, options, context)
    }
}
