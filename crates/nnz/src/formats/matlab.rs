//! Variables of MATLAB.

mod target;

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_binsparse::{Layout, Level, LevelKind};
use nnz_core::{About, Error, ErrorKind, Finding, MatrixSource, Place, Result};
use nnz_scientific::matlab::{
    self, MatFile, MatFile4, MatlabData, MatlabTensor, UnsupportedMember, Variable,
};
use nnz_storage::InputDirectory;

use super::{
    Confidence, DatasetKind, Format, FormatInfo, FormatName, MatrixTarget, Member, Probe,
    tensor_arrays,
};
use crate::collection::SeveralMatrices;
use crate::container_target::ends_in;
use crate::{ConvertOptions, Dataset, Location, OpenOptions, ValidateOptions};

/// A variable of a MAT-file, of version 4, 5 or 7.3.
pub(super) struct Matlab;

static INFO: FormatInfo = FormatInfo {
    name: FormatName::new("matlab"),
    aliases: &["mat"],
    extensions: &["mat"],
    summary: "MATLAB variables: MAT-files of versions 4, 5 (-v6, -v7) and 7.3; written as 7.3",
    reads: &[DatasetKind::Matrix, DatasetKind::Tensor],
    writes: &[DatasetKind::Matrix],
    containers: false,
    hdf5: false,
    options: &[],
    read_options: &[],
    ..FormatInfo::new("", "")
};

/// Returns the path of the selected variable.
fn selected(probe: &Probe) -> Option<&str> {
    let name = probe.member().or_else(|| probe.group_name())?.trim_matches('/');
    (!name.is_empty()).then_some(name)
}

/// Returns whether an HDF5 file is a MAT-file.
fn is_v73(probe: &Probe) -> Result<bool> {
    if probe.group_name().is_none() || probe.is_zarr() {
        return Ok(false);
    }
    // Without the header of MATLAB, only by name.
    let named = probe.path().is_some_and(|path| ends_in(path, INFO.extensions));
    let root = if named { nnz_core::readable(probe.root())?.flatten() } else { None };
    matlab::is_v73(probe.start(), root.map(|root| &**root))
}

/// Returns whether an HDF5 file is in Octave's own format.
pub(super) fn is_octave(probe: &Probe) -> Result<bool> {
    match probe.root()? {
        Some(root) if !probe.is_zarr() => matlab::is_octave(&**root),
        _ => Ok(false),
    }
}

/// An opened file of any version.
enum OpenFile<'a> {
    V4(MatFile4),
    V5(MatFile),
    V73(&'a dyn nnz_container::tree::Group),
}

impl<'a> OpenFile<'a> {
    fn new(probe: &'a Probe) -> Result<Self> {
        match (probe.file(), probe.root()?) {
            (_, Some(root)) => Ok(Self::V73(&**root)),
            (Some((file, start)), None) if matlab::is_v4(start) => {
                MatFile4::open(file).map(Self::V4)
            }
            (Some((file, _)), None) => MatFile::open(file).map(Self::V5),
            (None, None) => {
                let what = match probe.is_stream() {
                    true => "MAT-files are read from files only",
                    false => "not a MAT-file",
                };
                let place = probe.location().source_place();
                Err(Error::new(ErrorKind::Unrecognized(what.to_owned()), place))
            }
        }
    }

    fn variables(&self) -> Result<Vec<Variable>> {
        match self {
            Self::V4(file) => Ok(file.variables().cloned().collect()),
            Self::V5(file) => Ok(file.variables().cloned().collect()),
            Self::V73(root) => matlab::variables(*root),
        }
    }

    /// Lists members that are not supported, and so are not variables.
    fn unsupported(&self) -> Result<Vec<UnsupportedMember>> {
        match self {
            Self::V4(_) | Self::V5(_) => Ok(Vec::new()),
            Self::V73(root) => matlab::unsupported(*root),
        }
    }

    fn open(&self, probe: &Probe, path: &str) -> Result<MatlabData> {
        match self {
            Self::V4(file) => file.variable(path),
            Self::V5(file) => file.variable(path),
            Self::V73(root) => {
                let bytes = probe.opened().and_then(nnz_storage::Opened::file);
                matlab::open(*root, path, bytes.map(nnz_storage::InputFile::len))
            }
        }
    }

    /// Opens a variable by its name.
    fn select(&self, probe: &Probe, name: &str) -> Result<MatlabData> {
        match self.open(probe, name) {
            // The field of a struct, as MATLAB writes it.
            Err(error) if matches!(error.kind(), ErrorKind::Missing) && name.contains('.') => {
                self.select(probe, &name.replace('.', "/"))
            }
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                let names = self.variables()?.into_iter().map(|variable| variable.path);
                let what = "no such variable";
                Err(super::unrecognized::no_group(what, names.collect(), probe.location()))
            }
            opened => opened,
        }
    }

    /// Returns the names of the variables with numbers, which are one or more.
    fn numeric(&self, probe: &Probe) -> Result<Vec<String>> {
        let variables = self.variables()?;
        let numeric = variables.iter().filter(|variable| variable.value_type().is_some());
        let names: Vec<_> = numeric.map(|variable| variable.path.clone()).collect();
        if !names.is_empty() {
            return Ok(names);
        }
        const MOST: usize = 10;
        let shown = |variable: &Variable| format!("{} ({})", variable.path, variable.kind());
        let mut list: Vec<String> = variables.iter().map(shown).collect();
        let unsupported = self.unsupported()?.into_iter();
        list.extend(unsupported.map(|one| format!("{} ({})", one.path, one.what)));
        let more = if list.len() > MOST { ", ..." } else { "" };
        list.truncate(MOST);
        let what = match list.is_empty() {
            true => "has no variables".to_owned(),
            false => format!("has no variable with numbers: {}{more}", list.join(", ")),
        };
        Err(Error::new(
            ErrorKind::Unrecognized(what),
            probe.path().map_or_else(Place::default, Place::path),
        ))
    }
}

