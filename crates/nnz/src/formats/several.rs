//! Files and stores with several groups of data, none of which is their root.

use nnz_core::{Finding, MatrixSource, Result, readable};

use super::{Confidence, DatasetKind, Format, FormatInfo, Member, Probe};
use crate::collection::SeveralMatrices;
use crate::{Context, Dataset, Location, OpenOptions, ValidateOptions};

/// The groups of a file, each of which has a format of its own.
pub(super) struct SeveralGroups;

static INFO: FormatInfo = FormatInfo {
    reads: &[DatasetKind::Collection],
    containers: true,
    #[cfg(feature = "singlecell")]
    read_options: super::drop::OPTIONS,
    ..FormatInfo::new("groups", "several groups of HDF5 and Zarr, each in a format of its own")
};

fn names(probe: &Probe) -> Result<Vec<String>> {
    probe.context().registry().all_groups(probe)
}

impl Format for SeveralGroups {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    /// It is selected if no other format matches.
    fn probe(&self, _: &Probe) -> Result<Option<Confidence>> {
        Ok(None)
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        SeveralMatrices::open(&INFO, names(&probe)?, (&probe, options))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let mut places = names(&probe)?.into_iter().map(|name| probe.location().inside(&name));
        places.try_for_each(|place| crate::check::check_one(&place, options, context, each))
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let member = |name: String| {
            let opened = readable(open_member(&probe.location().inside(&name), probe.context()))?;
            let (kind, shape, value_type) =
                opened.unwrap_or_else(|| (Member::INVALID.to_owned(), Vec::new(), String::new()));
            Ok(Member { path: name, axes: vec![None; shape.len()], shape, kind, value_type })
        };
        names(probe)?.into_iter().map(member).collect()
    }

    fn includes_groups(&self) -> bool {
        true
    }
}

/// Returns the format, shape and type of values of a group.
fn open_member(location: &Location, context: &Context) -> Result<(String, Vec<u64>, String)> {
    let options = OpenOptions::new();
    let found = context.detect(location, &options)?;
    let kind = found.format().info().name.as_str().to_owned();
    let of_matrix = |matrix: &dyn MatrixSource| {
        let header = matrix.header();
        (vec![header.shape.rows, header.shape.cols], header.value_type.to_string())
    };
    let (shape, value_type) = match found.open(&options)? {
        Dataset::Fragments(_) => return Ok(("fragments".to_owned(), Vec::new(), String::new())),
        Dataset::Tensor(tensor) => {
            (tensor.descriptor().shape.clone(), tensor.header()?.value_type.to_string())
        }
        Dataset::Collection(collection) => of_matrix(&*collection.main_or_axes()?),
        other => of_matrix(&*other.into_matrix()?),
    };
    Ok((kind, shape, value_type))
}
