//! 10x Genomics matrices, in HDF5 and in folders.

mod target;

use crate::Context;
use std::path::Path;
use std::sync::Arc;

use nnz_container::kinds;
use nnz_container::tree::Group;
use nnz_core::{Error, ErrorKind, Finding, MatrixSource, Repairs, Result, readable};
use nnz_matrix_market::tenx_folder;
use nnz_singlecell::tenx::{FileContent, TenxSource, find};
use nnz_storage::InputDirectory;

use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe, drop,
    groups, matrix_market, several,
};
use crate::collection::SeveralMatrices;
use crate::container_target::goes_to_hdf5;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// A named matrix of features x cells: an HDF5 file, or a folder with a Matrix Market file.
pub(super) struct Tenx;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("10x"),
    aliases: &[],
    extensions: &[],
    summary: "10x HDF5, and directories: matrix.mtx, barcodes.tsv, features.tsv or genes.tsv, plain or gzipped",
    reads: &[DatasetKind::Matrix],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: true,
    options: target::OPTIONS,
    read_options: super::drop::OPTIONS,
    ..FormatInfo::new("", "")
};

/// Returns the root or group of an HDF5 file, and the matrices in it.
fn matrices(probe: &Probe) -> Result<Option<(&dyn Group, FileContent)>> {
    if probe.group()?.is_none_or(|(container, _)| *container.info() != kinds::HDF5) {
        return Ok(None);
    }
    let Some(root) = probe.tree()? else { return Ok(None) };
    Ok(find(root)?.map(|found| (root, found)))
}

/// Members that cannot be left out.
const REQUIRED: [&str; 8] =
    ["matrix", "features", "genes", "barcodes", "data", "indices", "indptr", "shape"];

/// Opens a matrix of a file, without the members that the option `drop` leaves out. `name` is its group if the file has no
/// other matrix and was opened without a group.
fn open_matrix(
    probe: &Probe,
    group: Arc<dyn Group>,
    name: Option<&str>,
    repairs: Option<&Repairs>,
) -> Result<TenxSource> {
    let (group, missing) = drop::without_dropped(group, probe, &REQUIRED)?;
    let source = TenxSource::open_with_repairs(&*group, repairs)?;
    let root = probe.root()?;
    for member in &missing {
        // The other members of the root are not read anyway.
        let is_beside = match (root, name) {
            (Some(root), Some(name)) => name != member && root.child(member)?.is_some(),
            _ => false,
        };
        if !is_beside {
            return Err(drop::unknown(member));
        }
    }
    match root {
        Some(root) => Ok(source.in_file(&**root, name)?.without(&missing)),
        None => Ok(source),
    }
}

/// Opens the group of a location.
fn group_of(probe: &Probe) -> Result<Arc<dyn Group>> {
    let missing = || Error::new(ErrorKind::Missing, probe.location().source_place());
    let root = probe.root()?.ok_or_else(missing)?;
    Ok(match probe.group_name().unwrap_or_default().trim_matches('/') {
        "" => Arc::clone(root),
        name => root.group(name)?.into(),
    })
}

/// Opens all matrices of an HDF5 file; `None` if it is none with matrices.
fn open_all(probe: &Probe) -> Result<Option<Vec<Result<TenxSource>>>> {
    Ok(match readable(matrices(probe))?.flatten() {
        Some((_, FileContent::Here)) => {
            let opened = group_of(probe).and_then(|group| open_matrix(probe, group, None, None));
            Some(vec![opened])
        }
        Some((root, FileContent::Groups(names))) => {
            let open = |name: &String| {
                let only = Some(&**name).filter(|_| names.len() == 1);
                open_matrix(probe, root.group(name)?.into(), only, None)
            };
            Some(names.iter().map(open).collect())
        }
        _ => None,
    })
}

fn member(path: String, group: &dyn Group) -> Result<Member> {
    // `validate` reports the fault.
    let Some(source) = readable(TenxSource::open(group))? else {
        let (kind, value_type) = (Member::INVALID.to_owned(), String::new());
        return Ok(Member { path, shape: Vec::new(), axes: Vec::new(), kind, value_type });
    };
    let header = source.header();
    Ok(Member {
        path,
        shape: vec![header.shape.rows, header.shape.cols],
        axes: Vec::new(),
        kind: "csc_matrix".to_owned(),
        value_type: header.value_type.to_string(),
    })
}

/// Lists the matrices of a directory, if there are several.
fn folder_members(directory: &InputDirectory) -> Result<Vec<Member>> {
    let names = tenx_folder::matrices(directory)?;
    if names.len() < 2 {
        return Ok(Vec::new());
    }
    let member = |name: String| {
        // `validate` reports the fault.
        let source = readable(tenx_folder::open_matrix(directory, Some(&name), None))?;
        let header = source.as_ref().map(MatrixSource::header);
        Ok(Member {
            path: name,
            shape: header
                .map(|header| vec![header.shape.rows, header.shape.cols])
                .unwrap_or_default(),
            axes: Vec::new(),
            kind: if header.is_some() { "matrix" } else { Member::INVALID }.to_owned(),
            value_type: header.map(|header| header.value_type.to_string()).unwrap_or_default(),
        })
    };
    names.into_iter().map(member).collect()
}