fn dataset(probe: &Probe, data: MatlabData) -> Result<Dataset> {
    let MatlabTensor { shape, values, version } = match data {
        MatlabData::Matrix(matrix) => return Ok(Dataset::Matrix(matrix)),
        MatlabData::Tensor(tensor) => tensor,
        _ => return Err(Error::argument("neither a matrix nor a tensor")),
    };
    let level = Level { kind: LevelKind::Dense, rank: shape.len() };
    let layout = Layout::new(vec![level], Some((0..shape.len()).rev().collect()));
    let layout = layout.ok_or_else(|| Error::argument("too many dimensions"))?;
    let file = probe.opened().and_then(nnz_storage::Opened::file);
    let about = About::new("MATLAB MAT-file", if version == "7.3" { "HDF5" } else { "file" })
        .version(version.to_owned())
        .dialect(format!("{} dimensions", shape.len()))
        .bytes(file.map(nnz_storage::InputFile::len))
        .arrays(vec![values.about()?]);
    let path = probe.path().map_or_else(PathBuf::new, Path::to_path_buf);
    let arrays = tensor_arrays::Arrays { indices: Vec::new(), values, fill: None };
    tensor_arrays::open(&path, layout, shape, arrays, about)
}

impl Format for Matlab {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, probe: &Probe) -> Result<Option<Confidence>> {
        let found = match probe.file() {
            // Version 4 has no signature.
            Some((_, start)) if matlab::is_v4(start) => return Ok(Some(Confidence::Fallback)),
            Some((_, start)) => matlab::is_v5(start) && start.starts_with(b"MATLAB"),
            None => is_v73(probe)?,
        };
        Ok(found.then_some(Confidence::Certain))
    }

    fn open(&self, probe: Probe, options: &OpenOptions) -> Result<Dataset> {
        let file = OpenFile::new(&probe)?;
        let data = match selected(&probe) {
            Some(name) => file.select(&probe, name)?,
            None => {
                let names = file.numeric(&probe)?;
                // A file of the SuiteSparse Matrix Collection has right-hand sides and the like beside the matrix.
                let is_suite_sparse = || names.iter().all(|name| name.starts_with("Problem/"));
                let main = match &names[..] {
                    [only] => Some(only),
                    _ => {
                        names.iter().find(|name| *name == "Problem/A").filter(|_| is_suite_sparse())
                    }
                };
                match main {
                    Some(main) => file.open(&probe, main)?,
                    None => return SeveralMatrices::open(&INFO, names, (&probe, options)),
                }
            }
        };
        dataset(&probe, data)
    }

    fn validate(
        &self,
        probe: Probe,
        _: &ValidateOptions,
        context: &Context,
        each: &mut dyn FnMut(Finding),
    ) -> Result<()> {
        let place = probe.location().source_place();
        let mut check = |data: Result<MatlabData>| {
            let checked = match data.and_then(|data| dataset(&probe, data)) {
                Ok(Dataset::Tensor(tensor)) => tensor.check(),
                Ok(dataset) => crate::check::read_whole(dataset, &place, context, each),
                Err(error) => Err(error),
            };
            checked.or_else(|error| nnz_engine::report_error(error.with_context(&place), each))
        };
        let opened = match OpenFile::new(&probe) {
            Ok(opened) => opened,
            Err(error) => return check(Err(error)),
        };
        if let Some(name) = selected(&probe) {
            return check(opened.select(&probe, name));
        }
        // All variables with numbers.
        match opened.numeric(&probe) {
            Ok(names) => names.iter().try_for_each(|name| check(opened.open(&probe, name)))?,
            Err(error) => check(Err(error))?,
        }
        for UnsupportedMember { path, what } in opened.unsupported()? {
            let place = place.clone().with_array(path);
            each(Finding::note(place, format!("{what}, which is not read")));
        }
        Ok(())
    }

    fn adds_groups(&self, _: &Path) -> Result<bool> {
        Ok(true)
    }

    fn group_name(&self, name: &str) -> String {
        matlab::variable_name(name)
    }

    fn selects(&self, probe: &Probe) -> Result<bool> {
        Ok(probe.file().is_some())
    }

    fn list(&self, probe: &Probe) -> Result<Vec<Member>> {
        let opened = OpenFile::new(probe)?;
        let unsupported = opened.unsupported()?.into_iter().map(|one| Member {
            kind: format!("{}, not read", one.what),
            value_type: String::new(),
            path: one.path,
            shape: Vec::new(),
            axes: Vec::new(),
        });
        let member = |variable: Variable| Member {
            kind: variable.kind(),
            value_type: variable.value_type().map(|own| own.to_string()).unwrap_or_default(),
            path: variable.path,
            shape: variable.shape,
            axes: Vec::new(),
        };
        let variables = opened.variables()?.into_iter().map(member);
        Ok(variables.chain(unsupported).collect())
    }

    fn target(
        &self,
        to: &Location,
        options: &ConvertOptions,
        source: &dyn MatrixSource,
        context: &Context,
    ) -> Result<Box<dyn MatrixTarget>> {
        Ok(Box::new(target::MatlabTarget::new(to, options, source, context)?))
    }

    fn is_entry(&self, path: &Path, directory: Option<&InputDirectory>) -> Result<bool> {
        Ok(directory.is_none() && ends_in(path, INFO.extensions))
    }
}
