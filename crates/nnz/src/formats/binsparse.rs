//! Binsparse.

mod target;
mod tensor;

use crate::Context;
use crate::formats::Abilities;
use crate::formats::TensorFormat;
use std::path::Path;

use nnz_binsparse::{DESCRIPTOR, Descriptor, Layout};
use nnz_container::{FoundGroup, NamedArrays};
use nnz_core::{Error, ErrorKind, Finding, MatrixSource, Place, Result, readable};
use nnz_storage::InputDirectory;

use super::arrays;
use super::cancellable::cancellable;
use super::checked_arrays::check_arrays;
use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, FormatOptions, MatrixTarget, Probe,
};
use crate::container_target::{ends_in, goes_to_hdf5};
use crate::{
    ConvertOptions, Dataset, Location, OpenOptions, Summary, ValidateOptions, tensor::TensorFile,
};

/// A Binsparse matrix, vector or tensor, on any container.
pub(crate) struct Binsparse;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("binsparse"),
    aliases: &["bsp"],
    extensions: &["bsp.h5", "bsp.hdf5", "nc", "nc4", "zarr", "bsp.npz", "bsp"],
    summary: "Binsparse matrices and tensors: HDF5, NetCDF, Zarr, npz, directories of .npy",
    reads: &[DatasetKind::Matrix, DatasetKind::Tensor],
    writes: &[DatasetKind::Matrix, DatasetKind::Tensor],
    containers: true,
    hdf5: true,
    options: target::OPTIONS,
    read_options: &[],
    group_attributes: &[DESCRIPTOR],
    claims,
    ..FormatInfo::new("", "")
};

impl Format for Binsparse {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let container = readable(probe.container())?.flatten();
        let Some(container) = container else { return Ok(None) };
        let described = match container.attribute(DESCRIPTOR) {
            Ok(_) => true,
            Err(error) if error.is_system() => return Err(error),
            // A broken descriptor is still one.
            Err(error) => !matches!(error.kind(), ErrorKind::Missing),
        };
        Ok(described.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let container = arrays(probe)?;
        let descriptor = description(&container)?;
        if descriptor.layout.rank() != 2 {
            return Ok(Dataset::Tensor(TensorFile::new(container, descriptor)));
        }
        let repairs = options.repairs.as_deref();
        let source = Box::new(nnz_binsparse::MatrixSource::open_with_repairs(container, repairs)?);
        Ok(Dataset::Matrix(source))
    }

    fn validate(
        &self,
        probe: Probe,
        _: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let container = arrays(probe)?;
        let cancellation = context.cancellation();
        let opened = cancellable(&container, cancellation);
        let source = readable(nnz_binsparse::MatrixSource::open(opened))?;
        let entries = source.and_then(|source| source.header().nnz);
        check_arrays(&container, entries, 1, cancellation, context, |open| {
            nnz_binsparse::validate(open, each)
        })
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::BinsparseTarget::new(to, options, source, context)?))
    }

    fn may_write_to(&self, path: &Path) -> Result<bool> {
        let named = INFO.is_extension_of(path) || ends_in(path, &["npz"]);
        Ok(named || goes_to_hdf5(path)?)
    }

    fn marks_group(&self, found: &FoundGroup) -> bool {
        found.attribute == DESCRIPTOR
    }

    fn is_entry(&self, _: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        let Some(directory) = directory else { return Ok(false) };
        for name in ["zarr.json", ".zgroup", ".zarray"] {
            if directory.is_file(name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default().tensors(self)
    }
}

impl TensorFormat for Binsparse {
    fn write_tensor(
        &self,
        tensor: &TensorFile,
        to: &Location,
        options: &ConvertOptions,
        context: &Context,
    ) -> Result<Summary> {
        tensor::write(tensor, to, options, context)
    }
}

fn description(container: &NamedArrays) -> Result<Descriptor> {
    let place = Place::array(container.path(), DESCRIPTOR);
    Descriptor::parse(&container.attribute(DESCRIPTOR)?, &place)
}

/// Opens the container of a Binsparse matrix or tensor.
pub(crate) fn open_container(
    location: &Location,
    options: &OpenOptions,
    context: &Context,
) -> Result<NamedArrays> {
    let found = context.detect(location, options)?;
    let binsparse = found.format().info().name == INFO.name;
    let container = found.into_probe().into_container()?;
    match container.filter(|_| binsparse) {
        Some(container) => Ok(container),
        None => {
            let (found, expected) = ("no Binsparse", "a Binsparse matrix or tensor");
            Err(Error::mismatch(location.source_place(), found, expected))
        }
    }
}

/// Lists the Binsparse matrices and tensors of a file, directory or group, each with its group and
/// its descriptor. A broken descriptor is an error in the list.
///
/// ```no_run
/// let (options, context) = (nnz::OpenOptions::new(), nnz::Context::default());
/// for (group, descriptor) in nnz::formats::list_binsparse("m.h5", &options, &context)? {
///     println!("{group}: {:?}", descriptor?.shape);
/// }
/// # Ok::<(), nnz::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the location does not exist, has no Binsparse data, or cannot be read.
pub fn list_binsparse(
    location: impl Into<Location>,
    options: &OpenOptions,
    context: &Context,
) -> Result<Vec<(String, Result<Descriptor>)>> {
    let context = &context.operation();
    let location = &location.into().resolve(&**context.storage())?;
    if let Location::Path { group: None, .. } = location
        && let Some((container, _)) = context.probe(location, options)?.group()?
    {
        let mut groups: Vec<String> =
            container.groups_with(&[DESCRIPTOR])?.into_iter().map(|found| found.group).collect();
        groups.dedup();
        let describe = |group: String| match container
            .group(&group, 1)
            .and_then(|arrays| description(&NamedArrays::from(arrays)))
        {
            Err(error) if error.is_system() => Err(error),
            described => Ok((group, described)),
        };
        return groups.into_iter().map(describe).collect();
    }
    let group = match location {
        Location::Path { group: Some(group), .. } => group.clone(),
        _ => String::new(),
    };
    let container = open_container(location, options, context)?;
    match description(&container) {
        Err(error) if error.is_system() => Err(error),
        described => Ok(vec![(group, described)]),
    }
}

/// Returns the options of a layout, such as `CSR`.
fn claims(name: &str) -> Option<FormatOptions> {
    let layout: Layout = name.parse().ok()?;
    Some(FormatOptions::new().with(target::LEVELS, layout.to_string()))
}
