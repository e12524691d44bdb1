//! MAT-files of version 7.3: HDF5, after a user block with the header.
//!
//! A dense array is a dataset with its dimensions in reverse order, so that columns are adjacent. A
//! sparse matrix is a group of `data`, `ir` and `jc`. The attribute `MATLAB_class` has the class.

mod flat;
mod list;

use nnz_container::matrix::Vector;
use nnz_container::tree::{Child, ChildKind, ElementType, Group, NdArray};
use nnz_core::{Error, ErrorKind, Place, Result, readable};

use super::class::Class;
use super::numbers::Numbers;
use super::open::{self as data, MatlabData, Origin, SparseArrays};
use super::variable::Variable;
use flat::Flat;

pub use list::{UnsupportedMember, unsupported, variables};

/// The version of the files.
pub(super) const VERSION: &str = "7.3";

/// The start of the header.
pub(super) const HEADER: &[u8] = b"MATLAB 7.3 MAT-file";

/// The attribute with the class.
pub(super) const CLASS: &str = "MATLAB_class";

/// The attribute of a sparse matrix, with the number of rows.
pub(super) const SPARSE: &str = "MATLAB_sparse";

/// The attribute of an array without elements, which stores its dimensions instead.
pub(super) const EMPTY: &str = "MATLAB_empty";

/// The attribute of a logical array, which is stored as bytes.
pub(super) const INT_DECODE: &str = "MATLAB_int_decode";

/// Returns whether an HDF5 file is a MAT-file: `start` has its first bytes. A file with the
/// extension `.mat` needs no header, if an object of its root has a class.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_v73(start: &[u8], root: Option<&dyn Group>) -> Result<bool> {
    if start.starts_with(HEADER) {
        return Ok(true);
    }
    let Some(root) = root else { return Ok(false) };
    for child in readable(root.children())?.unwrap_or_default() {
        match list::class(root, &child) {
            // Its class cannot be read, but the error is more useful than that there is no matrix.
            Err(error) if matches!(error.kind(), ErrorKind::Unsupported(_)) => return Ok(true),
            found => {
                if readable(found)?.flatten().is_some() {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Returns whether an HDF5 file is one that Octave wrote in its own format (`save -hdf5`).
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn is_octave(root: &dyn Group) -> Result<bool> {
    for Child { name, kind, .. } in readable(root.children())?.unwrap_or_default() {
        let marked = || root.group(&name)?.attribute("OCTAVE_NEW_FORMAT");
        if kind == ChildKind::Group && readable(marked())?.flatten().is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens a variable by its path.
///
/// # Errors
///
/// Fails if there is no such variable, if it is not numeric, or if it is damaged.
pub fn open(root: &dyn Group, path: &str, bytes: Option<u64>) -> Result<MatlabData> {
    let place = Place::array(root.path(), path);
    let found = list::find(root, path)?;
    let Some(variable) = found else { return Err(Error::new(ErrorKind::Missing, place)) };
    let value_type = variable.required_type(root.path())?;
    let origin = Origin { path: root.path(), bytes, version: VERSION };
    if !variable.sparse {
        let array = root.array(path)?;
        if variable.shape.contains(&0) {
            let none = Vector::zeros(0, array.place());
            return MatlabData::dense(&origin, &variable, Numbers::cast(none, None, value_type)?);
        }
        let (real, imaginary) = parts(array, Flat::vector)?;
        let values = Numbers::cast(real, imaginary, value_type)?;
        return MatlabData::dense(&origin, &variable, values);
    }
    let group = root.group(path)?;
    let (pointers, entries) = data::pointers(Vector::open(&*group, "jc")?)?;
    // Without entries there are no arrays for them.
    let missing = |name: &str| Vector::zeros(0, Place::array(group.path(), name));
    let has = |name: &str| group.child(name).map(|child| child.is_some());
    let indices = if has("ir")? { Vector::open(&*group, "ir")? } else { missing("ir") };
    let (real, imaginary) = match has("data")? {
        false => (missing("data"), None),
        true => match group.array("data")?.element_type() {
            ElementType::Number(_) => (Vector::open(&*group, "data")?, None),
            _ => parts(group.array("data")?, Vector::new)?,
        },
    };
    let arrays = SparseArrays { pointers, entries, indices, real, imaginary };
    MatlabData::sparse(&origin, &variable, arrays)
}

/// Returns the real and imaginary parts of an array.
fn parts(
    array: Box<dyn NdArray>,
    vector: fn(Box<dyn NdArray>) -> Result<Vector>,
) -> Result<(Vector, Option<Vector>)> {
    match array.element_type() {
        ElementType::Compound(_) => {
            Ok((vector(array.field("real")?)?, Some(vector(array.field("imag")?)?)))
        }
        _ => Ok((vector(array)?, None)),
    }
}

/// Returns whether an array of this type is complex.
fn is_complex(element: &ElementType) -> bool {
    match element {
        ElementType::Compound(fields) => {
            ["real", "imag"].iter().all(|name| fields.iter().any(|field| field.name == **name))
        }
        // Written by h5py.
        ElementType::Number(value_type) => value_type.is_complex(),
        _ => false,
    }
}
