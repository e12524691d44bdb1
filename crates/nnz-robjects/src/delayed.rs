//! Matrices outside of the file, and operations that were not carried out.

use nnz_container::rds::{Object, Value};

use crate::objects::{FileInfo, classes, describe, slot};

/// A matrix outside of the file, of which an object has the path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExternalMatrix {
    /// The path, as it is in the object.
    pub path: String,
    /// The group or dataset in the file, if it is HDF5.
    pub group: Option<String>,
    /// How it is stored.
    pub kind: ExternalKind,
    /// The class of the object.
    pub class: String,
    /// The number of rows and columns that the object states.
    pub shape: Option<[u64; 2]>,
}

/// The storage of an external matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExternalKind {
    /// A BPCells directory, or a group with the arrays of one.
    BpCells {
        /// Whether rows and columns are exchanged.
        transposed: bool,
    },
    /// A dataset of two dimensions, whose rows are the columns of the matrix.
    Dense,
    /// A 10x matrix.
    Tenx,
}

/// The largest number of nested operations and seeds.
const MOST: usize = 64;

/// Returns the external matrix that an object has the path of; an error describes what cannot be read.
pub(crate) fn find(info: &FileInfo, object: &Object) -> Option<Result<ExternalMatrix, String>> {
    let mut object = object;
    let mut transposed = false;
    let dim = slot(object, "dim").or_else(|| slot(object, "Dim"));
    let shape = dim.and_then(|dim| match &dim.value {
        Value::Integer(sides) if sides.len() == 2 => {
            let side = |at| sides.get(at).and_then(|side| u64::try_from(side).ok());
            Some([side(0)?, side(1)?])
        }
        _ => None,
    });
    let own = classes(object).into_iter().next()?;
    for _ in 0..MOST {
        let class = classes(object).into_iter().next()?;
        let text = |name: &str| slot(object, name).and_then(|slot| info.string(slot));
        let found = |path, group, kind| {
            Some(Ok(ExternalMatrix { path, group, kind, class: own.clone(), shape }))
        };
        let is_true = |name: &str| matches!(slot(object, name).map(|slot| &slot.value), Some(Value::Logical(flags)) if flags[..] == [1]);
        object = match &*class {
            // Names are those of the object.
            "RenameDims" => slot(object, "matrix")?,
            "DelayedSetDimnames" | "DelayedMatrix" | "HDF5Matrix" | "TENxMatrix" | "HDF5Array"
            | "H5SparseMatrix" => slot(object, "seed")?,
            "MatrixDir" => {
                transposed ^= is_true("transpose");
                return found(text("dir")?, None, ExternalKind::BpCells { transposed });
            }
            "MatrixH5" => {
                transposed ^= is_true("transpose");
                let kind = ExternalKind::BpCells { transposed };
                return found(text("path")?, text("group"), kind);
            }
            "HDF5ArraySeed" | "Dense_H5ADMatrixSeed" => {
                return found(text("filepath")?, text("name"), ExternalKind::Dense);
            }
            "TENxMatrixSeed" => {
                return found(text("filepath")?, text("group"), ExternalKind::Tenx);
            }
            class if is_delayed(class) => {
                return Some(Err(format!(
                    "operations that were not carried out ({}): write out the result first",
                    class.escape_debug()
                )));
            }
            _ => return None,
        };
    }
    Some(Err(describe(object)))
}

/// Returns the matrix that a wrapper without operations holds in memory.
pub(crate) fn unwrapped(mut object: Object) -> Object {
    for _ in 0..MOST {
        let is_wrapper = object.is_s4()
            && matches!(
                classes(&object).first().map(|class| &**class),
                Some("DelayedMatrix" | "DelayedSetDimnames")
            );
        let seed = if is_wrapper { crate::objects::take(&mut object, "seed") } else { None };
        match seed {
            Some(seed) => object = seed,
            None => break,
        }
    }
    object
}

/// Returns whether a class is that of an operation of `DelayedArray` or BPCells.
fn is_delayed(class: &str) -> bool {
    class.starts_with("Delayed")
        || class.starts_with("Transform")
        || matches!(
            class,
            "ConvertMatrixType"
                | "MatrixSubset"
                | "ColBindMatrices"
                | "RowBindMatrices"
                | "MatrixMask"
                | "MatrixMultiply"
                | "MatrixRankTransform"
                | "PeakMatrix"
                | "TileMatrix"
        )
}
