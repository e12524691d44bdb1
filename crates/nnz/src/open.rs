//! Recognising what a place holds, by its content.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use nnz_bpcells::RObject;
use nnz_container::rds::{self, Limits};
use nnz_container::{npy, npz, zarr};
use nnz_core::{Error, ErrorKind, MatrixSource, Place, Result};
use nnz_interop::r_matrix::{self, RMatrixSource};
use nnz_interop::{fragment_tsv, matrix_market, tenx_folder};

use crate::Location;
use crate::daphne::Found;
use crate::groups;
use crate::store::{Grouped, Store};

/// A matrix that was opened.
pub struct Opened {
    /// The matrix.
    pub source: Box<dyn MatrixSource>,
    /// Whether its format fixes the order its entries are stored in. Matrix Market does not.
    pub ordered: bool,
}

/// Opens the matrix at a place, whatever its format.
///
/// An object of R has to be read whole; it may take [`default_memory`](crate::default_memory).
///
/// # Errors
///
/// Fails where there is nothing, nothing that is recognised, or something that is broken.
pub fn open(location: &Location) -> Result<Opened> {
    open_within(location, crate::default_memory())
}

/// Opens the matrix at a place, as [`open`] does, where what has to be read whole may take so many
/// bytes.
///
/// # Errors
///
/// Fails as [`open`], and where an object of R takes more.
pub fn open_within(location: &Location, memory: u64) -> Result<Opened> {
    recognise(location, memory, Sought::Matrix)?.open()
}

impl Recognised {
    /// Opens the matrix that was found.
    pub(crate) fn open(self) -> Result<Opened> {
        let unordered = |source: Box<dyn MatrixSource>| Opened { source, ordered: false };
        match self {
            Self::Stream => Ok(unordered(Box::new(matrix_market::open_stdin()?))),
            Self::BpCells(store) => {
                let source = Box::new(nnz_bpcells::MatrixSource::open(store.open()?)?);
                Ok(Opened { source, ordered: true })
            }
            Self::Binsparse(store) => {
                let source = Box::new(nnz_binsparse::MatrixSource::open(store.open()?)?);
                Ok(Opened { source, ordered: true })
            }
            Self::Fragments(store) => Err(store.no_matrix()?),
            Self::RMatrix(source) => {
                // Triplets have none.
                let ordered = source.random_access();
                Ok(Opened { source, ordered })
            }
            Self::TenxFolder(path) => Ok(unordered(Box::new(tenx_folder::open(&path)?))),
            Self::MatrixMarket(path) => Ok(unordered(Box::new(matrix_market::open(&path)?))),
            Self::Daphne(found) => found.open(None),
        }
    }
}

impl Recognised {
    /// Says that it is no Binsparse, or what is wrong with what cannot be opened at all.
    pub(crate) fn no_binsparse(self, location: &Location) -> Error {
        let fault = match self {
            Self::BpCells(store) => store.open().err(),
            _ => None,
        };
        let (found, expected) = ("no Binsparse", "a matrix or tensor of it");
        fault.unwrap_or_else(|| Error::mismatch(location.source_place(), found, expected))
    }
}

/// What is meant where a file holds several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// A matrix.
    Matrix,
    /// Genomic fragments.
    Fragments,
}

/// What a place was found to hold.
pub(crate) enum Recognised {
    /// A text on standard input.
    Stream,
    /// The arrays of a BPCells matrix.
    BpCells(Store),
    /// A matrix, vector or tensor of Binsparse.
    Binsparse(Store),
    /// The arrays of BPCells fragments.
    Fragments(Store),
    /// A matrix of R.
    RMatrix(Box<RMatrixSource>),
    /// A directory with a Matrix Market file and the names of its rows and columns.
    TenxFolder(PathBuf),
    /// A Matrix Market file.
    MatrixMarket(PathBuf),
    /// A matrix or a frame of DAPHNE.
    Daphne(Found),
}

/// Finds out what a place holds; an object of R is read, and may take `memory` bytes.
pub(crate) fn recognise(location: &Location, memory: u64, sought: Sought) -> Result<Recognised> {
    let (path, group) = match location {
        Location::Stream => return Ok(Recognised::Stream),
        Location::Path { path, group } => (path, group),
    };
    let found = path.metadata().map_err(|error| Error::io(path, error))?;
    if found.is_file()
        && let Some(kind) = Grouped::of_file(path)?
    {
        return recognise_group(kind, path, group.as_deref(), sought);
    }
    if found.is_dir() && zarr::is_zarr(path) {
        return recognise_group(Grouped::Zarr, path, group.as_deref(), sought);
    }
    if let Some(group) = group.as_deref().filter(|group| !group.is_empty()) {
        let what = format!("holds no groups, so there is no {group:?} in it");
        return Err(Error::new(ErrorKind::Unrecognized(what), Place::path(path)));
    }
    if found.is_dir() { recognise_directory(path) } else { recognise_file(path, memory) }
}

