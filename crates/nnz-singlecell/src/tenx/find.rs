//! Which groups of a file hold a matrix.

use nnz_container::tree::{Child, ChildKind, Group};
use nnz_core::{Error, Place, Result, readable};

/// The group of a matrix from version 3 on.
const MATRIX: &str = "matrix";

/// Arrays of a matrix, most of which are there.
const PARTS: [&str; 5] = ["data", "indices", "indptr", "shape", "barcodes"];

/// Which layout a matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// A group named after the genome, with `genes` and `gene_names`: Cell Ranger 1 and 2.
    V2,
    /// A group `matrix` with a table `features`: Cell Ranger 3 and later.
    V3,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// The root itself is the group of a matrix.
    Here,
    /// Matrices in groups of these names: one, or one for each genome.
    Groups(Vec<String>),
    /// Molecules (`molecule_info.h5`), which are no matrix.
    Molecules,
}

/// Returns whether a group is that of a matrix.
///
/// # Errors
///
/// Fails where the group cannot be listed.
pub fn holds_matrix(group: &dyn Group) -> Result<bool> {
    Ok(layout(&group.children()?).is_some())
}

/// Returns the layout of a group with these children, if it is that of a matrix.
pub(super) fn layout(children: &[Child]) -> Option<Generation> {
    let has = |name: &str| children.iter().any(|child| child.name == name);
    let is = |name: &str, kind: &ChildKind| {
        children.iter().any(|child| child.name == name && child.kind == *kind)
    };
    let parts = PARTS.iter().filter(|name| has(name)).count();
    if is("features", &ChildKind::Group) && parts >= 3 {
        return Some(Generation::V3);
    }
    if (has("genes") || has("gene_names")) && parts >= 3 {
        return Some(Generation::V2);
    }
    // Without features: what is left is that of either.
    (parts >= 4 && has("barcodes")).then_some(Generation::V3)
}

/// Finds the matrices in the root of a file; `None` where there is none.
///
/// # Errors
///
/// Fails where a group cannot be listed.
pub fn find(root: &dyn Group) -> Result<Option<Found>> {
    let children = root.children()?;
    if layout(&children).is_some() {
        return Ok(Some(Found::Here));
    }
    let has = |name: &str| children.iter().any(|child| child.name == name);
    // Those of Cell Ranger 3 and later, and those before.
    if (has("barcode_idx") && has("umi")) || (has("barcode") && has("umi") && has("gene")) {
        return Ok(Some(Found::Molecules));
    }
    let groups = children.iter().filter(|child| child.kind == ChildKind::Group);
    let mut found = Vec::new();
    for child in groups {
        // One that is broken is none of these, and no reason not to read others.
        let listed = root.group(&child.name).and_then(|group| group.children());
        let Some(generation) = readable(listed)?.and_then(|children| layout(&children)) else {
            continue;
        };
        if child.name == MATRIX {
            return Ok(Some(Found::Groups(vec![MATRIX.to_owned()])));
        }
        if generation == Generation::V2 {
            found.push(child.name.clone());
        }
    }
    Ok((!found.is_empty()).then_some(Found::Groups(found)))
}

impl Found {
    /// Makes the error for a file of molecules.
    #[must_use]
    pub fn no_matrix(root: &dyn Group) -> Error {
        let what = "a molecule_info.h5 of Cell Ranger: it lists molecules and is no matrix; \
                    filtered_feature_bc_matrix.h5 of the same run is one";
        Error::unsupported(Place::path(root.path()), what)
    }
}
