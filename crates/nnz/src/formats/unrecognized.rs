//! Errors for locations that cannot be read as any format.

use std::io;
use std::path::Path;

use nnz_core::{Error, ErrorKind, Place, Result, readable};
use nnz_storage::{EntryKind, InputDirectory, ListedEntry};

use super::Probe;
use crate::{Context, Location, OpenOptions};

impl Context {
    /// Makes the error for a location of no known format.
    pub(super) fn unrecognized(&self, probe: &Probe) -> Result<Error> {
        let what = match (probe.directory(), probe.file()) {
            (Some(directory), _) => {
                let what = match &self.entries(directory)?[..] {
                    [] => None,
                    [only] => Some(format!("a directory; did you mean {only}?")),
                    several => {
                        let what = match is_zarr_without_metadata(directory)? {
                            true => {
                                "several Zarr arrays or groups, but no metadata of its own (zarr.json or .zgroup)"
                            }
                            false => "several matrices",
                        };
                        let list = several.join("\n  ");
                        Some(format!("contains {what}; select one:\n  {list}"))
                    }
                };
                if let Some(what) = what {
                    return Ok(Error::new(ErrorKind::Argument(what), directory.place()));
                }
                "not recognized: no AnnData or Zarr (zarr.json, .zgroup), BPCells (version), 10x (matrix.mtx), \
                 Binsparse (binsparse.json) or DAPHNE (NAME_segment_1) data in this directory"
            }
            (None, Some((_, []))) => "the file is empty",
            (None, Some((file, _))) if probe.has_kind() => {
                let what = match probe.container()? {
                    Some(zip) if !crate::container_target::ends_in(file.path(), &["npz"]) => {
                        self.registry().about_zip(&zip.members()?)
                    }
                    _ => "not recognized: no supported matrix in this npz file".to_owned(),
                };
                return Ok(Error::new(ErrorKind::Unrecognized(what), file.place()));
            }
            _ => "unknown file format",
        };
        if let (None, Some((file, start))) = (probe.directory(), probe.file())
            && let Some([kind, feature]) = left_out(start)
        {
            let what = format!(
                "a file of {kind}, which this build cannot read: the feature {feature} is off"
            );
            return Ok(Error::unsupported(file.place(), what));
        }
        let compressed =
            probe.file().and_then(|(file, start)| nnz_lines::refuse_compressed(start, file.path()));
        if let Some(what) = compressed {
            return Ok(Error::unsupported(probe.location().source_place(), what));
        }
        let kind = ErrorKind::Unrecognized(what.to_owned());
        Ok(Error::new(kind, probe.location().source_place()))
    }

    /// Makes the error for a group of a file or store that is missing, or is no matrix.
    pub(super) fn no_matrix(
        &self,
        path: &Path,
        group: &str,
        probe: &Probe,
        options: &OpenOptions,
    ) -> Result<Error> {
        let root = Location::Path { path: path.to_path_buf(), group: None };
        let found = readable(self.detect(&root, options).and_then(|root| root.members()))?;
        let members = found.unwrap_or_default();
        let mut names: Vec<String> = members
            .iter()
            .filter(|member| member.shape.len() > 1)
            .map(|member| member.path.clone())
            .collect();
        if members.is_empty() {
            let root = self.probe(&root, options)?;
            names = readable(self.registry().all_groups(&root))?.unwrap_or_default();
            names.retain(|name| !name.is_empty());
        }
        let inside = format!("{}/", group.trim_matches('/'));
        let what = if probe.lacks_group()? {
            "no such group"
        } else if members.iter().any(|one| one.shape.len() == 1 && one.path.starts_with(&inside)) {
            "a table, not a matrix"
        } else {
            "no supported matrix in this group"
        };
        Ok(no_group(what, names, probe.location()))
    }

    /// Lists entries of a directory that look like a format, then those that cannot be read.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be listed or an entry cannot be read, unless others look like a
    /// format.
    fn entries(&self, directory: &InputDirectory) -> Result<Vec<String>> {
        const MOST: usize = 50;
        let (mut inside, mut denied) = (Vec::new(), Vec::new());
        directory.for_each(&mut |entry| {
            if is_hidden(entry) {
                return Ok(true);
            }
            let place = Place::path(directory.path().join(&entry.name));
            match self.registry().is_entry(directory, entry) {
                Ok(false) => {}
                Ok(true) => inside.push(place.to_string()),
                Err(error) if is_denied(&error) => {
                    denied.push(error.with_place(place));
                }
                Err(error) => return Err(error),
            }
            Ok(inside.len() <= MOST)
        })?;
        inside.sort();
        if inside.is_empty() {
            return denied.into_iter().next().map_or(Ok(inside), Err);
        }
        if inside.len() > MOST {
            inside.truncate(MOST);
            inside.push("...".to_owned());
        }
        inside.extend(denied.iter().take(MOST).map(ToString::to_string));
        Ok(inside)
    }
}

/// Returns the container or format of a file that begins with these bytes, and the feature by which it is read, if that is off.
fn left_out(start: &[u8]) -> Option<[&'static str; 2]> {
    let known: [(&[u8], _, _); 4] = [
        (b"\x89HDF\r\n\x1a\n", ["HDF5", "hdf5"], cfg!(feature = "hdf5")),
        (b"CDF", ["NetCDF", "netcdf"], cfg!(feature = "netcdf")),
        (b"PK\x03\x04", ["npz", "npz"], cfg!(feature = "npz")),
        (b"MATLAB 5.0 MAT-file", ["MATLAB", "matlab"], cfg!(feature = "matlab")),
    ];
    let found = known.into_iter().find(|(bytes, _, is_on)| !is_on && start.starts_with(bytes));
    found.map(|(_, names, _)| names)
}

/// Makes the error for a group without a matrix; `names` are the matrices of the file.
pub(super) fn no_group(what: &str, mut names: Vec<String>, location: &Location) -> Error {
    const MOST: usize = 10;
    let more = if names.len() > MOST { ", ..." } else { "" };
    names.truncate(MOST);
    let what = match &*names.join(", ") {
        "" => what.to_owned(),
        names => format!("{what}; the file has {}{more}", names.escape_debug()),
    };
    Error::new(ErrorKind::Unrecognized(what), location.source_place())
}

/// Returns whether a directory contains nothing but nodes of Zarr, as a store whose root has lost its metadata.
/// Directories with an extension, such as `.zarr`, are stores of their own.
fn is_zarr_without_metadata(directory: &InputDirectory) -> Result<bool> {
    const METADATA: [&str; 3] = ["zarr.json", ".zarray", ".zgroup"];
    let mut nodes = true;
    directory.for_each(&mut |entry| {
        // Other hidden files, such as `.zattrs`, are skipped.
        if is_hidden(entry) && !METADATA.iter().any(|name| entry.name == *name) {
            return Ok(true);
        }
        nodes = entry.kind == EntryKind::Directory && Path::new(&entry.name).extension().is_none();
        if nodes {
            let names = directory.inside(&entry.name).names()?.unwrap_or_default();
            nodes = METADATA.iter().any(|name| names.contains_key(std::ffi::OsStr::new(name)));
        }
        Ok(nodes)
    })?;
    Ok(nodes)
}

/// Returns whether an entry of a directory is hidden, so that it is not shown as one that could be read.
fn is_hidden(entry: &ListedEntry) -> bool {
    entry.name.as_encoded_bytes().starts_with(b".")
}

fn is_denied(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
}