fn recognise_directory(path: &Path) -> Result<Recognised> {
    if path.join("version").exists() {
        return Ok(Store::Directory(path.to_path_buf()).recognise());
    }
    if tenx_folder::looks_like(path) {
        return Ok(Recognised::TenxFolder(path.to_path_buf()));
    }
    if let Some(segments) = Found::directory(path) {
        return Ok(Recognised::Daphne(segments));
    }
    if npy::is_npy_directory(path)? {
        return Ok(Store::Npy(path.to_path_buf()).recognise());
    }
    let mut inside = stores_inside(path)?;
    let kind = if inside.is_empty() {
        let what = "a directory without a file \"version\" (BPCells), \"matrix.mtx\" (10x), \
                    \"binsparse.json\" or segments (DAPHNE)";
        ErrorKind::Unrecognized(what.to_owned())
    } else {
        inside.sort();
        let inside = inside.join("\n  ");
        ErrorKind::Argument(format!("a directory of several; name one of\n  {inside}"))
    };
    Err(Error::new(kind, Place::path(path)))
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
        let is_store = is_store || zarr::is_zarr(&child);
        let named = [crate::Format::MatrixMarket, crate::Format::Daphne].map(Some);
        if is_store || named.contains(&crate::Format::of_path(&child)) {
            inside.push(Place::path(child).to_string());
        }
        if inside.len() == MOST {
            inside.push("...".to_owned());
            break;
        }
    }
    Ok(inside)
}

/// Reads the beginning of a file.
pub(crate) fn first_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    file.take(most).read_to_end(&mut start).map_err(|error| Error::io(path, error))?;
    Ok(start)
}

/// Finds the group that is meant: the one named, or the one that is chosen where none is.
fn recognise_group(
    kind: Grouped,
    path: &Path,
    group: Option<&str>,
    sought: Sought,
) -> Result<Recognised> {
    let group = match group {
        Some(group) => group.to_owned(),
        None => groups::choose(kind, path, sought)?,
    };
    Ok(Store::Group(kind, path.to_path_buf(), group).recognise())
}

fn recognise_file(path: &Path, memory: u64) -> Result<Recognised> {
    let matrix_market = || Ok(Recognised::MatrixMarket(path.to_path_buf()));
    let regular = path.metadata().is_ok_and(|found| found.is_file());
    // By its name, so that a broken one is told where it is broken. What is no regular file can be
    // read but once, and only texts are read from it.
    if !regular || crate::Format::of_path(path) == Some(crate::Format::MatrixMarket) {
        return matrix_market();
    }
    let start = first_bytes(path, 512)?;
    let len = path.metadata().map_err(|error| Error::io(path, error))?.len();
    if let Some(found) = Found::file(path, &start[..start.len().min(64)], len) {
        return Ok(Recognised::Daphne(found));
    }
    if rds::is_rds(path)? {
        return recognise_r(path, memory);
    }
    if npz::is_npz(&start) {
        return Ok(Store::Npz(path.to_path_buf()).recognise());
    }
    if matrix_market::looks_like(&start) {
        return matrix_market();
    }
    if crate::home::ends_in_rds(path) && !start.is_empty() {
        // Broken, or compressed as nothing here reads: this says how.
        return recognise_r(path, memory);
    }
    if fragment_tsv::recognise(path)? {
        let what = "genomic fragments as text: nnz fragments import makes a store of them";
        return Err(Error::new(ErrorKind::Unrecognized(what.to_owned()), Place::path(path)));
    }
    if start.starts_with(b"\x1f\x8b") {
        return matrix_market();
    }
    let what = if start.is_empty() {
        "an empty file"
    } else {
        "not recognised: it begins like none of the formats that can be read"
    };
    Err(Error::new(ErrorKind::Unrecognized(what.to_owned()), Place::path(path)))
}

/// Reads an object of R, and tells a matrix from what BPCells saved.
fn recognise_r(path: &Path, memory: u64) -> Result<Recognised> {
    let document = rds::read(path, Limits { memory })?;
    if r_matrix::is_matrix(&document) {
        let source = r_matrix::from_document(path, document)?;
        return Ok(Recognised::RMatrix(Box::new(source)));
    }
    Ok(Store::RObject(RObject::from_document(path, document)?).recognise())
}