impl Format for Tenx {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = match probe.directory() {
            Some(directory) => tenx_folder::looks_like(directory)?,
            // A broken file is an error when it is opened.
            None => readable(matrices(probe))?.flatten().is_some(),
        };
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let repairs = options.repairs.as_deref();
        let is_text = probe.directory().is_some() || matrix_market::is_archive(&probe)?;
        if let Some(name) = probe.dropped().first().filter(|_| is_text) {
            return Err(drop::unknown(name));
        }
        if let Some(directory) = probe.directory() {
            return match tenx_folder::open_matrix(directory, probe.member(), repairs) {
                Ok(folder) => Ok(Dataset::Matrix(Box::new(folder))),
                // None of several is the main one.
                Err(error)
                    if probe.member().is_none()
                        && matches!(error.kind(), ErrorKind::Argument(_)) =>
                {
                    let names = tenx_folder::matrices(directory)?;
                    SeveralMatrices::open(&INFO, names, (&probe, options))
                }
                Err(error) => Err(error),
            };
        }
        if let Some(archive) = matrix_market::open_archive(&probe)? {
            if let Some(names) = matrix_market::several(&archive, &probe) {
                return SeveralMatrices::open(&INFO, names, (&probe, options));
            }
            let matrix = archive.select(probe.member())?;
            if matrix.is_named() {
                return Ok(Dataset::Matrix(archive.open_matrix(matrix, false, repairs)?));
            }
        }
        let path = probe.path().unwrap_or(Path::new(""));
        let place = || probe.location().source_place();
        let Some((root, found)) = matrices(&probe)? else {
            let what = "contains no 10x matrix".to_owned();
            return Err(Error::new(ErrorKind::Unrecognized(what), place()));
        };
        let source = match found {
            FileContent::Here => open_matrix(&probe, group_of(&probe)?, None, repairs)?,
            FileContent::Groups(names) => match &names[..] {
                [] => return Err(groups::none(kinds::HDF5.description, path)),
                [name] => open_matrix(&probe, root.group(name)?.into(), Some(name), repairs)?,
                _ => return SeveralMatrices::open(&INFO, names, (&probe, options)),
            },
            FileContent::Molecules => return Err(FileContent::no_matrix(root)),
            _ => return Err(Error::argument("no 10x matrix")),
        };
        Ok(Dataset::Matrix(Box::new(source)))
    }

    fn adds_groups(&self, path: &Path) -> Result<bool> {
        goes_to_hdf5(path)
    }

    /// A genome has no slash.
    fn group_name(&self, name: &str) -> String {
        name.replace('/', "_")
    }

    fn selects(&self, probe: &Probe) -> Result<bool> {
        Ok(probe.directory().is_some() || matrix_market::is_archive(probe)?)
    }

    /// Lists the genomes, or the matrices of a directory, if there are several.
    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        if let Some(directory) = probe.directory() {
            return folder_members(directory);
        }
        let Some((root, FileContent::Groups(names))) = matrices(probe)? else {
            return Ok(Vec::new());
        };
        if names.len() < 2 {
            return Ok(Vec::new());
        }
        let mut members = several::unread(root, &names)?;
        for (at, name) in names.into_iter().enumerate() {
            let group = root.group(&name)?;
            members.insert(at, member(name, &*group)?);
        }
        Ok(members)
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::TenxTarget::new(to, options, source, context)?))
    }

    fn validate(
        &self,
        probe: Probe,
        options: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        // All genomes.
        if let Some(sources) = open_all(&probe)? {
            return sources.into_iter().try_for_each(|source| {
                let checked = source.and_then(|source| {
                    source.validate_columns(context.memory(), each)?;
                    let dataset = Dataset::Matrix(Box::new(source));
                    crate::check::read_whole(dataset, &place, context, each)
                });
                checked.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
            });
        }
        let mut check = |dataset: Result<Dataset>| {
            dataset
                .and_then(|dataset| crate::check::read_whole(dataset, &place, context, each))
                .or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
        };
        // All matrices of a directory.
        if let (Some(directory), None) = (probe.directory(), probe.member())
            && let names @ [_, _, ..] = &*tenx_folder::matrices(directory)?
        {
            let open = |name: &String| {
                let folder = tenx_folder::open_matrix(directory, Some(name), None)?;
                Ok(Dataset::Matrix(Box::new(folder)))
            };
            return names.iter().try_for_each(|name| check(open(name)));
        }
        check(self.open(probe, &options.open))
    }

    fn is_entry(&self, _: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        directory.map_or(Ok(false), tenx_folder::looks_like)
    }
}
