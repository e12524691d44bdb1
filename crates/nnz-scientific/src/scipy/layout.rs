//! The entries `format`, `shape` and `_is_array`.

use std::fmt;

use nnz_container::matrix::Vector;
use nnz_container::tree::Group;
use nnz_core::{At, Error, ErrorKind, Order, Place, Result, Scalar, Values, readable};

/// The largest `format`, in bytes.
const LONGEST: u64 = 1 << 10;

/// The largest supported number of dimensions.
const MOST_DIMENSIONS: u64 = 64;

/// How SciPy, or the Python package sparse (PyData), stores a sparse matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseFormat {
    /// By rows.
    Csr,
    /// By columns.
    Csc,
    /// Entries in any order.
    Coo,
    /// Dense blocks, by rows of blocks.
    Bsr,
    /// Diagonals.
    Dia,
    /// Of PyData: stored like `Coo`.
    Dok,
    /// Of PyData: by the axes in `compressed_axes`, as csr or csc if there are two.
    Gcxs,
}

impl SparseFormat {
    const ALL: [Self; 7] =
        [Self::Csr, Self::Csc, Self::Coo, Self::Bsr, Self::Dia, Self::Dok, Self::Gcxs];

    /// Returns the value of `format`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csr => "csr",
            Self::Csc => "csc",
            Self::Coo => "coo",
            Self::Bsr => "bsr",
            Self::Dia => "dia",
            Self::Dok => "dok",
            Self::Gcxs => "gcxs",
        }
    }

    /// Reads `format`: bytes or a string, depending on the version of SciPy. PyData before 0.16 has
    /// none.
    pub(super) fn read(file: &dyn Group) -> Result<Self> {
        let array = match file.array("format") {
            Err(error) if matches!(error.kind(), ErrorKind::Missing) => {
                return without_format(file, error);
            }
            found => found?,
        };
        let text = array.text(LONGEST)?;
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let found = format!("the format \"{}\"", text.escape_debug());
            Error::mismatch(array.place(), found, "csr, csc, coo, bsr, dia, dok or gcxs")
        })
    }
}

/// Lists the members of a file that are not part of its matrix.
///
/// # Errors
///
/// Fails if the members cannot be listed, or if `format` is missing or unknown.
pub fn other_members(file: &dyn Group) -> Result<Vec<String>> {
    let own: &[&str] = match SparseFormat::read(file)? {
        SparseFormat::Csr | SparseFormat::Csc | SparseFormat::Bsr => &["indices", "indptr"],
        SparseFormat::Gcxs => &["indices", "indptr", "compressed_axes"],
        SparseFormat::Coo | SparseFormat::Dok => match file.child("coords")? {
            Some(_) => &["coords"],
            None => &["row", "col"],
        },
        SparseFormat::Dia => &["offsets"],
    };
    let common = ["format", "shape", "data", "_is_array", "fill_value"];
    let mut names: Vec<String> = file.children()?.into_iter().map(|child| child.name).collect();
    names.retain(|name| !common.contains(&&**name) && !own.contains(&&**name));
    Ok(names)
}

impl fmt::Display for SparseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the format of a file without `format`: one of PyData, or the error.
fn without_format(file: &dyn Group, missing: Error) -> Result<SparseFormat> {
    let has = |name| Ok(readable(file.child(name))?.flatten().is_some());
    if has("coords")? && has("fill_value")? {
        return Ok(SparseFormat::Coo);
    }
    if has("indptr")? {
        if has("compressed_axes")? {
            return Ok(SparseFormat::Gcxs);
        }
        let what = "without \"format\" the order, by row or by column, is unknown; \
                    scipy.sparse.save_npz writes it";
        return Err(Error::unsupported(Place::path(file.path()), what));
    }
    Err(missing)
}

/// Returns the order of a gcxs array of two dimensions.
pub(super) fn read_order(file: &dyn Group) -> Result<Order> {
    let axes = Vector::open(file, "compressed_axes")?;
    let first = match axes.len() {
        1 => signed(axes.get(0)?),
        _ => None,
    };
    match first {
        Some(0) => Ok(Order::Row),
        Some(1) => Ok(Order::Col),
        found => {
            let found = match found {
                Some(axis) => format!("axis {axis}"),
                None => format!("{} elements of type {}", axes.len(), axes.value_type()),
            };
            Err(Error::mismatch(axes.place(), found, "one axis, 0 or 1"))
        }
    }
}

/// Reads the lengths of all dimensions.
pub(super) fn read_shape(file: &dyn Group) -> Result<Vec<u64>> {
    let vector = Vector::open(file, "shape")?;
    let value_type = vector.value_type();
    if !value_type.is_integer() || value_type == nnz_core::ValueType::Bint8 {
        let found = format!("elements of type {value_type}");
        return Err(Error::mismatch(vector.place(), found, "integers"));
    }
    if vector.is_empty() || vector.len() > MOST_DIMENSIONS {
        let found = format!("{} dimensions", vector.len());
        return Err(Error::mismatch(vector.place(), found, "1 to 64"));
    }
    let mut values = Values::new(value_type);
    vector.read(0..vector.len(), &mut values)?;
    let length = |at: u64| {
        let value = usize::try_from(at).ok().and_then(|at| values.get(at));
        value.and_then(signed).and_then(|value| u64::try_from(value).ok()).ok_or_else(|| {
            let shown = value.map_or_else(|| "none".to_owned(), |value| value.to_string());
            Error::mismatch(vector.place().at(At::Element(at)), shown, "a length of 0 or more")
        })
    };
    (0..vector.len()).map(length).collect()
}

/// Converts an integer of any type.
pub(super) fn signed(value: Scalar) -> Option<i128> {
    Some(match value {
        Scalar::U8(value) => value.into(),
        Scalar::U16(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::U64(value) => value.into(),
        Scalar::I8(value) => value.into(),
        Scalar::I16(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::I64(value) => value.into(),
        _ => return None,
    })
}
