//! Recognising what a place holds, by its content.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use nnz_container::Container;
use nnz_container::directory::Directory;
use nnz_container::hdf5::{self, Hdf5};
use nnz_core::{Error, ErrorKind, MatrixSource, Place, Result};
use nnz_interop::{matrix_market, tenx_folder};

use crate::Location;

/// A matrix that was opened.
pub struct Opened {
    /// The matrix.
    pub source: Box<dyn MatrixSource>,
    /// Whether its format fixes the order its entries are stored in. Matrix Market does not.
    pub ordered: bool,
}

/// Opens the matrix at a place, whatever its format.
///
/// # Errors
///
/// Fails where there is nothing, nothing that is recognised, or something that is broken.
pub fn open(location: &Location) -> Result<Opened> {
    let unordered = |source: Box<dyn MatrixSource>| Opened { source, ordered: false };
    match recognise(location)? {
        Recognised::Stream => Ok(unordered(Box::new(matrix_market::open_stdin()?))),
        Recognised::BpCells(store) => {
            let source = Box::new(nnz_bpcells::MatrixSource::open(store.open()?)?);
            Ok(Opened { source, ordered: true })
        }
        Recognised::TenxFolder(path) => Ok(unordered(Box::new(tenx_folder::open(&path)?))),
        Recognised::MatrixMarket(path) => Ok(unordered(Box::new(matrix_market::open(&path)?))),
    }
}

/// What a place was found to hold.
pub(crate) enum Recognised {
    /// A text on standard input.
    Stream,
    /// BPCells arrays.
    BpCells(Store),
    /// A directory with a Matrix Market file and the names of its rows and columns.
    TenxFolder(PathBuf),
    /// A Matrix Market file.
    MatrixMarket(PathBuf),
}

/// Where named arrays are.
pub(crate) enum Store {
    Directory(PathBuf),
    Hdf5 { path: PathBuf, group: String },
}

impl Store {
    pub(crate) fn open(&self) -> Result<Box<dyn Container>> {
        Ok(match self {
            Self::Directory(path) => Box::new(Directory::open(path)?),
            // Units are decoded by many threads already.
            Self::Hdf5 { path, group } => Box::new(Hdf5::open(path, group)?.with_threads(1)),
        })
    }
}

pub(crate) fn recognise(location: &Location) -> Result<Recognised> {
    let (path, group) = match location {
        Location::Stream => return Ok(Recognised::Stream),
        Location::Path { path, group } => (path, group),
    };
    let found = path.metadata().map_err(|error| Error::io(path, error))?;
    if found.is_file() && starts_as_hdf5(path)? {
        return recognise_hdf5(path, group.as_deref());
    }
    if let Some(group) = group.as_deref().filter(|group| !group.is_empty()) {
        let what = format!("holds no groups, so there is no {group:?} in it");
        return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
    }
    if found.is_dir() { recognise_directory(path) } else { recognise_file(path) }
}

fn recognise_directory(path: &Path) -> Result<Recognised> {
    if path.join("version").exists() {
        return Ok(Recognised::BpCells(Store::Directory(path.to_path_buf())));
    }
    if tenx_folder::looks_like(path) {
        return Ok(Recognised::TenxFolder(path.to_path_buf()));
    }
    let mut inside = stores_inside(path)?;
    let what = if inside.is_empty() {
        "a directory without a file \"version\" (BPCells) or \"matrix.mtx\" (10x)".to_owned()
    } else {
        inside.sort();
        format!("a directory of several; name one of\n  {}", inside.join("\n  "))
    };
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}

/// Lists what can be opened one level down.
fn stores_inside(path: &Path) -> Result<Vec<String>> {
    const MOST: usize = 50;
    let io = |error| Error::io(path, error);
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let child = entry.map_err(io)?.path();
        let is_store =
            child.is_dir() && (child.join("version").exists() || tenx_folder::looks_like(&child));
        if is_store || crate::Format::of_path(&child) == Some(crate::Format::MatrixMarket) {
            inside.push(child.display().to_string());
        }
        if inside.len() == MOST {
            inside.push("...".to_owned());
            break;
        }
    }
    Ok(inside)
}

/// Whether a file is HDF5, as far as its first bytes tell.
pub(crate) fn starts_as_hdf5(path: &Path) -> Result<bool> {
    let mut start = Vec::with_capacity(8);
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    file.take(8).read_to_end(&mut start).map_err(|error| Error::io(path, error))?;
    Ok(hdf5::is_hdf5(&start))
}

/// Finds the group that is meant: the one named, or the only one that holds a matrix.
fn recognise_hdf5(path: &Path, group: Option<&str>) -> Result<Recognised> {
    let store = |group: &str| Store::Hdf5 { path: path.to_path_buf(), group: group.to_owned() };
    if let Some(group) = group {
        return Ok(Recognised::BpCells(store(group)));
    }
    let found = hdf5::groups_with(path, &["version"])?;
    let found: Vec<_> = found.iter().filter(|tagged| tagged.text.contains("-matrix-")).collect();
    let what = match found[..] {
        [only] => return Ok(Recognised::BpCells(store(&only.group))),
        [] => "an HDF5 file without a BPCells matrix, the only kind this version reads".to_owned(),
        _ => {
            let path = path.display();
            let places = found.iter().map(|tagged| format!("\n  {path}::/{}", tagged.group));
            format!("holds several; name one of{}", places.collect::<String>())
        }
    };
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}

fn recognise_file(path: &Path) -> Result<Recognised> {
    let matrix_market = || Ok(Recognised::MatrixMarket(path.to_path_buf()));
    let regular = path.metadata().is_ok_and(|found| found.is_file());
    // By its name, so that a broken one is told where it is broken. What is no regular file can be
    // read but once, and only texts are read from it.
    if !regular || crate::Format::of_path(path) == Some(crate::Format::MatrixMarket) {
        return matrix_market();
    }
    let mut start = Vec::new();
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    file.take(512).read_to_end(&mut start).map_err(|error| Error::io(path, error))?;
    let known_unread = [
        (&b"PK\x03\x04"[..], "a zip archive, as npz files are"),
        (b"CDF\x01", "a NetCDF file"),
        (b"CDF\x02", "a NetCDF file"),
        (b"CDF\x05", "a NetCDF file"),
        (b"X\n\x00\x00\x00", "an R object"),
    ];
    if matrix_market::looks_like(&start) || start.starts_with(b"\x1f\x8b") {
        return matrix_market();
    }
    let what = match known_unread.iter().find(|(magic, _)| start.starts_with(magic)) {
        Some((_, what)) => format!("{what}, which this version does not read"),
        None if start.is_empty() => "an empty file".to_owned(),
        None => "not recognised: it begins like none of the formats that can be read".to_owned(),
    };
    Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)))
}
