//! Files and stores with several groups of data, none of which is their root.

use nnz_container::tree::{ChildKind, Group};
use nnz_core::{Error, Finding, MatrixSource, Result, readable};

use super::{Confidence, DatasetKind, Format, FormatInfo, Member, Probe};
use crate::collection::SeveralMatrices;
use crate::{Context, Dataset, OpenOptions, ValidateOptions};

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
        let names = names(probe)?;
        let unread = match probe.root()? {
            Some(root) => unread(&**root, &names)?,
            None => Vec::new(),
        };
        let member = |name: String| {
            let opened = readable(probe.group_of_it(&name).and_then(open_member))?;
            let (kind, shape, value_type) =
                opened.unwrap_or_else(|| (Member::INVALID.to_owned(), Vec::new(), String::new()));
            Ok(Member { path: name, axes: vec![None; shape.len()], shape, kind, value_type })
        };
        let mut members = names.into_iter().map(member).collect::<Result<Vec<_>>>()?;
        members.extend(unread);
        Ok(members)
    }

    fn includes_groups(&self) -> bool {
        true
    }
}

/// Lists what is in a file beside its groups, which are not read.
pub(super) fn unread(root: &dyn Group, names: &[String]) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    let mut add = |path: String, kind: &str| {
        let (axes, value_type) = (Vec::new(), String::new());
        let kind = format!("{kind}, not read");
        members.push(Member { path, shape: Vec::new(), axes, kind, value_type });
    };
    let mut groups: Vec<(String, Option<Box<dyn Group>>)> = vec![(String::new(), None)];
    while let Some((path, group)) = groups.pop() {
        let group: &dyn Group = match &group {
            Some(group) => &**group,
            None => root,
        };
        for child in group.children()? {
            let inside = match &*path {
                "" => child.name.clone(),
                _ => format!("{path}/{}", child.name),
            };
            let is_around = |name: &String| {
                name.strip_prefix(&*inside).is_some_and(|rest| rest.starts_with('/'))
            };
            if names.contains(&inside) {
                continue;
            }
            match child.kind {
                ChildKind::Group if names.iter().any(is_around) => {
                    let inner = group.group(&child.name)?;
                    groups.push((inside, Some(inner)));
                }
                ChildKind::Group => add(inside, "group"),
                ChildKind::Array => add(inside, "array"),
                _ => add(inside, "object"),
            }
        }
    }
    Ok(members)
}

/// Returns the format, shape and type of values of a group.
fn open_member(probe: Probe) -> Result<(String, Vec<u64>, String)> {
    let context = probe.context().clone();
    let Some((format, _)) = context.registry().best(&probe)? else {
        return Err(Error::argument("a group without a known format"));
    };
    let kind = format.info().name.as_str().to_owned();
    let of_matrix = |matrix: &dyn MatrixSource| {
        let header = matrix.header();
        (vec![header.shape.rows, header.shape.cols], header.value_type.to_string())
    };
    let (shape, value_type) = match format.open(probe, &OpenOptions::new())? {
        Dataset::Fragments(_) => return Ok(("fragments".to_owned(), Vec::new(), String::new())),
        Dataset::Tensor(tensor) => {
            (tensor.descriptor().shape.clone(), tensor.header()?.value_type.to_string())
        }
        Dataset::Collection(collection) => of_matrix(&*collection.main_or_axes()?),
        other => of_matrix(&*other.into_matrix()?),
    };
    Ok((kind, shape, value_type))
}
